"""While the game runs: moves of people and computers, and the end."""

from __future__ import annotations

import pytest

from domain.kernel import Over, Pause
from domain.refusals import Code
from domain.speeddive.moves import ChooseTarget, Chosen, Dive, Surface
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import GRACE_MS
from tests.domain.table.playing import SEED, START, Spec, played

TWO = e.TableRules(places=2, computers=False)


def other_than(spec: Spec, seat: int) -> str:
    return spec.player(1 - seat)


class TestPlay:
    def test_an_answer_is_a_choice_and_what_follows(self) -> None:
        spec = Spec.started(rules=TWO)
        seat, number = spec.ask().seat, spec.table.raised

        facts = spec.plays(Surface())

        assert facts[0] == Chosen(seat, number, Surface())
        assert spec.table.raised > number
        assert spec.ask().seat == 1 - seat

    def test_a_stranger_is_refused(self) -> None:
        spec = Spec.started(rules=TWO)
        for player in ("p_x", "computer_1", "bot", ""):
            spec.refuses(player, c.Play(spec.table.raised, Dive()), Code.NOT_SEATED)

    def test_a_computers_name_opens_no_seat(self) -> None:
        spec = Spec.started("p_a")

        spec.refuses("computer_1", c.Play(spec.table.raised, Dive()), Code.NOT_SEATED)

    def test_another_seat_is_refused(self) -> None:
        spec = Spec.started(rules=TWO)
        wrong = other_than(spec, spec.ask().seat)

        spec.refuses(wrong, c.Play(spec.table.raised, Dive()), Code.NOT_YOUR_TURN)

    @pytest.mark.parametrize("off", [-1, 1, -1000, 2**31])
    def test_another_number_is_stale(self, off: int) -> None:
        spec = Spec.started(rules=TWO)
        player = spec.player(spec.ask().seat)

        spec.refuses(player, c.Play(spec.table.raised + off, Dive()), Code.STALE_PROMPT)

    @pytest.mark.parametrize("move", [ChooseTarget(0), ChooseTarget(2**70), None, "Dive", 0])
    def test_what_was_not_offered_is_refused(self, move: object) -> None:
        spec = Spec.started(rules=TWO)
        player = spec.player(spec.ask().seat)

        spec.refuses(player, c.Play(spec.table.raised, move), Code.NOT_OFFERED)

    def test_two_quick_clicks_are_one_move(self) -> None:
        """R012: two different commands that answer the same question."""
        spec = Spec.started(rules=TWO)
        seat, number = spec.ask().seat, spec.table.raised
        spec.plays(Surface())
        clicks = c.Play(number, Surface())

        spec.refuses(spec.player(seat), clicks, Code.NOT_YOUR_TURN)
        spec.plays(Surface())
        spec.refuses(spec.player(seat), clicks, Code.NOT_YOUR_TURN)

    def test_an_old_answer_never_fits_a_later_question(self) -> None:
        spec = Spec.started(rules=TWO, options={"bilanz": False})
        seen: list[tuple[int, int, object]] = []
        for _ in range(40):
            ask = spec.ask()
            for seat, number, move in seen:
                if seat == ask.seat:
                    spec.refuses(spec.player(seat), c.Play(number, move), Code.STALE_PROMPT)
            seen += [(ask.seat, spec.table.raised, move) for move in ask.options.moves]
            spec.plays()

    def test_after_the_deadline_a_person_may_still_answer(self) -> None:
        spec = Spec.started(rules=TWO)
        spec.now += 10**9

        assert spec.plays()[0].decided_by == "human"

    def test_time_never_runs_backwards(self) -> None:
        spec = Spec.started(rules=TWO)
        spec.now = START - 5_000
        spec.plays()

        assert spec.table.at == START
        assert spec.table.raised_at == START


class TestDecide:
    def test_for_a_computers_seat_at_once(self) -> None:
        spec = Spec.started("p_a", rules=e.TableRules(places=2))
        if spec.ask().seat == 0:
            spec.plays(Surface())
        assert spec.ask().seat == 1
        number, move = spec.table.raised, spec.ask().default

        facts = spec.does("bot", c.Decide(1, number, move, "normal", 2, "5eed"))

        assert facts[0] == Chosen(1, number, move, "computer", "", "normal", 2, "5eed")

    def test_for_a_person_only_after_thinking_and_grace(self) -> None:
        spec = Spec.started(rules=TWO)
        seat, number = spec.ask().seat, spec.table.raised
        command = c.Decide(seat, number, Surface(), "normal", 1)
        for moment in (0, 120_000, 120_000 + GRACE_MS - 1):
            spec.now = START + moment
            spec.refuses("bot", command, Code.NOT_YOUR_TURN)
        spec.now = START + 120_000 + GRACE_MS

        assert spec.does("bot", command)[0].decided_by == "timeout"
        assert not spec.table.seats[seat].left, "the seat stays human (TABLE-R01.2)"
        assert spec.player(seat) in {"p_a", "p_b"}

    def test_of_a_person_and_the_computer_the_first_decides(self) -> None:
        """R027: two race on one deadline, one of them is stale."""
        for person_first in (True, False):
            spec = Spec.started(rules=TWO)
            seat, number = spec.ask().seat, spec.table.raised
            spec.now += 130_000
            by_hand: tuple[str, c.Command] = (spec.player(seat), c.Play(number, Surface()))
            by_house: tuple[str, c.Command] = (
                "bot",
                c.Decide(seat, number, Surface(), "normal", 1),
            )
            first, second = (by_hand, by_house) if person_first else (by_house, by_hand)
            spec.does(*first)

            player, command = second
            spec.refuses(player, command, Code.NOT_YOUR_TURN)

    def test_without_clock_never_for_a_person(self) -> None:
        spec = Spec.started(rules=e.TableRules(places=2, computers=False, thinking_s=0))
        spec.now += 10**12

        command = c.Decide(spec.ask().seat, spec.table.raised, Dive(), "normal", 1)
        spec.refuses("bot", command, Code.NOT_YOUR_TURN)

    def test_another_seat_number_or_move_is_refused(self) -> None:
        spec = Spec.started(rules=TWO)
        spec.now += 130_000
        seat, number = spec.ask().seat, spec.table.raised
        for wrong, code in (
            (c.Decide(1 - seat, number, Dive(), "s", 1), Code.NOT_YOUR_TURN),
            (c.Decide(15, number, Dive(), "s", 1), Code.NOT_YOUR_TURN),
            (c.Decide(seat, number - 1, Dive(), "s", 1), Code.STALE_PROMPT),
            (c.Decide(seat, number, ChooseTarget(1), "s", 1), Code.NOT_OFFERED),
        ):
            spec.refuses("bot", wrong, code)


class TestShuffles:
    def test_every_shuffle_has_the_next_number_over_all_batches(self) -> None:
        numbers: list[int] = []
        spec = Spec("p_a", rules=TWO, options={"bilanz": False, "target": 300})
        shuffle = spec.house.shuffle

        def counted(
            seed: str, table: str, seeds: tuple[str, ...], number: int, cards: tuple[str, ...]
        ) -> tuple[str, ...]:
            numbers.append(number)
            return shuffle(seed, table, seeds, number, cards)

        spec.house = type(spec.house)(counted, SEED, spec.house.commitment)
        spec.does("p_b", c.Join())
        spec.does("p_a", c.Start())
        while spec.table.phase == "playing":
            spec.plays()

        shuffled = [fact for fact in spec.facts if type(fact).__name__ == "Shuffled"]
        assert numbers[:2] == [1, 2]
        assert len(numbers) > 2
        assert numbers == list(range(1, len(shuffled) + 1))
        assert spec.table.shuffles == len(shuffled)

    def test_deciding_again_shuffles_the_same(self) -> None:
        """After a conflict or a crash the same command meets the same cards."""
        spec = Spec("p_a", "p_b", rules=TWO)
        first = spec.does("p_a", c.Start())
        again = Spec("p_a", "p_b", rules=TWO)

        assert again.does("p_a", c.Start()) == first


@pytest.fixture(scope="module")
def finished() -> Spec:
    return list(played(seed=5))[-1]


class TestEnd:
    def test_the_last_facts_name_everything_for_the_ledger(self, finished: Spec) -> None:
        result, seed = finished.facts[-2:]
        over = finished.game.waiting(finished.table.play)

        assert isinstance(over, Over)
        assert result == e.GameFinished(
            over.ranks,
            over.scores,
            over.leaderboard_base,
            finished.table.seats,
            "speeddive",
            finished.table.started_at,
            90,
        )
        assert seed == e.SeedRevealed(SEED)
        assert (finished.table.phase, finished.waiting) == ("finished", None)

    def test_a_finished_table_refuses_everything(self, finished: Spec) -> None:
        number = finished.table.raised
        for command in (
            c.Join(),
            c.Start(),
            c.Leave(),
            c.Play(number, Dive()),
            c.GoOn(number),
            c.Decide(0, number, Dive(), "s", 1),
        ):
            finished.refuses("p_a", command, Code.FINISHED)

    @pytest.mark.parametrize("command", [c.Credit(0, 2**45), c.Tick(), c.Suspend("fault")])
    def test_the_house_leaves_a_finished_table_alone(
        self, finished: Spec, command: c.Command
    ) -> None:
        finished.now += 10**9

        assert finished.does("house", command) == ()


class TestSuspend:
    @pytest.mark.parametrize("spec", [Spec("p_a", "p_b"), Spec.started()])
    def test_a_suspended_table_waits_for_an_operator(self, spec: Spec) -> None:
        assert spec.does("house", c.Suspend("fault")) == (e.TableSuspended("fault"),)
        assert (spec.table.phase, spec.waiting) == ("suspended", None)
        for command in (c.Join(), c.Start(), c.Leave(), c.Play(1, Dive()), c.GoOn(1)):
            spec.refuses("p_a", command, Code.SUSPENDED)
        for quiet in (c.Suspend("again"), c.Tick(), c.Credit(0, 2**45)):
            assert spec.does("house", quiet) == ()

    def test_in_a_pause(self) -> None:
        spec = Spec.started()
        spec.until_pause()
        assert isinstance(spec.waiting, Pause)
        spec.does("house", c.Suspend("fault"))

        assert spec.waiting is None
