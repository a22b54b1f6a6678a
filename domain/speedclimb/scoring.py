"""How a round and the game end: steps, penalties, completed camps (RULES.md 3.9, 3.10)."""

from __future__ import annotations

from domain.kernel import Cards, Over, ranked
from domain.speedclimb.cards import (
    CARRY_FROM,
    CARRY_MAX,
    PENALTY,
    ROUNDS_MAX,
    SHERPA,
)
from domain.speedclimb.events import RoundEnded
from domain.speedclimb.fitting import fit
from domain.speedclimb.state import Board, Climber, State


def camp_number(board: Board, climber: Climber, stage: int) -> int:
    """Give the number of the camp that a seat plays for, 0 beyond the last (`stage`: M only)."""
    number = stage if board.mountain.free else climber.position
    return number if number <= len(board.mountain.camps) else 0


def completed(board: Board, climber: Climber) -> int:
    """Give how many camps or stages are done (CLIMB-R24); a camp jumped over counts."""
    return len(climber.done) if board.mountain.free else climber.position - 1


def penalty(hand: Cards) -> int:
    """Give what a hand costs at the end of a round of an expedition (CLIMB-R16)."""
    return sum([PENALTY[card] for card in hand])


def round_ended(state: State) -> RoundEnded:
    """Give how the round ends that `board.ended_by` has ended, or nobody (CLIMB-R17)."""
    board = state.board
    mountain = board.mountain
    finisher = board.ended_by
    last = len(mountain.camps)
    steps = []
    for seat, climber in enumerate(board.climbers):
        step = int(climber.laid)  # CLIMB-R14, R15, R17 and CLIMB-A10
        # Gipfelsprung (CLIMB-R14), cut at the summit; who lays camp 8 goes up one (CLIMB-R20).
        if seat == finisher and not mountain.expedition:
            step = min(2, last + 1 - climber.position)
        steps.append(step)
    penalties = tuple([penalty(own.hand) for own in state.owns]) if mountain.expedition else ()
    done = max([completed(board, c) + s for c, s in zip(board.climbers, steps, strict=True)])
    # CLIMB-R20, R21: the summit or all stages; CLIMB-R22: round 40 at the latest.
    return RoundEnded(finisher, tuple(steps), penalties, done >= last or board.round >= ROUNDS_MAX)


def over(board: Board) -> Over:
    """Give the end of the game (CLIMB-R23, R24); scores are completed camps."""
    done = tuple([completed(board, climber) for climber in board.climbers])
    behind = [
        climber.penalty if board.mountain.expedition else climber.hand_count
        for climber in board.climbers
    ]
    strengths = tuple([(camps, -cost) for camps, cost in zip(done, behind, strict=True)])
    return Over(ranked(strengths), done, tuple([base(board, camps) for camps in done]))


def base(board: Board, camps: int) -> int:
    """Give 100 for the whole mountain in proportion, rounded half up (CLIMB-A11)."""
    last = len(board.mountain.camps)
    return (200 * camps + last) // (2 * last)


def may_carry(board: Board, climber: Climber) -> bool:
    """Tell whether the seat may carry cards from the round that has ended (CLIMB-R19)."""
    return board.mountain.carries and climber.position >= CARRY_FROM and not climber.laid


def carried(board: Board, climber: Climber, hand: Cards) -> Cards:
    """Propose what to carry: Sherpas, then what fits the camp best."""
    if not may_carry(board, climber):
        return ()
    number = camp_number(board, climber, 0)
    found = fit(hand, board.mountain.camps[number - 1], board.mountain.top)
    fitting = sorted(found.targets, key=lambda target: len(target.cards), reverse=True)
    useful = [SHERPA] * found.sherpas + [card for target in fitting for card in target.cards]
    return tuple(useful[:CARRY_MAX])


def proposed_stage(board: Board, climber: Climber, hand: Cards) -> int:
    """Propose the open stage with the fewest missing cards, of equals the later one (CLIMB-R04)."""
    mountain = board.mountain
    best, stage = 100, 0
    for number, camp in enumerate(mountain.camps, 1):
        if number not in climber.done:
            missing = fit(hand, camp, mountain.top).missing
            if missing <= best:
                best, stage = missing, number
    return stage
