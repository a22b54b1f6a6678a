"""Checks that a log is what was written, and that what was written follows from the rules.

stream    one table: hash chain, index row, replay, rules, shuffles, seed
accounts  all accounts: hash chains, bookings that belong together, the sum of all Taler
seats     where people sit: hash chains, and that the tables say the same
commands  which command a unit of facts must have come from
source    streams with their index rows, each as of one moment
"""
