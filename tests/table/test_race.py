"""The races of `logbuch trial race` at a table service in this process: broken rules are noticed."""

from __future__ import annotations

import pytest

from domain.refusals import Code, Refused
from domain.table import gathering, rematch, starting
from domain.table.case import Case, Decided, plain
from services.ops.trials.race import run_one
from services.ops.trials.race_kinds import KINDS
from tests.table.conftest import Sit

pytestmark = pytest.mark.usefixtures("owner")
LAST_SEAT, START, REMATCH = range(len(KINDS))


async def faults(sit: Sit, kind: int, times: int) -> list[str]:
    """Run races of one kind, without a stake: there is no ledger here."""
    crew = await sit("p_test_1"), await sit("p_test_2"), await sit("p_test_3")
    numbers = range(kind, 2 * len(KINDS) * times, 2 * len(KINDS))
    runs = [await run_one(crew, number) for number in numbers]
    assert all(run.race.tables and run.race.shots and not run.race.stake for run in runs)
    return [run.fault for run in runs]


@pytest.mark.parametrize(("kind", "times"), [(LAST_SEAT, 4), (START, 8), (REMATCH, 4)])
async def test_nothing_is_wrong_with_sound_rules(sit: Sit, kind: int, times: int) -> None:
    assert await faults(sit, kind, times) == [""] * times


def everybody_fits(_case: Case, _wanted: int | None) -> int:
    return 1


def nobody_fits(_case: Case, _wanted: int | None) -> int:
    raise Refused(Code.TABLE_FULL, "That seat is taken.")


def called_otherwise(case: Case, wanted: int | None) -> int:
    try:
        return _FREE_PLACE(case, wanted)
    except Refused:
        raise Refused(Code.SEAT_HELD, "That seat is held.") from None


_FREE_PLACE = gathering._free_place


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        (everybody_fits, "one of two sits down"),
        (nobody_fits, "one of two sits down"),
        (called_otherwise, "refused table_full"),
    ],
)
async def test_a_seat_for_two_or_none_is_noticed(
    sit: Sit, monkeypatch: pytest.MonkeyPatch, broken: object, what: str
) -> None:
    monkeypatch.setattr(gathering, "_free_place", broken)

    (fault,) = await faults(sit, LAST_SEAT, 1)

    assert what in fault


async def test_a_second_start_is_noticed(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "must_gather", lambda _table: None)

    assert any("one start is accepted" in fault for fault in await faults(sit, START, 8))


async def test_who_sits_down_after_the_start_is_noticed(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "must_gather", lambda _table: None)

    told = await faults(sit, START, 12)

    assert any("those who sat play" in fault or "in time plays" in fault for fault in told)


async def test_a_rematch_that_leads_nowhere_is_noticed(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rematch, "ended", lambda _table: Refused(Code.FINISHED, "It is over."))

    (fault,) = await faults(sit, REMATCH, 1)

    assert "all are led to" in fault


async def test_a_rematch_that_does_not_begin_is_noticed(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(case: Case, _client_seed: str = "") -> Decided:
        return plain(case)

    monkeypatch.setattr(gathering, "launch", never)

    assert any("a game begins" in fault for fault in await faults(sit, REMATCH, 6))
