"""Any position of Speeddive from the set-up of a record."""

from __future__ import annotations

import re
from typing import cast

from msgspec.structs import replace

from domain.kernel import Cards, Seat
from domain.records.notation import REST, SEAT_LETTERS, Fields, completed, seat_of
from domain.speeddive.cards import (
    ACTIONS,
    BONUS,
    DECKS,
    LECK,
    LETZTER_ATEMZUG,
    NUMBER,
    RESERVEFLASCHE,
    SCHATZKAMMER_BONUS,
    SCHATZKAMMER_NUMBERS,
    STROEMUNGSWECHSEL,
    WEIGHTS,
    Edition,
    doubles,
)
from domain.speeddive.frames import queue
from domain.speeddive.scoring import cards_before, cards_pending
from domain.speeddive.state import (
    Board,
    Diver,
    DrawCards,
    EndAtemzug,
    Frame,
    GiveCards,
    Options,
    PassBottle,
    ScoreRound,
    State,
    Status,
    TakeCard,
    UseBonus,
)

PHASES = ("start", "deal", "turns")
_CARDS = {
    "Strömung": "Stroemung",
    "Flasche": RESERVEFLASCHE,
    "Schatzkarte": "x2",
    "×2": "x2",
    "X2": "x2",
    "÷2": LECK,
    "Letzter Atemzug": LETZTER_ATEMZUG,
    "Atemzug": LETZTER_ATEMZUG,
    "Strömungswechsel": STROEMUNGSWECHSEL,
}
_BESIDE = {
    "KLASSISCH": (BONUS, "no Perle and not x2"),
    "DEEPER_DIVE": (WEIGHTS, "no Blei and not Leck"),
}
_ACTIVE: dict[Edition, tuple[Status, ...]] = {
    "KLASSISCH": ("DOWN",),
    "DEEPER_DIVE": ("DOWN", "SURFACED"),
}
# Who may have something pending: in Deeper Dive a diver who has surfaced can be hit (2.6).
_PENDING = re.compile(
    r"(?P<seat>\w) (?:(?P<draws>draws) (?P<left>[1-4])(?: aside (?P<aside>[^,]+))?"
    r"|(?P<gives>gives|collected) (?P<cards>[^,]+?)(?: to (?P<targets>[A-F ]+))?"
    r"|(?P<passes>passes)|(?P<takes>takes)|(?P<surfaces>surfaces))"
)


def card_of(word: str) -> str:
    """Give the name in code of a card that may be written as players know it."""
    return _CARDS.get(word, word.replace("−", "-"))


def position(options: Options, seats: int, setup: Fields) -> State:
    """Build a position; cards that nobody has lie in the pile or on the discard pile."""
    phase = setup.one_of("phase", "turns", PHASES)
    dealer = setup.seat("dealer", 0, seats)
    turn = setup.seat("turn", (dealer + 1) % seats, seats)
    divers = tuple(
        _diver(setup.table(SEAT_LETTERS[seat]), options, dealt=phase == "turns")
        for seat in range(seats)
    )
    frames = tuple(_frame(setup, line, seats) for line in setup.lines("pending"))
    _check_frames(setup, frames, divers, _ACTIVE[options.edition])
    for seat, diver in enumerate(divers):
        if diver.status == "TREASURE":
            frames = (ScoreRound(), UseBonus(seat)) if options.brutal else (ScoreRound(),)
    board = Board(
        options,
        divers,
        phase="between" if phase == "start" else "round",
        round=setup.number("round", 1),
        tie_break=setup.number("tie_break", 0),
        dealer=dealer,
        # Whoever is on turn has had it already if something of it is still pending.
        last=dealer if phase == "deal" else turn if frames else (turn - 1) % seats,
        frames=frames,
    )
    return _with_piles(board, setup)


def _diver(fields: Fields, options: Options, *, dealt: bool) -> Diver:
    spur = fields.words("spur")
    beside = tuple(card_of(card) for card in fields.words("beside"))
    status = cast(Status, fields.one_of("status", "DOWN", ("DOWN", "SURFACED", "OUT", "TREASURE")))
    for card in spur:
        if card not in NUMBER:
            raise fields.error("spur", f"{card!r} is no number card")
    for card in beside:
        if card not in _BESIDE[options.edition][0]:
            raise fields.error("beside", f"{card!r} is {_BESIDE[options.edition][1]}")
    if status != "OUT" and any(doubles(spur[:at], card) for at, card in enumerate(spur)):
        raise fields.error("spur", "a diver with a number twice is OUT; give his status")
    if status != "OUT" and (status == "TREASURE") != (len(spur) == SCHATZKAMMER_NUMBERS):
        raise fields.error("spur", "seven numbers and the status TREASURE belong together")
    diver = Diver(
        status,
        spur,
        beside,
        fields.flag("bottle", default=False),
        fields.flag("dealt", default=dealt or bool(spur)) or status != "DOWN",
        fields.number("total", 0),
        SCHATZKAMMER_BONUS if status == "TREASURE" and not options.brutal else 0,
    )
    fields.done()
    return diver


def _frame(setup: Fields, line: str, seats: int) -> Frame:
    found = _PENDING.fullmatch(line)
    seat = seat_of(found["seat"], seats) if found else None
    if not found or seat is None:
        raise setup.error(
            "pending",
            f"{line!r}: write 'B draws 2 aside Sog', 'B gives Sog', 'B collected Sog Stroemung"
            " to B', 'B passes' (a bottle) or 'B takes' (a card)",
        )
    if found["draws"]:
        return DrawCards(seat, int(found["left"]), _actions(setup, found["aside"]))
    if found["gives"]:
        targets = tuple(seat_of(each, seats) for each in (found["targets"] or "").split())
        if None in targets:
            raise setup.error("pending", f"{line!r} names a seat that is not there")
        cards = _actions(setup, found["cards"])
        chosen = tuple(each for each in targets if each is not None)
        return _queue(seat, cards, chosen, collected=found["gives"] == "collected")
    if found["surfaces"]:
        return EndAtemzug(seat)
    return PassBottle(seat) if found["passes"] else TakeCard(seat)


def _queue(seat: Seat, cards: Cards, chosen: tuple[Seat, ...], *, collected: bool) -> GiveCards:
    """Give the targets to the cards that need a diver; card actions choose later."""
    give = queue(seat, cards, (), collected=collected)
    for target in chosen:
        give = queue(seat, cards, (*give.targets, target), collected=collected)
    return give


def _check_frames(
    setup: Fields,
    frames: tuple[Frame, ...],
    divers: tuple[Diver, ...],
    active: tuple[Status, ...],
) -> None:
    """Refuse what cannot be pending in play: it would never be done."""
    for frame in frames:
        match frame:
            case GiveCards(seat, cards, targets):
                if len(targets) > len(cards):
                    raise setup.error("pending", "there are more targets than cards")
                if divers[seat].status not in active and len(targets) < len(cards):
                    raise setup.error("pending", "who must give cards is DOWN; give his status")
            case DrawCards(seat) | TakeCard(seat) | PassBottle(seat):
                if divers[seat].status not in active:
                    raise setup.error("pending", "who must draw or pass a bottle is DOWN")
            case _:
                pass
        if isinstance(frame, PassBottle) and not divers[frame.seat].reserveflasche:
            raise setup.error("pending", "who passes a bottle has one already: bottle = true")


def _actions(setup: Fields, text: str | None) -> Cards:
    cards = tuple(card_of(card) for card in (text or "").split())
    for card in cards:
        if card not in ACTIONS:
            raise setup.error("pending", f"{card!r} is no action card that waits")
    return cards


def _with_piles(board: Board, setup: Fields) -> State:
    """Give every card of the deck its place: before divers, pending, in the pile or discarded."""
    placed = [*cards_pending(board)]
    for diver in board.divers:
        placed += cards_before(diver)
    rest = list(_unplaced(setup, tuple(placed), DECKS[board.options.edition]))
    pile = tuple(card_of(word) for word in setup.words("pile", REST))
    discard = tuple(card_of(word) for word in setup.words("discard"))
    try:
        open_ended = REST in pile
        named = tuple(card for card in pile if card != REST)
        left = completed((*discard, REST), tuple(rest))[len(discard) :]
        ordered = completed((*named, REST), left)
    except ValueError as error:
        raise setup.error("pile" if setup.has("pile") else "discard", str(error)) from None
    if not open_ended:  # what the record does not put into the pile is discarded
        discard, ordered = (*discard, *ordered[len(named) :]), named
    return State(replace(board, discard=discard, pile_count=len(ordered)), ordered)


def _unplaced(setup: Fields, placed: Cards, deck: Cards) -> Cards:
    """Give the cards of the deck that lie neither before a diver nor in something pending."""
    try:
        return completed((*placed, REST), deck)[len(placed) :]
    except ValueError as error:
        raise setup.error(
            "pending", f"more cards lie on the table than there are: {error}"
        ) from None
