"""Speedclimb at a table: anything may happen at any time, and nobody sees what he must not."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from contracts.views import table_view
from domain.kernel import Pause
from domain.options import sample
from domain.refusals import Code
from domain.speedclimb.cards import MOUNTAINS
from domain.speedclimb.events import CardPacked, CardTaken, CarryChosen, RoundStarted, StageChosen
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.moves import ChooseCarry, ChooseStage, Discard, TakeMaterial
from domain.table import commands as c
from domain.table.clocks import is_computer
from domain.table.decider import awaited
from domain.table.events import TableRules
from domain.table.visibility import seen
from tests.domain.redealing import REDEAL
from tests.domain.table.playing import Spec
from tests.domain.table.test_whole_games import Sent, World

GAME = Speedclimb()
OFFERS = {"stage", "carry"}


class Berg(World):
    """A lively table where most answers are sensible, so that rounds end."""

    def __init__(self, seed: int, route: str) -> None:
        super().__init__(seed, GAME)
        self.people = ["p_a", "p_b"]
        self.spec = spec_of(seed, self.rng.randint(2, 6), route, self.rng.choice((0, 30)))

    def answer(self, ask: Any) -> Any:
        return ask.default if self.rng.randrange(5) else sample(ask.options, self.rng.randrange)

    def person(self) -> Sent | None:
        mine = [each for each in self.spec.asks() if not is_computer(self.spec.table, each[1].seat)]
        if not mine:
            return None
        number, ask = self.rng.choice(mine)
        return self.spec.player(ask.seat), c.Play(number, self.answer(ask))

    def computer(self) -> Sent | None:
        asks = self.spec.asks()
        if not asks:
            return None
        number, ask = self.rng.choice(asks)
        return "bot", c.Decide(ask.seat, number, self.answer(ask), "s", 1, "5eed")

    def check(self) -> None:
        """One number, one question, whatever is changed beside it."""
        spec = self.spec
        if spec.table.phase != "playing":
            return
        waiting = spec.waiting
        asks = [ask for _, ask in spec.asks() if ask.kind not in OFFERS]
        assert asks or isinstance(waiting, Pause)
        now = tuple((ask.seat, ask.kind, ask.options, ask.default) for ask in asks)
        assert self.numbers.setdefault(spec.table.raised, now) == now


def spec_of(seed: int, seats: int, route: str, thinking: Any = 120) -> Spec:
    spec = Spec(
        "p_a",
        "p_b",
        rules=TableRules(places=seats, thinking_s=thinking),
        options={"route": route},
        game=GAME,
        seed=random.Random(seed).randbytes(32).hex(),
    )
    spec.does("p_a", c.Start("seed"))
    return spec


def view(table: Any, seat: int | None) -> bytes:
    return msgspec.json.encode(table_view(GAME, table, awaited(GAME, table), seat))


@pytest.mark.parametrize("route", MOUNTAINS)
@pytest.mark.parametrize("seed", range(3))
def test_at_a_lively_table(seed: int, route: str) -> None:
    world = Berg(seed, route)
    deeds = [*[world.person] * 8, *[world.computer] * 8, world.goes_on, world.again]
    deeds += [world.nonsense, world.time, world.owner]
    for _ in range(900):
        sent = world.rng.choice(deeds)()
        if sent is not None and world.spec.table.phase == "playing":
            world.send(*sent)
        world.check()
    assert world.spec.reload() == world.spec.table
    assert world.spec.table.version > 100


@pytest.mark.parametrize("route", MOUNTAINS)
@pytest.mark.parametrize("seats", [2, 6])
def test_whole_games_with_defaults_end_and_show_nothing_hidden(seats: int, route: str) -> None:  # noqa: C901
    spec = spec_of(seats, seats, route)
    rng = random.Random(seats)
    while spec.table.phase == "playing":
        if not rng.randrange(8):
            for seat in (None, *range(seats)):
                redealt = REDEAL["speedclimb"](spec.table.play, seat, rng)
                assert view(replace(spec.table, play=redealt), seat) == view(spec.table, seat)
        if isinstance(spec.waiting, Pause):
            for player in ("p_a", "p_b"):
                spec.does(player, c.GoOn(spec.table.raised))
            continue
        ask = spec.ask()
        spec.now += 131_000
        spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "test", 1, "5eed"))
    assert spec.table.phase == "finished"
    for fact in spec.facts:
        for seat in (None, *range(seats)):
            shown = seen(GAME, fact, seat)
            match shown:
                case RoundStarted(hands=hands):
                    assert [bool(hand) for hand in hands] == [s == seat for s in range(seats)]
                case CardTaken(source="material" | "rucksack") | CardPacked():
                    assert bool(shown.card) == (shown.seat == seat)
                case StageChosen() | CarryChosen():
                    assert shown.seat == seat
                case _:
                    pass


def test_the_stage_is_chosen_beside_play_and_the_own_question_stays_open() -> None:
    spec = spec_of(1, 2, "MEISTER_EXPEDITION")
    ask = spec.ask()
    player, other = spec.player(ask.seat), spec.player(1 - ask.seat)
    number = spec.table.offers_raised
    mine = spec.table.play.owns[ask.seat].stage
    stage = 1 + mine % 10
    raised = spec.table.raised
    spec.does(player, c.Play(number, ChooseStage(stage)))
    spec.does(other, c.Play(number, ChooseStage(3)))
    spec.does(player, c.Play(number, ChooseStage(mine)))
    assert (spec.table.raised, spec.table.offers_raised) == (raised, number)
    spec.does(player, c.Play(raised, TakeMaterial()))
    spec.refuses(player, c.Play(number, ChooseStage(stage)), Code.STALE_PROMPT)
    spec.does(other, c.Play(number, ChooseStage(4)))
    assert spec.table.play.board.climbers[ask.seat].stage == mine
    assert spec.table.play.board.climbers[1 - ask.seat].stage == 0


def test_a_choice_that_changes_nothing_is_stored() -> None:
    """It is stored although it changes nothing: only so its repeat is known."""
    spec = spec_of(1, 2, "MEISTER_EXPEDITION")
    number, offer = next(each for each in spec.asks() if each[1].kind == "stage")
    before = spec.table.version
    spec.does(spec.player(offer.seat), c.Play(number, offer.default))
    assert spec.table.version == before + 2


def test_what_is_carried_is_chosen_beside_the_pause_and_weiter_stays_valid() -> None:
    for seed in range(40):
        spec = spec_of(seed, 2, "NORDWAND")
        while spec.table.phase == "playing":
            offers = [each for each in spec.asks() if each[1].kind == "carry"]
            if isinstance(spec.waiting, Pause) and offers:
                number, ask = offers[0]
                player, other = spec.player(ask.seat), spec.player(1 - ask.seat)
                pause = spec.table.raised
                spec.does(other, c.GoOn(pause))
                hand = spec.table.play.owns[ask.seat].hand
                spec.does(player, c.Play(number, ChooseCarry(hand[:4])))
                spec.refuses(player, c.Play(number, ChooseCarry(hand[:5])), Code.NOT_OFFERED)
                spec.refuses(player, c.Play(number, Discard(hand[0])), Code.NOT_OFFERED)
                spec.does(player, c.Play(number, ChooseCarry(hand[1:3])))
                spec.does(player, c.GoOn(pause))
                assert set(hand[1:3]) <= set(spec.table.play.owns[ask.seat].hand)
                assert len(spec.table.play.owns[ask.seat].hand) == 10
                return
            if isinstance(spec.waiting, Pause):
                for name in ("p_a", "p_b"):
                    spec.does(name, c.GoOn(spec.table.raised))
            else:
                spec.plays()
    raise AssertionError("nobody ever carried")
