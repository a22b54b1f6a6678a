"""The one list of games, and how each is written in records."""

from __future__ import annotations

from types import MappingProxyType

from domain.kernel import AnyGame
from domain.records.notation import Notation
from domain.refusals import Code, Refused
from domain.snorkeling.game import Snorkeling
from domain.snorkeling.notation import SnorkelingNotation
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.notation import SpeedclimbNotation
from domain.speeddive.game import Speeddive
from domain.speeddive.notation import SpeeddiveNotation
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.notation import SpeeddrillNotation

GAMES: MappingProxyType[str, AnyGame] = MappingProxyType(
    {game.name: game for game in (Speeddive(), Speedclimb(), Snorkeling(), Speeddrill())}
)
NOTATIONS: MappingProxyType[str, Notation] = MappingProxyType(
    {
        notation.game.name: notation
        for notation in (
            SpeeddiveNotation(),
            SpeedclimbNotation(),
            SnorkelingNotation(),
            SpeeddrillNotation(),
        )
    }
)


def game_of(name: str) -> AnyGame:
    """Give the game of this name; refuses an unknown one."""
    game = GAMES.get(name)
    if game is None:
        raise Refused(
            Code.BAD_OPTIONS, f"There is no such game; choose one of: {', '.join(GAMES)}."
        )
    return game
