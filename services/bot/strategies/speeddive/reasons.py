"""Why a move is good, said to the player (Rat): numbers that he can check on the table."""

from __future__ import annotations

from random import Random
from typing import Any

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddive.cards import (
    BLEI,
    LECK,
    LETZTER_ATEMZUG,
    NUMBER,
    OKTOPUS,
    STROEMUNG,
    doubles,
)
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Surface,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.state import GiveCards
from domain.speeddive.views import View
from services.bot.strategies.german import of_cards, points, some, verb, with_points
from services.bot.strategies.speeddive import stark

_SURE = 100
_NAMES = {STROEMUNG: "Strömung", LETZTER_ATEMZUG: "Letzter Atemzug", LECK: "Leck ÷2"}
_NAMES |= {card: f"Blei −{value}" for card, value in BLEI.items()}
_NAMES |= {"7C": "Verfluchter Oktopus", "13G": "Goldener Leviathan", "0": "Leere Muschel"}


def reason(view: View, question: Question, move: Any) -> str:
    """Give the sentence for any question and any offered move."""
    if isinstance(move, Dive | Surface):
        return _of_dive(view, question, move)
    if _only(question):
        return f"{_what(view, move)}; eine andere Wahl hast du nicht."
    scene = stark.scene_of(view, Random(0))  # noqa: S311 - no secret
    # Of this move alone: to weigh the others, too, would cost as much as the choice did.
    return f"{_what(view, move)}: So gewinnst du {_chance(stark.chance_after(scene, move))}."


def _of_dive(view: View, question: Question, move: Dive | Surface) -> str:
    seat = view.seat
    assert seat is not None
    air = _air(view, seat)
    if _only(question):
        return f"{air}; mit der Leeren Muschel in der Spur darfst du nicht auftauchen."
    now, down = stark.dive_chances(stark.scene_of(view, Random(0)))  # noqa: S311 - no secret
    if isinstance(move, Dive):
        why, how, one, other = _new(view, seat), "Tauchend", _chance(down), _chance(now)
    else:
        why, how = f"und du hast {points(view.scores[seat])}", "Oben"
        one, other = _chance(now), _chance(down)
    if one == other:
        return f"{air}, {why}: So oder so gewinnst du {one}."
    return f"{air}, {why}: {how} gewinnst du {one}, sonst {other}."


def _air(view: View, seat: Seat) -> str:
    if view.board.divers[seat].reserveflasche:
        return "Deine Reserveflasche fängt die nächste Doppelte ab"
    _, total = stark.counts_of(view)
    risky = view.luftmesser[seat]
    count = some(risky).capitalize()
    return f"{count} von {of_cards(total)} {verb(risky, 'wirft', 'werfen')} dich raus"


def _new(view: View, seat: Seat) -> str:
    """Tell how many cards bring a new number, and what these are on average."""
    counts, _ = stark.counts_of(view)
    spur = view.board.divers[seat].spur
    new = {
        card: n
        for card, n in counts.items()
        if n and card in NUMBER and card != OKTOPUS and not doubles(spur, card)
    }
    count = sum(new.values())
    if not count:
        return "und keine Karte bringt eine neue Zahl"
    mean = round(sum([NUMBER[card] * n for card, n in new.items()]) / count)
    if count == 1:
        return f"und 1 Karte bringt eine neue Zahl ({mean})"
    return f"und {count} Karten bringen eine neue Zahl (im Schnitt {mean})"


def _only(question: Question) -> bool:
    return len(question.options.moves) == 1 and not question.options.descriptors


def _what(view: View, move: Any) -> str:
    match move:
        case ChooseTarget(target):
            who = _of(view, target, "du hast", f"Taucher {target + 1} hat")
            stands = _of(view, target, "stehst", "steht")
            scores, total = points(view.scores[target]), view.board.divers[target].total
            return f"{_card(view)}: {who} in dieser Runde {scores} und {stands} bei {total}"
        case ChooseCard(target, card):
            return f"{_first(card)} liegt bei {_of(view, target, 'dir', f'Taucher {target + 1}')}"
        case SwapCards(one, x, two, y):
            return (
                f"{_first(x)} geht von {_of(view, one, 'dir', f'Taucher {one + 1}')} an "
                f"{_of(view, two, 'dich', f'Taucher {two + 1}')}, {_name(y)} kommt dafür zurück"
            )
        case ChargeDiver(target):
            total = view.board.divers[target].total + view.scores[target]
            return f"Taucher {target + 1} stünde sonst bei {with_points(total)}"
        case _:
            assert isinstance(move, TakeBonus)
            return "Die 15 Punkte bringen dich gegen alle anderen voran"


def _card(view: View) -> str:
    frame = view.board.frames[-1]
    if not isinstance(frame, GiveCards):
        return "Reserveflasche"
    card = frame.cards[len(frame.targets)]
    return _NAMES.get(card, card)


def _of(view: View, seat: Seat, mine: str, other: str) -> str:
    return mine if seat == view.seat else other


def _name(card: str) -> str:
    return _NAMES.get(card, f"die {card}")


def _first(card: str) -> str:
    """Name a card as the first word of a sentence."""
    name = _name(card)
    return name[0].upper() + name[1:]


def _chance(chance: float) -> str:
    percent = round(100 * chance)
    if not percent:
        return "zu weniger als 1 %"
    return "fast sicher" if percent == _SURE else f"etwa zu {percent} %"
