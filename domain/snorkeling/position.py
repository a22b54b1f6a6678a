"""Any position of Snorkeling from the set-up of a record."""

from __future__ import annotations

from typing import cast

from domain.kernel import Cards
from domain.records.notation import REST, SEAT_LETTERS, Fields, completed
from domain.snorkeling.cards import DECK, LATERNENFISCH, VALUE
from domain.snorkeling.scoring import TURNS_MAX
from domain.snorkeling.state import Board, Options, Phase, Schnorchler, State

PHASES = ("start", "turn", "take")
_WORDS = {"L": LATERNENFISCH, "Laterne": LATERNENFISCH}


def card_of(word: str) -> str:
    """Give the name in code of a card that may be written as players know it."""
    return _WORDS.get(word, word)


def position(options: Options, seats: int, setup: Fields) -> State:
    """Build a position; every card has its place, those that are not named lie at the `...`."""
    phase = setup.one_of("phase", "turn", PHASES)
    starter = setup.seat("starter", 0, seats)
    turn = setup.seat("turn", starter, seats)
    turns = setup.number("turns", 0)
    number = setup.number("round", 1)
    tables = [setup.table(SEAT_LETTERS[seat]) for seat in range(seats)]
    own = tuple([_own(fields) for fields in tables])
    totals = [fields.number("total", 0) for fields in tables]
    hands, centre, pile = _placed(setup, tables, own)
    for fields in tables:
        fields.done()
    if phase == "start":
        everybody = tuple([Schnorchler(total=total) for total in totals])
        return State(Board(options, everybody, "between", number, starter, starter), ((),) * seats)
    if turns >= TURNS_MAX * seats:
        raise setup.error("turns", f"a round has at most {TURNS_MAX * seats} turns here")
    if phase == "take" and len(own[turn]) == 1:
        raise setup.error("phase", "nothing but the Laternenfisch lies there to be taken")
    everybody = tuple(
        [
            Schnorchler(cards, len(hand), total)
            for cards, hand, total in zip(own, hands, totals, strict=True)
        ]
    )
    board = Board(
        options,
        everybody,
        cast(Phase, phase),
        number,
        starter,
        turn,
        turns,
        phase == "take",
        centre,
        len(pile),
    )
    return State(board, hands, pile)


def _own(fields: Fields) -> Cards:
    """Read an own pile, its top first; the Laternenfisch at the bottom need not be written."""
    cards = tuple(card_of(word) for word in fields.words("own"))[::-1]
    cards = cards if cards[:1] == (LATERNENFISCH,) else (LATERNENFISCH, *cards)
    for card, value in zip(cards, range(VALUE[LATERNENFISCH], -1, -1), strict=False):
        if VALUE.get(card) != value:
            raise fields.error("own", f"an own pile goes up one by one to 5; {card!r} is wrong")
    if VALUE[cards[-1]] == 0:
        raise fields.error("own", "with the Strand the round is over; use the attack as a move")
    return cards


def _placed(
    setup: Fields, tables: list[Fields], own: tuple[Cards, ...]
) -> tuple[tuple[Cards, ...], Cards, Cards]:
    """Give hands, centre and pile; what is not named goes where `...` stands."""
    lists = {str(seat): fields.words("hand") for seat, fields in enumerate(tables)}
    lists |= {"centre": setup.words("centre"), "pile": setup.words("pile")}
    takers = [name for name, words in lists.items() if REST in words]
    if len(takers) > 1 or any(REST in words[:-1] for words in lists.values()):
        raise setup.error("pile", f"{REST} may stand once, at the end of a hand, centre or pile")
    # Without it the pile takes the rest; a pile that is given is exactly that.
    taker = takers[0] if takers else "centre" if setup.has("pile") else "pile"
    placed = {name: [word for word in words if word != REST] for name, words in lists.items()}
    named = [card for cards in placed.values() for card in cards]
    named += [card for cards in own for card in cards[1:]]
    try:
        rest = completed((*named, REST), DECK)[len(named) :]
    except ValueError as error:
        raise setup.error("centre", f"more cards are named than there are: {error}") from None
    if not placed["centre"] and rest and taker != "centre":
        placed["centre"], rest = [rest[-1]], rest[:-1]
    placed[taker] += rest
    if not placed["centre"]:
        raise setup.error("centre", "at least one card lies in the centre")
    hands = tuple([tuple(sorted(placed[str(seat)])) for seat in range(len(tables))])
    return hands, tuple(placed["centre"][::-1]), tuple(placed["pile"])
