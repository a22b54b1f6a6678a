"""Checks that a log is what was written, and that what was written follows from the rules.

stream    one table: hash chain, index row, replay, rules, shuffles, seed
accounts  all accounts: hash chains, bookings that belong together, the sum of all Taler
commands  which command a unit of facts must have come from
source    streams with their index rows, each as of one moment
"""
