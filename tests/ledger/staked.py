"""Tables with stakes as the log tells of them: the ledger needs no more of a table."""

from __future__ import annotations

from typing import Any

from contracts.stakes import HoldRequest
from domain.table.events import GameFinished, Occupant, StakesHeld, StartCancelled, StartRequested
from domain.table.state import fold
from services.ledger.bank import Bank
from tests.ledger.played import GAME_MS, Played


def person(player: str, place: int = 0, *, left: bool = False) -> Occupant:
    return Occupant(player, "person", place, left=left)


class Staked(Played):
    """One table whose people want to play for a stake."""

    async def tell(self, *facts: Any) -> None:
        """Append facts as they are."""
        after = fold(self.game, self.table, [(self.at, fact) for fact in facts])
        await self.store(facts, after)

    def request(self, *players: str, stake: int = 25, attempt: int = 1) -> HoldRequest:
        players = players or (self.opener, "p_ben")
        return HoldRequest(self.table.table_id, attempt, stake, players)  # type: ignore[arg-type]

    async def hold(self, bank: Bank, *players: str, stake: int = 25, attempt: int = 1) -> bool:
        """Ask for the stakes as the table does, and tell the log what came of it."""
        request = self.request(*players, stake=stake, attempt=attempt)
        await self.tell(StartRequested(attempt, stake, request.players))
        answer = await bank.hold(request)
        if answer.held:
            await self.tell(StakesHeld(attempt))
        return answer.held

    async def cancel(self, attempt: int = 1) -> None:
        await self.tell(StartCancelled(attempt))

    async def end(
        self,
        *seats: Occupant,
        ranks: tuple[int, ...],
        stake: int = 25,
        took_ms: int = GAME_MS,
    ) -> None:
        """End the game with this result."""
        zero = (0,) * len(seats)
        self.at += took_ms
        began = self.at - took_ms
        await self.tell(GameFinished(ranks, zero, zero, seats, self.game.name, began, 90, stake))
