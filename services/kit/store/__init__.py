"""The event store: one log in PostgreSQL, on the schema of the eventsourcing library.

model      what goes in and comes out, and the typed outcomes
recorder   group commit: the only way into the log
chain      salted hash chain over what is stored; verification
reader     everything read from the log and its index
leases     which replica owns which partition
projection read models with a checkpoint in the same transaction
migrate    the schema
facade     the library's synchronous recorder interface, for its own tests and tools
"""
