"""Matches between computer players, in one process, on stacked deals."""
