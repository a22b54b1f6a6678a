"""Why a table's numbers are what they are, out of its log.

story   the stored facts, each with its place in the log
score   leaderboard points: base, bonus, entry or why there is none
stake   Taler: held, given back, paid out, and to whom
"""
