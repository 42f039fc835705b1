"""Ten thousand random programs: the optimum, or the verdict that there is none, is right."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optimization.random_programs import KINDS, defects, random_case

from tarsus.optimization import QP

SEED = 1
SHARES = 20
COUNT = 10_000
OTHERS = 1_000
SAME_OBJECTIVE = 1e-7
"""Relative difference of the objectives of two solvers, both at residuals of 1e-8."""


@pytest.mark.parametrize("share", range(SHARES))
def test_native_solver_finds_the_optimum_or_the_right_verdict(share):
    wrong, statuses = [], set()
    for number in range(share * COUNT // SHARES, (share + 1) * COUNT // SHARES):
        case = random_case(SEED, number)
        solution = QP(**case.given).solve("native")
        statuses.add(solution.status)
        wrong += [(number, case.kind, text) for text in defects(case, solution)]
    assert wrong == []
    assert statuses == {"optimal", "infeasible", "unbounded"}


@pytest.mark.parametrize("backend", ["daqp", "proxqp"])
def test_other_backends_end_with_the_optimum_or_the_right_verdict(backend):
    wrong, own = [], 0
    for number in range(OTHERS):
        case = random_case(SEED, number)
        solution = QP(**case.given).solve(backend)
        own += solution.backend == backend
        wrong += [(number, case.kind, text) for text in defects(case, solution)]
    assert wrong == []
    assert own > OTHERS // 2  # what is optimal mostly comes from the backend itself


def test_optima_are_those_of_proxqp():
    compared = 0
    for number in range(OTHERS):
        case = random_case(SEED + 1, number)
        qp = QP(**case.given)
        other = qp.solve("proxqp")
        if other.backend != "proxqp" or case.kind == "soft":  # the objective of soft programs is not told as one number
            continue
        ours = qp.solve("native")
        assert ours.status == "optimal"
        scale = max(1.0, abs(other.objective), float(np.abs(case.given["g"] * other.x).sum()))
        assert abs(ours.objective - other.objective) <= SAME_OBJECTIVE * scale, (number, case.kind)
        compared += 1
    assert compared > OTHERS // 3


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_warm_starts_from_any_rows_do_not_change_the_verdict(kind):
    """Even where everything about the start is wrong."""
    rng = np.random.default_rng(kind)
    for number in range(kind, 60 * len(KINDS), len(KINDS)):
        case = random_case(SEED + 2, number)
        qp = QP(**case.given)
        cold = qp.solve("native")
        rows = len(cold._carried())
        qp._core.expect(rng.integers(-1, 2, rows).astype(np.int8))
        warm = qp.solve("native", warm=True)
        assert warm.status == cold.status
        assert defects(case, warm) == []


def verdicts(lines):
    return [json.loads(line)["value"]["verdicts"] for line in lines[1:]]


def test_a_study_that_was_ended_goes_on_where_it_was(tmp_path):
    results = tmp_path / "results" / "programs.jsonl"
    driver = Path(__file__).with_name("study_programs.py")
    command = [sys.executable, str(driver), "--count", "1200", "--results", str(results)]
    first = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = results.read_text().splitlines()
    assert len(lines) == 1 + 2
    results.write_text("\n".join(lines[:2]) + "\n")  # as if it had been ended after the first share
    second = subprocess.run(command, capture_output=True, text=True, check=True)
    again = results.read_text().splitlines()
    assert again[:2] == lines[:2]
    assert verdicts(again) == verdicts(lines)
    assert first.stdout.splitlines()[:-1] == second.stdout.splitlines()[:-1]
    assert first.stdout.rstrip().endswith("0 failures")
