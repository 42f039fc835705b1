"""Composite bodies with the reversed sparse Cholesky factorisation, Featherstone 2005."""

import numpy as np
import pytest
from dynamics.formulations import AGREEMENT, branch_pattern, predecessors, robot
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from sample_models import chain, star

import tarsus as ts
from tarsus.arrays import FloatArray

FACTOR = 1e-12
"""L^T L against M, as a share of its largest entry: sums of at most some thirty products."""


def reversed_cholesky(M: FloatArray, before: list[int]) -> FloatArray:
    """L with M = L^T L that looks at nothing but entries along branches; Featherstone 2005, table 5."""
    L = np.tril(M)
    for k in reversed(range(len(M))):
        L[k, k] = np.sqrt(L[k, k])
        path = []
        i = before[k]
        while i >= 0:
            path.append(i)
            i = before[i]
        L[k, path] /= L[k, k]
        for n, i in enumerate(path):
            L[i, path[n:]] -= L[k, i] * L[k, path[n:]]
    return L


@PROPERTY
@given(models(), seeds())
def test_factor_keeps_the_zeros_of_the_mass_matrix(model: ts.Model, seed: int) -> None:
    q, v, _, tau, external = random_state(model, seed)
    M, before = ts.mass_matrix(model, q), predecessors(model)
    L = reversed_cholesky(M, before)
    assert_close(L.T @ L, M, FACTOR)
    pattern = branch_pattern(model)
    assert not M[pattern + pattern.T == 0.0].any()
    assert not L[pattern == 0.0].any()
    forces = tau - ts.inverse_dynamics(model, q, v, np.zeros(model.nv), external)
    vdot = np.linalg.solve(L, np.linalg.solve(L.T, forces))
    assert_close(ts.forward_dynamics(model, q, v, tau, external, "composite-body-sparse"), vdot, SOLVED)


@pytest.mark.parametrize("level", [1, 3, 6])
def test_entries_of_dill_are_as_many_as_the_binomial_sum_says(level: int) -> None:
    """Buschmann 2014 (3.32): n_b + L n_b / 2 on and below the diagonal, the fixed root not counted."""
    model = ts.robots.dill(level)
    M = ts.mass_matrix(model, model.random(np.random.default_rng(level)))
    count = model.nb - 1
    assert np.count_nonzero(np.tril(M)) == count + level * count // 2


def test_largest_dill_of_the_figures_is_solved() -> None:
    model = ts.robots.dill(8)
    q, v, vdot, *_ = random_state(model, 70, (3,))
    tau = ts.inverse_dynamics(model, q, v, vdot)
    for method in ("composite-body-sparse", "newton-euler-sparse", "denoc"):
        assert_close(ts.forward_dynamics(model, q, v, tau, method=method), vdot, AGREEMENT)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 17])
@pytest.mark.parametrize("shape", [chain, star])
@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
def test_rows_of_every_length_are_solved(shape, count: int, base: str) -> None:  # type: ignore[no-untyped-def]
    """Rows are read in whole packs: lengths around two, four, eight and sixteen entries."""
    model = shape(count, base=base).build()
    q, v, vdot, _, external = random_state(model, count, (5,))
    tau = ts.inverse_dynamics(model, q, v, vdot, external)
    for method in ("composite-body-sparse", "newton-euler-sparse", "newton-euler"):
        assert_close(ts.forward_dynamics(model, q, v, tau, external, method), vdot, SOLVED)
        one = ts.forward_dynamics(model, q[0], v[0], tau[0], external[0], method)
        assert_close(one, vdot[0], SOLVED)


def test_models_take_turns_in_one_process() -> None:
    """Memory of one evaluation is laid out anew for each model and method."""
    names = ("coil", "shah7", "dill", "zoo-free", "hrp2")
    states = {name: random_state(robot(name), 71, (3,)) for name in names}
    methods = ("composite-body-sparse", "newton-euler", "newton-euler-sparse", "denoc")

    def everything() -> list[FloatArray]:
        return [
            ts.forward_dynamics(robot(name), *states[name][:2], states[name].tau, method=method)
            for method in methods
            for name in names
        ]

    for first, second in zip(everything(), everything(), strict=True):
        np.testing.assert_array_equal(first, second)
