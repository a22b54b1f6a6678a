"""Taler in double entry: what happens on accounts, and what the rules say about stakes."""
