"""Laws that hold for every game, every variant and every number of seats."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.games import GAMES, game_of
from domain.kernel import SEAT_SHUFFLES, AnyGame, Ask, Over, Resumed, Shuffled, asked, begin, settle
from domain.options import admits
from domain.refusals import Code, Refused
from tests.domain.counting import CARDS
from tests.domain.playing import VARIANTS, Variant, facts_of, opened, play, shuffles
from tests.domain.redealing import REDEAL

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
some_games = settings(max_examples=4, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32)


OPEN_SHUFFLES = SEAT_SHUFFLES | {"start", "kursfeld"}
"""What everybody sees: who begins, and the Kursfeld of Speeddrill, drawn anew each season."""


def encode(value: Any) -> bytes:
    return msgspec.json.encode(value)


def questions(game: AnyGame, settled: Any) -> tuple[Ask[Any], ...]:
    return asked(settled.waiting) + tuple(game.offers(settled.state))


def viewers(variant: Variant) -> list[int | None]:
    return [*range(variant.seats), None]


def stored(game: AnyGame) -> msgspec.json.Decoder[Any]:
    types = (*game.fact_types, game.chosen_type, Shuffled, Resumed)
    return msgspec.json.Decoder(type=_union(types))


def _union(types: tuple[type, ...]) -> Any:
    union: Any = types[0]
    for each in types[1:]:
        union = union | each
    return union


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_a_game_ends_and_until_then_somebody_is_awaited(
    variant: Variant, seed: int, *, rare: bool
) -> None:
    last = play(variant, seed, rare=rare)[-1].after.waiting
    assert isinstance(last, Over)
    seats = variant.seats
    assert len(last.ranks) == len(last.scores) == len(last.leaderboard_base) == seats
    assert min(last.ranks) == 1


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_what_is_offered_is_accepted_and_the_default_is_offered(
    variant: Variant, seed: int, *, rare: bool
) -> None:
    game, _ = opened(variant)
    for step in play(variant, seed, rare=rare):
        for ask in questions(game, step.after):
            assert ask.options
            assert 0 <= ask.seat < variant.seats
            for move in (*ask.options.moves, ask.default):
                assert admits(ask.options, move)
                fact = game.decide(step.after.state, ask, move)
                assert type(fact) in game.fact_types
                game.evolve(step.after.state, fact)
        if step.ask:
            assert admits(step.ask.options, step.move)


@every_variant
@given(seed=seeds)
@some_games
def test_a_move_of_another_question_is_not_offered(variant: Variant, seed: int) -> None:
    game, _ = opened(variant)
    every = {
        m for s in play(variant, seed) for a in questions(game, s.after) for m in a.options.moves
    }
    for step in play(variant, seed)[:80]:
        before = encode(step.after.state)
        for ask in questions(game, step.after):
            offered = set(ask.options.moves)
            for move in every - offered:
                if not ask.options.descriptors:
                    assert not admits(ask.options, move)
        assert encode(step.after.state) == before


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_cards_are_conserved(variant: Variant, seed: int, *, rare: bool) -> None:
    game, options = opened(variant)
    state = game.start(options, tuple(range(variant.seats)))
    for fact in facts_of(play(variant, seed, rare=rare)):
        state = game.evolve(state, fact)
        there, wanted = CARDS[variant.game](state)
        assert there == wanted


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_the_fold_of_stored_facts_is_the_live_state(
    variant: Variant, seed: int, *, rare: bool
) -> None:
    game, options = opened(variant)
    decoder = stored(game)
    state = game.start(options, tuple(range(variant.seats)))
    for step in play(variant, seed, rare=rare):
        if step.ask:
            chosen = game.chosen_type(step.ask.seat, 7, step.move, "computer", step.ask.part)
            assert decoder.decode(encode(chosen)) == chosen
        for fact in step.after.facts:
            again = decoder.decode(encode(fact))
            assert again == fact
            assert type(again) is type(fact)
            state = game.evolve(state, again)
        assert state == step.after.state


@every_variant
@given(seed=seeds)
@some_games
def test_settling_a_settled_state_gives_nothing_new(variant: Variant, seed: int) -> None:
    game, _ = opened(variant)

    def never(cards: tuple[str, ...]) -> tuple[str, ...]:
        raise AssertionError(cards)

    for step in play(variant, seed):
        again = settle(game, step.after.state, (), never)
        assert again.facts == ()
        assert again.waiting == step.after.waiting


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_seen_facts_fold_to_the_view(variant: Variant, seed: int, *, rare: bool) -> None:
    game, options = opened(variant)
    state = game.start(options, tuple(range(variant.seats)))
    views = {seat: game.view(state, seat) for seat in viewers(variant)}
    for fact in facts_of(play(variant, seed, rare=rare)):
        state = game.evolve(state, fact)
        for seat in viewers(variant):
            seen = game.seen(fact, seat)
            if seen is not None:
                views[seat] = game.see(views[seat], seen)
            assert views[seat] == game.view(state, seat)


@every_variant
@given(seed=seeds)
@some_games
def test_a_view_survives_json(variant: Variant, seed: int) -> None:
    game, _ = opened(variant)
    decoder = msgspec.json.Decoder(type=game.view_type)
    for step in play(variant, seed):
        view = game.view(step.after.state, None)
        assert decoder.decode(encode(view)) == view


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_what_a_seat_cannot_know_changes_nothing_that_it_sees(
    variant: Variant, seed: int, *, rare: bool
) -> None:
    game, _ = opened(variant)
    rng = random.Random(seed)
    for step in play(variant, seed, rare=rare):
        state = step.after.state
        for seat in viewers(variant):
            other = REDEAL[variant.game](state, seat, rng)
            assert encode(game.view(other, seat)) == encode(game.view(state, seat))
            own = [ask for ask in questions(game, step.after) if ask.seat == seat]
            redealt = asked(game.waiting(other)) + tuple(game.offers(other))
            assert encode([ask for ask in redealt if ask.seat == seat]) == encode(own)


@every_variant
@given(seed=seeds)
@some_games
def test_the_house_s_shuffles_are_seen_without_what_they_hide(variant: Variant, seed: int) -> None:
    game, _ = opened(variant)
    rng = random.Random(seed)
    for fact in facts_of(play(variant, seed)):
        if isinstance(fact, Shuffled) and fact.what not in OPEN_SHUFFLES:
            other = Shuffled(fact.what, tuple(rng.sample(fact.order, len(fact.order))))
            assert encode(game.seen(other, None)) == encode(game.seen(fact, None))


@every_variant
@given(seed=seeds, rare=st.booleans())
@some_games
def test_a_question_stays_the_same_exactly_over_facts_that_keep_questions(
    variant: Variant, seed: int, *, rare: bool
) -> None:
    for step in play(variant, seed, rare=rare):
        if step.before is None:
            continue
        actor = (step.ask.seat, step.ask.part) if step.ask else None
        before = {(a.seat, a.part): a for a in asked(step.before.waiting)}
        after = {(a.seat, a.part): a for a in asked(step.after.waiting)}
        kept = all(fact.keeps_questions for fact in step.after.facts)
        for key, ask in before.items():
            if key != actor:
                assert (after.get(key) == ask) is kept, (key, step.after.facts)


def test_the_first_facts_follow_from_the_shuffles_alone() -> None:
    for variant in VARIANTS:
        game, options = opened(variant)
        places = tuple(range(variant.seats))
        one = begin(game, options, places, shuffles(5))
        assert one == begin(game, options, places, shuffles(5))
        assert any(isinstance(fact, Shuffled) for fact in one.facts)


def test_every_game_refuses_unknown_options() -> None:
    for game in GAMES.values():
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"nonsense": 1}, game.options_type)
        assert msgspec.convert({}, game.options_type) == game.options_type()


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        game_of("skat")
    assert refused.value.code is Code.BAD_OPTIONS
    assert game_of("speeddive") is GAMES["speeddive"]
