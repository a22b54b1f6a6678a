"""The checkers can fail: each kind of fault, built in on purpose, is found by its checker."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from msgspec import DecodeError
from msgspec.structs import replace

from contracts import fairness, subjects
from contracts.advice import Advised
from contracts.lobby import OpenTable
from contracts.replies import Accepted
from contracts.stakes import HoldReply, decode_hold
from domain.kernel import Ask, Chosen
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import ChooseTarget
from domain.speeddive.state import State, pile_left
from domain.speeddive.views import View, view_of
from domain.table import clocks, gathering, rematch, starting, state
from domain.table.case import Case
from domain.table.events import StakesHeld, TableRules
from domain.table.playing import advisable
from services.kit.publish import PublicLog
from services.kit.store.batch import Positions, row_count
from services.kit.store.model import Unit
from services.ledger import entries
from services.lobby.tables import Kept
from services.ops.simulation import person as persons
from services.table import audience, desk, holds, rat
from services.table.desk import Desk
from services.table.loaded import Receipts
from services.table.writing import Pending, write
from tests.sim import bank, checkers, scenario
from tests.sim import clocks as times
from tests.sim.checkers import findings
from tests.sim.people import Habit
from tests.sim.scenario import Evening
from tests.world.store import StoreServer

Patch = pytest.MonkeyPatch
SEEDS = range(1, 11)


def loses_what_it_acknowledged(patch: Patch) -> None:
    real, calls = StoreServer.commit, iter(range(10**6))

    def commit(self: StoreServer, unit: Unit) -> Positions:
        return (0,) * row_count(unit) if next(calls) % 30 == 29 else real(self, unit)

    patch.setattr(StoreServer, "commit", commit)


def answers_before_it_stores(patch: Patch) -> None:
    real = Desk._append

    def append(self: Desk, pending: Pending) -> None:
        written = write(self._loaded, pending)
        first = self._loaded.table.version + 1
        last = first + len(written.rows) - 1
        early = Accepted(self.table_id, first, last, written.head_hash.hex())
        self._answer(pending.request, early)
        real(self, pending)

    patch.setattr(Desk, "_append", append)


def shows_the_pile(patch: Patch) -> None:
    def view(_self: Speeddive, state: State, seat: int | None) -> View:
        shown = view_of(state.board, seat)
        return View(
            seat,
            replace(state.board, discard=pile_left(state)),
            shown.turn,
            shown.scores,
            shown.left,
            shown.luftmesser,
        )

    patch.setattr(Speeddive, "view", view)


def shows_the_neighbours_view(patch: Patch) -> None:
    real = audience.feed_for
    patch.setattr(
        audience, "feed_for", lambda loaded, facts, seat: real(loaded, facts, seat and seat - 1)
    )


def forgets_the_grace(patch: Patch) -> None:
    patch.setattr(clocks, "GRACE_MS", 0)


def forgets_the_pause(patch: Patch) -> None:
    patch.setattr(clocks, "TEMPO_MS", {"normal": 0, "schnell": 0})


def gives_rat_against_people(patch: Patch) -> None:
    def always(case: Case, prompt: int, part: str) -> Ask[Any]:
        rules = replace(case.table.rules, stake=0)
        return advisable(replace(case, table=replace(case.table, rules=rules)), prompt, part)

    patch.setattr(rat, "advisable", always)
    patch.setattr(scenario, "habit", lambda *_, **__: Habit(rat=1.0))


def advises_what_is_not_offered(patch: Patch) -> None:
    patch.setattr(rat, "admits", lambda *_: True)
    patch.setattr(rat, "decode_advised", lambda *_: Advised(ChooseTarget(9), "So."))


def leaves_out_a_fact(patch: Patch) -> None:
    real = PublicLog.entries

    async def some(self: PublicLog, batch: Any) -> Any:
        return [each for each in await real(self, batch) if not each.msg_id.endswith(":7")]

    patch.setattr(PublicLog, "entries", some)


def forgets_what_it_accepted(patch: Patch) -> None:
    patch.setattr(Receipts, "first", lambda *_: None)


def sleeps_in(patch: Patch) -> None:
    patch.setattr(Desk, "_woken", lambda _: None)
    patch.setattr(scenario, "CALM_S", 300.0)


def opens_two_successors(patch: Patch) -> None:
    numbers = count()
    patch.setattr(scenario, "AGAIN", 1.0)
    patch.setattr(scenario, "STAYS", 1.0)
    patch.setattr(rematch, "_must_be_over", lambda _: None)
    patch.setattr(subjects, "successor_id", lambda table: f"{table[:2]}-{next(numbers):024x}")


def seats_people_twice(patch: Patch) -> None:
    patch.setattr(desk, "must_be_free", lambda _: None)


def begins_without_stakes(patch: Patch) -> None:
    patch.setattr(bank, "START_TALER", 5)
    patch.setattr(holds, "decode_hold", lambda data: replace(decode_hold(data), held=True))


def forgets_to_call_off(patch: Patch) -> None:
    for module in (starting, gathering):
        patch.setattr(module, "call_off", lambda _: ())
    asked: set[bytes] = set()

    def late(data: bytes) -> HoldReply:
        if data not in asked:
            asked.add(data)
            raise DecodeError("it is asked again, and somebody gets up meanwhile")
        return decode_hold(data)

    patch.setattr(holds, "decode_hold", late)
    patch.setattr(persons, "GETS_UP", 0.7)


def forgets_the_stake(patch: Patch) -> None:
    patch.setitem(state._HANDLERS, StakesHeld, lambda *_: None)


def rewards_leaving(patch: Patch) -> None:
    patch.setattr(entries, "LEAVER_POINTS", 10)


def shuffles_alike(patch: Patch) -> None:
    real = fairness.shuffle
    patch.setattr(
        fairness, "shuffle", lambda seed, table, seeds, _, cards: real(seed, table, seeds, 1, cards)
    )


@pytest.mark.parametrize(
    ("fault", "checker"),
    [
        (loses_what_it_acknowledged, checkers.acknowledged_is_stored),
        (loses_what_it_acknowledged, checkers.the_witness_is_content),
        (answers_before_it_stores, checkers.the_witness_is_content),
        (shows_the_pile, checkers.the_witness_is_content),
        (shows_the_neighbours_view, checkers.the_witness_is_content),
        (forgets_what_it_accepted, checkers.the_witness_is_content),
        (forgets_the_grace, times.not_taken_over_early),
        (forgets_the_pause, times.not_taken_over_early),
        (gives_rat_against_people, checkers.the_witness_is_content),
        (advises_what_is_not_offered, checkers.the_witness_is_content),
        (sleeps_in, times.answered_in_time),
        (sleeps_in, checkers.games_finish),
        (leaves_out_a_fact, checkers.feed_is_the_public_log),
        (opens_two_successors, checkers.successors_are_one),
        (seats_people_twice, checkers.nobody_sits_twice),
        (begins_without_stakes, checkers.stakes_come_first),
        (forgets_to_call_off, checkers.stakes_come_first),
        (forgets_the_stake, checkers.stakes_come_first),
        (forgets_the_stake, checkers.taler_are_conserved),
        (rewards_leaving, checkers.leaderboard_follows),
        (shuffles_alike, checkers.shuffles_are_fair),
    ],
)
def test_a_fault_of_a_service_is_found(
    fault: Callable[[Patch], None], checker: Callable[[Evening], Any], monkeypatch: Patch
) -> None:
    fault(monkeypatch)

    assert any(list(checker(Evening(seed).run())) for seed in SEEDS)


def plays_twice(evening: Evening) -> None:
    for log in evening.history.all():
        log.facts += [each for each in log.facts if isinstance(each.fact, Chosen)][:1]


def changes_a_byte(evening: Evening) -> None:
    rows = max(evening.world.store.streams.values(), key=len)
    rows[3] = rows[3]._replace(state=rows[3].state.replace(b'"at":', b'"at":1'))


def swaps_positions(evening: Evening) -> None:
    log = evening.world.store.log
    log[3], log[4] = log[4], log[3]


def mints_a_taler(evening: Evening) -> None:
    evening.bank.balances["p_anna"] += 1


def forgets_a_table(evening: Evening) -> None:
    table = OpenTable("00-x", 1, "speeddive", {}, TableRules(2), "p_anna", 0, ())
    evening.world.store.views["lobby"]["00-x"] = Kept(table)


def hides_the_end(evening: Evening) -> None:
    for person in evening.people.values():
        for seat in person.client._seats.values():
            seat.facts.pop()


def listens_twice(evening: Evening) -> None:
    evening.servers[7] = 2


@pytest.mark.parametrize(
    ("damage", "checker"),
    [
        (plays_twice, checkers.nothing_is_played_twice),
        (changes_a_byte, checkers.streams_are_sound),
        (swaps_positions, checkers.positions_rise),
        (mints_a_taler, checkers.taler_are_conserved),
        (forgets_a_table, checkers.lobby_follows),
        (hides_the_end, checkers.views_converge),
        (listens_twice, checkers.partitions_are_served_once),
    ],
)
def test_damage_is_found(
    damage: Callable[[Evening], None], checker: Callable[[Evening], Any]
) -> None:
    evening = Evening(2).run()
    assert not findings(evening)

    damage(evening)

    assert list(checker(evening))
