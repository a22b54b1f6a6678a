"""Every rule of Deeper Dive and Brutal by its id; the worked examples are in tests/records."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from domain.records.run import check
from domain.speeddive.cards import DECKS, canonical, doubles
from domain.speeddive.state import Options
from tests.domain.playing import shuffles


def record(seats: int, setup: str, moves: str, *, brutal: bool = False) -> str:
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    mode = ", brutal = true" if brutal else ""
    options = f'options = {{edition = "DEEPER_DIVE"{mode}}}'
    return f'game = "speeddive"\nseats = {seats}\n{options}\n{fields}\nplay = """\n{moves}\n"""\n'


def plays(seats: int, setup: str, moves: str, *, brutal: bool = False) -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    source = record(seats, setup, moves, brutal=brutal)
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"


def test_dive_e02_a01_the_deck_has_108_cards_and_none_of_the_other_edition_s() -> None:
    deck = Counter(DECKS["DEEPER_DIVE"])
    assert deck.total() == 108
    plain = {v: deck[str(v)] for v in range(14)}
    assert plain == {0: 1, **{v: v for v in range(1, 13)}, 7: 6, 13: 12}
    assert deck["7C"] == deck["13G"] == 1
    assert [deck[card] for card in ("-2", "-4", "-6", "-8", "-10", "Leck")] == [1] * 6
    actions = ("LetzterAtemzug", "Mahlstrom", "Enterhaken", "Stroemungswechsel", "Haibiss")
    assert [deck[card] for card in actions] == [2] * 5
    assert not deck.keys() & {"+2", "x2", "Stroemung", "Sog", "Reserveflasche"}
    assert canonical(shuffles(1)(DECKS["DEEPER_DIVE"])) == DECKS["DEEPER_DIVE"]


def test_brutal_is_a_mode_of_deeper_dive_only() -> None:
    wish = {"edition": "DEEPER_DIVE", "brutal": True, "target": 300, "bilanz": False}
    assert msgspec.convert(wish, Options) == Options("DEEPER_DIVE", 300, bilanz=False, brutal=True)
    for wrong in ({"brutal": True}, {"edition": "KLASSISCH", "brutal": True}):
        with pytest.raises(msgspec.ValidationError, match="mode of edition DEEPER_DIVE only"):
            msgspec.convert(wrong, Options)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"edition": "DEEPER_DIVE", "brutal": 1}, Options)


@pytest.mark.parametrize(
    ("spur", "card", "twice"),
    [
        (("13",), "13", True),
        (("13",), "13G", False),
        (("13G",), "13", False),
        (("13G", "13"), "13", True),
        (("13", "13G"), "13", True),
        (("7",), "7C", True),
        (("7C",), "7", True),
        (("7",), "7", True),
        (("1", "2"), "7C", False),
        (("0",), "0", True),
        (("12", "11"), "10", False),
    ],
)
def test_dive_a06_which_numbers_take_the_air(
    spur: tuple[str, ...], card: str, *, twice: bool
) -> None:
    assert doubles(spur, card) is twice


def test_dive_r03_a08_who_drew_in_a_mahlstrom_or_an_atemzug_gets_no_deal_card() -> None:
    plays(
        4,
        'phase = "deal"\npile = "Mahlstrom, 1, 2, 3, 4, Letzter Atemzug, 5, 6, ..."',
        "B target D\nexpect D.spur = 1, 2, 3, 4\nexpect asked = C\nC target A\n"
        "expect A.spur = 5\nexpect A.status = SURFACED\nexpect asked = B\nexpect B.spur = -\n"
        "expect pile_count = 101\nB dive\nexpect B.spur = 6\nexpect asked = C",
    )


def test_dive_r03_a_gift_or_a_swapped_card_costs_nobody_his_deal_card() -> None:
    plays(
        3,
        'phase = "deal"\npile = "-2, Strömungswechsel, 6, ..."\nB = {spur = "5", dealt = false}',
        "B target A\nexpect asked = C\nC swap A -2 B 5\nexpect A.spur = 5, 6\n"
        "expect B.beside = -2\nexpect asked = B",
    )


def test_dive_r03_who_goes_out_before_his_deal_card_gets_none() -> None:
    # A got Blei twice and numbers for it, all before his card: the second swap puts him OUT.
    plays(
        3,
        'phase = "deal"\npile = "Strömungswechsel, 6, ..."\nA = {spur = "5", beside = "-2"'
        ', dealt = false}\nB = {dealt = true}\nC = {spur = "5", dealt = false}',
        "C swap C 5 A -2\nexpect A.status = OUT\nexpect A.spur = 5, 5\nexpect asked = B\n"
        "expect pile contains 6",
    )


def test_dive_r04_with_the_leere_muschel_nobody_surfaces() -> None:
    plays(
        2,
        'turn = "A"\npile = "5, ..."\nA = {spur = "0, 12"}\nB = {spur = "1"}',
        "expect offered = dive\nexpect default = dive\nA surface refused not_offered\n"
        "expect A.score = 0\nA dive\nB surface\nA surface refused not_offered",
    )


@pytest.mark.parametrize(
    ("cards", "move"),
    [
        ("Haibiss", "card A 0"),  # bitten
        ("Strömungswechsel", "swap A 0 B 1"),  # swapped: the effect moves with the card
    ],
)
def test_the_leere_muschel_s_effect_moves_with_the_card(cards: str, move: str) -> None:
    moved = "expect B.score = 0\nB surface refused not_offered" if "swap" in move else ""
    plays(
        2,
        f'turn = "A"\npile = "{cards}, 3, 4, ..."\nA = {{spur = "0, 12"}}\nB = {{spur = "1"}}',
        f"A dive\nA {move}\n{moved}\nB dive\nA surface\nexpect A.status = SURFACED",
    )


def test_the_leere_muschel_counts_for_the_schatzkammer_and_then_costs_nothing() -> None:
    plays(
        2,
        'turn = "A"\npile = "0, ..."\nA = {spur = "1, 2, 3, 4, 5, 6"}',
        "A dive\nexpect A.status = TREASURE\nexpect A.score = 36",
    )


def test_the_oktopus_from_the_pile_sweeps_everything_away() -> None:
    plays(
        2,
        'turn = "A"\npile = "7C, 3, 7, ..."\n'
        'A = {spur = "0, 1, 2, 3, 4, 7", beside = "-6, Leck"}\nB = {spur = "2"}',
        "A dive\nexpect A.spur = 7C\nexpect A.beside = -\nexpect A.status = DOWN\n"
        "expect discard = 0, 1, 2, 3, 4, 7, -6, Leck\nexpect A.luftmesser = 5\nB dive\n"
        "A dive\nexpect A.status = OUT\nexpect A.spur = 7C, 7",
    )


def test_the_oktopus_curses_in_a_mahlstrom_too_and_not_the_cards_put_aside() -> None:
    plays(
        2,
        'turn = "A"\npile = "Mahlstrom, 3, -2, 4, 7C, ..."\nA = {spur = "1"}\nB = {spur = "2"}',
        "A dive\nA target B\nexpect B.spur = 7C\nexpect asked = B\nexpect pending = -2\nB target A\n"
        "expect A.beside = -2",
    )


def test_a_swap_that_takes_the_leviathan_away_leaves_two_normal_13() -> None:
    plays(
        2,
        'turn = "A"\npile = "Strömungswechsel, ..."\nA = {spur = "5"}\nB = {spur = "13"}',
        "A dive\nA swap A 5 B 13\nexpect A.spur = 13\nexpect asked = B",
    )
    plays(
        3,
        'turn = "A"\npile = "Strömungswechsel, ..."\nA = {spur = "5"}\nB = {spur = "13G, 13"}\n'
        'C = {spur = "13"}',
        "A dive\nA swap B 13G C 13\nexpect B.status = OUT\nexpect B.spur = 13, 13\n"
        "expect C.spur = 13G\nexpect C.status = DOWN\nexpect asked = C",
    )


def test_a_swap_can_put_both_out_in_the_order_of_the_choice() -> None:
    plays(
        4,
        'turn = "A"\npile = "Strömungswechsel, ..."\nB = {spur = "5, 9"}\nC = {spur = "9, 5"}',
        "A dive\nA swap B 9 C 5\nexpect B.status = OUT\nexpect C.status = OUT\n"
        "expect B.spur = 5, 5\nexpect C.spur = 9, 9\nexpect asked = D",
    )


def test_dive_a14_the_first_diver_is_checked_first() -> None:
    # The seventh number comes for Blei; so the other one gets Blei and cannot go OUT.
    plays(
        3,
        'turn = "A"\npile = "Strömungswechsel, ..."\nB = {spur = "1, 2, 3, 4, 5, 6", beside = "-2"}\n'
        'C = {spur = "9, 8", status = "SURFACED"}',
        "A dive\nA swap C 9 B -2\nexpect B.status = TREASURE\nexpect B.score = 45\n"
        "expect C.score = 6\nexpect rounds.1.scores = 0, 45, 6",
    )


def test_dive_a25_a_diver_who_has_surfaced_can_open_the_schatzkammer() -> None:
    plays(
        2,
        'turn = "A"\npile = "Letzter Atemzug, 9, ..."\nA = {spur = "12"}\n'
        'B = {status = "SURFACED", spur = "1, 2, 3, 4, 5, 6"}',
        "A dive\nA target B\nexpect B.status = TREASURE\nexpect rounds.1.scores = 12, 45",
    )


def test_dive_a13_what_the_last_breath_brings_is_done_before_the_diver_surfaces() -> None:
    plays(
        3,
        'turn = "A"\npile = "Letzter Atemzug, Mahlstrom, 1, 2, 3, 4, ..."\nB = {spur = "9"}',
        "A dive\nA target B\nexpect asked = B\nexpect offered = target A, target B, target C\n"
        "expect B.status = DOWN\nB target B\nexpect B.spur = 9, 1, 2, 3, 4\n"
        "expect B.status = SURFACED\nexpect asked = C",
    )


def test_dive_a15_blei_and_the_atemzug_may_be_kept_and_leck_may_be_hooked() -> None:
    plays(
        2,
        'turn = "A"\npile = "Leck, Enterhaken, ..."\nA = {spur = "9"}\nB = {spur = "8"}',
        "A dive\nexpect offered = target A, target B\nA target A\nexpect A.score = 4\nB dive\n"
        "expect offered = card A 9, card A Leck\nB card A Leck\nexpect B.beside = Leck\n"
        "expect A.score = 9\nexpect discard = Enterhaken",
    )


def test_surfaced_divers_can_be_hit_and_out_divers_are_safe() -> None:
    setup = (
        'turn = "A"\npile = "{card}, ..."\nB = {{status = "SURFACED", spur = "5"}}\n'
        'C = {{status = "OUT", spur = "8, 8", beside = "-2"}}\nD = {{spur = "3"}}'
    )
    for card in ("Mahlstrom", "Letzter Atemzug", "-4", "Leck"):
        plays(
            4,
            setup.format(card=card),
            "A dive\nexpect offered = target A, target B, target D\nA target C refused not_offered",
        )
    plays(4, setup.format(card="Haibiss"), "A dive\nexpect offered = card B 5, card D 3")
    plays(
        4,
        setup.format(card="Strömungswechsel"),
        "A dive\nexpect question = swap\nexpect offered = swap two of B 5 / D 3\n"
        "A swap B 5 C 8 refused not_offered\nA swap B 5 B 5 refused not_offered\n"
        "A swap B 5 D 4 refused not_offered\nA target D refused not_offered\nA swap D 3 B 5\n"
        "expect B.spur = 3\nexpect D.spur = 5",
    )


def test_a_surfaced_target_of_a_mahlstrom_stays_up_and_out_of_the_turns() -> None:
    plays(
        3,
        'turn = "A"\npile = "Mahlstrom, 1, Haibiss, 2, 3, ..."\nA = {spur = "9"}\n'
        'B = {status = "SURFACED", spur = "5"}\nC = {spur = "8"}',
        "A dive\nA target B\nexpect asked = B\nB card A 9\nexpect B.spur = 5, 1, 2, 3\n"
        "expect B.status = SURFACED\nexpect asked = C",
    )


@pytest.mark.parametrize("card", ["Enterhaken", "Strömungswechsel", "Haibiss"])
def test_a_card_without_a_target_is_discarded(card: str) -> None:
    setup = f'turn = "A"\npile = "{card}, ..."'
    plays(2, setup, f"A dive\nexpect discard = {card}\nexpect asked = B")


def test_dive_a22_a_harmful_bite_must_be_taken() -> None:
    plays(
        2,
        'turn = "A"\npile = "Haibiss, ..."\nA = {spur = "12"}',
        "A dive\nexpect A.spur = -\nexpect discard = Haibiss, 12\nexpect asked = B",
    )


def test_the_last_diver_in_play_gets_everything_himself_but_in_brutal_not_the_blei() -> None:
    setup = 'turn = "A"\npile = "{card}, 5, ..."\nA = {{spur = "9"}}\nB = {{status = "OUT", spur = "8, 8"}}'
    plays(2, setup.format(card="-2"), "A dive\nexpect A.beside = -2\nexpect asked = A")
    atemzug = setup.format(card="Letzter Atemzug")
    plays(2, atemzug, "A dive\nexpect rounds.1.scores = 14, 0", brutal=True)
    brutal = "A dive\nexpect offered = target A, target B\nA target B\nexpect B.score = -2"
    plays(2, setup.format(card="-2"), brutal, brutal=True)


def test_targets_are_all_chosen_first_and_card_actions_when_they_resolve() -> None:
    plays(
        3,
        'turn = "A"\npile = "Mahlstrom, Haibiss, -2, Enterhaken, Letzter Atemzug, 6, ..."\n'
        'A = {spur = "9"}\nB = {spur = "5"}\nC = {spur = "8"}',
        "A dive\nA target B\n"
        "expect question = target\nB target A\nexpect A.beside = -\n"  # the Blei
        "expect question = target\nB target C\nexpect C.status = DOWN\n"  # the Letzter Atemzug
        "expect question = card\nexpect offered = card A 9, card B 5, card C 8\nB card C 8\n"
        "expect A.beside = -2\n"  # now the Blei lies there, and the hook may take it
        "expect offered = card A 9, card A -2\nB card A 9\nexpect B.spur = 5, 9\n"
        "expect C.spur = 6\nexpect C.status = SURFACED\nexpect asked = B",
    )


def test_dive_a11_a_target_that_is_out_by_now_lets_the_card_lapse() -> None:
    plays(
        3,
        'turn = "A"\npile = "9, ..."\npending = ["B collected LetzterAtemzug -2 Mahlstrom to C C C"]\n'
        'C = {spur = "9"}',
        "expect C.status = OUT\nexpect C.beside = -\n"
        "expect discard = LetzterAtemzug, -2, Mahlstrom\nexpect asked = B",
    )
    plays(
        3,
        'turn = "A"\npile = "9, ..."\npending = ["B collected LetzterAtemzug -2 Mahlstrom to C C C"]\n'
        'C = {spur = "9"}',
        "expect C.status = OUT\nexpect C.beside = -2\nexpect C.score = -2\n"
        "expect discard = LetzterAtemzug, Mahlstrom",
        brutal=True,
    )


def test_dive_a11b_card_actions_lapse_with_a_giver_who_is_out_and_work_when_he_is_up() -> None:
    pending = (
        'turn = "A"\npile = "{card}, ..."\npending = ["B collected LetzterAtemzug Haibiss to B"]'
    )
    divers = '\nB = {spur = "9"}\nC = {spur = "8"}'
    plays(
        3,
        pending.format(card="9") + divers,
        "expect B.status = OUT\nexpect discard = LetzterAtemzug, Haibiss\nexpect C.spur = 8\n"
        "expect asked = C",
    )
    plays(
        3,
        pending.format(card="6") + divers,
        "expect B.status = SURFACED\nexpect asked = B\nexpect question = card\nB card C 8\n"
        "expect C.spur = -\nexpect asked = C",
    )


def test_dive_r06_the_schatzkammer_in_a_mahlstrom_lets_everything_lapse() -> None:
    plays(
        2,
        'turn = "A"\npile = "Mahlstrom, -2, 6, 9, ..."\nB = {spur = "0, 1, 2, 3, 4, 5"}',
        "A dive\nA target B\nexpect B.status = TREASURE\nexpect discard = Mahlstrom, -2\n"
        "expect pending = -\nexpect B.score = 36\nexpect question = pause",
    )


def test_dive_d5_the_bonus_of_brutal_may_be_kept() -> None:
    plays(
        2,
        'turn = "A"\npile = "6, ..."\nA = {spur = "0, 1, 2, 3, 4, 5"}\nB = {spur = "12"}',
        "A dive\nexpect A.score = 21\nexpect default = bonus\nB bonus refused not_your_turn\n"
        "A dive refused not_offered\nA bonus\nexpect A.score = 36\nexpect rounds.1.scores = 36, 12\n"
        "expect rounds.1.charged = -",
        brutal=True,
    )


def test_the_deal_of_an_oktopus_is_a_card_like_any_other() -> None:
    plays(2, 'phase = "deal"\npile = "7C, 7, ..."', "expect B.spur = 7C\nexpect A.spur = 7")
