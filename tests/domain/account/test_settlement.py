"""TABLE-R04: who gets the pot of a finished game."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.account.settlement import Settlement, settle
from domain.table.events import GameFinished, Occupant

ANNA, BEN, CARL = (Occupant(f"p_{name}", "person", nr) for nr, name in enumerate("abc"))
LEFT = Occupant("p_d", "person", 3, left=True)
COMPUTER, OTHER = (Occupant(f"computer_{nr}", "computer", nr) for nr in (4, 5))


def finished(stake: int, *seats: Occupant, ranks: tuple[int, ...]) -> GameFinished:
    nothing = (0,) * len(seats)
    return GameFinished(ranks, nothing, nothing, seats, "speeddive", 0, 90, stake)


def test_dive_e23_two_of_three_tied_share_the_pot_in_whole_taler() -> None:
    result = finished(25, ANNA, BEN, CARL, ranks=(1, 1, 3))

    assert settle(result) == Settlement(75, {"p_a": 38, "p_b": 37})


def test_table_a05_the_remainder_goes_in_order_of_seats_not_of_names() -> None:
    result = finished(25, CARL, BEN, ANNA, ranks=(1, 2, 1))

    assert list(settle(result).payouts.items()) == [("p_c", 38), ("p_a", 37)]


def test_climb_e31_the_best_human_gets_the_pot_though_a_computer_wins() -> None:
    result = finished(10, BEN, COMPUTER, ANNA, OTHER, ranks=(4, 1, 3, 2))

    assert settle(result) == Settlement(20, {"p_a": 20})


def test_dive_e41_the_pot_is_paid_however_short_the_game_was() -> None:
    seats, zero = (ANNA, BEN), (0, 0)
    result = GameFinished((2, 1), zero, zero, seats, "speeddive", 1_000_000, 90, 50)

    assert settle(result) == Settlement(100, {"p_b": 100})


def test_table_a13_the_only_human_gets_his_stake_back_whatever_his_place() -> None:
    result = finished(25, COMPUTER, ANNA, OTHER, ranks=(1, 3, 2))

    assert settle(result) == Settlement(25, {"p_a": 25}, refund=True)


def test_the_only_human_loses_his_stake_when_he_leaves() -> None:
    assert settle(finished(25, LEFT, COMPUTER, ranks=(1, 2))) == Settlement(25, {})


def test_table_a15_the_one_who_stayed_gets_all() -> None:
    result = finished(100, LEFT, BEN, COMPUTER, ranks=(1, 3, 2))

    assert settle(result) == Settlement(200, {"p_b": 200})


def test_a_leaver_on_the_best_place_shares_nothing() -> None:
    result = finished(10, ANNA, LEFT, BEN, ranks=(1, 1, 1))

    assert settle(result) == Settlement(30, {"p_a": 15, "p_b": 15})


def test_the_pot_is_forfeited_when_all_left() -> None:
    gone = Occupant("p_e", "person", 1, left=True)

    assert settle(finished(50, LEFT, gone, COMPUTER, ranks=(2, 1, 3))) == Settlement(100, {})


occupants = st.builds(
    Occupant,
    player=st.just("x"),
    kind=st.sampled_from(["person", "computer"]),
    place=st.just(0),
    left=st.booleans(),
)


@given(
    st.lists(st.tuples(occupants, st.integers(1, 6)), min_size=1, max_size=6),
    st.sampled_from([10, 25, 50, 100]),
)
def test_whatever_happens_the_whole_pot_goes_to_people_who_stayed(
    table: list[tuple[Occupant, int]], stake: int
) -> None:
    seats = tuple(
        Occupant(f"p_{nr}", each.kind, nr, left=each.left) for nr, (each, _) in enumerate(table)
    )
    settlement = settle(finished(stake, *seats, ranks=tuple(rank for _, rank in table)))

    people = [each for each in seats if each.kind == "person"]
    stayed = {each.player for each in people if not each.left}
    assert settlement.pot == stake * len(people)
    assert settlement.payouts.keys() <= stayed
    assert sum(settlement.payouts.values()) == (settlement.pot if stayed else 0)
    shares = list(settlement.payouts.values())
    assert not shares or max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)
