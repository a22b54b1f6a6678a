"""What a curious player tries, and how it is judged.

scene       who is there: he, his victims, their tables
wire        a connection that says to the server exactly what it is told, and keeps what it hears
player      he himself: one attempt after the other, each with what came of it
probes      what an attempt is, and what may come of it
listening   what he wants to hear
speaking    what he wants to say, and where he wants answers to go
asking      what he asks that is not his, and what he sends that is none
door        tickets that are not his, or none
web         the gateway's HTTP
flooding    too much of what he may do
victims     two people who play and chat meanwhile, and what of theirs is hidden
judging     which message he may have, and which holds a secret
"""
