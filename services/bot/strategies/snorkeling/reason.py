"""What Rat says about a move of Snorkeling: the numbers that speak for it."""

from __future__ import annotations

from contracts.views import Question
from domain.snorkeling.cards import COLOURS, FITS, LATERNENFISCH_VALUE, STRAND, VALUE
from domain.snorkeling.moves import Attack, Move, PlayCards, TakeCard
from domain.snorkeling.views import View
from services.bot.strategies.german import of_cards, points, some, verb


def reason(view: View, question: Question, move: Move) -> str:
    """Give one German sentence to the player; it says nothing that he cannot see or count."""
    if question.kind == "take":
        return _take(view, move)
    if not isinstance(move, PlayCards):
        return _pass(view)
    if move.attack:
        return _attack(view, move, move.attack)
    return _play(view, move)


def _take(view: View, move: Move) -> str:
    assert view.seat is not None
    card = view.board.schnorchler[view.seat].own[-1]
    depth = VALUE[card]
    if isinstance(move, TakeCard):
        return (
            f"Mit {_name(card)} auf der Hand zeigt dein Stapel wieder {depth + 1} statt {depth}, "
            f"und {points(depth + 1)} bringt er dir, wenn die Runde so endet."
        )
    unseen = sum(view.left.values())
    hits = sum([count for other, count in view.left.items() if VALUE[other] in _wanted(view)])
    return (
        f"Von {of_cards(unseen)}, die du nicht siehst, {verb(hits, 'trifft', 'treffen')} "
        f"{some(hits)} gleich einen fremden Stapel: "
        f"dafür kannst du deinen auf {depth} lassen."
    )


def _pass(view: View) -> str:
    top = view.board.centre[-1]
    count = len(view.hand)
    fitting = sum([card in FITS[top] for card in view.hand])
    fits = f"{verb(fitting, 'passt', 'passen')} {some(fitting)} deiner {count} Karten"
    if count == 1:
        fits = "passt deine Karte" if fitting else "passt deine Karte nicht"
    if not _to_draw(view, 0):
        return f"Auf {_name(top)} {fits}, und zu ziehen gibt es keine Karte mehr."
    if not fitting:
        return f"Auf {_name(top)} {fits}: du ziehst eine dazu."
    return (
        f"Auf {_name(top)} {fits}, aber mit {count + 1} Karten "
        f"hast du im nächsten Zug mehr zur Wahl."
    )


def _attack(view: View, move: PlayCards, attack: Attack) -> str:
    assert view.seat is not None
    mine, theirs = view.scores[view.seat], view.scores[attack.target]
    if VALUE[attack.card] == STRAND:
        return (
            f"Der Strand beendet die Runde: du bekommst {points(mine)}, "
            f"der Angegriffene 0 statt {theirs}."
        )
    sentence = f"Dein Angriff drückt einen Stapel von {theirs} auf {theirs - 1}"
    return f"{sentence}, deiner zeigt {mine}; {_after(view, move)}."


def _play(view: View, move: PlayCards) -> str:
    count = len(move.centre)
    rest = list(view.hand)
    for card in move.centre:
        rest.remove(card)
    wanted = _wanted(view)
    hits = sum([VALUE[card] in wanted for card in rest])
    sentence = f"Du legst {of_cards(count)} ab; {_after(view, move)}"
    if hits:
        hit = verb(hits, "trifft", "treffen")
        return f"{sentence}, und von den behaltenen {hit} {hits} einen fremden Stapel."
    return f"{sentence}."


def _after(view: View, move: PlayCards) -> str:
    """Tell what the hand is then; whoever lays a card can always draw one (SNORK-R10)."""
    assert view.seat is not None
    laid = len(move.centre)
    left = len(view.hand) - laid - (move.attack is not None)
    depth = view.scores[view.seat]
    if left:
        return f"mit der gezogenen hast du dann {of_cards(left + 1)}"
    if depth == LATERNENFISCH_VALUE:
        return f"deine Hand ist dann leer und du ziehst {of_cards(min(2, _to_draw(view, laid)))}"
    return f"deine Hand ist dann leer und dein Stapel kann von {depth} auf {depth + 1} zurück"


def _to_draw(view: View, laid: int) -> int:
    """Give how many cards can be drawn: those below the top of the centre, too (SNORK-R10)."""
    return view.board.pile_count + len(view.board.centre) - 1 + laid


def _wanted(view: View) -> set[int]:
    """Give the values that hit another pile as it is now."""
    return {depth - 1 for seat, depth in enumerate(view.scores) if seat != view.seat}


def _name(card: str) -> str:
    return f"{COLOURS[card[0]].capitalize()} {VALUE[card]}"
