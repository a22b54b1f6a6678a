"""Speeddrill: four seasons of drilling for the deepest holes on six continents (RULES.md 5)."""
