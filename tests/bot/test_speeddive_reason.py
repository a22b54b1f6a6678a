"""What Rat says to a player of Speeddive: sentences that he can check, for none, one and more."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.speeddive.moves import ChargeDiver, ChooseTarget, Dive, Surface, SwapCards
from domain.speeddive.state import Diver, GiveCards
from services.bot.strategies import COMPUTERS
from services.bot.strategies.speeddive import stark
from tests.bot.test_speeddive_stark import diver, situation

REASON = COMPUTERS["speeddive"].reason


def of_dive(move: Any, left: dict[str, int], mine: Diver, other: Diver | None = None) -> str:
    """Give the reason with just these cards in the pile."""
    view, question = situation(mine, other or diver("3"))
    board = replace(view.board, pile_count=sum(left.values()))
    risky = sum([left.get(card, 0) for card in mine.spur])
    counts = dict.fromkeys(view.left, 0) | left
    return REASON(replace(view, board=board, left=counts, luftmesser=(risky, 0)), question, move)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (
            {"9": 1, "8": 1},
            "1 von 2 Karten wirft dich raus, und 1 Karte bringt eine neue Zahl (8): ",
        ),
        ({"9": 2}, "2 von 2 Karten werfen dich raus, und keine Karte bringt eine neue Zahl: "),
        (
            {"4": 1, "8": 1},
            (
                "Keine von 2 Karten wirft dich raus, "
                "und 2 Karten bringen eine neue Zahl (im Schnitt 6): "
            ),
        ),
    ],
)
def test_the_cards_of_the_pile_are_counted(left: dict[str, int], said: str) -> None:
    assert of_dive(Dive(), left, diver("9")).startswith(said)


@pytest.mark.parametrize(("card", "said"), [("1", "1 Punkt: "), ("2", "2 Punkte: ")])
def test_points_are_one_or_more(card: str, said: str) -> None:
    assert f"und du hast {said}" in of_dive(Surface(), {"9": 2, "8": 9}, diver(card))


@pytest.mark.parametrize(
    ("now", "down", "said"),
    [
        (0.001, 0.002, "So oder so gewinnst du zu weniger als 1 %."),
        (0.4, 0.4, "So oder so gewinnst du etwa zu 40 %."),
        (1.0, 0.4, "Oben gewinnst du fast sicher, sonst etwa zu 40 %."),
    ],
)
def test_equal_chances_are_no_comparison(
    now: float, down: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stark, "dive_chances", lambda _: (now, down))

    assert of_dive(Surface(), {"9": 2, "8": 9}, diver("9")).endswith(said)


def test_a_target_is_weighed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    view, question = situation(
        diver("9"), diver("1"), frame=GiveCards(0, ("-2",)), edition="DEEPER_DIVE"
    )
    weighed: list[Any] = []

    def weigh(_scene: Any, move: Any) -> float:
        weighed.append(move)
        return 0.5

    monkeypatch.setattr(stark, "chance_after", weigh)

    assert REASON(view, question, ChooseTarget(1)).endswith(
        ": Taucher 2 hat in dieser Runde 1 Punkt und steht bei 0: So gewinnst du etwa zu 50 %."
    )
    assert weighed == [ChooseTarget(1)]


def test_what_else_a_move_does_is_named_with_its_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    view, question = situation(
        diver("9"), diver("7", total=-6), frame=GiveCards(0, ("-2",)), edition="DEEPER_DIVE"
    )
    monkeypatch.setattr(stark, "chance_after", lambda *_: 0.0)

    assert REASON(view, question, SwapCards(0, "9", 1, "7")) == (
        "Die 9 geht von dir an Taucher 2, die 7 kommt dafür zurück: "
        "So gewinnst du zu weniger als 1 %."
    )
    assert REASON(view, question, ChargeDiver(1)).startswith("Taucher 2 stünde sonst bei 1 Punkt:")
