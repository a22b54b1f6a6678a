"""From a request to a command of the table, and to the case in which it is decided."""

from __future__ import annotations

from collections.abc import Callable

from contracts import fairness, subjects
from contracts.commands import OpenBody, to_command
from domain.games import game_of
from domain.kernel import AnyGame
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table.case import Actor, Case, House, unknown
from services.kit.clock import now_ms
from services.table.loaded import Loaded
from services.table.request import Request

_HOUSE = "house"


def actor_of(request: Request | None) -> Actor:
    """Give who acts now; without a request it is the house."""
    if request is None:
        return Actor(_HOUSE, now_ms())
    player = request.player
    return Actor(player, now_ms(), subjects.is_registered(player), subjects.is_test(player))


def command_of(loaded: Loaded, request: Request) -> c.Command:
    """Give what a request wants of the table; raises Refused."""
    return to_command(_game_for(loaded, request), request.body)


def case_of(
    loaded: Loaded, command: c.Command, actor: Actor, draw_seed: Callable[[], str]
) -> Case | None:
    """Give what a command is decided in; None when nobody has opened the table, nor does now."""
    game, house = loaded.game, House(fairness.shuffle)
    if isinstance(command, c.Open):
        seed = draw_seed()
        house = House(fairness.shuffle, seed, fairness.commitment(seed))
        game = game or game_of(command.game)
    elif isinstance(command, c.Again):
        seed, successor = draw_seed(), subjects.successor_id(loaded.table.table_id)
        house = House(fairness.shuffle, seed, fairness.commitment(seed), successor)
    if game is None:
        return None
    return Case(game, loaded.table, loaded.waiting, actor, house)


def _game_for(loaded: Loaded, request: Request) -> AnyGame:
    if loaded.game is not None:
        return loaded.game
    if not isinstance(request.body, OpenBody):
        raise unknown()
    if subjects.table_id(request.player, request.body.command_id) != loaded.table.table_id:
        sentence = "A new table's id follows from the player and the command id."
        raise Refused(Code.BAD_TABLE_ID, sentence)
    return game_of(request.body.game)
