"""Who gets the pot of a finished game (TABLE-R04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from domain.table.events import GameFinished, Occupant


class Settlement(Struct, frozen=True):
    """What a pot is paid out as; `payouts` are in order of seats, and empty when it is forfeited.

    `refund`: one person alone paid, and gets his stake back whatever his place (TABLE-A13).
    """

    pot: int
    payouts: Mapping[str, int]
    refund: bool = False


def settle(finished: GameFinished) -> Settlement:
    """Give the settlement that follows from the result alone.

    Computers never pay and are passed over for the pot, and so are people who left: their stakes
    stay in it. Without a person who stayed the pot is forfeited.
    """
    people = _people(finished.seats, finished.ranks)
    pot = finished.stake * len(people)
    stayed = [(person, rank) for person, rank in people if not person.left]
    best = min((rank for _, rank in stayed), default=0)
    winners = [person.player for person, rank in stayed if rank == best]
    return Settlement(pot, _shares(pot, winners), refund=len(people) == 1 and bool(winners))


def _people(seats: Sequence[Occupant], ranks: Sequence[int]) -> list[tuple[Occupant, int]]:
    """Give the seats where a person sat at the start: a seat keeps its kind when he leaves."""
    return [
        (occupant, rank)
        for occupant, rank in zip(seats, ranks, strict=True)
        if occupant.kind == "person"
    ]


def _shares(pot: int, winners: Sequence[str]) -> dict[str, int]:
    """Split a pot in whole Taler; the first winners in order of seats get one more (TABLE-A05)."""
    if not winners:
        return {}
    share, rest = divmod(pot, len(winners))
    return {winner: share + (nr < rest) for nr, winner in enumerate(winners)}
