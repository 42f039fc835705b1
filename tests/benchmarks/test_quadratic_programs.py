"""Sequences of quadratic programs: everybody solves the same ones."""

import numpy as np
from benchmarks.quadratic_programs import FEW, MANY, contestants, judge_programs, measure_sequence, sequence

from tarsus.optimization import QP

SAME = 1e-9


def test_everybody_finds_the_same_optima():
    for whole in (True, False):
        programs = sequence(FEW, whole, count=12)
        calls = contestants(programs, whole)
        for program in programs:
            expected = QP(*program).solve("native").require()
            for name, call in calls.items():
                np.testing.assert_allclose(call(program), expected, atol=SAME, err_msg=name)


def test_rows_are_as_active_as_is_said():
    for width, low, high in ((FEW, 4, 14), (MANY, 14, 25)):
        active = [np.count_nonzero(QP(*p).solve("native").active) for p in sequence(width)]
        assert low < np.mean(active) < high


def test_targets_are_about_the_sequence_they_name():
    row = measure_sequence("all new, few rows active", FEW, True, rounds=1)
    assert row.disagreement < SAME
    targets = judge_programs([row])
    assert [target.measured for target in targets] == [row.ratio, row.overhead]
    assert [target.measured for target in judge_programs([])] == [None, None]
