"""What Rat says about a move of Snorkeling: the numbers that speak for it."""

from __future__ import annotations

from contracts.views import Question
from domain.snorkeling.cards import COLOURS, FITS, LATERNENFISCH_VALUE, STRAND, VALUE
from domain.snorkeling.moves import Attack, Move, PlayCards, TakeCard
from domain.snorkeling.views import View


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
            f"und {depth + 1} Punkte bringt er dir, wenn die Runde so endet."
        )
    unseen = sum(view.left.values())
    hits = sum([count for other, count in view.left.items() if VALUE[other] in _wanted(view)])
    return (
        f"Von {unseen} Karten, die du nicht siehst, treffen {hits} gleich einen fremden Stapel: "
        f"dafür kannst du deinen auf {depth} lassen."
    )


def _pass(view: View) -> str:
    top = view.board.centre[-1]
    count = len(view.hand)
    fitting = sum([card in FITS[top] for card in view.hand])
    if not fitting:
        return f"Auf {_name(top)} passt keine deiner {_cards(count)}: du ziehst eine dazu."
    verb = "passt" if fitting == 1 else "passen"
    return (
        f"Auf {_name(top)} {verb} {fitting} deiner {_cards(count)}, aber mit {count + 1} Karten "
        f"hast du im nächsten Zug mehr zur Wahl."
    )


def _attack(view: View, move: PlayCards, attack: Attack) -> str:
    assert view.seat is not None
    mine, theirs = view.scores[view.seat], view.scores[attack.target]
    if VALUE[attack.card] == STRAND:
        return (
            f"Der Strand beendet die Runde: du bekommst {_points(mine)}, "
            f"wer ihn bekommt 0 statt {theirs}."
        )
    sentence = f"Dein Angriff drückt einen Stapel von {theirs} auf {theirs - 1}"
    return f"{sentence}, deiner zeigt {mine}; {_after(view, len(move.centre) + 1)}."


def _play(view: View, move: PlayCards) -> str:
    count = len(move.centre)
    rest = list(view.hand)
    for card in move.centre:
        rest.remove(card)
    wanted = _wanted(view)
    hits = sum([VALUE[card] in wanted for card in rest])
    sentence = f"Du legst {_cards(count)} ab; {_after(view, count)}"
    if hits:
        verb = "trifft" if hits == 1 else "treffen"
        return f"{sentence}, und von den behaltenen {verb} {hits} einen fremden Stapel."
    return f"{sentence}."


def _after(view: View, played: int) -> str:
    """Tell what the hand is then."""
    assert view.seat is not None
    left = len(view.hand) - played
    depth = view.scores[view.seat]
    if left:
        return f"mit der gezogenen hast du dann {_cards(left + 1)}"
    if depth == LATERNENFISCH_VALUE:
        return "deine Hand ist dann leer und du ziehst 2 Karten"
    return f"deine Hand ist dann leer und dein Stapel kann von {depth} auf {depth + 1} zurück"


def _wanted(view: View) -> set[int]:
    """Give the values that hit another pile as it is now."""
    return {depth - 1 for seat, depth in enumerate(view.scores) if seat != view.seat}


def _name(card: str) -> str:
    return f"{COLOURS[card[0]]} {VALUE[card]}"


def _cards(count: int) -> str:
    return "1 Karte" if count == 1 else f"{count} Karten"


def _points(count: int) -> str:
    return "1 Punkt" if count == 1 else f"{count} Punkte"
