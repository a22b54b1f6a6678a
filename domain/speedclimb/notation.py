"""How Speedclimb is written in records: positions, moves and what may be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, assert_never

from domain.kernel import AnyGame, Cards, Seat
from domain.records.notation import SEAT_LETTERS, Fields, WordError, seat_of
from domain.speedclimb.cards import NUMBER
from domain.speedclimb.descriptors import AttachCards, CarryCards, LayParts
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.melds import Meld, Place, high
from domain.speedclimb.moves import (
    AttachCard,
    ChooseCarry,
    ChooseStage,
    Discard,
    LaidPart,
    LayLager,
    Move,
    Pack,
    PlaySchneesturm,
    TakeAblage,
    TakeDepot,
    TakeMaterial,
    TakeRucksack,
)
from domain.speedclimb.position import RUN, card_of, laid_part, position
from domain.speedclimb.state import Options, RoundLine, State, material_left
from domain.speedclimb.views import view_of

_VERBS = {
    "nehmen": "take",
    "etappe": "stage",
    "legen": "lay",
    "anlegen": "attach",
    "abwerfen": "discard",
    "schneesturm": "storm",
    "einpacken": "pack",
    "mitnehmen": "carry",
}
_ENDS = {"low": "low", "unten": "low", "high": "high", "oben": "high"}
_HELP = (
    "write take material|ablage|SEAT|CARD, lay PART / PART ... (a run: run CARD CARD ...),"
    " attach CARD MELD [low|high], discard CARD, storm SEAT, pack CARD, stage NUMBER or"
    " carry CARD ..."
)


class SpeedclimbNotation:
    """The records of Speedclimb."""

    game: AnyGame = Speedclimb()

    def card(self, word: str) -> str:
        """Give the name in code of a card."""
        return card_of(word)

    def move(self, words: tuple[str, ...]) -> Move:
        """Read a move, in English or German."""
        verb = _VERBS.get(words[0], words[0])
        move = _read(verb, words[1:])
        if move is None:
            raise WordError(f"{' '.join(words)!r} is no move; {_HELP}")
        return move

    def written(self, move: object) -> str:
        """Write a move; of a descriptor only what it is for."""
        match move:
            case LayParts():
                return "lay"
            case AttachCards():
                return "attach"
            case CarryCards():
                return "carry"
            case _:
                return _written(move)  # type: ignore[arg-type]  # all else are moves

    def position(self, options: Options, seats: int, setup: Fields) -> State:
        """Build a position from a set-up."""
        return position(options, seats, setup)

    def look(self, state: State) -> Mapping[str, Any]:
        """Give what may be expected: the board, all hands and piles, and the views' aids."""
        board = state.board
        open_cards = view_of(state, None).open_cards
        look: dict[str, Any] = {
            "phase": board.phase,
            "round": board.round,
            "dealer": _letter(board.dealer),
            "turn": _letter(board.turn),
            "material": material_left(state),
            "material_count": board.material_count,
            "storms_below": board.storms_below,
            "open_cards": open_cards,
            "melds": {str(n): _meld(meld) for n, meld in enumerate(board.melds, 1)},
            "meld_count": len(board.melds),
            "rounds": {str(n): _line(line) for n, line in enumerate(board.history, 1)},
        }
        if board.mountain.expedition:
            look["ablage"] = state.piles[0][::-1] if state.piles else ()
        for seat in range(len(board.climbers)):
            look[SEAT_LETTERS[seat]] = _seat(state, seat)
        return look


def _read(verb: str, rest: tuple[str, ...]) -> Move | None:  # noqa: C901, PLR0912 - one case a move
    match verb, rest:
        case "take", ("material",):
            return TakeMaterial()
        case "take", ("ablage",):
            return TakeAblage()
        case "take", (word,):
            owner = seat_of(word, len(SEAT_LETTERS))
            return TakeRucksack(card_of(word)) if owner is None else TakeDepot(owner)
        case "stage", (number,) if number.isdecimal() and len(number) < 3:  # noqa: PLR2004
            return ChooseStage(int(number))
        case "lay", (_, *_):
            parts = " ".join(rest).split("/")
            return LayLager(tuple([laid_part(tuple(part.split())) for part in parts]))
        case "attach", (card, meld, *end) if meld.isdecimal() and int(meld[:3]) > 0:
            if len(end) > 1 or (end and end[0] not in _ENDS):
                return None
            where: Any = _ENDS[end[0]] if end else ""
            return AttachCard(card_of(card), int(meld[:3]) - 1, where)
        case "discard", (card,):
            return Discard(card_of(card))
        case "storm", (word,):
            target = seat_of(word, len(SEAT_LETTERS))
            return None if target is None else PlaySchneesturm(target)
        case "pack", (card,):
            return Pack(card_of(card))
        case "carry", ("-",):
            return ChooseCarry()
        case "carry", (_, *_):
            return ChooseCarry(tuple([card_of(card) for card in rest]))
        case _:
            return None


def _written(move: Move) -> str:  # noqa: C901 - one case a move
    match move:
        case TakeMaterial():
            return "take material"
        case TakeAblage():
            return "take ablage"
        case TakeDepot(owner):
            return f"take {SEAT_LETTERS[owner]}"
        case TakeRucksack(card):
            return f"take {card}"
        case ChooseStage(stage):
            return f"stage {stage}"
        case LayLager(parts):
            return f"lay {' / '.join(_part(part) for part in parts)}"
        case AttachCard(card, meld, end):
            return f"attach {card} {meld + 1} {end}".strip()
        case Discard(card):
            return f"discard {card}"
        case PlaySchneesturm(target):
            return f"storm {SEAT_LETTERS[target]}"
        case Pack(card):
            return f"pack {card}"
        case ChooseCarry(cards):
            return f"carry {' '.join(cards) or '-'}"
        case _:
            assert_never(move)


def _part(part: LaidPart) -> str:
    """Write a part; a run in its order, so that its lowest number can be read from it."""
    if not part.low:
        return " ".join(part.cards)
    real = {NUMBER[card]: card for card in part.cards if card in NUMBER}
    numbers = range(part.low, part.low + len(part.cards))
    return " ".join((RUN, *(real.get(number, "Sherpa") for number in numbers)))


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else SEAT_LETTERS[seat]


def _meld(meld: Meld) -> dict[str, Any]:
    run = meld.kind == "FOLGE"
    return {
        "owner": _letter(meld.owner),
        "kind": meld.kind,
        "cards": meld.cards if run else Counter(meld.cards),
        "low": meld.low if run else None,
        "high": high(meld) if run else None,
    }


def _line(line: RoundLine) -> dict[str, Any]:
    return {
        "dealer": _letter(line.dealer),
        "finisher": _letter(line.finisher),
        "steps": line.steps,
        "laid": tuple("yes" if laid else "no" for laid in line.laid),
        "hands": line.hand_counts,
        "penalties": line.penalties,
        "stages": line.stages,
    }


def _seat(state: State, seat: Seat) -> dict[str, Any]:
    board = state.board
    climber, own = board.climbers[seat], state.owns[seat]
    view = view_of(state, seat)
    there: dict[str, Any] = {
        "camp": climber.position,
        "completed": view.completed[seat],
        "hand": Counter(own.hand),
        "hand_count": climber.hand_count,
        "laid": climber.laid,
        "storm": climber.storm,
        "suggestion": tuple(_part(part) for part in view.suggestion),
        "fits": Counter(fit for place in view.fits for fit in _fits(place)),
        "penalty": climber.penalty,
        "carry": Counter(own.carry),
    }
    if board.mountain.free:
        there |= {
            "stage": own.stage,
            "locked": bool(climber.stage),
            "done": climber.done,
            "green": view.stages,
            "rucksack": Counter(own.rucksack),
            "rucksack_count": climber.rucksack_count,
            "packed": climber.packed,
        }
    if not board.mountain.expedition:
        pile: Cards = state.piles[seat] if state.piles else ()
        there["depot"] = pile[::-1]
        there["depot_top"] = board.piles[seat].top if board.piles else ""
    return there


def _fits(place: Place) -> list[str]:
    return [f"{card} {place.meld + 1} {place.end}".strip() for card in place.cards]
