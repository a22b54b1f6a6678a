"""What a seat may answer: explicit moves where they are few, descriptors where they are many.

A move is legal if and only if `admits(options, move)`; server, clients and computers share this
one source of legality.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

M = TypeVar("M")
Pick = Callable[[int], int]
"""`pick(n)` gives one of 0..n-1; the caller owns the generator, so the domain rolls no dice."""


class Descriptor(Protocol):
    """Many moves in one value, such as *pick 0 to 4 of these cards*.

    A descriptor is offered only if at least one move completes it. A game defines its own as
    frozen, tagged Structs whose fields tell a client how to build the move.
    """

    def admits(self, move: object) -> bool:
        """Tell whether the move completes this descriptor."""
        ...

    def sample(self, pick: Pick) -> object:
        """Give one completion, with every completion possible."""
        ...


class Options(Struct, Generic[M], frozen=True, gc=False):
    """Everything that the asked seat may do: `moves` literally, and what `descriptors` admit."""

    moves: tuple[M, ...] = ()
    descriptors: tuple[Descriptor, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.moves or self.descriptors)


def admits(options: Options[M], move: M) -> bool:
    """Tell whether the move was offered."""
    return move in options.moves or any(each.admits(move) for each in options.descriptors)


def sample(options: Options[M], pick: Pick) -> M:
    """Give one offered move; each explicit move and each descriptor is equally likely."""
    index = pick(len(options.moves) + len(options.descriptors))
    if index < len(options.moves):
        return options.moves[index]
    move: M = options.descriptors[index - len(options.moves)].sample(pick)  # type: ignore[assignment]  # a descriptor of this game gives this game's moves
    return move
