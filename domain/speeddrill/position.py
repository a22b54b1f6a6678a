"""Any position of Speeddrill from the set-up of a record."""

from __future__ import annotations

import re
from collections import Counter
from typing import cast

from msgspec.structs import replace

from domain.kernel import Cards
from domain.records.notation import REST, Fields, completed
from domain.speeddrill.evolve import drilled, hole_at
from domain.speeddrill.material import (
    DECK,
    FELDER,
    HAND,
    LENGTHS,
    NO_RODS,
    RODS_A_SEASON,
    SEASONS,
    SQUARES,
    STOCK,
    Feld,
    Rods,
    Side,
    rods_left,
)
from domain.speeddrill.seating import konzerne_of
from domain.speeddrill.state import (
    FREE,
    NO_HOLES,
    Board,
    Bohrloch,
    Held,
    Holes,
    Konzern,
    Options,
    Phase,
    State,
)

PHASES = ("turns", "rods", "score", "season")
_NAMES = {
    f"{row}-{column}": row[0].upper() + column[0].upper()
    for row in ("oben", "mitte", "unten")
    for column in ("links", "mitte", "rechts")
} | {"mitte": "MM", "süd": "Sued"}
_RODS = re.compile(r"(?:(\d+)x)?(\d+)")
_HOLE = re.compile(r"(\w+) ([\w-]+): (.+)")


def card_of(word: str) -> str:
    """Give the name in code of a card, or of a colour, that may be written as players know it."""
    return _NAMES.get(word.lower(), word)


def rods_of(words: tuple[str, ...]) -> Rods:
    """Read rods such as `3x100` or `400`; raises ValueError with what would be right."""
    rods = Counter[int]()
    for word in words:
        found = _RODS.fullmatch(word)
        if not found or int(found[2]) not in LENGTHS:
            raise ValueError(f"{word!r} is no rod; write 100, 200, 300, 400 or 3x100")
        rods[int(found[2])] += int(found[1] or 1)
    return tuple(rods[length] for length in LENGTHS)


def position(options: Options, seats: int, setup: Fields) -> State:
    """Build a position; a card that nobody holds is in the pile or on the discard pile."""
    phase = setup.one_of("phase", PHASES[0], PHASES)
    konzerne = konzerne_of(setup.places or tuple(range(seats)))
    names = tuple(konzern.name for konzern in konzerne)
    start = _side(setup, "start", names, names[0])
    turn = _turns_over(setup, phase, names, start)
    season = _season(setup, phase)
    holes = _holes(setup, names)
    board = Board(
        options,
        konzerne,
        cast(Phase, phase),
        season=season,
        start=names.index(start),
        turn=turn,
        kursfelder=_kursfelder(setup, options, season),
        holes=holes,
    )
    tables = [setup.table(name) for name in names]
    stocked = [_stocked(board, at, fields) for at, fields in enumerate(tables)]
    state = _with_cards(replace(board, konzerne=tuple(stocked)), setup, tables)
    for fields in tables:
        fields.done()
    return state


def _side(setup: Fields, key: str, names: tuple[Side, ...], default: Side) -> Side:
    name = card_of(setup.text(key, default))
    if name not in names:
        raise setup.error(key, f"{key} must be one of {', '.join(names)}, not {name!r}")
    return name


def _turns_over(setup: Fields, phase: str, names: tuple[Side, ...], start: Side) -> int:
    """Give how many turns of the season are over: full rounds, and those before the one on turn."""
    over = setup.number("round", RODS_A_SEASON if phase == "score" else 1) - 1
    if not 0 <= over < RODS_A_SEASON:
        raise setup.error("round", f"round must be from 1 to {RODS_A_SEASON}")
    if phase != "turns":
        return len(names) * RODS_A_SEASON if phase == "score" else 0
    turn = _side(setup, "turn", names, start)
    return over * len(names) + (names.index(turn) - names.index(start)) % len(names)


def _season(setup: Fields, phase: str) -> int:
    # In the last season no rods must be kept for later, so holes may have most of them.
    season = setup.number("season", SEASONS if phase in {"turns", "score"} else 1)
    if not 1 <= season <= SEASONS:
        raise setup.error("season", f"season must be from 1 to {SEASONS}")
    # `season` is about to begin: the one before it is the last that did.
    return season - 1 if phase == "season" else season


def _kursfelder(setup: Fields, options: Options, season: int) -> tuple[Feld, ...]:
    words = setup.words("kursfelder")
    if options.mode != "ROHSTOFFE":
        if words:
            raise setup.error("kursfelder", "only the mode ROHSTOFFE has a Kursfeld")
        return ()
    if len(set(words)) != len(words) or not set(words) <= set(FELDER):
        raise setup.error("kursfelder", f"kursfelder must be different ones of {', '.join(FELDER)}")
    if len(words) != season:
        raise setup.error("kursfelder", f"name one Kursfeld for each season so far: {season}")
    return tuple(cast(Feld, word) for word in words)


def _holes(setup: Fields, names: tuple[Side, ...]) -> Holes:
    holes = list(NO_HOLES)
    for line in setup.lines("holes"):
        found = _HOLE.fullmatch(line)
        square = card_of(found[2]) if found else ""
        if not found or found[1] not in FELDER or square not in SQUARES:
            raise setup.error("holes", f"{line!r}: write 'Texas OL: Sued 400, West 2x200'")
        at = hole_at(cast(Feld, found[1]), SQUARES.index(square))
        if holes[at] is not FREE:
            raise setup.error("holes", f"{found[1]} {square} is there twice")
        holes[at] = _hole(setup, line, found[3], names)
    return tuple(holes)


def _hole(setup: Fields, line: str, text: str, names: tuple[Side, ...]) -> Bohrloch:
    hole = FREE
    for part in text.split(","):
        name, *words = part.split() or [""]
        if card_of(name) not in names or not words:
            raise setup.error("holes", f"{line!r}: after the colon come colours with their rods")
        konzern = names.index(cast(Side, card_of(name)))
        for length in _lengths(setup, words):  # top first, each one where the Bohrrecht was there
            if length < hole.needs[konzern]:
                raise setup.error("holes", f"{line!r}: {name} had no Bohrrecht for {length}")
            hole = drilled(hole, konzern, length)
    return hole


def _lengths(setup: Fields, words: list[str]) -> list[int]:
    lengths: list[int] = []
    for word in words:
        for length, count in zip(LENGTHS, _rods(setup, "holes", [word]), strict=True):
            lengths += [length] * count
    return lengths


def _rods(setup: Fields, key: str, words: list[str] | tuple[str, ...]) -> Rods:
    try:
        return rods_of(tuple(words))
    except ValueError as error:
        raise setup.error(key, str(error)) from None


def _stocked(board: Board, at: int, fields: Fields) -> Konzern:
    """Give a colour its rods; what is left over and not needed is out of the game."""
    konzern = board.konzerne[at]
    stock = rods_left(STOCK, _in_holes(board, at))
    if min(stock) < 0:
        raise fields.error("rods", f"more rods of {konzern.name} are in holes than there are")
    count = len(board.konzerne)
    over = board.turn // count + ((at - board.start) % count < board.turn % count)
    due = RODS_A_SEASON - over if board.phase == "turns" else 0
    rods = _share(fields, "rods", stock, due)
    stock = rods_left(stock, rods)
    seasons = SEASONS - board.season + (board.phase == "rods")
    supply = _share(fields, "supply", stock, RODS_A_SEASON * seasons)
    return Konzern(
        konzern.name,
        konzern.seat,
        konzern.side,
        supply,
        rods,
        score=fields.number("score", 0),
    )


def _in_holes(board: Board, at: int) -> Rods:
    lengths = Counter(rod.metres for hole in board.holes for rod in hole.rods if rod.konzern == at)
    return tuple(lengths[length] for length in LENGTHS)


def _share(fields: Fields, key: str, stock: Rods, due: int) -> Rods:
    """Give the rods that are named, or as many as are due, the shortest first."""
    if fields.has(key):
        rods = _rods(fields, key, fields.words(key))
        if sum(rods) != due:
            raise fields.error(key, f"{due} rods are due here, not {sum(rods)}")
    else:
        rods = NO_RODS
        for n, have in enumerate(stock):
            take = min(have, due - sum(rods))
            rods = (*rods[:n], take, *rods[n + 1 :])
    if min(rods_left(stock, rods)) < 0 or sum(rods) != due:
        raise fields.error(key, f"there are not that many rods: {due} of {list(stock)}")
    return rods


def _with_cards(board: Board, setup: Fields, tables: list[Fields]) -> State:
    """Give every card of the deck its place: in a hand, in the pile or discarded."""
    named = [tuple(card_of(word) for word in fields.words("hand", REST)) for fields in tables]
    first = tuple(card for hand in named for card in hand if card != REST)
    rest = _completed(setup, "hand", (*first, REST), DECK)[len(first) :]
    discard = tuple(card_of(word) for word in setup.words("discard"))
    pile = tuple(card_of(word) for word in setup.words("pile", REST))
    top = tuple(card for card in pile if card != REST)
    rest = _completed(setup, "pile", (*top, *discard, REST), rest)[len(top) + len(discard) :]
    hands: list[Cards] = []
    for fields, cards in zip(tables, named, strict=True):
        hand = tuple(card for card in cards if card != REST)
        if len(hand) > HAND or (len(hand) < HAND and REST not in cards):
            raise fields.error("hand", f"a hand has {HAND} cards; end it with {REST} for any")
        missing = HAND - len(hand)
        hands.append((*hand, *rest[:missing]))
        rest = rest[missing:]
    if REST in pile:
        top += rest
    else:  # what the record does not put into the pile is discarded
        discard += rest
    nothing: tuple[Rods, ...] = ((),) * len(hands)
    held = Held(tuple(hands), nothing)
    return State(replace(board, pile_count=len(top), discard=discard), held, top)


def _completed(setup: Fields, key: str, first: Cards, every: Cards) -> Cards:
    try:
        return completed(first, every)
    except ValueError as error:
        raise setup.error(key, f"more cards are used than there are: {error}") from None
