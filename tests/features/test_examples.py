"""The worked examples of RULES.md about places, bonuses and pots, through all the services.

Each is played to its end by people over WebSocket, and what it brings is read as they read it. The
rules alone have the same examples as records (tests/records), settlements in tests/ledger.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from msgspec.structs import replace

from contracts.subjects import stream_of
from domain.records.text import Record, parse
from tests.features.conftest import Come
from tests.features.house import TALER, House
from tests.features.people import Person, follows
from tests.features.positions import dealt, played, record

LONG_S = 90.0


class Example(NamedTuple):
    """A record, and what it brings by seat: places, and points on the leaderboard."""

    ranks: list[int]
    points: list[int]
    record: Record


class Guest(NamedTuple):
    """Who has come to play an example, and then looks at what it has brought."""

    person: Person

    async def points(self, game: str) -> int:
        board = await follows(lambda: self.person.board(game), lambda board: board.own)
        assert board.own is not None
        return board.own.points

    async def taler(self) -> int:
        account = await follows(self.person.account, lambda account: account.held == 0)
        return account.balance

    def ranks(self, table: str) -> list[int]:
        (result,) = self.person.facts(table, "GameFinished")
        ranks: list[int] = result["ranks"]
        return ranks


async def guests(come: Come, count: int) -> tuple[Person, ...]:
    return tuple([await come(name) for name in ("Anna", "Ben", "Carl", "Dora")[:count]])


def climb(seats: int, last_round: int, **camps: str) -> Record:
    """A climb in which A discards his last card and so ends the round."""
    rows = "\n".join(f"setup.{seat} = {{{row}}}" for seat, row in camps.items())
    return parse(
        f'game = "speedclimb"\nseats = {seats}\nsetup.phase = "main"\nsetup.turn = "A"\n'
        f'setup.round = {last_round}\n{rows}\nplay = "A discard B7"\n'
    )


def rohstoffe(example: Record) -> Record:
    setup = {**(example.setup or {}), "kursfelder": "Texas, Island, Outback, Atacama"}
    return replace(example, options=replace(example.options, mode="ROHSTOFFE"), setup=setup)


FINISHES = 'laid = true, hand = "B7"'
PLACES = {
    "DIVE-E20": Example([1, 2, 3, 4], [261, 213, 155, 90], record("speeddive/e20_leaderboard")),
    "DIVE-E21": Example([1, 2, 2, 4], [235, 175, 175, 40], record("speeddive/e21_shared_place")),
    "DIVE-E22": Example([1, 1, 3], [237, 237, 150], record("speeddive/e22_tenth_stechrunde")),
    "CLIMB-E13": Example([1, 2, 3], [130, 103, 63], record("speedclimb/e13_jump_to_the_summit")),
    "CLIMB-E18, 8 7 6 5": Example(
        [1, 2, 3, 4],
        [100 + 30, 88 + 15, 75 + 5, 63],
        climb(
            4,
            9,
            A=f"camp = 7, {FINISHES}",
            B='camp = 8, hand = "R1"',
            C='camp = 7, hand = "R2"',
            D='camp = 6, hand = "R3"',
        ),
    ),
    "CLIMB-E18, 4 3 2 1": Example(
        [1, 2, 3, 4],
        [50 + 30, 38 + 15, 25 + 5, 13],
        climb(
            4,
            40,
            A=f"camp = 3, {FINISHES}",
            B='camp = 4, hand = "R1"',
            C='camp = 3, hand = "R2"',
            D='camp = 2, hand = "R3"',
        ),
    ),
    "CLIMB-E18, 3 0": Example(
        [1, 2],
        [38 + 30, 0],
        climb(2, 40, A=f"camp = 2, {FINISHES}", B='camp = 1, hand = "R1"'),
    ),
    "SNORK-E16": Example([1, 2, 2], [45, 29, 29], record("snorkeling/e16_then_alone")),
    "SNORK-E17": Example([1, 2, 3], [44, 28, 12], record("snorkeling/e17_higher_total_wins")),
    "SNORK-E20": Example([1, 2, 2], [45, 29, 29], record("snorkeling/e20_leaderboard")),
    "DRILL-E19": Example([1, 2], [109, 75], record("speeddrill/e19_two_players")),
    # 47.4 and 45 of the same totals: points only, half up (DRILL-R12, A13, TABLE-A03)
    "DRILL-R12": Example([1, 2], [77, 45], rohstoffe(record("speeddrill/e19_two_players"))),
}


@pytest.mark.parametrize("example", PLACES.values(), ids=PLACES)
async def test_places_and_points(house: House, come: Come, example: Example) -> None:
    """TABLE-R02, R03, A02: also tests/domain/*/test_rules.py and the records named above."""
    told = example.record
    people = await guests(come, told.seats)
    table = await dealt(house, told, people)
    house.passes(LONG_S)

    await played(table, told, people)

    assert Guest(people[0]).ranks(table) == example.ranks
    assert [await Guest(person).points(told.game.name) for person in people] == example.points


@pytest.mark.parametrize("name", ["snorkeling/e16_shared_lead", "snorkeling/e18_below_the_goal"])
async def test_while_nobody_leads_alone_at_the_goal_there_are_no_places(
    house: House, come: Come, name: str
) -> None:
    """SNORK-E16, SNORK-E18"""
    told = record(name)
    people = await guests(come, told.seats)
    table = await dealt(house, told, people)

    assert (await played(table, told, people)).phase == "playing"
    assert people[0].facts(table, "GameFinished") == []


async def test_dive_e23_two_tied_winners_share_75_as_38_and_37(house: House, come: Come) -> None:
    """TABLE-A05: also tests/ledger/test_stakes.py and tests/domain/account/test_settlement.py."""
    told = record("speeddive/e22_tenth_stechrunde")
    people = await guests(come, 3)
    table = await dealt(house, told, people, stake=25)

    await played(table, told, people)

    assert Guest(people[0]).ranks(table) == [1, 1, 3]
    won = [await Guest(person).taler() - (TALER - 25) for person in people]
    assert won == [38, 37, 0]


async def test_climb_e31_the_better_of_two_people_gets_the_pot_behind_two_computers(
    house: House, come: Come
) -> None:
    """Also tests/ledger/test_stakes.py. Bonuses count computers as players (TABLE-A11)."""
    told = climb(
        4,
        40,
        A=f"camp = 2, {FINISHES}",
        B='camp = 2, hand = "R1"',
        C='camp = 8, hand = "R2"',
        D='camp = 6, hand = "R3"',
    )
    people = await guests(come, 2)
    table = await dealt(house, told, people, stake=10)

    view = await played(table, told, people)

    assert [each.kind for each in view.seats] == ["person", "person", "computer", "computer"]
    assert Guest(people[0]).ranks(table) == [3, 4, 1, 2]
    assert [await Guest(person).taler() for person in people] == [TALER - 10 + 20, TALER - 10]
    assert [await Guest(person).points("speedclimb") for person in people] == [38 + 5, 13]


async def position(house: House, table: str) -> int:
    """Where the end of a game stands in the log."""
    query = "SELECT position FROM log_readable WHERE stream = $1 AND topic LIKE $2"
    async with house.database.connection() as link:
        return int(await link.fetchval(query, stream_of(table), "%.GameFinished.%"))


@pytest.mark.parametrize(("seconds", "entered"), [(85.0, False), (89.999, False), (90.0, True)])
async def test_dive_e41_a_game_of_85_seconds_pays_its_pot_and_is_not_entered(
    house: House, come: Come, seconds: float, *, entered: bool
) -> None:
    """TABLE-A04: also tests/ledger/test_leaderboard.py."""
    told = record("speeddive/e20_leaderboard")
    people = await guests(come, 4)
    with house.stands_still():
        table = await dealt(house, told, people, stake=10)
        house.passes(seconds)
        await played(table, told, people)

    assert await Guest(people[0]).taler() == TALER - 10 + 40
    finished = await position(house, table)
    board = await follows(
        lambda: people[0].board("speeddive"), lambda board: int(board.position) >= finished
    )
    assert (board.own is not None) == entered
    assert board.own is None or board.own.points == 231 + 30
