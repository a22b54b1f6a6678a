"""Speeddive: every round the divers push their luck card by card (RULES.md 2)."""
