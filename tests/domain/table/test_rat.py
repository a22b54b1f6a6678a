"""Rat is for one's own open question, and not everywhere (TABLE-A07, DIVE 2.9, CLIMB, DRILL)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.games import GAMES
from domain.kernel import Ask
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.playing import advisable
from tests.domain.table.playing import Spec
from tests.domain.table.toy import TOY

TWO = e.TableRules(places=2, computers=False)


def advised(spec: Spec, player: str, prompt: int | None = None, part: str = "") -> Ask[Any]:
    return advisable(spec.case(player), spec.table.raised if prompt is None else prompt, part)


def refused(spec: Spec, player: str, prompt: int | None = None, part: str = "") -> Code:
    with pytest.raises(Refused) as caught:
        advised(spec, player, prompt, part)
    assert caught.value.sentence.endswith(".")
    return caught.value.code


def table(game: str, *players: str, stake: Any = 0) -> Spec:
    """Give a table of this game, with a computer beside a single player."""
    rules = e.TableRules(2, stake=stake)
    return Spec.started(*players, rules=rules, game=GAMES[game])


def to_a_person(spec: Spec) -> str:
    """Play on to a person's question and give him."""
    while spec.table.seats[spec.ask().seat].kind == "computer":
        ask = spec.ask()
        spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "s", 1))
    return spec.player(spec.ask().seat)


@pytest.mark.parametrize(
    ("game", "rule"),
    [
        ("speeddive", "no_stake"),
        ("speedclimb", "no_stake"),
        ("snorkeling", "alone"),
        ("speeddrill", "alone"),
    ],
)
def test_each_game_has_its_rule(game: str, rule: str) -> None:
    assert GAMES[game].rat == rule


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("stake", [0, 50])
def test_who_plays_alone_may_always_ask(game: str, stake: int) -> None:
    spec = table(game, "p_a", stake=stake)
    player, ask = to_a_person(spec), spec.ask()

    assert advised(spec, player, part=ask.part) == ask


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("stake", [0, 50])
def test_with_other_people_it_depends(game: str, stake: int) -> None:
    spec = table(game, "p_a", "p_b", stake=stake)
    player, ask = to_a_person(spec), spec.ask()
    before = spec.table

    if game in {"speeddive", "speedclimb"} and not stake:
        assert advised(spec, player, part=ask.part) == ask
    else:
        assert refused(spec, player, part=ask.part) == Code.NO_RAT
        spec.does("p_b" if player == "p_a" else "p_a", c.Leave())
        assert advised(spec, player, part=ask.part) == ask
    assert spec.table.play == before.play


def test_a_guest_may_ask() -> None:
    spec = table("speeddive", "g_1")
    assert advised(spec, to_a_person(spec))


class TestNotNow:
    def test_who_is_not_asked(self) -> None:
        spec = Spec.started("p_a", "p_b", rules=TWO)
        on_turn = to_a_person(spec)

        assert refused(spec, "p_b" if on_turn == "p_a" else "p_a") == Code.NOT_YOUR_TURN
        assert refused(spec, "p_x") == Code.NOT_SEATED

    def test_another_number_or_part(self) -> None:
        spec = Spec.started("p_a", "p_b", rules=TWO)
        on_turn = to_a_person(spec)

        assert refused(spec, on_turn, spec.table.raised - 1) == Code.STALE_PROMPT
        assert refused(spec, on_turn, spec.table.raised + 1) == Code.STALE_PROMPT
        assert refused(spec, on_turn, part="rot") == Code.STALE_PROMPT

    def test_outside_the_game(self) -> None:
        assert refused(Spec("p_a"), "p_a", 1) == Code.NOT_PLAYING
        assert refused(Spec.unopened(), "p_a", 1) == Code.UNKNOWN_TABLE

    def test_a_leaver(self) -> None:
        spec = Spec.started("p_a", "p_b", rules=TWO)
        on_turn = to_a_person(spec)
        spec.does(on_turn, c.Leave())

        assert refused(spec, on_turn) == Code.NOT_SEATED


def test_sealed_parts_and_offers_are_advised_too() -> None:
    spec = Spec.started("p_a", game=TOY, rules=e.TableRules(2))

    assert advised(spec, "p_a", part="rot").part == "rot"
    assert advised(spec, "p_a", spec.table.offers_raised).kind == "pledge"
    spec.does("p_a", c.Play(spec.table.raised, advised(spec, "p_a", part="rot").default))
    assert refused(spec, "p_a", part="rot") == Code.STALE_PROMPT
