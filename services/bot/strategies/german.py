"""Counted words in Rat's German sentences: one Punkt, two Punkte."""

from __future__ import annotations


def points(count: int, kind: str = "") -> str:
    """Give the points, as a subject or an object: "1 Punkt", "5 Strafpunkte" (`kind` Straf)."""
    word = f"{kind}punkt" if kind else "Punkt"
    return f"{count} {word}{'' if abs(count) == 1 else 'e'}"


def with_points(count: int) -> str:
    """Give the points after "bei", "mit", "zu": "bei 2 Punkten"."""
    return f"{count} {'Punkt' if abs(count) == 1 else 'Punkten'}"


def of_cards(count: int) -> str:
    """Give the cards among which some are counted, after "von": "1 Karte"."""
    return f"{count} {'Karte' if count == 1 else 'Karten'}"


def some(count: int) -> str:
    """Give how many cards of those named before: "keine", "1"."""
    return str(count or "keine")


def verb(count: int, one: str, many: str) -> str:
    """Give the verb for so many cards; "keine" is one."""
    return one if count <= 1 else many
