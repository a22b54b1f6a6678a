"""Speeddive "normal" in Deeper Dive and Brutal chooses what a sensible diver would."""

from __future__ import annotations

import random

import pytest

from contracts.views import Question
from domain.kernel import Ask
from domain.options import admits
from domain.speeddive.cards import DECKS
from domain.speeddive.moves import (
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.rules import waiting
from domain.speeddive.state import Board, Diver, Frame, GiveCards, Options, UseBonus
from domain.speeddive.views import view_of
from services.bot.strategies import strategy_of
from services.bot.strategies.speeddive.klassisch import choose
from tests.bot.duel import Stopper, duel, share


def asked(*divers: Diver, frame: Frame | None = None, brutal: bool = False) -> Move:
    """Ask seat 0 what the rules ask him; all that does not lie open is in the pile."""
    pending = len(frame.cards) if isinstance(frame, GiveCards) else 0
    lying = sum(len(diver.spur) + len(diver.beside) for diver in divers) + pending
    board = Board(
        Options("DEEPER_DIVE", brutal=brutal),
        divers,
        phase="round",
        round=1,
        dealer=len(divers) - 1,
        last=len(divers) - 1,
        frames=(frame,) if frame else (),
        pile_count=len(DECKS["DEEPER_DIVE"]) - lying,
    )
    ask = waiting(board)
    assert isinstance(ask, Ask)
    assert ask.seat == 0
    question = Question(1, ask.kind, ask.options, ask.default)
    move: Move = choose(view_of(board, 0), question, random.Random(1))
    assert admits(ask.options, move)
    return move


def diver(*spur: str, beside: tuple[str, ...] = (), status: str = "DOWN") -> Diver:
    return Diver(status, spur, beside, dealt=True)  # type: ignore[arg-type]  # one of the statuses


def card(name: str) -> GiveCards:
    return GiveCards(0, (name,))


def action(name: str) -> GiveCards:
    return GiveCards(0, (name,), (None,))


def test_dives_with_little_and_surfaces_with_much() -> None:
    assert asked(diver("5"), diver("3")) == Dive()
    assert asked(diver("13", "12", "11"), diver("3")) == Surface()


def test_the_leere_muschel_leaves_no_choice() -> None:
    assert asked(diver("0", "13", "12", "11"), diver("3")) == Dive()


def test_blei_hangs_on_another_diver() -> None:
    assert asked(diver("9"), diver("12"), frame=card("-10")) == ChooseTarget(1)


def test_blei_of_a_busted_diver_counts_only_in_brutal() -> None:
    out = diver("9", "9", status="OUT")
    poor = diver("1", status="SURFACED")

    assert asked(diver("9"), poor, out, frame=card("-10"), brutal=True) in {
        ChooseTarget(1),
        ChooseTarget(2),
    }
    assert asked(diver("9"), poor, out, frame=card("-10")) == ChooseTarget(1)


def test_the_mahlstrom_goes_to_who_has_most_to_lose() -> None:
    rich, poor = diver("13", "12", "11", status="SURFACED"), diver("2", status="SURFACED")

    assert asked(diver("9"), poor, rich, frame=card("Mahlstrom")) == ChooseTarget(2)


def test_the_hook_takes_a_good_number_and_not_a_second_one() -> None:
    got = asked(diver("13"), diver("13", "5"), frame=action("Enterhaken"))

    assert got == ChooseCard(1, "5")


def test_the_bite_takes_the_own_leck_of_a_rich_diver() -> None:
    rich = diver("13", "12", "11", beside=("Leck",), status="SURFACED")

    assert asked(rich, diver("4"), frame=action("Haibiss")) == ChooseCard(0, "Leck")


def test_the_swap_gives_blei_for_a_number() -> None:
    rich = diver("12", "11", status="SURFACED")

    got = asked(diver("5", beside=("-10",)), rich, frame=action("Stroemungswechsel"))

    assert isinstance(got, SwapCards)
    assert {got.first_card, got.second_card} == {"-10", "12"}


def test_the_bonus_is_taken() -> None:
    rich = diver("1", "2", "3", "4", "5", "6", "8", status="TREASURE")

    assert asked(rich, diver("2"), frame=UseBonus(0), brutal=True) == TakeBonus()


@pytest.mark.parametrize("brutal", [False, True])
def test_beats_a_player_who_stops_at_random(*, brutal: bool) -> None:
    """About 78 % of 4,000 duels; 150 with fixed seeds are enough to notice a fault."""
    normal = strategy_of("speeddive", "normal").choose

    assert share(normal, Stopper, 150, edition="DEEPER_DIVE", brutal=brutal) > 0.68


@pytest.mark.parametrize("brutal", [False, True])
def test_answers_whatever_is_asked_of_four(*, brutal: bool) -> None:
    for seed in range(8):
        duel((choose, Stopper(), choose, choose), seed, edition="DEEPER_DIVE", brutal=brutal)
