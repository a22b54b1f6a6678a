"""Any position of Speedclimb from the set-up of a record."""

from __future__ import annotations

from typing import cast

from domain.kernel import Cards
from domain.records.notation import REST, SEAT_LETTERS, Fields, completed, seat_of
from domain.speedclimb.cards import NUMBER, RUCKSACK_MAX, SCHNEESTURM, SHERPA, Part, canonical
from domain.speedclimb.melds import Meld, meld_of, part_fault
from domain.speedclimb.moves import LaidPart
from domain.speedclimb.state import Board, Climber, Options, Own, Phase, Pile, State

PHASES = ("start", "take", "main")
RUN = "run"
_RUNS = (RUN, "folge")
_CARDS = {"Storm": SCHNEESTURM, "Joker": SHERPA}


def card_of(word: str) -> str:
    """Give the name in code of a card."""
    return _CARDS.get(word, word)


def laid_part(words: Cards) -> LaidPart:
    """Read the cards of a part; a run begins with the word `run` and names its cards in order."""
    if words[:1] and words[0] in _RUNS:
        cards = tuple([card_of(word) for word in words[1:]])
        for index, card in enumerate(cards):
            if card in NUMBER:  # its place tells the lowest number, Sherpas before it included
                return LaidPart(cards, NUMBER[card] - index)
        return LaidPart(cards, 1)
    return LaidPart(tuple([card_of(word) for word in words]))


def position(options: Options, seats: int, setup: Fields) -> State:
    """Build a position; cards that nobody has lie in the material or are out of this round."""
    phase = setup.one_of("phase", "take", PHASES)
    dealer = setup.seat("dealer", 0, seats)
    turn = setup.seat("turn", (dealer + 1) % seats, seats)
    empty = Board(options, ())
    mountain = empty.mountain
    each = [_seat(empty, setup.table(SEAT_LETTERS[seat])) for seat in range(seats)]
    depots = tuple([depot for _, _, depot in each])
    ablage = _cards(setup, "ablage")[::-1] if mountain.expedition else ()
    piles = (ablage,) if mountain.expedition else depots
    melds = tuple([_meld(setup, line, seats, mountain.top) for line in setup.lines("melds")])
    below = setup.number("storms_below", 0)
    placed = [card for pile in piles for card in pile] + [SCHNEESTURM] * below
    placed += [card for meld in melds for card in meld.cards]
    for climber, own, _ in each:
        placed += [*own.hand, *own.rucksack]
        if climber.storm and not mountain.expedition:
            placed.append(SCHNEESTURM)
    material = _material(setup, tuple(placed), mountain.deck)
    board = Board(
        options,
        tuple([climber for climber, _, _ in each]),
        "between" if phase == "start" else cast(Phase, phase),
        setup.number("round", 1),
        dealer,
        turn,
        len(material),
        below,
        tuple([Pile(pile[-1], len(pile)) if pile else Pile() for pile in piles]),
        melds,
    )
    if mountain.free and phase == "main" and not board.climbers[turn].stage:
        raise setup.error("turn", "whoever has taken a card has a locked stage: locked = true")
    return State(board, tuple([own for _, own, _ in each]), material, piles)


def _seat(board: Board, fields: Fields) -> tuple[Climber, Own, Cards]:
    mountain = board.mountain
    hand = canonical(_cards(fields, "hand"))
    rucksack: Cards = ()
    done: tuple[int, ...] = ()
    stage = locked = 0
    depot: Cards = ()
    packed = False
    if mountain.free:
        rucksack = canonical(_cards(fields, "rucksack"))
        if len(rucksack) > RUCKSACK_MAX or SCHNEESTURM in rucksack:
            raise fields.error("rucksack", "a Rucksack holds up to four cards, no Schneesturm")
        packed = fields.flag("packed", default=False)
        done = tuple(sorted({_stage(fields, "done", word) for word in fields.words("done")}))
        stage = _stage(fields, "stage", str(fields.number("stage", 1)))
        locked = stage if fields.flag("locked", default=True) else 0
    elif not mountain.expedition:
        depot = _cards(fields, "depot")[::-1]
    camp = 1 if mountain.free else fields.number("camp", 1)
    if not 1 <= camp <= len(mountain.camps):
        raise fields.error("camp", f"camp must be from 1 to {len(mountain.camps)}")
    climber = Climber(
        camp,
        fields.flag("laid", default=False),
        fields.flag("storm", default=False),
        len(hand),
        fields.number("penalty", 0) if mountain.expedition else 0,
        done,
        locked,
        len(rucksack),
        packed,
    )
    carry = canonical(_cards(fields, "carry")) if mountain.carries else ()
    fields.done()
    return climber, Own(hand, rucksack, stage, carry), depot


def _stage(fields: Fields, key: str, word: str) -> int:
    if not word.isdecimal() or not 1 <= int(word[:3]) <= 10:  # noqa: PLR2004 - ten stages
        raise fields.error(key, f"{word!r} is no stage; there are 1 to 10")
    return int(word)


def _cards(fields: Fields, key: str) -> Cards:
    cards = tuple([card_of(word) for word in fields.words(key)])
    for card in cards:
        if card not in NUMBER and card not in {SHERPA, SCHNEESTURM}:
            raise fields.error(key, f"{card!r} is no card; write R7, Sherpa or Schneesturm")
    return cards


def _meld(setup: Fields, line: str, seats: int, top: int) -> Meld:
    words = tuple(line.split())
    owner = seat_of(words[0], seats) if words else None
    laid = laid_part(words[1:])
    for kind in ("FOLGE", "GLEICHE", "FARBE"):
        part = Part(kind, len(laid.cards))
        if owner is not None and not part_fault(part, laid, top):
            return meld_of(owner, part, laid)
    raise setup.error(
        "melds", f"{line!r}: write 'A run R4 B5 Sherpa', 'B R7 G7 B7' or 'C R1 R9 R12 R4'"
    )


def _material(setup: Fields, placed: Cards, deck: Cards) -> Cards:
    """Give the material; without `...` at its end all other cards are out of this round."""
    try:
        rest = completed((*placed, REST), deck)[len(placed) :]
    except ValueError as error:
        raise setup.error("material", f"more cards lie there than there are: {error}") from None
    words = tuple([card_of(word) for word in setup.words("material", REST)])
    named = tuple([word for word in words if word != REST])
    try:
        ordered = completed((*named, REST), rest)
    except ValueError as error:
        raise setup.error("material", str(error)) from None
    return ordered if REST in words else named
