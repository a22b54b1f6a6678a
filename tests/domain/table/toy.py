"""A game of its own for what Speeddive does not have: sealed parts, offers, two pauses, no shuffle.

Two rounds: everybody lays a sealed number for two colours; while that lasts he may pledge as often
as he likes; seat 0 takes or passes; two summaries follow. Round 2 begins with a shuffle.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from domain import kernel
from domain.kernel import Ask, AskAll, Chance, Fact, Over, Pause, Resumed, Shuffled, Waiting
from domain.options import Options as Moves

PARTS = ("blau", "rot")
ROUNDS = 2


class Lay(Struct, frozen=True, tag=True):
    part: str
    number: int


class Pledge(Struct, frozen=True, tag=True):
    number: int


class Take(Struct, frozen=True, tag=True):
    pass


class Skip(Struct, frozen=True, tag=True):
    pass


Move: TypeAlias = Lay | Pledge | Take | Skip


class Chosen(kernel.Chosen[Move], frozen=True):
    pass


class OffersOpened(Fact, frozen=True):
    opens_offers: ClassVar[bool] = True
    round: int


class Laid(Fact, frozen=True):
    keeps_questions: ClassVar[bool] = True
    seat: int
    part: str
    number: int


class Pledged(Fact, frozen=True):
    keeps_questions: ClassVar[bool] = True
    seat: int
    number: int


class Revealed(Fact, frozen=True):
    pass


class Taken(Fact, frozen=True):
    took: bool


class State(Struct, frozen=True):
    seats: int
    phase: str = "sealed"
    round: int = 1
    laid: tuple[tuple[int, str, int], ...] = ()
    pledged: tuple[int, ...] = ()
    order: tuple[str, ...] = ()


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class View(Struct, frozen=True):
    phase: str
    own: tuple[tuple[int, str, int], ...]


class Toy:
    name: str = "toy"
    rules_version: int = 1
    seats_min: int = 2
    seats_max: int = 4
    people_max: int = 4
    options_type: type[Options] = Options
    view_type: type[View] = View
    fact_types: tuple[type, ...] = (OffersOpened, Laid, Pledged, Revealed, Taken)
    chosen_type: type = Chosen
    descriptor_types: tuple[type, ...] = ()
    rat: kernel.RatRule = "no_stake"

    def start(self, _options: Options, places: tuple[int, ...]) -> State:
        return State(len(places))

    def waiting(self, state: State) -> Waiting[Move]:
        match state.phase:
            case "sealed":
                return AskAll(self._missing(state))
            case "turn":
                return Ask(0, "take", Moves((Take(), Skip())), Skip())
            case "first" | "second":
                return Pause(state.phase)
            case "shuffle":
                return Chance("order", tuple("abcdef"))
        ones = (1,) * state.seats
        return Over(ones, ones, ones)

    def _missing(self, state: State) -> tuple[Ask[Move], ...]:
        done = {(seat, part) for seat, part, _ in state.laid}
        return tuple(
            Ask(
                seat,
                "lay",
                Moves(tuple(Lay(part, n) for n in range(3))),
                Lay(part, 0),
                "rods",
                part,
            )
            for seat in range(state.seats)
            for part in PARTS
            if (seat, part) not in done
        )

    def offers(self, state: State) -> tuple[Ask[Move], ...]:
        if state.phase != "sealed":
            return ()
        moves = Moves[Move](tuple(Pledge(n) for n in range(3)))
        return tuple(Ask(seat, "pledge", moves, Pledge(0), "none") for seat in range(state.seats))

    def decide(self, _state: State, ask: Ask[Move], move: Move) -> Fact:
        match move:
            case Lay(part, number):
                return Laid(ask.seat, part, number)
            case Pledge(number):
                return Pledged(ask.seat, number)
            case Take() | Skip():
                return Taken(isinstance(move, Take))

    def forced(self, state: State) -> Fact | None:
        if state.phase == "sealed" and not self._missing(state):
            return Revealed()
        return OffersOpened(state.round) if state.phase == "opening" else None

    def evolve(self, state: State, fact: Any) -> State:
        match fact:
            case Laid(seat, part, number):
                return replace(state, laid=(*state.laid, (seat, part, number)))
            case Pledged(_, number):
                return replace(state, pledged=(*state.pledged, number))
            case Revealed():
                return replace(state, phase="turn", laid=())
            case Taken():
                return replace(state, phase="first")
            case Resumed("first"):
                return replace(state, phase="second")
            case Resumed():
                phase = "shuffle" if state.round < ROUNDS else "over"
                return replace(state, phase=phase, round=state.round + 1)
            case Shuffled(_, order):
                return replace(state, phase="opening", order=order)
        return replace(state, phase="sealed")

    def view(self, state: State, seat: int | None) -> View:
        return View(state.phase, tuple(each for each in state.laid if each[0] == seat))

    def seen(self, fact: Any, seat: int | None) -> Any | None:
        match fact:
            case Chosen() | Laid() if fact.seat != seat:
                return None
            case Shuffled():
                return Shuffled(fact.what, ())
        return fact

    def see(self, view: View, _fact: Any) -> View:
        return view


TOY = Toy()
