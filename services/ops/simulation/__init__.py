"""Whole games through the real bus, played by test players.

plan    what is to be played, checked before anything is opened
play    one table: people who answer at random until the game is over
taler   all accounts after games for a stake
acks    every acknowledgement compared with the log
"""
