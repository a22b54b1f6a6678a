"""Counted words: none, one and two."""

from __future__ import annotations

from services.bot.strategies.german import of_cards, points, some, verb, with_points


def test_none_one_and_two() -> None:
    counts = (0, 1, 2)

    assert [points(each) for each in counts] == ["0 Punkte", "1 Punkt", "2 Punkte"]
    assert [points(each, "Straf") for each in (1, 5)] == ["1 Strafpunkt", "5 Strafpunkte"]
    assert [with_points(each) for each in counts] == ["0 Punkten", "1 Punkt", "2 Punkten"]
    assert [of_cards(each) for each in counts] == ["0 Karten", "1 Karte", "2 Karten"]
    assert [some(each) for each in counts] == ["keine", "1", "2"]
    assert [verb(each, "fehlt", "fehlen") for each in counts] == ["fehlt", "fehlt", "fehlen"]
