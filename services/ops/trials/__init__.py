"""Acceptance trials against a running system, by players with tickets like everybody's.

report   what a trial came to, in one shape for all of them
entry    how the trials' people come in: over WebSocket, by the gateway
race     two people want the same thing at the same time
crowd    a full house: people with habits, services that are killed, and what must hold after it
curious  a player with a good ticket who tries everything that is not his (`curiosity`)
"""
