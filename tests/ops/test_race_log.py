"""What `logbuch trial race` reads in the log and in accounts: whatever must not be is told."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.account import Account, Booking
from domain.account.events import Kind
from domain.table import events as e
from services.ops.trials.race_log import Expected, wrong
from services.ops.trials.race_taler import in_pot

TABLE, NEXT = "07-" + "a" * 24, "07-" + "b" * 24


def who(player: str, place: int) -> e.Occupant:
    return e.Occupant(player, "person", place)


SEATS = (who("p_anna", 0), who("p_ben", 1))
PLAYED = Expected(TABLE, frozenset({"p_anna", "p_ben"}), 10, NEXT)
FACTS: list[Any] = [
    e.SeatTaken(SEATS[0]),
    e.SeatTaken(who("p_eve", 1)),
    e.StartRequested(1, 10, ("p_anna", "p_eve")),
    e.StartCancelled(1),
    e.SeatFreed(1, "p_eve"),
    e.SeatTaken(SEATS[1]),
    e.SeatTaken(SEATS[1], "share"),
    e.StartRequested(2, 10, ("p_anna", "p_ben")),
    e.StakesHeld(2),
    e.GameStarted(1, SEATS),
    e.PlayerLeft(1, "p_ben", others=True),
    e.SuccessorOpened(NEXT),
]


def test_a_sound_table_is_clean() -> None:
    assert list(wrong(PLAYED, FACTS)) == []
    assert list(wrong(Expected(TABLE, None, 0), FACTS[:2])) == []


@pytest.mark.parametrize(
    ("facts", "what"),
    [
        ([*FACTS, e.GameStarted(1, SEATS)], "2 games began, not 1"),
        (FACTS[:-3] + FACTS[-2:], "0 games began, not 1"),
        ([*FACTS, e.SuccessorOpened(NEXT)], f"the next tables are {[NEXT, NEXT]}, not {NEXT}"),
        ([*FACTS[:-1], e.SuccessorOpened(TABLE)], f"the next tables are {[TABLE]}, not {NEXT}"),
        (FACTS[:-1], f"the next tables are [], not {NEXT}"),
        ([*FACTS, e.StakesHeld(2)], "stakes were held 2 times, not 1"),
        ([*FACTS, FACTS[7]], "2 starts were asked for and not called off, not 1"),
        (FACTS[:3] + FACTS[4:], "2 starts were asked for and not called off, not 1"),
        ([*FACTS, e.SeatTaken(who("p_eve", 1))], "p_eve took the seat of p_ben"),
        (
            [*FACTS, e.SeatTaken(who("p_ben", 2))],
            "somebody sits twice: ['p_anna', 'p_ben', 'p_ben']",
        ),
        ([*FACTS[:9], e.GameStarted(1, (*SEATS, who("p_eve", 1)))], "two play on one place"),
        ([*FACTS[:9], e.GameStarted(1, SEATS[:1])], "others play than sat there"),
        ([*FACTS[:9], e.GameStarted(1, SEATS[:1])], "['p_anna'] play, not ['p_anna', 'p_ben']"),
    ],
)
def test_what_must_not_be_is_told(facts: list[Any], what: str) -> None:
    assert what in list(wrong(PLAYED, facts))


def test_no_stake_is_held_where_nobody_plays_for_one() -> None:
    free = Expected(TABLE, PLAYED.players, 0, NEXT)

    assert "stakes were held 1 times, not 0" in list(wrong(free, FACTS))


@pytest.mark.parametrize(
    ("bookings", "pot"),
    [
        ([], 0),
        ([("hold", -10)], 10),
        ([("release", 10), ("hold", -10)], 0),
        ([("hold", -10), ("release", 10), ("hold", -10)], 10),
        ([("hold", -10), ("hold", -10)], None),
        ([("release", 10)], None),
    ],
)
def test_a_stake_is_paid_once(bookings: list[tuple[Kind, int]], pot: int | None) -> None:
    mine = [Booking(nr, 0, kind, amount, 0, TABLE) for nr, (kind, amount) in enumerate(bookings)]
    others = Booking(9, 0, "hold", -25, 0, NEXT), Booking(8, 0, "opening", 1_000, 0, "")

    assert in_pot(Account("p_anna", 0, 0, (*mine, *others)), TABLE) == pot
