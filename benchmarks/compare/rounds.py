"""Turns: one block of every system, again and again, so that a change of the machine meets all alike."""

import dataclasses

from compare import summary
from compare.worker import Failure


@dataclasses.dataclass(frozen=True)
class Settings:
    """How much is measured."""

    #: rounds that count, and how many more may be taken in place of disturbed ones
    rounds: int = 5
    repeats: int = 5
    #: of calls, for one system in one block, and the least number of calls
    seconds: float = 0.4
    least: int = 3


def take_turns(seats, settings, roof):
    """Rounds of blocks of the seats, by label, and the roof of each round in GFLOP/s.

    Gives (rounds that count, roofs, labels with what failed)."""
    taken, roofs, failures = [], {}, {}
    while len(taken) < settings.rounds + settings.repeats:
        measured = roof()
        blocks = {}
        for label, seat in seats.items():
            if label in failures:
                continue
            try:
                blocks[label] = seat.block(settings.seconds, settings.least)
            except Failure as failure:
                failures[label] = str(failure)
        if not blocks:
            break
        taken.append(blocks)
        roofs[id(blocks)] = measured
        if sum(summary.round_disturbance(blocks) <= 1 for blocks in taken) >= settings.rounds:
            break
    kept = summary.quietest(taken, settings.rounds)
    return kept, [roofs[id(blocks)] for blocks in kept], failures
