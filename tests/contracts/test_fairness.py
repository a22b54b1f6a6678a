"""The shuffle against a second implementation, written from the documentation alone."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import fairness

SEED = bytes(range(32)).hex()
TABLE = "07-0123456789abcdef01234567"
HEX = st.binary(min_size=32, max_size=32).map(bytes.hex)


def _second(seed: str, table: str, client_seeds: list[str], k: int, cards: list[str]) -> list[str]:
    """Shuffle as points 2 to 4 say, with numbers instead of structures."""
    message = b""
    for part in [table, f"{k:d}", *client_seeds]:
        raw = part.encode("utf-8")
        message += bytes([0, 0, len(raw) >> 8, len(raw) & 255]) + raw
    stream = b""
    counter = 0
    used = 0

    def word() -> int:
        nonlocal stream, counter, used
        if len(stream) < used + 4:
            tail = bytes([(counter >> shift) & 255 for shift in (24, 16, 8, 0)])
            stream += hmac.new(bytes.fromhex(seed), message + tail, hashlib.sha256).digest()
            counter += 1
        used += 4
        return int.from_bytes(stream[used - 4 : used], "big")

    deck = cards[:]
    i = len(deck) - 1
    while i >= 1:
        m = i + 1
        w = word()
        if w < (2**32 // m) * m:
            j = w % m
            deck[i], deck[j] = deck[j], deck[i]
            i -= 1
    return deck


@given(
    HEX,
    st.text("0123456789abcdef-", max_size=30),
    st.lists(st.text(max_size=20).filter(lambda text: text.isprintable()), max_size=6),
    st.integers(1, 10**6),
    st.integers(0, 120),
)
def test_two_implementations_shuffle_the_same(
    seed: str, table: str, client_seeds: list[str], number: int, size: int
) -> None:
    cards = [f"card {n}" for n in range(size)]

    order = fairness.shuffle(seed, table, tuple(client_seeds), number, tuple(cards))

    assert list(order) == _second(seed, table, client_seeds, number, cards)
    assert Counter(order) == Counter(cards)


@pytest.mark.parametrize(
    ("client_seeds", "number", "order"),
    [
        ((), 1, "BKDACEJIGFLH"),
        ((), 2, "GABILJDHKFEC"),
        (("anna", "bert"), 1, "FDGHKIAJCLBE"),
        (("annabert",), 1, "DJAIGCEBLHKF"),
        (("bert", "anna"), 1, "CGJBIFKALHDE"),
    ],
)
def test_fixed_vectors(client_seeds: tuple[str, ...], number: int, order: str) -> None:
    deck = tuple("ABCDEFGHIJKL")

    assert "".join(fairness.shuffle(SEED, TABLE, client_seeds, number, deck)) == order


def test_a_long_deck_takes_many_blocks() -> None:
    deck = tuple(str(n) for n in range(94))
    order = fairness.shuffle(SEED, TABLE, ("anna",), 3, deck)

    assert hashlib.sha256(" ".join(order).encode()).hexdigest()[:16] == "a7927beefae895c6"


def test_everything_that_goes_in_changes_the_order() -> None:
    deck = tuple(str(n) for n in range(52))
    other = bytes(32).hex()
    orders = {
        fairness.shuffle(SEED, TABLE, ("a",), 1, deck),
        fairness.shuffle(other, TABLE, ("a",), 1, deck),
        fairness.shuffle(SEED, TABLE[:-1] + "8", ("a",), 1, deck),
        fairness.shuffle(SEED, TABLE, ("b",), 1, deck),
        fairness.shuffle(SEED, TABLE, ("a", ""), 1, deck),
        fairness.shuffle(SEED, TABLE, (), 1, deck),
        fairness.shuffle(SEED, TABLE, ("a",), 2, deck),
        fairness.shuffle(SEED, TABLE, ("a",), 11, deck),
    }

    assert len(orders) == 8


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_all_orders_are_equally_likely(size: int) -> None:
    """Chi-square over every permutation; the numbers of the shuffles are the seeds."""
    deck = tuple("ABCDE"[:size])
    rounds = 60 * factorial(size)
    counts = Counter(fairness.shuffle(SEED, TABLE, (), k, deck) for k in range(1, rounds + 1))
    chi_square = sum((counts[order] - 60) ** 2 / 60 for order in permutations(deck))
    freedom = factorial(size) - 1

    # Six standard deviations: the seed is fixed, so this is decided once and for all.
    assert chi_square < freedom + 6 * (2 * freedom) ** 0.5


def test_words_that_would_favour_low_cards_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """3 does not divide 2^32: its last word is skipped; for 2 every word counts."""
    words = iter([2**32 - 1, 0, 1])
    monkeypatch.setattr(fairness, "_words", lambda _seed, _prefix: words)

    assert fairness.shuffle(SEED, TABLE, (), 1, ("a", "b", "c")) == ("c", "b", "a")
    assert next(words, None) is None


def test_short_decks_need_no_chance() -> None:
    assert fairness.shuffle(SEED, TABLE, (), 1, ()) == ()
    assert fairness.shuffle(SEED, TABLE, (), 1, ("a",)) == ("a",)


def test_the_commitment_is_the_hash_of_the_bytes() -> None:
    zeros = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"

    assert fairness.commitment(bytes(32).hex()) == zeros
    assert fairness.commitment(SEED) == hashlib.sha256(bytes(range(32))).hexdigest()


@given(HEX)
def test_a_strategy_seed_tells_nothing_of_another(seed: str) -> None:
    given = {
        fairness.strategy_seed(seed, TABLE, prompt, seat, part)
        for prompt in (1, 11)
        for seat in (0, 1)
        for part in ("", "rot")
    }

    assert len(given) == 8
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in given)
