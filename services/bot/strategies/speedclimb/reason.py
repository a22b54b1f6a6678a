"""What Rat says about a move of Speedclimb: the numbers that speak for it."""

from __future__ import annotations

from typing import assert_never

from contracts.views import Question
from domain.speedclimb.cards import (
    COLOUR,
    NUMBER,
    PENALTY,
    RUCKSACK_MAX,
    SHERPA,
    SIZE,
    canonical,
)
from domain.speedclimb.fitting import fit
from domain.speedclimb.melds import places
from domain.speedclimb.moves import (
    AttachCard,
    ChooseCarry,
    ChooseStage,
    Discard,
    LayLager,
    Move,
    Pack,
    PlaySchneesturm,
    TakeAblage,
    TakeDepot,
    TakeMaterial,
    TakeRucksack,
)
from domain.speedclimb.takes import top_of
from domain.speedclimb.views import View
from services.bot.strategies.german import of_cards, points, some, verb
from services.bot.strategies.speedclimb.camps import key_of
from services.bot.strategies.speedclimb.sight import Sight, sight_of
from services.bot.strategies.speedclimb.unseen import Unseen

_COLOURS = {"R": "Rot", "B": "Blau", "G": "Gelb", "W": "Weiß", "O": "Orange", "L": "Lila"}


def reason(view: View, _question: Question, move: Move) -> str:
    """Give one German sentence to the player; it says nothing that he cannot see or count."""
    sight = sight_of(view)
    match move:
        case TakeMaterial():
            return _material(sight)
        case TakeDepot() | TakeAblage() | TakeRucksack():
            return _open(sight, top_of(sight.board, move))
        case LayLager(parts):
            left = len(sight.own.hand) - sum([len(part.cards) for part in parts])
            return f"Dein Lager ist vollständig: danach hast du {_cards(left)} auf der Hand."
        case AttachCard(card):
            return _attach(sight, card)
        case Discard(card):
            return _discard(sight, card)
        case PlaySchneesturm(target):
            return _storm(sight, target)
        case Pack(card):
            return f"{_who(card)} kommt in den Rucksack, kostet dort keine Strafpunkte und {_later(sight)}."
        case ChooseStage(stage):
            return _stage(sight, stage)
        case ChooseCarry(cards):
            return _carry(sight, cards)
        case _:
            assert_never(move)


def _name(card: str, article: str) -> str:
    """Name a card; Sherpa and Schneesturm have an article, in the case that the sentence needs."""
    if card in NUMBER:
        return f"{_COLOURS[COLOUR[card]]} {NUMBER[card]}"
    return f"{article} {card}"


def _who(card: str) -> str:
    return _name(card, "Der")


def _with(card: str) -> str:
    return f"Mit {_name(card, 'dem')}"


def _cards(count: int) -> str:
    return "eine Karte" if count == 1 else f"{count or 'keine'} Karten"


def _are_lacking(count: int) -> str:
    return verb(count, "fehlt", "fehlen")


def _lacking(sight: Sight, hand: tuple[str, ...]) -> int:
    """Give how many cards the hand lacks, in the rare cases too in which a part has no real card."""
    return fit(canonical(hand), sight.camp, sight.top).missing if sight.camp else 0


def _outs(sight: Sight, hand: tuple[str, ...]) -> str:
    """Tell how many of the cards that he does not see bring him nearer."""
    unseen = Unseen(sight)
    outs = unseen.outs(key_of(hand, sight.camp), sight.camp, sight.top)
    bring = verb(outs, "bringt", "bringen")
    total = of_cards(unseen.total)
    return f"von {total}, die du nicht siehst, {bring} dich {some(outs)} deinem Lager näher"


def _fitting(sight: Sight) -> str:
    """Tell how many of the cards that he does not see can be attached."""
    unseen = Unseen(sight)
    fits = places(sight.board.melds, tuple(unseen.counts), sight.top)
    different = {card for place in fits for card in place.cards}
    count = sum([unseen.counts[card] for card in unseen.counts if card in different])
    total = of_cards(unseen.total)
    return f"von {total}, die du nicht siehst, kannst du {some(count)} gleich anlegen"


def _material(sight: Sight) -> str:
    tops = {pile.top for pile in sight.board.piles if pile.top}
    if sight.laid:
        useful = any(sight.attachable(card) for card in tops)
        start = "Eine offene Karte passt zwar" if useful else "Keine offene Karte passt an"
        return f"{start}, aber {_fitting(sight)}."
    hand = sight.own.hand
    if not sight.camp or not _lacking(sight, hand):
        return "Dir fehlt keine Karte mehr: jede Karte vom Material ist so gut wie eine offene."
    useful = any(_lacking(sight, (*hand, card)) < _lacking(sight, hand) for card in tops)
    start = "Eine offene Karte hilft zwar" if useful else "Keine offene Karte hilft deinem Lager"
    return f"{start}, aber {_outs(sight, hand)}."


def _open(sight: Sight, card: str) -> str:
    hand = sight.own.hand
    if sight.laid:
        if sight.attachable(card):
            return f"{_name(card, 'Den')} kannst du gleich anlegen und dazu eine andere Karte loswerden."
        return f"{_who(card)} passt noch nirgends an, aber du weißt, was du bekommst."
    before, after = _lacking(sight, hand), _lacking(sight, (*hand, card))
    if not after:
        return f"{_with(card)} ist dein Lager vollständig."
    lack = _are_lacking(after)
    if after < before:
        return f"{_with(card)} {lack} deinem Lager nur noch {_cards(after)} statt {before}."
    return f"{_who(card)} bringt dich nicht näher: deinem Lager {lack} weiter {_cards(after)}."


def _attach(sight: Sight, card: str) -> str:
    left = len(sight.own.hand) - 1
    if not left:
        return f"{_with(card)} wirst du deine letzte Karte los und beendest den Durchgang."
    if left == 1 and not sight.expedition:
        return f"{_who(card)} passt an, und mit dem Abwerfen der letzten Karte bist du fertig."
    return f"{_who(card)} passt an: danach hast du {_cards(left)} auf der Hand."


def _discard(sight: Sight, card: str) -> str:
    hand = sight.own.hand
    rest = list(hand)
    rest.remove(card)
    if not rest:
        return f"{_with(card)} wirst du deine letzte Karte los und beendest den Durchgang."
    it, object_ = ("sie", "sie") if card in NUMBER else ("er", "ihn")
    gift = (
        f"die anderen können {object_} anlegen"
        if sight.attachable(card)
        else f"{it} passt nirgends an"
    )
    if sight.laid or not sight.camp:
        saves = f"sparst {points(PENALTY[card], 'Straf')} und " if sight.expedition else ""
        keeps = f"du {saves}behältst {_cards(len(rest))}"
        return f"{_name(card, 'Den')} brauchst du nicht mehr, {gift}; {keeps}."
    lacking = _lacking(sight, tuple(rest))
    if lacking > _lacking(sight, hand):
        lack = f"{_are_lacking(lacking)} deinem Lager {_cards(lacking)}"
        return f"Ohne {_name(card, 'den')} {lack}, aber eine Karte muss weg."
    if not lacking:
        return f"Auch ohne {_name(card, 'den')} ist dein Lager vollständig, und {gift}."
    return f"Dein Lager braucht {_name(card, 'den')} nicht, und {_outs(sight, tuple(rest))}."


def _storm(sight: Sight, target: int) -> str:
    climber = sight.board.climbers[target]
    stands = "hat sein Lager schon aufgeschlagen" if climber.laid else "sammelt noch"
    return f"Platz {target + 1} {stands}, hat {_cards(climber.hand_count)} und verliert seinen nächsten Zug."


def _later(sight: Sight) -> str:
    room = RUCKSACK_MAX - 1 - sight.board.climbers[sight.seat].rucksack_count
    left = f"ist noch Platz für {_cards(room)}" if room else "ist er voll"
    return f"hilft dir in einem späteren Durchgang; danach {left}"


def _stage(sight: Sight, stage: int) -> str:
    camp = sight.board.mountain.camps[stage - 1]
    lacking = fit(sight.own.hand, camp, sight.top).missing
    if not lacking:
        return f"Für Etappe {stage} hast du schon alle Karten."
    return f"Für Etappe {stage} {_are_lacking(lacking)} dir jetzt {_cards(lacking)}."


def _carry(sight: Sight, cards: tuple[str, ...]) -> str:
    if not cards or not sight.camp:
        return "So bekommst du im nächsten Durchgang zehn neue Karten."
    lacking = min(fit(canonical(cards), sight.camp, sight.top).missing, SIZE[sight.camp])
    sherpas = cards.count(SHERPA)
    with_sherpas = f" (davon {sherpas} Sherpas)" if sherpas > 1 else ""
    carried = (
        f"Mit {'einer Karte' if len(cards) == 1 else _cards(len(cards))}{with_sherpas} im Gepäck"
    )
    if not lacking:
        return f"{carried} ist dein Lager schon vollständig, bevor neue kommen."
    return (
        f"{carried} {_are_lacking(lacking)} dir für dein Lager noch {lacking} von "
        f"{SIZE[sight.camp]}, bevor neue kommen."
    )
