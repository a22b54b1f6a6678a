"""Every rule of Snorkeling by its id; the worked examples are in tests/records."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.kernel import Ask, Over, Pause, Shuffled, act, begin
from domain.options import admits
from domain.records.run import check, run
from domain.records.text import parse
from domain.snorkeling.cards import COLOUR, DECK, FITS, HIGHER, LATERNENFISCH, VALUE
from domain.snorkeling.events import CardDrawn, CardsPlayed, HandsDealt, RoundScored, RoundStarted
from domain.snorkeling.game import Snorkeling
from domain.snorkeling.moves import Attack, Pass, PlayCards
from domain.snorkeling.scoring import ends_game
from domain.snorkeling.state import Options
from tests.domain.playing import Variant, facts_of, play, shuffles

GAME = Snorkeling()
HERE = Path(__file__).parent
RECORDS = HERE.parent.parent / "records" / "snorkeling"


def plays(seats: int, setup: str, moves: str, options: str = "") -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    source = (
        f'game = "snorkeling"\nseats = {seats}\noptions = {{{options}}}\n{fields}\n'
        f'play = """\n{moves}\n"""\n'
    )
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"


def test_every_id_of_the_rules_has_a_test_or_a_record() -> None:
    named = "".join(file.read_text() for file in [*HERE.glob("*.py"), *RECORDS.glob("*.toml")])
    # Other ids of the same kind may follow the first: "SNORK-R06, R07", "snork_r06_r07_a12".
    said = {
        each.upper()
        for line in re.findall(r"(?i)snork[-_][a-z0-9_, -]+", named)
        for each in re.findall(r"(?i)(?<![a-z])[rae]\d\d", line)
    }
    wanted = [f"R{n:02}" for n in range(1, 15)] + [f"A{n:02}" for n in range(1, 19)]
    wanted += [f"E{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 16, 17, 18, 19, 20)]
    assert [each for each in wanted if each not in said] == []


def test_snork_e01_a01_the_deck_has_75_cards() -> None:
    deck = Counter(DECK)
    assert deck.total() == 75
    assert set(deck.values()) == {3}
    assert Counter(COLOUR[card] for card in DECK) == dict.fromkeys("bgrvy", 15)
    assert Counter(VALUE[card] for card in DECK) == dict.fromkeys(range(5), 15)
    assert LATERNENFISCH not in deck
    assert VALUE[LATERNENFISCH] == 5
    assert sorted(DECK) == list(DECK)


def test_snork_a02_options_and_seats_a03() -> None:
    assert Options() == Options(variant="BASIS", bilanz=True)
    assert (GAME.seats_min, GAME.seats_max) == (2, 6)
    for wrong in ({"variant": "MEISTER"}, {"variant": "basis"}, {"goal": 12}, {"bilanz": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, Options)


def test_snork_r01_r02_a04_a05_a06_each_round_is_dealt_anew_and_the_start_goes_round() -> None:
    for seats in range(2, 7):
        facts = facts_of(play(Variant("snorkeling", {}, seats), 3))
        assert facts[0].what == "starter"
        assert sorted(facts[0].order) == [str(seat) for seat in range(seats)]
        started = [fact for fact in facts if isinstance(fact, RoundStarted)]
        first = int(facts[0].order[0])
        assert [(fact.number, fact.starter) for fact in started] == [
            (number, (first + number - 1) % seats) for number in range(1, len(started) + 1)
        ]
        for at, fact in enumerate(facts):
            if isinstance(fact, RoundStarted):
                shuffled, dealt = facts[at + 1 : at + 3]
                assert isinstance(shuffled, Shuffled)
                assert sorted(shuffled.order) == list(DECK)
                assert isinstance(dealt, HandsDealt)
                assert [len(hand) for hand in dealt.hands] == [5] * seats
                assert dealt.centre == shuffled.order[5 * seats]


def test_snork_r03_passing_is_always_allowed() -> None:
    for step in play(Variant("snorkeling", {"variant": "EXPERTEN"}, 4), 5):
        ask = step.after.waiting
        if isinstance(ask, Ask) and ask.kind == "turn":
            assert ask.options.moves == (Pass(),)


def test_snork_r03_after_a_pass_nothing_may_be_laid_on_a_pile_a12() -> None:
    plays(
        2,
        'centre = "r2"\nA = {hand = "b4, g1"}\nB = {hand = "y0"}',
        "A play attack b4 B refused not_offered\nA pass\nexpect B.value = 5\n"
        "A play b4 refused not_your_turn\nexpect asked = B",
    )


def test_snork_r04_r05_what_fits_on_what() -> None:
    assert HIGHER["g4"] == {"b0", "g0", "r0", "v0", "y0"}
    assert HIGHER["g3"] == {"b4", "g4", "r4", "v4", "y4"}
    for top in set(DECK):
        assert len(HIGHER[top]) == 5
        assert len(FITS[top]) == 9  # five higher ones and five of the colour, one is both


@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
def test_snork_r04_a13_one_card_that_is_higher_and_of_the_colour(variant: str) -> None:
    plays(
        2,
        'centre = "r2"\nA = {hand = "r3, r0, g0"}',
        "A play r3 r0\nexpect top = r0\nexpect centre_count = 3",
        f'variant = "{variant}"',
    )


def test_snork_r05_chains_mix_both_kinds_and_wrap_round() -> None:
    plays(
        2,
        'centre = "r2"\nA = {hand = "b3, b1, g2, g3, y4, v0, v3"}',
        "A play b3 b1 g2 v3 b1 refused not_offered\nA play b3 b1 g2 g3 y4 v0\n"
        "expect centre = v0, y4, g3, g2, b1, b3, r2\nexpect asked = B",
        'variant = "EXPERTEN"',
    )


def test_snork_r06_the_attack_comes_after_the_centre_and_takes_another_card() -> None:
    plays(
        2,
        'centre = "r3"\nA = {hand = "r4, r4, b1"}',
        "A play r4 attack r4 B\nexpect top = r4\nexpect B.own = r4, Laternenfisch\n"
        "expect A.hand_count = 2",
    )


@pytest.mark.parametrize(
    ("own", "card"), [("", "b4"), ("b4", "b3"), ("g3, b4", "v2"), ("y2, g3, b4", "v1")]
)
def test_snork_r06_every_pile_takes_exactly_one_value(own: str, card: str) -> None:
    wrong = [f"{card[0]}{value}" for value in range(5) if value != int(card[1])]
    refused = "".join(f"A play r3 attack {each} B refused not_offered\n" for each in wrong)
    plays(
        2,
        f'centre = "r2"\nA = {{hand = "r3, {card}, {", ".join(wrong)}"}}\nB = {{own = "{own}"}}',
        f"{refused}A play r3 attack {card} B\nexpect B.value = {card[1]}",
    )


def test_snork_r07_r11_the_strand_ends_the_round_without_drawing() -> None:
    source = """game = "snorkeling"
seats = 3
setup.centre = "r2"
setup.A = {hand = "r3, v0"}
setup.B = {own = "y1, y2, y3, y4"}
setup.C = {own = "b4"}
"""
    before = run(parse(source))
    assert isinstance(before.waiting, Ask)
    move = PlayCards(("r3",), Attack("v0", 1))
    after = act(GAME, before.state, before.waiting, move, shuffles(1))
    assert after.facts == (CardsPlayed(0, ("r3",), Attack("v0", 1)), RoundScored((5, 0, 4)))
    assert after.waiting == Pause("bilanz")


def test_snork_r08_r09_after_a_turn_the_hand_has_two_cards() -> None:
    for variant in ("BASIS", "EXPERTEN"):
        for step in play(Variant("snorkeling", {"variant": variant}, 3), 2):
            state = step.after.state
            if state.board.phase == "turn" and state.board.pile_count:
                assert all(len(hand) >= 2 for hand in state.hands)


def test_snork_r09_there_is_no_upper_hand_limit() -> None:
    plays(
        2,
        'centre = "r2"\npile = "v4, ..."\nA = {hand = "b0, b0, b0, b1, b1, b1, b2, b2, b2, b3"}',
        "A pass\nexpect A.hand_count = 11",
    )


def test_snork_r08_a_take_back_uncovers_the_card_below() -> None:
    plays(
        3,
        'centre = "r2"\nA = {hand = "r3", own = "b2, g3, y4"}\nB = {hand = "r4, v2, b1"}',
        "A play r3\nA take\nexpect A.own = g3, y4, Laternenfisch\n"
        "B play r4 attack b1 A refused not_offered\nB play r4 attack v2 A\nexpect A.value = 2",
    )


@pytest.mark.parametrize(
    ("totals", "number", "over"),
    [
        ((11, 11, 10), 3, False),  # E18
        ((12, 9, 12), 4, False),  # E16
        ((15, 14, 14), 5, True),
        ((14, 13, 12), 4, True),  # E17
        ((12, 11), 4, True),
        ((16, 16), 39, False),
        ((16, 16), 40, True),  # R14
        ((3, 3), 40, True),
        ((11, 4), 39, False),
    ],
)
def test_snork_r12_r14_a07_a11_the_end(totals: tuple[int, ...], number: int, *, over: bool) -> None:
    assert ends_game(totals, number) is over


def test_snork_r12_the_further_round_is_played_by_everybody() -> None:
    plays(
        3,
        'centre = "r2"\nA = {hand = "r3, v0", total = 10}\nB = {total = 10}\n'
        'C = {own = "y1, y2, y3, y4", total = 1}',
        "A play r3 attack v0 C\nexpect A.total = 15\nexpect B.total = 15\nweiter\n"
        "expect C.hand_count = 5\nexpect round = 2",
    )


def test_snork_r13_a18_ranks_and_leaderboard_are_those_of_the_totals() -> None:
    last = play(Variant("snorkeling", {}, 4), 1)[-1].after
    assert isinstance(last.waiting, Over)
    totals = tuple(each.total for each in last.state.board.schnorchler)
    assert last.waiting.scores == last.waiting.leaderboard_base == totals


def test_table_a09_the_pause_can_be_switched_off() -> None:
    steps = play(Variant("snorkeling", {"bilanz": False}, 2), 1)
    assert not any(isinstance(step.after.waiting, Pause) for step in steps)
    steps = play(Variant("snorkeling", {}, 2), 1)
    assert any(isinstance(step.after.waiting, Pause) for step in steps)


def test_hands_drawn_cards_and_the_pile_are_seen_by_their_owners_alone() -> None:
    hands = (("b1", "g2"), ("r3",))
    assert GAME.seen(HandsDealt(hands, "y1"), 1) == HandsDealt(((), ("r3",)), "y1")
    assert GAME.seen(HandsDealt(hands, "y1"), None) == HandsDealt(((), ()), "y1")
    assert GAME.seen(CardDrawn(0, "b1"), 0) == CardDrawn(0, "b1")
    for other in (1, None):
        assert GAME.seen(CardDrawn(0, "b1"), other) == CardDrawn(0)
    assert GAME.seen(Shuffled("pile", ("b1", "b2")), 0) == Shuffled("pile", ())
    assert GAME.seen(Shuffled("starter", ("1", "0")), None) == Shuffled("starter", ("1", "0"))


@pytest.mark.parametrize("seats", [2, 6])
def test_no_byte_of_a_view_names_a_hidden_card(seats: int) -> None:
    """The pile and the other hands are replaced by names that exist nowhere else."""
    settled = begin(GAME, Options(), tuple(range(seats)), shuffles(4))
    state = settled.state
    for seat in (None, *range(seats)):
        hands = [hand if each == seat else ("CANARY",) * 5 for each, hand in enumerate(state.hands)]
        marked = msgspec.structs.replace(
            state, hands=tuple(hands), pile=tuple("CANARY" for _ in state.pile)
        )
        assert b"CANARY" not in msgspec.json.encode(GAME.view(marked, seat))


def test_what_a_viewer_can_count() -> None:
    settled = begin(GAME, Options(), (0, 1, 2), shuffles(4))
    board = settled.state.board
    for seat in (0, 1, 2, None):
        view = GAME.view(settled.state, seat)
        own = len(view.hand)
        assert sum(view.left.values()) == 75 - 1 - own
        assert own == (0 if seat is None else 5)
        assert view.left[board.centre[0]] == 2 - view.hand.count(board.centre[0])
        assert view.scores == (5, 5, 5)


WRONG = [
    ("A take", "not_offered"),
    ("A draw", "not_offered"),
    ("A play", "not_offered"),
    ("A play b4", "not_offered"),  # a card that he has not
    ("A play g1", "not_offered"),  # a card that does not fit
    ("A play r3 r3", "not_offered"),  # the same card twice
    ("A play r3 attack r3 B", "not_offered"),
    ("A play r3 attack g1 B", "not_offered"),
    ("A play r3 attack v4 F", "not_offered"),  # nobody sits there
    ("A play r3 attack v4 A", "not_offered"),
    ("A play L", "not_offered"),
    ("B pass", "not_your_turn"),
    ("B take", "not_your_turn"),
]


@pytest.mark.parametrize(("words", "code"), WRONG)
@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
def test_wrong_moves_are_refused_and_change_nothing(words: str, code: str, variant: str) -> None:
    plays(
        2,
        'centre = "r2"\npile = "y0, ..."\nA = {hand = "r3, g1, v4"}\nB = {hand = "b0"}',
        f"{words} refused {code}\nexpect A.hand = g1, r3, v4\nexpect centre = r2\nexpect asked = A\n"
        "A play r3 attack v4 B\nexpect A.hand = g1, y0",
        f'variant = "{variant}"',
    )


def test_after_the_end_every_move_is_refused() -> None:
    plays(
        2,
        'centre = "r2"\nA = {hand = "r3, v0", total = 9}\nB = {own = "y1, y2, y3, y4"}',
        "A play r3 attack v0 B\nexpect question = over\nB pass refused finished",
    )


def test_the_default_is_legal_and_attacks_the_highest_pile_that_it_can() -> None:
    plays(
        3,
        'centre = "r2"\nA = {hand = "r3, b4, g2"}\nB = {own = "y3, y4"}',
        "expect default = play r3 attack b4 C",
    )
    plays(2, 'centre = "r3"\nA = {hand = "r4"}', "expect default = play r4")
    plays(2, 'centre = "r3"\nA = {hand = "b0, b2"}', "expect default = pass")
    for own, wanted in (("b4", "play r3"), ("", "play r3 attack v0 B")):
        plays(
            3,
            f'centre = "r2"\nA = {{hand = "r3, v0", own = "{own}"}}\n'
            'B = {own = "y1, y2, y3, y4"}\nC = {hand = "b0"}',
            f"expect default = {wanted}",
        )


def test_admitting_a_long_move_takes_no_longer_than_reading_it() -> None:
    source = 'game = "snorkeling"\nseats = 2\nsetup.centre = "r2"\nsetup.A = {hand = "..."}\n'
    settled = run(parse(source))
    ask: Any = settled.waiting
    assert len(ask.options.descriptors[0].hand) == 74
    reds = tuple(card for card in DECK if card[0] == "r")
    assert not admits(ask.options, PlayCards(reds))  # the r2 of the centre is not in the hand
    without = tuple(card for n, card in enumerate(reds) if n != reds.index("r2"))
    assert admits(ask.options, PlayCards(without))


@pytest.mark.parametrize(
    ("setup", "says"),
    [
        ('A = {own = "b3"}', "goes up one by one to 5"),
        ('A = {own = "b2, b4"}', "goes up one by one to 5"),
        ('A = {own = "b0, b1, b2, b3, b4"}', "with the Strand the round is over"),
        ('A = {hand = "b4, b4, b4, b4"}', "there are only 3 of 'b4'"),
        ('A = {hand = "z4"}', "no such card as 'z4'"),
        ('A = {hand = "..."}\npile = "..."', "may stand once"),
        ('A = {hand = "..., b4"}', "may stand once"),
        ('phase = "take"', "nothing but the Laternenfisch"),
        ("turns = 300", "at most 300 turns"),
        ('phase = "deal"', "phase must be one of start, turn, take"),
        ('A = {cards = "b4"}', "there is no field 'cards'"),
    ],
)
def test_a_wrong_position_is_refused(setup: str, says: str) -> None:
    fields = "\n".join(f"setup.{line}" for line in setup.splitlines())
    failure = check(f'game = "snorkeling"\nseats = 2\n{fields}\n', "test")
    assert failure is not None
    assert says in failure.detail


def test_positions_before_a_round_and_in_the_take_back() -> None:
    plays(
        3,
        'phase = "start"\nround = 4\nstarter = "B"\nA = {total = 9}',
        "expect round = 5\nexpect starter = C\nexpect A.total = 9\nexpect A.hand_count = 5",
    )
    plays(
        2,
        'phase = "take"\ncentre = "r2"\nturn = "B"\nA = {hand = "b0"}\nB = {hand = "g1", own = "b4"}',
        "expect asked = B\nexpect question = take\nB nehmen\nexpect B.hand = b4, g1\n"
        "expect asked = A\nA passen\nexpect asked = B",
    )


def test_a_move_in_wrong_words_is_explained() -> None:
    source = 'game = "snorkeling"\nseats = 2\nplay = """\nA spielen b3 angriff r3\n"""\n'
    failure = check(source, "test")
    assert failure is not None
    assert "write pass (passen), play CARD" in failure.detail
