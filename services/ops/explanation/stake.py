"""What became of the Taler that were played for, fact by fact (TABLE-R04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.account.events import HOUSE, Booked, HoldBarred, HoldDenied, is_pot
from domain.account.settlement import Settlement, settle
from domain.table.events import (
    GameFinished,
    GameStarted,
    Occupant,
    PlayerLeft,
    StakesDenied,
    StakesHeld,
    StartCancelled,
    StartRequested,
    TableCancelled,
    TableSuspended,
    TableVoided,
)
from services.kit.store.database import Database
from services.ops.explanation.story import Line, Story
from services.ops.wording import aligned, bold, clock


class Step(Struct, frozen=True):
    """One fact: its position in the log, whose it is (`table` or `pot`), its number, what it did.

    `moved` are the Taler of each account, `pot` what lies in the pot afterwards (null: a fact of
    the table).
    """

    position: int
    of: str
    number: int
    at: int
    what: str
    moved: dict[str, int]
    pot: int | None


class StakeAccount(Struct, frozen=True):
    """All that happened to the stakes; `paid` is what was paid out of the pot to whom.

    `sound` is False when that is not what the rules give for the result.
    """

    table: str
    stake: int
    pot: int
    steps: tuple[Step, ...]
    paid: dict[str, int]
    conclusion: str
    sound: bool


async def explain(_database: Database, story: Story) -> StakeAccount:
    """Account for the stakes of a table from its facts and those of its pot."""
    stake = max((_stake(line.fact) for line in story.lines), default=0)
    steps = [_of_table(line) for line in story.lines if stake and _what(line.fact)]
    steps += map(_of_pot, story.pot)
    steps.sort(key=lambda step: step.position)
    pot = next((line.fact for line in reversed(story.pot) if isinstance(line.fact, Booked)), None)
    result = next((each.fact for each in story.lines if isinstance(each.fact, GameFinished)), None)
    payout = next((line.fact for line in story.pot if _is_payout(line.fact)), None)
    paid = _gains(payout) if payout else {}
    conclusion, sound = _conclusion(result, payout, pot)
    balance = pot.balance if pot else 0
    return StakeAccount(story.table, stake, balance, tuple(steps), paid, conclusion, sound)


def lines(account: StakeAccount) -> list[str]:
    """Give the account for people."""
    head = bold(f"table {account.table}: stake of {account.stake} Taler each")
    rows = [("POSITION", "FACT", "TIME", "WHAT", "POT")]
    rows += [
        (
            str(step.position),
            f"{step.of} {step.number}",
            clock(step.at),
            _told(step),
            "" if step.pot is None else str(step.pot),
        )
        for step in account.steps
    ]
    told = aligned(rows) if account.steps else []
    return [head, *told, account.conclusion]


def _told(step: Step) -> str:
    moved = ", ".join(f"{account} {amount:+}" for account, amount in step.moved.items())
    return f"{step.what}: {moved}" if moved else step.what


def _of_table(line: Line) -> Step:
    return Step(line.position, "table", line.number, line.at, _what(line.fact), {}, None)


def _of_pot(line: Line) -> Step:
    moved: dict[str, int] = {}
    balance = 0
    match line.fact:
        case Booked(kind=kind, balance=balance, attempt=attempt):
            what = f"{kind} of attempt {attempt}"
            moved = _gains(line.fact)
        case HoldDenied(short=short, attempt=attempt):
            what = f"attempt {attempt} denied, too few Taler: {' '.join(short)}"
        case HoldBarred(attempt=attempt):
            what = f"attempt {attempt} called off before anything was held"
        case _:
            what = "a fact of a newer release"
    return Step(line.position, "pot", line.number, line.at, what, moved, balance)


def _gains(booked: Booked) -> dict[str, int]:
    """What the accounts but the pot got, or gave below zero."""
    return {side.account: side.amount for side in booked.postings if not is_pot(side.account)}


def _is_payout(fact: Any) -> bool:
    return isinstance(fact, Booked) and fact.kind in {"settlement", "forfeit"}


def _stake(fact: Any) -> int:
    return fact.stake if isinstance(fact, StartRequested | GameFinished) else 0


def _what(fact: Any) -> str:
    """Say what a fact of the table means for the stakes, "" for nothing."""
    match fact:
        case StartRequested(attempt, stake, players):
            return f"start {attempt} wanted: {stake} Taler of each of {' '.join(players)}"
        case StakesHeld(attempt):
            return f"start {attempt}: the stakes are held"
        case StakesDenied(attempt, short):
            return f"start {attempt}: too few Taler: {' '.join(short)}"
        case StartCancelled(attempt):
            return f"start {attempt} called off"
        case GameStarted():
            return "the game begins"
        case PlayerLeft(player=player):
            return f"{player} leaves; his stake stays in the pot"
        case GameFinished(seats=seats, ranks=ranks):
            return f"the game is over; places: {_places(seats, ranks)}"
        case TableCancelled() | TableVoided():
            return "the table is closed; stakes go back"
        case TableSuspended():
            return "the table is stopped; stakes stay held"
        case _:
            return ""


def _places(seats: Sequence[Occupant], ranks: Sequence[int]) -> str:
    return ", ".join(
        f"{each.player} {rank}{' (left)' if each.left else ''}"
        for each, rank in zip(seats, ranks, strict=True)
    )


def _conclusion(
    result: GameFinished | None, payout: Booked | None, pot: Booked | None
) -> tuple[str, bool]:
    """Say in one sentence how it stands, and whether that is what the rules give."""
    if pot is None and not (result and result.stake):
        return "No Taler were ever held at this table.", True
    if result is None:
        if pot is not None and pot.balance:
            return f"{pot.balance} Taler lie in the pot; the game is not over.", True
        return "All stakes were given back.", payout is None
    if not result.stake:
        return "The game was played without stake.", pot is None or pot.balance == 0
    if payout is None:
        return "The game is over; the ledger has not settled it yet.", True
    due = settle(result)
    if _gains(payout) != (due.payouts or {HOUSE: due.pot}):
        return f"The rules give {_shares(due.payouts)}, but that is not what was paid.", False
    return _why(due, result), True


def _why(due: Settlement, result: GameFinished) -> str:
    if not due.payouts:
        return f"All people left, so the pot of {due.pot} Taler fell to the house."
    names = " and ".join(due.payouts)
    if due.refund:
        return f"{names} was the only person, and got the stake back whatever the place (A13)."
    ranks = zip(result.seats, result.ranks, strict=True)
    place = next(rank for seat, rank in ranks if seat.player in due.payouts)
    best = f"best of the people who stayed (place {place}; computers are passed over)"
    if len(due.payouts) == 1:
        return f"{names} got the pot of {due.pot} Taler: {best}."
    rest = "what does not divide goes in order of seats (A05)"
    return f"{names} share the pot of {due.pot} Taler as {_shares(due.payouts)}: {best}; {rest}."


def _shares(payouts: Mapping[str, int]) -> str:
    shares = " + ".join(f"{amount} ({player})" for player, amount in payouts.items())
    return shares or "all to the house"
