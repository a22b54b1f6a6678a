"""Laying a camp is exact: offered if and only if a try of everything finds a way."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from domain.kernel import Cards
from domain.speedclimb.cards import MOUNTAINS, SHERPA, canonical
from domain.speedclimb.descriptors import LayParts, fillable
from domain.speedclimb.fitting import fit, suggestion, wanted
from domain.speedclimb.moves import LaidPart, LayLager
from tests.domain.speedclimb.naive import can_lay, is_part

CODES = [
    (camp, mountain.top, mountain.deck)
    for mountain in (
        MOUNTAINS["GIPFELSTURM"],
        MOUNTAINS["NORDWAND"],
        MOUNTAINS["GROSSE_EXPEDITION"],
    )
    for camp in mountain.camps
]
every_camp = pytest.mark.parametrize(("camp", "top", "deck"), CODES, ids=[c for c, _, _ in CODES])


def naive_parts(camp: str) -> list[tuple[str, int]]:
    return [(part[0], int(part[1:])) for part in camp.split("+")]


def hands(deck: Cards, rng: random.Random, count: int, sherpas: int) -> list[Cards]:
    """Give hands of a narrow part of the deck, where camps are often just complete or not."""
    found = []
    for _ in range(count):
        top, colours = rng.randint(4, 15), rng.sample("RBGWOL", rng.randint(1, 3))
        narrow = [c for c in deck if c[0] in colours and c[1:].isdigit() and int(c[1:]) <= top]
        jokers = rng.randint(0, sherpas)
        size = min(len(narrow), rng.randint(1, 11 - jokers))
        found.append(canonical([*rng.sample(narrow, size), *[SHERPA] * jokers]))
    return found


def offered(hand: Cards, camp: str, top: int) -> LayParts | None:
    found = fit(hand, camp, top)
    if found.missing:
        return None
    return LayParts(hand, fillable(hand, camp, top), top, suggestion(found))


def check(laid: LayLager, hand: Cards, camp: str, top: int) -> None:
    parts = naive_parts(camp)
    assert len(parts) == len(laid.parts)
    for (kind, size), part in zip(parts, laid.parts, strict=True):
        assert is_part(kind, size, part.cards, part.low, top)
    assert not Counter(c for part in laid.parts for c in part.cards) - Counter(hand)


@every_camp
def test_a_camp_is_offered_exactly_if_trying_everything_finds_a_way(
    camp: str, top: int, deck: Cards
) -> None:
    rng = random.Random(camp)
    seen = set()
    for hand in hands(deck, rng, 260, 4):
        offer = offered(hand, camp, top)
        assert (offer is not None) == can_lay(list(hand), naive_parts(camp), top), hand
        seen.add(offer is not None)
        if offer:
            check(LayLager(offer.suggestion), hand, camp, top)
            assert offer.admits(LayLager(offer.suggestion))
    assert seen == {True, False}


@every_camp
def test_a_camp_is_offered_exactly_with_many_sherpas(camp: str, top: int, deck: Cards) -> None:
    """A handful of real cards and up to eight Sherpas: every part needs one real card."""
    rng = random.Random(camp)
    sherpas = deck.count(SHERPA)
    for _ in range(300):
        real = rng.sample([card for card in deck if card[1:].isdigit()], rng.randint(0, 5))
        hand = canonical([*real, *[SHERPA] * rng.randint(3, sherpas)])
        offer = offered(hand, camp, top)
        assert (offer is not None) == can_lay(list(hand), naive_parts(camp), top), hand
        if offer:
            check(LayLager(offer.suggestion), hand, camp, top)


@every_camp
def test_a_sample_is_legal_and_uses_what_the_offer_names(camp: str, top: int, deck: Cards) -> None:
    rng = random.Random(camp)
    found = 0
    for hand in hands(deck, rng, 500, 5):
        offer = offered(hand, camp, top)
        if not offer:
            continue
        for _ in range(4):
            laid = offer.sample(rng.randrange)
            check(laid, hand, camp, top)
            assert offer.admits(laid)
            for part, cards in zip(offer.parts, laid.parts, strict=True):
                assert set(cards.cards) <= set(part.cards)
                assert cards.low in part.lows or part.kind != "FOLGE"
            found += 1
    assert found


def every_laying(hand: Cards, camp: str, top: int) -> set[tuple[tuple[Cards, int], ...]]:
    """Give all ways to lay the camp, by trying everything."""
    ways: set[tuple[tuple[Cards, int], ...]] = {()}
    for kind, size in naive_parts(camp):
        more = set()
        for way in ways:
            left = list(hand)
            for cards, _ in way:
                for card in cards:
                    left.remove(card)
            for cards in subsets(tuple(left), size):
                for low in range(1, top + 1) if kind == "R" else (0,):
                    if is_part(kind, size, cards, low, top):
                        more.add((*way, (cards, low)))
        ways = more
    return ways


def subsets(cards: Cards, size: int) -> set[Cards]:
    if not size:
        return {()}
    return {
        tuple(sorted((card, *rest)))
        for n, card in enumerate(cards)
        for rest in subsets(cards[n + 1 :], size - 1)
    }


@pytest.mark.parametrize(
    ("hand", "camp"),
    [
        ("R4 B5 G6 R7 Sherpa Sherpa", "R3+R3"),
        ("R4 B4 R7 B7 G7 W1 Sherpa Sherpa", "S3+S3"),
        ("R1 R2 R3 B2 B5 R6 W7 Sherpa", "R3+C4"),
        ("R9 B9 G9 W9 R3 Sherpa Sherpa Sherpa", "S5+S2"),
    ],
)
def test_a_sample_can_give_every_way_to_lay_and_no_other_is_admitted(hand: str, camp: str) -> None:
    cards = canonical(hand.split())
    offer = offered(cards, camp, 12)
    assert offer
    ways = every_laying(cards, camp, 12)
    rng = random.Random(1)
    sampled = set()
    for _ in range(60_000):
        laid = offer.sample(rng.randrange).parts
        sampled.add(tuple((tuple(sorted(part.cards)), part.low) for part in laid))
        if len(sampled) == len(ways):
            break
    assert sampled == ways
    for way in ways:
        assert offer.admits(LayLager(tuple(LaidPart(c, low) for c, low in way)))
        for other in range(len(way)):
            cards_, low = way[other]
            wrong = [*way]
            wrong[other] = (cards_, low + 1)
            admitted = offer.admits(LayLager(tuple(LaidPart(c, n) for c, n in wrong)))
            assert admitted == (tuple(wrong) in ways)


def test_a_part_of_sherpas_alone_is_refused_with_eight_of_them_in_the_hand() -> None:
    hand = canonical(["R5", "B7", "G7", *[SHERPA] * 8])
    offer = offered(hand, "R9", 12)
    assert offer
    assert offer.admits(offer.sample(random.Random(1).randrange))
    for part in (
        LaidPart((SHERPA,) * 9, 1),
        LaidPart(hand, 1),
        LaidPart((*hand[:2], *[SHERPA] * 6), 1),
        LaidPart(("R5", "B7", "G7", *[SHERPA] * 6), 1),
        LaidPart(("R5", "B7", *[SHERPA] * 7), 5 + 1),
        LaidPart(("R5", "B7", *[SHERPA] * 7), -1),
        LaidPart(("R5", "R5", *[SHERPA] * 7), 1),
        LaidPart(("R5", "W7", *[SHERPA] * 7), 1),
    ):
        assert not offer.admits(LayLager((part,))), part
    assert offer.admits(LayLager((LaidPart(("R5", "B7", *[SHERPA] * 7), 4),)))
    assert not offer.admits(LayLager(()))
    assert not offer.admits("lay")


def test_a_wanted_card_brings_the_hand_nearer_to_its_camp() -> None:
    rng = random.Random(5)
    for camp, top, deck in CODES:
        for _ in range(60):
            cards = rng.sample(deck, 11)
            hand, card = canonical(cards[:10]), cards[10]
            before = fit(hand, camp, top)
            if before.missing and wanted(before, card):
                assert fit(canonical(cards), camp, top).missing < before.missing
