"""What the tests of Speeddrill share."""

from __future__ import annotations

from typing import Any

from domain.games import GAMES
from domain.kernel import Over, Pause, Resumed, Settled, Shuffle, act, asked, begin, settle
from domain.records.run import check
from domain.speeddrill.moves import Chosen, Move
from domain.speeddrill.state import Options, State
from tests.domain.playing import Choose, Pick


def plays(seats: int, setup: str, moves: str, head: str = "") -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    source = f'game = "speeddrill"\nseats = {seats}\n{head}\n{fields}\nplay = """\n{moves}\n"""\n'
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"


def whole_game(
    options: Options, places: tuple[int, ...], choose: Choose, shuffle: Shuffle, pick: Pick
) -> tuple[list[Any], State]:
    """Play a game at any places; gives its facts, choices included, and the state at its end."""
    game = GAMES["speeddrill"]
    settled: Settled[State, Move] = begin(game, options, places, shuffle)
    facts = [*settled.facts]
    while not isinstance(settled.waiting, Over):
        if isinstance(settled.waiting, Pause):
            resumed = (Resumed(settled.waiting.kind),)
            settled = settle(game, settled.state, resumed, shuffle)
        else:
            asks = asked(settled.waiting)
            ask = asks[pick(len(asks))]
            move = choose(ask)
            facts.append(Chosen(ask.seat, 1, move, part=ask.part))
            settled = act(game, settled.state, ask, move, shuffle)
        facts += settled.facts
    return facts, settled.state
