"""Stakes (TABLE-R04): held at the start, paid out at the end, and every Taler accounted for."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from contracts import subjects
from domain.table.events import Stake, TableRules
from services.kit.bus import Denied
from services.ops import explain
from tests.features.conftest import Come
from tests.features.house import TALER, House
from tests.features.people import Person, begun, follows, gathered
from tests.features.playing import play_out
from tests.ledger.books import sound


class Gambler:
    """Somebody who watches his Taler."""

    def __init__(self, person: Person) -> None:
        self.person = person

    async def has(self) -> int:
        return (await self.person.account()).balance

    async def is_settled(self) -> list[tuple[str, int]]:
        """Wait until nothing of his lies in a pot; gives kind and amount of his bookings."""
        account = await follows(self.person.account, lambda account: account.held == 0)
        return [(each.kind, each.amount) for each in reversed(account.bookings)]


def staked(stake: Stake, places: int = 2, *, computers: bool = False) -> TableRules:
    return TableRules(places=places, computers=computers, thinking_s=0, stake=stake)


async def explained(house: House, table: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """`logbuch explain TABLE stake --json`, which must find nothing wrong."""
    capsys.readouterr()
    args = argparse.Namespace(table=table, topic="stake", json=True)
    assert await explain.run(args, house.settings) == 0
    account: dict[str, Any] = json.loads(capsys.readouterr().out)
    return account


async def test_all_pay_and_the_best_gets_the_pot(
    house: House, come: Come, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [await come("Anna"), await come("Ben"), await come("Eva")]
    gamblers = [Gambler(person) for person in people]
    assert [await each.has() for each in gamblers] == [TALER] * 3
    table = await begun(*people, rules=staked(25, 3))
    account = await people[0].account()
    assert (account.balance, account.held) == (TALER - 25, 25)
    assert (account.bookings[0].kind, account.bookings[0].table) == ("hold", table)

    await play_out(house, table, *people)

    (finished,) = people[0].facts(table, "GameFinished")
    best = [seat for seat, rank in enumerate(finished["ranks"]) if rank == 1]
    booked = [await each.is_settled() for each in gamblers]
    paid = {person.id: booked[seat][-1][1] for seat, person in enumerate(people) if seat in best}
    assert sum(paid.values()) == 75
    account_of_pot = await explained(house, table, capsys)
    assert (account_of_pot["pot"], account_of_pot["paid"]) == (0, paid)
    for seat, gambler in enumerate(gamblers):
        share = [("settlement", paid[gambler.person.id])] if seat in best else []
        assert booked[seat] == [("opening", TALER), ("hold", -25), *share]
    assert sum([await each.has() for each in gamblers]) == 3 * TALER


async def test_where_one_cannot_pay_nobody_pays(house: House, come: Come) -> None:
    anna, ben = await come("Anna"), await come("Ben")
    lost = await begun(anna, ben, rules=staked(100))
    await ben.client.leave(lost)
    await play_out(house, lost, anna)
    assert await Gambler(anna).is_settled() == [
        ("opening", TALER),
        ("hold", -100),
        ("settlement", 200),
    ]

    table = await gathered(anna, ben, rules=staked(50))
    await anna.client.start(table)

    view = await anna.until(table, lambda view: view.denied)
    assert view.denied is not None
    assert (view.phase, view.denied.players) == ("gathering", (ben.id,))
    assert (await Gambler(anna).has(), await Gambler(ben).has()) == (TALER + 100, TALER - 100)
    await ben.client.leave(table)
    await anna.client.leave(table)


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_single_person_gets_it_back_unless_he_leaves(
    house: House, come: Come, *, leaves: bool
) -> None:
    """TABLE-A13, R04.6"""
    anna = await come("Anna")
    gambler = Gambler(anna)
    table = await begun(anna, rules=staked(50, 3, computers=True))
    assert await gambler.has() == TALER - 50

    if leaves:
        await anna.client.leave(table)
        over = anna.client.seat(table).resume
        await follows(over, lambda view: view.phase == "finished")
    else:
        await play_out(house, table, anna)

    booked = await gambler.is_settled()
    assert booked[2:] == ([] if leaves else [("settlement", 50)])
    assert await gambler.has() == (TALER - 50 if leaves else TALER)


async def test_who_leaves_forfeits_and_the_last_one_gets_the_pot(
    house: House, come: Come, capsys: pytest.CaptureFixture[str]
) -> None:
    """TABLE-A15: whatever the place in which he ends."""
    anna, ben, eve = await come("Anna"), await come("Ben"), await come("Eva")
    table = await begun(anna, ben, eve, rules=staked(10, 4, computers=True))
    await ben.client.leave(table)
    await eve.client.leave(table)

    await play_out(house, table, anna)

    assert (await Gambler(anna).is_settled())[-1] == ("settlement", 30)
    assert await Gambler(anna).has() == TALER + 20
    assert await Gambler(ben).has() == await Gambler(eve).has() == TALER - 10
    account = await explained(house, table, capsys)
    assert [each["what"] for each in account["steps"] if "leaves" in each["what"]] == [
        f"{leaver.id} leaves; his stake stays in the pot" for leaver in (ben, eve)
    ]


async def test_where_all_leave_the_pot_is_forfeited(
    house: House, come: Come, capsys: pytest.CaptureFixture[str]
) -> None:
    anna, ben = await come("Anna"), await come("Ben")
    table = await begun(anna, ben, rules=staked(25))
    await anna.client.leave(table)
    await ben.client.leave(table)

    assert await Gambler(anna).is_settled() == [("opening", TALER), ("hold", -25)]

    account = await explained(house, table, capsys)
    assert (account["pot"], list(account["paid"].values())) == (0, [50])
    assert await Gambler(ben).has() == TALER - 25


async def test_the_books_of_all_these_games_balance(house: House, come: Come) -> None:
    anna, ben = await come("Anna"), await come("Ben")
    table = await begun(anna, ben, rules=staked(25))
    await sound(house.database)  # while Taler lie in a pot

    await play_out(house, table, anna, ben)
    await Gambler(anna).is_settled()

    await sound(house.database)


async def test_an_account_is_its_owners_secret(come: Come) -> None:
    anna, eve = await come("Anna"), await come("Eva")

    with pytest.raises(Denied):
        await eve.ask(subjects.account(anna.id))
