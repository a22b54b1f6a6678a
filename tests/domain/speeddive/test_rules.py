"""Every rule of Speeddive Klassisch by its id; the worked examples are in tests/records."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from domain.kernel import Ask, Over, act, ranked
from domain.ranking import place_bonus
from domain.records.run import check, run
from domain.records.text import parse
from domain.speeddive.cards import DECKS, canonical
from domain.speeddive.events import ActionApplied, CardDrawn, RoundScored, TargetChosen
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import Dive
from domain.speeddive.scoring import ends_game, round_score
from domain.speeddive.state import Diver, Options
from tests.domain.playing import Variant, facts_of, play, shuffles


def plays(seats: int, setup: str, moves: str) -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    source = f'game = "speeddive"\nseats = {seats}\n{fields}\nplay = """\n{moves}\n"""\n'
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"


def test_dive_e01_the_deck_has_94_cards() -> None:
    deck = Counter(DECKS["KLASSISCH"])
    assert deck.total() == 94
    assert {v: deck[str(v)] for v in range(13)} == {0: 1, **{v: v for v in range(1, 13)}}
    assert all(deck[pearl] == 1 for pearl in ("+2", "+4", "+6", "+8", "+10", "x2"))
    assert all(deck[action] == 3 for action in ("Stroemung", "Sog", "Reserveflasche"))
    assert canonical(shuffles(1)(DECKS["KLASSISCH"])) == DECKS["KLASSISCH"]


def test_options_are_those_of_the_rules() -> None:
    assert Options() == Options(edition="KLASSISCH", target=200, bilanz=True)
    for wrong in ({"edition": "BRUTAL"}, {"target": 150}, {"brutal": True}, {"bilanz": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Options)


def test_dive_r01_a02_the_house_draws_the_dealer_then_shuffles_the_whole_deck() -> None:
    facts = facts_of(play(Variant("speeddive", {}, 4), 3))
    assert facts[0].what == "dealer"
    assert sorted(facts[0].order) == ["0", "1", "2", "3"]
    assert facts[1].dealer == int(facts[0].order[0])
    assert facts[2].what == "pile"
    assert canonical(facts[2].order) == DECKS["KLASSISCH"]


def test_dive_r02_the_pile_goes_on_and_the_left_neighbour_deals() -> None:
    plays(
        3,
        'dealer = "C"\nturn = "A"\npile = "5, 6, 7, 8, ..."\nA = {spur = "1"}\n'
        'B = {status = "OUT", spur = "2, 2"}\nC = {status = "SURFACED", spur = "3"}',
        "A surface\nexpect question = pause\nweiter\nexpect dealer = A\nexpect round = 2\n"
        "expect B.spur = 5\nexpect C.spur = 6\nexpect A.spur = 7\nexpect asked = B\n"
        "expect discard = 1, 2, 2, 3\nexpect B.status = DOWN",
    )


def test_dive_r03_a_diver_who_had_to_surface_gets_no_deal_card() -> None:
    plays(
        3,
        'phase = "deal"\npile = "Stroemung, 6, 7, ..."',
        "expect asked = B\nB target C\nexpect C.status = SURFACED\nexpect C.spur = -\n"
        "expect A.spur = 6\nexpect pile_count = 92\nexpect asked = B",
    )


def test_dive_r03_a_sog_in_the_deal_may_hit_the_giver_and_cost_nobody_else_his_card() -> None:
    plays(
        2,
        'phase = "deal"\npile = "Sog, 1, 2, 3, 4, ..."',
        "B target B\nexpect B.spur = 1, 2, 3\nexpect A.spur = 4\nexpect asked = B",
    )


def test_dive_r03_the_schatzkammer_in_the_deal_ends_the_round_at_once() -> None:
    plays(
        3,
        'phase = "deal"\npile = "Sog, Sog, Sog, 0, 3, 5, 6, 1, 2, 4, 7, ..."',
        "B target C\n"  # C draws Sog, Sog, 0; both Sogs are his own: 3, 5, 6 and 1, 2, 4
        "expect C.spur = 0, 3, 5, 6, 1, 2, 4\nexpect C.status = TREASURE\n"
        "expect rounds.1.scores = 0, 0, 36\nexpect A.spur = -\nexpect question = pause",
    )


def test_dive_r03_a07_a_dealt_action_card_is_not_replaced() -> None:
    plays(
        2,
        'phase = "deal"\npile = "Stroemung, 5, ..."',
        "B target A\nexpect B.spur = -\nexpect asked = B\nexpect pile_count = 93",
    )


def test_dive_r03_a03_the_dealer_is_dealt_last_and_has_the_last_turn() -> None:
    plays(
        3,
        'phase = "deal"\ndealer = "B"\npile = "1, 2, 3, 4, 5, 6, ..."',
        "expect C.spur = 1\nexpect A.spur = 2\nexpect B.spur = 3\n"
        "C dive\nA dive\nB dive\nexpect B.spur = 3, 6\nexpect asked = C",
    )


def test_dive_r04_turns_go_clockwise_past_everybody_who_is_not_down() -> None:
    plays(
        4,
        'turn = "A"\npile = "4, 5, 6, ..."\nB = {status = "SURFACED"}\n'
        'C = {status = "OUT", spur = "2, 2"}',
        "A dive\nexpect asked = D\nD surface\nexpect asked = A\nA dive\nexpect asked = A",
    )


def test_dive_r04_a04_surfacing_with_an_empty_spur_is_legal_and_worth_nothing() -> None:
    plays(2, 'turn = "A"', "A surface\nexpect A.score = 0\nB surface\nexpect question = pause")


def test_dive_r04_a05_after_forced_draws_the_next_after_the_one_on_turn_dives() -> None:
    plays(
        4,
        'turn = "B"\npile = "Sog, 1, 2, 3, ..."',
        "B target A refused not_offered\nB dive\nB target A\nexpect asked = C",
    )


def test_dive_r05_out_scores_nothing_and_the_cards_stay_until_the_round_ends() -> None:
    plays(
        2,
        'turn = "A"\npile = "12, ..."\nA = {spur = "12", beside = "+10, x2"}\nB = {spur = "3"}',
        "A dive\nexpect A.score = 0\nexpect A.spur = 12, 12\nexpect discard = -\n"
        "B surface\nexpect A.total = 0\nexpect B.total = 3\nweiter\nexpect discard contains +10, x2",
    )


def test_dive_r06_pending_draws_and_cards_are_discarded_with_the_schatzkammer() -> None:
    plays(
        3,
        'turn = "A"\npile = "Sog, Stroemung, 7, 8, ..."\nA = {spur = "1"}\n'
        'B = {spur = "0, 2, 3, 4, 5, 6"}\nC = {spur = "12"}',
        "A dive\nA target B\nexpect B.status = TREASURE\nexpect C.status = DOWN\n"
        "expect discard = Sog, Stroemung\nexpect pile contains 8\n"
        "expect rounds.1.scores = 1, 42, 12\nexpect pending = -",
    )


def test_dive_r06_the_zero_counts_as_a_number() -> None:
    plays(
        2,
        'turn = "A"\npile = "0, ..."\nA = {spur = "1, 2, 3, 4, 5, 6"}',
        "A dive\nexpect A.status = TREASURE\nexpect A.score = 36",
    )


def test_dive_r07_the_round_ends_when_nobody_is_down() -> None:
    plays(
        2,
        'turn = "A"\npile = "4, ..."\nA = {spur = "4"}\nB = {status = "SURFACED", spur = "9"}',
        "A dive\nexpect rounds.1.scores = 0, 9\nexpect rounds.1.out = A\nexpect question = pause",
    )


def test_dive_r08_a24_an_empty_pile_is_shuffled_only_when_a_card_must_come() -> None:
    plays(
        2,
        'turn = "A"\npile = "5"\nA = {spur = "1"}',
        "A dive\nexpect pile_count = 0\nexpect discard contains 12, 12\nB surface\n"
        "expect pile_count = 0\nA dive\nexpect pile_count = 91\nexpect discard = -",
    )


def test_dive_r08_the_pile_may_run_empty_in_the_middle_of_the_deal() -> None:
    plays(
        3,
        'phase = "deal"\npile = "8, 9"',
        "expect B.spur = 8\nexpect C.spur = 9\nexpect A.spur = 0\nexpect pile_count = 91\n"
        "expect asked = B",
    )


def test_dive_a09_stroemung_and_sog_hit_only_divers_who_are_down() -> None:
    plays(
        4,
        'turn = "A"\npile = "Sog, ..."\nB = {status = "SURFACED"}\n'
        'C = {status = "OUT", spur = "2, 2"}',
        "A dive\nexpect offered = target A, target D\nA target B refused not_offered\n"
        "A target C refused not_offered\nD target A refused not_your_turn",
    )


def test_dive_a10_a_nested_sog_is_finished_before_the_next_card_of_the_outer_one() -> None:
    plays(
        3,
        'turn = "A"\npile = "Sog, Sog, Stroemung, 5, Stroemung, 6, 7, ..."',
        "A dive\nA target B\n"  # B: Sog, Strömung, 5
        "expect B.spur = 5\nB target A\n"  # the outer Strömung waits for A; now the inner Sog
        "expect A.status = DOWN\nexpect B.spur = 5, 6, 7\nexpect asked = B\nexpect question = target\n"
        "B target C\nexpect C.status = SURFACED\nexpect A.status = SURFACED\nexpect asked = B",
    )


def test_dive_a11_cards_of_a_giver_who_has_surfaced_still_work() -> None:
    plays(
        3,
        'turn = "A"\npending = ["B collected Stroemung Stroemung to B C"]',
        "expect B.status = SURFACED\nexpect C.status = SURFACED\nexpect asked = A",
    )


def test_dive_a12_a_surplus_bottle_that_nobody_can_take_is_discarded() -> None:
    plays(
        3,
        'turn = "A"\npile = "Flasche, ..."\nA = {bottle = true}\nB = {bottle = true}\n'
        'C = {status = "SURFACED"}',
        "A dive\nexpect discard = Flasche\nexpect A.bottle = yes\nexpect asked = B",
    )


def test_dive_d3_a_surplus_bottle_goes_to_the_only_taker_without_a_question() -> None:
    plays(
        3,
        'turn = "A"\npile = "Flasche, ..."\nA = {bottle = true}\nC = {status = "SURFACED"}',
        "A dive\nexpect B.bottle = yes\nexpect A.bottle = yes\nexpect asked = B",
    )


def test_dive_a18_the_luftmesser_is_full_with_a_bottle_and_empty_of_meaning_when_up() -> None:
    plays(
        3,
        'turn = "A"\nA = {spur = "9"}\nB = {spur = "12", bottle = true}\n'
        'C = {status = "SURFACED", spur = "11"}',
        "expect A.luftmesser = 8\nexpect B.luftmesser = 0\nexpect C.luftmesser = 0",
    )


def test_dive_luftmesser_counts_only_what_is_left() -> None:
    plays(
        2,
        'turn = "A"\ndiscard = "12, 12, 12"\nA = {spur = "12"}\nB = {spur = "12"}',
        "expect A.luftmesser = 7\nexpect left.12 = 7\nexpect pile_count = 89",
    )


@pytest.mark.parametrize(
    ("totals", "tie_break", "over"),
    [
        ((199, 150), 0, False),
        ((200, 150), 0, True),  # R20: one alone at the target
        ((150, 200), 0, True),
        ((230, 230), 0, False),  # R21: shared
        ((230, 230, 229), 0, False),
        ((231, 230, 230), 1, True),
        ((180, 170), 1, True),  # R21, A19: also below the target
        ((240, 240), 9, False),
        ((240, 240), 10, True),  # R22
    ],
)
def test_dive_r20_r21_r22_a19_the_end(
    totals: tuple[int, ...], tie_break: int, *, over: bool
) -> None:
    assert ends_game(totals, 200, tie_break) is over


def test_dive_r21_everybody_plays_the_stechrunde() -> None:
    plays(
        3,
        'turn = "A"\npile = "4, 5, 6, ..."\nA = {spur = "5", total = 200}\n'
        'B = {status = "SURFACED", spur = "5", total = 200}\n'
        'C = {status = "SURFACED", total = 3}',
        "A surface\nexpect question = pause\nweiter\nexpect tie_break = 1\n"
        "expect C.status = DOWN\nexpect rounds.1.tie_break = 0",
    )


def test_dive_r23_ranks_and_scores_are_the_totals() -> None:
    plays(
        3,
        'turn = "A"\nA = {spur = "9", total = 195}\nB = {status = "SURFACED", total = 90}\n'
        'C = {status = "SURFACED", total = 90}',
        "A surface\nexpect question = over\nexpect scores = 204, 90, 90\nexpect ranks = 1, 2, 2\n"
        "expect asked = -",
    )


def test_dive_a20_a_bottle_ends_the_turn_without_a_new_card() -> None:
    plays(
        2,
        'turn = "A"\npile = "8, 12, ..."\nA = {spur = "8", bottle = true}',
        "A dive\nexpect A.spur = 8\nexpect asked = B\nexpect A.luftmesser = 6",
    )


def test_dive_a21_a_bottle_that_is_drawn_saves_in_the_same_sog() -> None:
    plays(
        2,
        'turn = "A"\npile = "Sog, Flasche, 8, 8, 8, ..."',
        "A dive\nA target A\nexpect A.spur = 8\nexpect A.bottle = no\nexpect A.status = DOWN\n"
        "expect discard = Sog, 8, Flasche\nexpect asked = B",
    )


def test_dive_a23_cards_of_an_out_diver_are_not_shuffled_in() -> None:
    plays(
        2,
        'turn = "A"\npile = "-"\nB = {status = "OUT", spur = "12, 12"}',
        "A dive\nexpect left.12 = 10\nexpect B.spur = 12, 12\nexpect pile_count = 91",
    )


def test_dive_a26_a_second_stroemung_on_the_same_diver_lapses() -> None:
    plays(
        2,
        'turn = "A"\npending = ["A collected Stroemung Stroemung to B B"]\nB = {spur = "7"}',
        "expect B.status = SURFACED\nexpect discard = Stroemung, Stroemung\nexpect asked = A",
    )


def test_table_a12_a_single_target_is_taken_at_once_and_logged() -> None:
    source = """game = "speeddive"
seats = 2
setup.turn = "A"
setup.pile = "Stroemung, ..."
setup.B = {status = "SURFACED"}
"""
    before = run(parse(source))
    assert isinstance(before.waiting, Ask)
    after = act(Speeddive(), before.state, before.waiting, Dive(), shuffles(1))
    assert after.facts == (
        CardDrawn(0, "Stroemung"),
        TargetChosen(0, "Stroemung", 0),
        ActionApplied("Stroemung", 0),
        RoundScored((0, 0)),
    )


def test_table_a09_the_pause_can_be_switched_off() -> None:
    steps = play(Variant("speeddive", {"bilanz": False}, 2), 1)
    assert all(type(step.after.waiting).__name__ != "Pause" for step in steps)
    assert isinstance(steps[-1].after.waiting, Over)


@pytest.mark.parametrize(
    ("diver", "score"),
    [
        (Diver(spur=("12", "9", "5"), beside=("+4", "+10", "x2"), status="SURFACED"), 66),
        (Diver(beside=("x2",)), 0),
        (Diver(beside=("+6", "x2")), 6),
        (
            Diver("TREASURE", ("3", "11", "5", "7", "10", "9", "4"), ("+2", "x2"), bonus=15),
            115,
        ),
        (Diver(spur=("8", "8"), beside=("+10",), status="OUT"), 0),
    ],
)
def test_dive_score_of_a_round(diver: Diver, score: int) -> None:
    assert round_score(diver, Options()) == score


@pytest.mark.parametrize(
    ("totals", "leaderboard"),
    [
        ((231, 198, 150, 90), (261, 213, 155, 90)),  # DIVE-E20
        ((205, 160, 160, 40), (235, 175, 175, 40)),  # DIVE-E21
        ((207, 207, 150), (237, 237, 150)),  # DIVE-E22
        ((200, 100), (230, 100)),  # no second place among two
        ((210, 200, 10), (240, 215, 10)),  # no third among three
    ],
)
def test_table_r02_r03_ranks_and_place_bonus(
    totals: tuple[int, ...], leaderboard: tuple[int, ...]
) -> None:
    ranks = ranked(totals)
    paid = tuple(t + place_bonus(r, len(totals)) for t, r in zip(totals, ranks, strict=True))
    assert paid == leaderboard


def test_a_position_that_uses_a_card_too_often_is_refused() -> None:
    source = 'game = "speeddive"\nseats = 2\nsetup.A = {spur = "0"}\nsetup.B = {spur = "0"}\n'
    failure = check(source, "test")
    assert failure is not None
    assert "only 1 of '0'" in failure.detail
