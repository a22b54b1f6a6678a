"""Why a table's numbers are what they are, out of its log.

story   the stored facts, each with its place in the log
clock   time: who thought how long about what, and what was given back
        (timeline cuts the log into spans, reckoning adds them up)
score   leaderboard points: base, bonus, entry or why there is none
stake   Taler: held, given back, paid out, and to whom
"""
