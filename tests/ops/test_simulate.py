"""What a simulation plans, and how it judges its acknowledgements."""

import io
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from contracts.envelope import chain_hash
from contracts.stakes import HoldRequest
from domain.games import GAMES
from domain.table.events import Stake
from domain.variants import choices, described, variants, written, wrong_options
from services.__main__ import main
from services.kit.client import Ack
from services.kit.console.options import options_of
from services.kit.console.progress import Progress
from services.kit.store.database import Connection, Database
from services.ledger.bank import Bank
from services.ledger.taler import Taler
from services.ops.simulate import Report, _plain, _print, unfinished
from services.ops.simulation.acks import missing_acks
from services.ops.simulation.plan import TALER, Plan, fault, strengths_of
from services.ops.simulation.play import Outcome
from services.ops.simulation.taler import TalerCheck, check_taler
from tests.ops.conftest import Store
from tests.ops.tables import Played, finished


def test_people_at_a_table_are_all_different_and_few() -> None:
    plan = Plan("speeddive", tables=200, seats=4, people=3)
    assert len(plan.players) == 16
    for table in range(200):
        assert len(set(plan.people_at(table))) == 3
    assert len(Plan("speeddive", tables=1, people=2).players) == 2


@pytest.mark.parametrize(
    ("stake", "tables", "players"), [(0, 200, 16), (10, 200, 16), (10, 801, 17), (100, 200, 40)]
)
def test_nobody_plays_for_more_than_he_has(stake: Stake, tables: int, players: int) -> None:
    plan = Plan("speeddive", tables=tables, people=2, stake=stake)
    games = Counter(player for table in range(tables) for player in plan.people_at(table))

    assert len(plan.players) == len(games) == players
    assert max(games.values()) * stake <= TALER
    assert plan.rules.stake == stake
    assert fault(plan) is None


def test_computers_do_not_pause_unless_it_is_wanted() -> None:
    assert Plan("speeddive").rules.tempo == "sofort"
    assert Plan("speeddive", tempo="normal").rules.tempo == "normal"


def test_the_seed_decides_what_people_choose() -> None:
    one, same, other = (Plan("speeddive", seed=seed).chance_of(0, 0).random() for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (Plan("speeddive", seats=5), "--seats"),
        (Plan("speeddive", seats=1), "--seats"),
        (Plan("speeddive", seats=2, people=3), "--people"),
        (Plan("speedclimb", seats=6, people=5), "--people"),
        (Plan("speeddive", seats=2, strengths=("normal",) * 3), "--strength"),
        (Plan("speeddive", options={"target": 150}), "--options"),
        (Plan("speeddive", options={"color": "red"}), "--options"),
        (Plan("speeddive", options={"brutal": True}), "--options"),
        (Plan("snorkeling", options={"variant": "experten"}), "--options"),
        (Plan("snorkeling", options={"bilanz": 1}), "--options"),
        (Plan("snorkeling", seats=7), "--seats"),
        (Plan("speeddive", tables=5_001, people=2, stake=100), "--tables: at most 5,000"),
    ],
)
def test_a_plan_that_cannot_be_played_is_told_before_anything_is_opened(
    plan: Plan, names: str
) -> None:
    assert (fault(plan) or "").startswith(names)


def test_every_game_can_be_simulated() -> None:
    for game in GAMES.values():
        assert fault(Plan(game.name, seats=game.seats_max)) is None


def test_every_option_of_every_game_can_be_given_as_text() -> None:
    for game in GAMES.values():
        for variant in variants(game):
            for name, values in choices(game).items():
                assert values, "an option without listed values needs a text of its own"
                for value in values:
                    options = options_of(f"{name}={written(value)}")
                    assert options == {name: value}
                    if name not in variant:
                        assert wrong_options(game, {**variant, **options}) is None
            text = ",".join(f"{name}={written(value)}" for name, value in variant.items())
            plan = Plan(game.name, seats=game.seats_min, options=options_of(text))
            assert fault(plan) is None


def test_a_wrong_option_is_answered_with_those_that_there_are() -> None:
    for game in GAMES.values():
        told = fault(Plan(game.name, options={"colour": "red"})) or ""
        assert (
            told == f"--options: {game.name} has no option 'colour'; there are: {described(game)}"
        )
        assert "\n" not in told
        for name, values in choices(game).items():
            told = fault(Plan(game.name, options={name: "NONE"})) or ""
            assert told == (
                f"--options: {name}=NONE is wrong; {game.name} knows {name}="
                + "|".join(written(value) for value in values)
            )


def test_options_and_strengths_are_read() -> None:
    assert options_of("target=100,bilanz=false,edition=KLASSISCH") == {
        "target": 100,
        "bilanz": False,
        "edition": "KLASSISCH",
    }
    assert options_of("") == {}
    assert strengths_of("leicht,stark") == ("leicht", "stark")
    for text in ("target", "=1", "a="):
        with pytest.raises(ValueError, match="name=value"):
            options_of(text)
    with pytest.raises(ValueError, match="'a' is given twice"):
        options_of("a=1,a=2")
    with pytest.raises(ValueError, match="leicht, normal, stark"):
        strengths_of("stark,schwach")


WORDS = ("simulate", "--game", "speeddive")


@pytest.mark.parametrize(
    "words",
    [
        ("--tables", "0"),
        ("--tables", "100001"),
        ("--tables", "9" * 5_000),
        ("--tables", "²"),
        ("--tables", "many"),
        ("--seats", "9"),
        ("--people", "4"),
        ("--stake", "5"),
        ("--options", "target=1"),
        ("--options", "target"),
        ("--strength", "schwach"),
        ("--min-game-s", "-1"),
        ("--game", "skat"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("LOGBUCH_DATABASE_URL", "postgresql://nowhere.invalid/x")
    monkeypatch.setenv("LOGBUCH_NATS_URL", "nats://nowhere.invalid:1")
    with pytest.raises(SystemExit) as ended:
        main([*WORDS, *words, "--data", str(tmp_path)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert words[0] in said


def acks_of(played: Played) -> list[Ack]:
    return [
        Ack(
            "move",
            played.table.table_id,
            append.expected + 1,
            append.expected + len(append.rows),
            chain_hash(*append.rows[-1]).hex(),
        )
        for append in played.appends
    ]


async def test_an_acknowledgement_that_is_not_in_the_log_is_missed(
    log_url: str, store: Store, link: Connection
) -> None:
    played, unknown = finished(1), finished(2)
    await store([played])
    acks = acks_of(played)
    assert await missing_acks(log_url, acks) == []
    assert await missing_acks(log_url, acks_of(unknown)[:2]) == acks_of(unknown)[:2]
    await link.execute("DELETE FROM stored_events WHERE originator_version = $1", acks[-1].last)
    await link.execute(
        "UPDATE stored_events SET topic = 'x' WHERE originator_version = $1", acks[0].last
    )
    assert await missing_acks(log_url, acks) == [acks[0], acks[-1]]


async def test_taler_that_are_not_where_they_belong_are_told(
    log_url: str, link: Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pot that nobody has paid out, a table without one, a changed booking."""
    full, none = (f"0{nr}-" + "a" * 24 for nr in (1, 2))
    async with Database(log_url) as database:
        assert (await Bank(database, Taler(100, 40)).hold(HoldRequest(full, 1, 25, ("p_a",)))).held
    told = [
        f"the pot of table {full} still holds 25 Taler, but its game is over",
        f"the stakes of table {none} were never held",
    ]
    assert await check_taler(log_url, [full, none], 0) == TalerCheck(3, told)
    assert await check_taler(log_url, []) == TalerCheck(3, [])
    await link.execute(
        "UPDATE stored_events SET state = convert_to(replace(convert_from(state, 'UTF8'),"
        " '\"balance\":75', '\"balance\":95'), 'UTF8') WHERE originator_id = 'account-p_a'"
    )
    (changed,) = (await check_taler(log_url, [])).findings
    assert changed.startswith("account-p_a, fact 2: ")

    report = Report(1, 1, 0, 0, 0, 1.0, 0.0, 0.0, 0.0, 0, 0, {}, 1, 0, [], [])
    for taler, line, ok in (
        (TalerCheck(3, []), "conserved: 3 accounts add up to 0, every pot was paid out", True),
        (TalerCheck(3, told), f"NOT conserved: {told[0]}, and 1 more", False),
        (None, "not checked", True),
    ):
        staked = replace(report, stake=25, taler=taler)
        _print(staked)
        assert capsys.readouterr().out.endswith(f"\nTaler     {line}\n")
        assert staked.ok is ok
        assert _plain(staked)["taler"] == (None if taler is None else taler._asdict())


def test_tables_that_were_left_are_counted() -> None:
    acks = [Ack("move", table, 1, 1, "") for table in "abcdabc"]
    outcomes = [Outcome("a"), Outcome("b", error="stalled"), Outcome(error="never opened")]
    assert unfinished(acks, outcomes) == 3


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_terminals_only() -> None:
    for stream, shown in ((_Terminal(), True), (io.StringIO(), False)):
        with Progress("games", 10, stream) as progress:
            progress.show(10, "no errors")
        assert ("games ████████████████████████ 10/10" in stream.getvalue()) is shown
        assert stream.getvalue().endswith("\x1b[K") is shown
