"""Leaderboards (TABLE-R03): today, this week, all time, with everybody's own place."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from contracts.leaderboard import Leaderboard
from domain.ranking import place_bonus
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, follows
from tests.features.playing import play_out

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = 2
LONG_S = 90


class Champion:
    """Somebody who plays for the leaderboard and looks at it."""

    def __init__(self, person: Person) -> None:
        self.person = person

    async def looks(self, period: str, games: int) -> Leaderboard:
        """The board of a period, as soon as so many games of his are on it."""

        def all_there(board: Leaderboard) -> bool:
            return (board.own.games if board.own else 0) == games

        return await follows(lambda: self.person.board("speeddive", period), all_there)

    async def has(self, period: str, games: int) -> int:
        """His points in a period."""
        own = (await self.looks(period, games)).own
        return own.points if own else 0


async def long_game(house: House, *people: Person) -> dict[str, int]:
    """Play a game that counts; gives the points that it brings each of the people."""
    table = await begun(*people)
    house.passes(LONG_S)
    for person in people:
        await person.client.seat(table).resume()  # whoever is silent for a minute is told nothing
    await play_out(house, table, *people)
    (result,) = people[0].facts(table, "GameFinished")
    rows = zip(result["seats"], result["scores"], result["ranks"], strict=True)
    return {
        seat["player"]: score + place_bonus(rank, len(result["seats"]))
        for seat, score, rank in rows
    }


def noon(house: House, weekday: int) -> float:
    """How long it is (s) till that weekday's next noon in Berlin."""
    now = datetime.fromtimestamp(house.now_ms() / 1_000, UTC).astimezone(BERLIN)
    day = now.date() + timedelta(days=1 + (weekday - now.weekday() - 1) % 7)
    return (datetime.combine(day, time(12), BERLIN) - now.astimezone(UTC)).total_seconds()


async def test_games_count_for_their_day_their_week_and_for_ever(house: House, come: Come) -> None:
    anna = await come("Anna")
    champion = Champion(anna)
    house.passes(noon(house, WEDNESDAY))
    first = (await long_game(house, anna, await come()))[anna.id]
    assert await champion.has("today", 1) == await champion.has("week", 1) == first

    house.passes(24 * 3_600)
    assert (await champion.looks("today", 0)).own is None
    second = (await long_game(house, anna, await come()))[anna.id]
    assert await champion.has("today", 1) == second
    assert await champion.has("week", 2) == first + second

    house.passes(7 * 24 * 3_600)
    third = (await long_game(house, anna, await come()))[anna.id]
    assert await champion.has("today", 1) == await champion.has("week", 1) == third
    assert await champion.has("all", 3) == first + second + third


async def test_a_game_of_less_than_90_seconds_is_not_entered(house: House, come: Come) -> None:
    """TABLE-A04: the -10 of who leaves is."""
    anna, ben = await come("Anna"), await come("Ben")
    table = await begun(anna, ben)
    await ben.client.leave(table)
    await play_out(house, table, anna)
    brought = await long_game(house, anna, ben)

    assert await Champion(anna).has("all", 1) == brought[anna.id]
    assert await Champion(ben).has("all", 2) == brought[ben.id] - 10


async def test_places_follow_from_sums_and_guests_have_none(house: House, come: Come) -> None:
    anna, ben, guest = await come("Anna"), await come("Ben"), await come()
    brought = await long_game(house, anna, ben, guest)

    board = await Champion(anna).looks("all", 1)
    await Champion(ben).looks("all", 1)

    board = await guest.board("speeddive")
    points = {line.player: line.points for line in board.lines}
    assert board.own is None
    assert guest.id not in points
    assert (points[anna.id], points[ben.id]) == (brought[anna.id], brought[ben.id])
    for line in board.lines:
        better = sum(other.points > line.points for other in board.lines)
        assert line.place == 1 + better
