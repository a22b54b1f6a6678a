"""`logbuch explain T score|stake`: every number is accounted for, out of the log alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.embedded.supervisor import Stack
from domain.account.settlement import Settlement
from domain.table import commands as c
from domain.table.events import Occupant, StakesDenied, TableCancelled, TableSuspended
from services import __main__ as program
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.ledger import stakes
from services.ledger.bank import Bank
from tests.ledger.conftest import Play, Stake, UpToDate
from tests.ledger.staked import Staked, person

HEAD = ("SEAT", "PLAYER", "PLACE", "SCORE", "BASE", "BONUS", "ENTERED", "FACT", "WHY")
COMPUTER = Occupant("computer_2", "computer", 2)


class Asking:
    """Asks for an account, for people and for machines."""

    def __init__(self, settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
        self._settings = settings
        self._capsys = capsys
        self.code = 0

    async def _call(self, *words: str) -> str:
        args = program._parse(["explain", *words])
        self.code = await args.run(args, self._settings)
        return self._capsys.readouterr().out

    async def text(self, table: str, topic: str) -> list[str]:
        return (await self._call(table, topic)).splitlines()

    async def data(self, table: str, topic: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(await self._call(table, topic, "--json"))
        return data


@pytest.fixture
def ask(log_url: str, stack: Stack, capsys: pytest.CaptureFixture[str]) -> Asking:
    return Asking(Settings(Path("unused"), log_url, stack.nats_url, secrets=stack.secrets), capsys)


async def test_base_bonus_and_rank_of_each_seat(table: Play, ask: Asking) -> None:
    played = table()
    await played.begin(3, "p_ben")
    await played.do(c.Leave(), "p_ben")
    result = (await played.finish()).result
    assert result is not None
    left = next(nr for nr, seat in enumerate(result.seats) if seat.left)

    shown = await ask.data(played.table.table_id, "score")

    anna, ben, computer = shown["seats"]
    assert (shown["took_ms"], shown["minimum_s"]) == (100_000, 90)
    assert (anna["base"], anna["rank"]) == (result.leaderboard_base[0], result.ranks[0])
    assert anna["bonus"] == {1: 30, 2: 15, 3: 0}[result.ranks[0]]
    assert anna["entered"] == anna["base"] + anna["bonus"]
    assert anna["fact"] == shown["finished"] == played.table.version - 1
    assert left == 1
    assert (ben["entered"], ben["fact"] < shown["finished"]) == (-10, True)
    assert (computer["entered"], computer["why"]) == (None, "computers get no entries")
    text = await ask.text(played.table.table_id, "score")
    assert text[1].endswith("the game took 100.0 s; under 90 s it is not entered")
    assert text[3].split() == list(HEAD)
    assert len(text) == 7


async def test_dive_e41_a_short_game_has_a_pot_and_no_entry(
    bank: Bank, staked: Stake, settled: UpToDate, ask: Asking
) -> None:
    table = await staked()
    await table.hold(bank, "p_anna", "p_ben")
    await table.end(person("p_anna"), person("p_ben", 1), ranks=(2, 1), took_ms=85_000)
    await settled()

    score = await ask.data(table.table.table_id, "score")
    stake = await ask.data(table.table.table_id, "stake")

    assert [each["why"] for each in score["seats"]] == ["the game took 85.0 s, less than 90 s"] * 2
    assert [each["entered"] for each in score["seats"]] == [None, None]
    assert stake["paid"] == {"p_ben": 50}


async def test_who_left_a_running_game_is_the_only_one_with_an_entry(
    table: Play, ask: Asking
) -> None:
    played = table()
    await played.begin(3, "p_ben", "g_carl")
    await played.do(c.Leave(), "p_ben")
    await played.do(c.Leave(), "g_carl")

    shown = await ask.data(played.table.table_id, "score")

    assert [(each["player"], each["entered"]) for each in shown["seats"]] == [
        ("p_ben", -10),
        ("g_carl", None),
    ]
    assert shown["state"] == "open"
    assert "the game is not over" in (await ask.text(played.table.table_id, "score"))[1]


@pytest.mark.parametrize("running", [True, False])
async def test_an_ended_table_without_result_is_not_called_open(
    table: Play,
    ask: Asking,
    running: bool,  # noqa: FBT001
) -> None:
    played = table()
    await (played.begin(3, "p_ben") if running else played.open())
    await played.do(c.Void("x") if running else c.Leave(), "ops" if running else "")

    shown = await ask.data(played.table.table_id, "score")
    said = (await ask.text(played.table.table_id, "score"))[1]

    assert shown["state"] == ("voided" if running else "cancelled")
    assert ("an operator ended" if running else "closed before any game") in said


async def test_table_a05_a_shared_pot_is_accounted_for_to_the_last_taler(
    bank: Bank, staked: Stake, settled: UpToDate, ask: Asking
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b", "p_c")
    await table.end(person("p_b"), person("p_c", 1), person("p_a", 2), COMPUTER, ranks=(2, 4, 2, 1))
    await settled()

    *steps, last = (await ask.text(table.table.table_id, "stake"))[2:]
    shown = await ask.data(table.table.table_id, "stake")

    assert ask.code == 0
    assert [" ".join(step.split()[4:]) for step in steps] == [
        "start 1 wanted: 25 Taler of each of p_a p_b p_c",
        "hold of attempt 1: p_a -25, p_b -25, p_c -25 75",
        "start 1: the stakes are held",
        "the game is over; places: p_b 2, p_c 4, p_a 2, computer_2 1",
        "settlement of attempt 1: p_b +38, p_a +37 0",
    ]
    assert last == (
        "p_b and p_a share the pot of 75 Taler as 38 (p_b) + 37 (p_a): best of the people who"
        " stayed (place 2; computers are passed over); what does not divide goes in order of seats"
        " (A05)."
    )
    assert [step["of"] for step in shown["steps"]] == ["table", "pot", "table", "table", "pot"]
    positions = [step["position"] for step in shown["steps"]]
    assert positions == sorted(positions)
    assert (shown["stake"], shown["pot"], shown["paid"]) == (25, 0, {"p_b": 38, "p_a": 37})


ENDS = {
    "who stayed": ((person("p_a"), person("p_b", 1, left=True)), "p_a got the pot of 50 Taler"),
    "all left": (
        (person("p_a", left=True), person("p_b", 1, left=True)),
        "All people left, so the pot of 50 Taler fell to the house.",
    ),
}


@pytest.mark.parametrize("end", ENDS)
async def test_it_says_who_got_the_pot(
    bank: Bank, staked: Stake, settled: UpToDate, ask: Asking, end: str
) -> None:
    seats, said = ENDS[end]
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(*seats, ranks=(2, 1))
    assert (await told(ask, table)).startswith("The game is over; the ledger has not settled")
    await settled()

    assert (await told(ask, table)).startswith(said)


async def test_table_a13_it_says_why_the_stake_came_back(
    bank: Bank, staked: Stake, settled: UpToDate, ask: Asking
) -> None:
    table = await staked()
    await table.hold(bank, "p_a")
    await table.end(person("p_a"), COMPUTER, ranks=(2, 1))
    await settled()

    assert await told(ask, table) == (
        "p_a was the only person, and got the stake back whatever the place (A13)."
    )


async def test_it_says_that_stakes_are_held_or_given_back(
    bank: Bank, staked: Stake, settled: UpToDate, ask: Asking
) -> None:
    table = await staked()
    assert await told(ask, table) == "No Taler were ever held at this table."
    await table.hold(bank, "p_a", "g_b")
    await table.tell(StakesDenied(1, ("g_b",)))
    await table.hold(bank, "p_a", "p_b", attempt=2)
    await table.tell(TableSuspended("a fault"))
    assert await told(ask, table) == "50 Taler lie in the pot; the game is not over."
    await table.tell(TableCancelled("empty"))
    await settled()

    assert await told(ask, table) == "All stakes were given back."
    steps = await ask.text(table.table.table_id, "stake")
    assert "attempt 1 denied, too few Taler: g_b" in steps[3]


async def test_a_pot_that_went_to_the_wrong_one_is_a_finding(
    bank: Bank,
    staked: Stake,
    settled: UpToDate,
    ask: Asking,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2))
    monkeypatch.setattr(stakes, "settle", lambda _: Settlement(50, {"p_b": 50}))
    await settled()

    said = await told(ask, table)

    assert said == "The rules give 50 (p_a), but that is not what was paid."
    assert ask.code == 1


async def test_a_table_without_stake_has_no_steps(table: Play, ask: Asking) -> None:
    played = table()
    await played.begin(2)
    await played.finish()

    shown = await ask.data(played.table.table_id, "stake")

    assert (shown["steps"], shown["stake"], shown["paid"]) == ([], 0, {})
    assert shown["conclusion"] == "No Taler were ever held at this table."


@pytest.mark.parametrize("table", ["nonsense", "01-" + "0" * 24])
async def test_a_table_that_is_not_there_is_a_failure(ask: Asking, table: str) -> None:
    with pytest.raises(Failure):
        await ask.text(table, "score")


def test_an_unknown_topic_is_wrong_usage() -> None:
    with pytest.raises(SystemExit) as ended:
        program._parse(["explain", "01-" + "0" * 24, "weather"])

    assert ended.value.code == 2


async def told(ask: Asking, table: Staked) -> str:
    return (await ask.text(table.table.table_id, "stake"))[-1]
