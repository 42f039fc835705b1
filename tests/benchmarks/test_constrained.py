"""Standing robots are the same in Pinocchio, and every method agrees with its constrained dynamics."""

import numpy as np
import pytest
from benchmarks.constrained import (
    BATCHES,
    CORNERS,
    FEET,
    KINDS,
    METHODS,
    SETTINGS,
    judge_constrained,
    measure_stance,
    standing,
)
from benchmarks.result import PARITY
from benchmarks.timing import Effort

import tarsus as ts

SHORT = Effort(rounds=1, block=0.0, budget=0.0, fewest=1)
STANDS = 1e-10
"""Violation of the constraints of a foot [m, rad]: what projection leaves, with room for a factor of a hundred."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FEET)
def test_feet_stand_and_every_method_agrees_with_the_peer(name, kind):
    stance = standing(name, 2, kind, 8, seed=1)
    s = stance.states
    rows = ts.constraint_rows(stance.model, s.q, s.v, stance.constraints)
    assert rows.size == (12 if kind == "weld" else 6 * len(CORNERS))
    assert np.abs(rows.violation).max() < STANDS
    assert np.abs(rows.velocity).max() < STANDS
    rows = measure_stance(stance, 1, SHORT)
    assert [(row.quantity, row.call) for row in rows] == [(m, c) for m in METHODS for c in SETTINGS[kind]]
    assert max(row.disagreement for row in rows) <= PARITY
    assert all(row.ratio > 0.0 for row in rows)


def test_one_foot_and_batches_are_judged_against_the_fastest_call():
    stance = standing("hrp2", 1, "weld", 4)
    rows = [row for count in BATCHES[:1] for row in measure_stance(stance, count, SHORT)]
    alone, batch = judge_constrained(rows)
    assert alone.measured == min(row.ratio for row in rows if row.quantity == "sparse")
    assert batch.measured is None
