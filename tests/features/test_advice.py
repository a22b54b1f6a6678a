"""Rat: what the strong computer would do, for who plays alone or without stake (TABLE-A07)."""

from __future__ import annotations

import pytest

from contracts.replies import Advice
from domain.refusals import Code, Refused
from domain.table.events import Stake, TableRules
from services.kit.seen import SeenQuestion
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, refusal
from tests.features.playing import play

GAMES = ("speeddive", "speedclimb", "snorkeling", "speeddrill")


class Learner:
    """Somebody who asks before he answers, and does what he is told."""

    def __init__(self, house: House, person: Person, table: str) -> None:
        self.house = house
        self.person = person
        self.table = table

    async def question(self) -> SeenQuestion:
        view = await play(self.house, self.person, self.table, lambda view: view.questions)
        return view.questions[0]

    async def asks(self) -> Advice:
        """Ask until there is advice: the computers that think have just been started."""
        while True:
            question = await self.question()
            try:
                return await self.person.client.rat(self.table, question.prompt, question.part)
            except Refused as refused:
                if refused.code != Code.NO_ADVICE:
                    raise


@pytest.mark.parametrize("game", GAMES)
async def test_advice_is_a_move_with_its_reason(house: House, come: Come, game: str) -> None:
    anna = await come()
    rules = TableRules(places=2, thinking_s=0)
    learner = Learner(house, anna, (await anna.client.solo(game, rules)).table)

    for _ in range(6):  # in Speeddrill: the rods of both colours, then drills
        advice = await learner.asks()

        assert advice.reason.endswith(".")
        before = await anna.client.seat(learner.table).resume()
        done = await anna.client.move(learner.table, advice.prompt, advice.move)
        if before.questions[0].kind != "rods":  # the computers choose theirs in the same moment
            assert done.first == before.version + 1  # asking has left no fact


@pytest.mark.parametrize(
    ("game", "stake"), [("speeddive", 10), ("speedclimb", 10), ("snorkeling", 0), ("speeddrill", 0)]
)
async def test_against_others_there_is_none(
    house: House, come: Come, game: str, stake: Stake
) -> None:
    anna, ben = await come("Anna"), await come("Ben")
    rules = TableRules(places=2, computers=False, thinking_s=0, stake=stake)
    table = await begun(anna, ben, game=game, rules=rules, options={})
    person = anna if (await anna.client.seat(table).resume()).questions else ben

    with refusal(Code.NO_RAT):
        await Learner(house, person, table).asks()


@pytest.mark.parametrize("game", ["speeddive", "speedclimb"])
async def test_without_stake_there_is_some_among_people(
    house: House, come: Come, game: str
) -> None:
    anna, ben = await come(), await come()
    table = await begun(anna, ben, game=game, options={})
    person = anna if (await anna.client.seat(table).resume()).questions else ben

    assert (await Learner(house, person, table).asks()).reason
