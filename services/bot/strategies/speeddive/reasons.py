"""Why a move is good, said to the player (Rat): numbers that he can check on the table."""

from __future__ import annotations

from random import Random
from typing import Any

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddive.cards import BLEI, LECK, LETZTER_ATEMZUG, NUMBER, STROEMUNG
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
from services.bot.strategies.speeddive import stark

_NAMES = {STROEMUNG: "Strömung", LETZTER_ATEMZUG: "Letzter Atemzug", LECK: "Leck ÷2"}
_NAMES |= {card: f"Blei −{value}" for card, value in BLEI.items()}
_NAMES |= {"7C": "Verfluchter Oktopus", "13G": "Goldener Leviathan", "0": "Leere Muschel"}


def reason(view: View, question: Question, move: Any) -> str:
    """Give the sentence for any question and any offered move."""
    if isinstance(move, Dive | Surface):
        return _of_dive(view, question, move)
    scene = stark.scene_of(view, Random(0))  # noqa: S311 - no secret
    others = [each for each in stark.candidates(scene, question) if each != move]
    so = _percent(stark.chance_after(scene, move))
    if not others:
        return f"{_what(view, move)}; eine andere Wahl hast du nicht."
    best = max([stark.chance_after(scene, each) for each in others])
    return f"{_what(view, move)}: So gewinnst du etwa zu {so}, sonst höchstens zu {_percent(best)}."


def _of_dive(view: View, question: Question, move: Dive | Surface) -> str:
    seat = view.seat
    assert seat is not None
    air = _air(view, seat)
    if len(question.options.moves) == 1:
        return f"{air}; mit der Leeren Muschel in der Spur darfst du nicht auftauchen."
    now, down = stark.dive_chances(stark.scene_of(view, Random(0)))  # noqa: S311 - no secret
    if isinstance(move, Dive):
        why = f"{air}, neue Zahlen bringen im Schnitt {_mean(view, seat)} Punkte"
        return f"{why}: Tauchend gewinnst du etwa zu {_percent(down)}, sonst zu {_percent(now)}."
    why = f"{air}, und du hast {view.scores[seat]} Punkte"
    return f"{why}: Oben gewinnst du etwa zu {_percent(now)}, sonst zu {_percent(down)}."


def _air(view: View, seat: Seat) -> str:
    if view.board.divers[seat].reserveflasche:
        return "Deine Reserveflasche fängt die nächste Doppelte ab"
    _, total = stark.counts_of(view)
    return f"{view.luftmesser[seat]} von {total} Karten werfen dich raus"


def _mean(view: View, seat: Seat) -> int:
    """Give what new numbers bring on average over all cards, as they lie in the pile."""
    counts, total = stark.counts_of(view)
    spur = view.board.divers[seat].spur
    new = [n * NUMBER[card] for card, n in counts.items() if card in NUMBER and card not in spur]
    return round(sum(new) / max(total, 1))


def _what(view: View, move: Any) -> str:
    match move:
        case ChooseTarget(target):
            who = _of(view, target, "du hast", f"Taucher {target + 1} hat")
            stands = _of(view, target, "stehst", "steht")
            scores, total = view.scores[target], view.board.divers[target].total
            return f"{_card(view)}: {who} in dieser Runde {scores} Punkte und {stands} bei {total}"
        case ChooseCard(target, card):
            return f"{_name(card)} liegt bei {_of(view, target, 'dir', f'Taucher {target + 1}')}"
        case SwapCards(one, x, two, y):
            return (
                f"{_name(x)} geht von {_of(view, one, 'dir', f'Taucher {one + 1}')} an "
                f"{_of(view, two, 'dich', f'Taucher {two + 1}')}, {_name(y)} kommt dafür zurück"
            )
        case ChargeDiver(target):
            total = view.board.divers[target].total + view.scores[target]
            return f"Taucher {target + 1} stünde sonst bei {total} Punkten"
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
    return _NAMES.get(card, f"Die {card}")


def _percent(chance: float) -> str:
    return f"{round(100 * chance)} %"
