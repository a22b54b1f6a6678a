"""Worked examples at a running table: dealt as a record says, and played on by its people.

The game begins like any other. Then its owner is handed the position of the record instead of what
the cards have brought; from there on all is as always: moves over WebSocket, decided and stored by
the table service, settled and entered by the ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from domain.games import NOTATIONS
from domain.kernel import Settled, settle
from domain.records.notation import Fields
from domain.records.text import MoveLine, Record, ResumeLine, parse
from domain.table.events import Stake, TableRules
from services.kit.seen import SeenView
from tests.features.house import House
from tests.features.people import Person, begun

RECORDS = Path(__file__).parent.parent / "records"


def record(name: str) -> Record:
    """A record of the domain's tests, as `speeddive/e20_leaderboard`."""
    return parse((RECORDS / f"{name}.toml").read_text())


async def dealt(house: House, example: Record, people: tuple[Person, ...], stake: Stake = 0) -> str:
    """Begin the example's game with these people on its first seats, computers on the others."""
    rules = TableRules(
        places=example.seats, computers=len(people) < example.seats, thinking_s=0, stake=stake
    )
    options = to_builtins(example.options)
    table = await begun(*people, game=example.game.name, rules=rules, options=options)
    loaded, settled = house.desk(table)._loaded, _position(example)
    loaded.table = replace(loaded.table, play=settled.state)
    loaded.waiting = settled.waiting
    for person in people:  # what they have seen so far is no more
        person.client.forget(table)
    return table


def _position(example: Record) -> Settled[Any, Any]:
    assert example.setup is not None
    fields = Fields(example.setup, ("setup",), example.places)
    state = NOTATIONS[example.game.name].position(example.options, example.seats, fields)
    fields.done()
    return settle(example.game, state, (), lambda cards: cards)


async def played(table: str, example: Record, people: tuple[Person, ...]) -> SeenView:
    """Play the example's lines, each by its person; gives how it stands then."""
    for line in example.lines:
        match line:
            case MoveLine(seat=seat, words=words, refused=""):
                move = NOTATIONS[example.game.name].move(words)
                view = await people[seat].client.seat(table).resume()
                await people[seat].client.move(table, view.questions[0].prompt, move)
            case ResumeLine():
                for person in people:
                    view = await person.client.seat(table).resume()
                    assert view.summary is not None
                    await person.client.weiter(table, view.summary)
            case _:
                pass
    return await people[0].client.seat(table).resume()
