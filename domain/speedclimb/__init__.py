"""Speedclimb: up the mountain camp by camp, each camp a combination of cards (RULES.md 3)."""
