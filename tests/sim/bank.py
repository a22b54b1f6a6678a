"""The ledger of a simulated evening, as far as tables need it: its own rules are tried elsewhere.

It decides as `services.ledger.bank` does: all stakes or none, the same attempt the same answer for
ever, and what comes after it was called off is barred. Its methods are transactions: a process that
dies around one has done it or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from contracts.stakes import HoldAnswer, HoldRequest
from domain.account.settlement import settle
from domain.table.events import GameFinished, StakesDenied, StartCancelled, TableCancelled
from services.kit.follow import LogFact

START_TALER = 25
"""Enough for two stakes of ten: a third table may find too few."""

_request = msgspec.json.Decoder(HoldRequest).decode
_encode = msgspec.json.Encoder().encode


class Hold(Struct):
    """What became of the stakes of one start."""

    stake: int
    players: tuple[str, ...]
    short: tuple[str, ...]
    state: Literal["held", "denied", "barred", "released", "paid"]


class Bank:
    """Balances and holds; `house` is what was forfeited."""

    def __init__(self, players: tuple[str, ...]) -> None:
        self.balances = dict.fromkeys(players, START_TALER)
        self.holds: dict[tuple[str, int], Hold] = {}
        self.house = 0

    @property
    def total(self) -> int:
        """All Taler that there are."""
        pots = [hold for hold in self.holds.values() if hold.state == "held"]
        return (
            sum(self.balances.values())
            + sum(hold.stake * len(hold.players) for hold in pots)
            + self.house
        )

    def answer(self, data: bytes) -> bytes:
        """Decide about the stakes of a start."""
        request = _request(data)
        key = (request.table, request.attempt)
        hold = self.holds.get(key)
        if hold is None:
            hold = self.holds[key] = self._decide(request)
        return _encode(HoldAnswer(*key, hold.state in {"held", "paid"}, hold.short))

    def _decide(self, request: HoldRequest) -> Hold:
        stake, players = request.stake, request.players
        short = tuple(each for each in players if self.balances.get(each, 0) < stake)
        if not short:
            for player in players:
                self.balances[player] -= stake
        return Hold(stake, players, short, "denied" if short else "held")

    def follow(self, fact: LogFact) -> None:
        """Give back and pay out what a fact of a table says, each once."""
        match fact.fact:
            case StartCancelled(attempt) | StakesDenied(attempt):
                key = (fact.table, attempt)
                self._release(self.holds.setdefault(key, Hold(0, (), (), "barred")))
            case TableCancelled():
                for hold in self._of(fact.table):
                    self._release(hold)
            case GameFinished() as finished:
                for hold in self._of(fact.table):
                    self._pay(hold, finished)

    def _of(self, table: str) -> list[Hold]:
        return [hold for (at, _), hold in self.holds.items() if at == table]

    def _release(self, hold: Hold) -> None:
        if hold.state == "held":
            hold.state = "released"
            self._give(dict.fromkeys(hold.players, hold.stake))

    def _pay(self, hold: Hold, finished: GameFinished) -> None:
        people = tuple(seat.player for seat in finished.seats if seat.kind == "person")
        if hold.state != "held" or (hold.stake, hold.players) != (finished.stake, people):
            return
        settled = settle(finished)
        hold.state = "paid"
        self._give(settled.payouts)
        self.house += hold.stake * len(hold.players) - sum(settled.payouts.values())

    def _give(self, amounts: Mapping[str, int]) -> None:
        for player, amount in amounts.items():
            self.balances[player] += amount


def follows(bank: Bank) -> Any:
    """Give what a read model does with a fact; the bank keeps its own state."""
    return lambda _views, fact: bank.follow(fact)
