"""Forward dynamics of mechanisms with loops and gears, in minimal coordinates, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.fourbars import COUNT, fourbar_rivals, fourbar_states, fourbars
from benchmarks.geared import geared_rivals, geared_talos
from benchmarks.quantity import random_states
from benchmarks.result import Row
from benchmarks.rival import measure_rivals
from benchmarks.timing import Effort

FOURBARS = f"{COUNT} four-bars"
GEARED = "geared talos"
BATCHES = (1, 1024)


def measure_loops(effort: Effort) -> Iterator[list[Row]]:
    """Yield the rows of one mechanism and batch size, one for each way that Pinocchio offers."""
    chain, robot = fourbars(), geared_talos()
    cases = (
        (FOURBARS, chain, fourbar_rivals(chain), fourbar_states(chain, max(BATCHES))),
        (GEARED, robot, geared_rivals(robot), random_states(robot, max(BATCHES))),
    )
    for name, model, rivals, states in cases:
        for count in BATCHES:
            yield measure_rivals(name, model, rivals, states, count, effort)
