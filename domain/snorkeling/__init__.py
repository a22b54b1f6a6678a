"""Snorkeling: stay under water while the others drive you up card by card (RULES.md 4)."""
