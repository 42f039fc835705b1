"""All methods of forward and inverse dynamics: the same results by different algorithms."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from dynamics.formulations import AGREEMENT, FORWARD, INVERSE, ROBOTS, robot
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.errors import UnknownNameError

ROWS = 6


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize("pushed", [False, True])
def test_methods_of_forward_dynamics_agree(name: str, passive: bool, pushed: bool) -> None:
    model = robot(name)
    q, v, _, tau, external = random_state(model, 50, (ROWS,))
    wrenches = external if pushed else None
    expected = ts.forward_dynamics(model, q, v, tau, wrenches, passive=passive)
    for method in FORWARD:
        found = ts.forward_dynamics(model, q, v, tau, wrenches, method, passive=passive)
        for row in range(ROWS):
            assert_close(found[row], expected[row], AGREEMENT)
            one = ts.forward_dynamics(
                model, q[row], v[row], tau[row], external[row] if pushed else None, method, passive=passive
            )
            assert_close(one, expected[row], AGREEMENT)


@pytest.mark.parametrize("name", ROBOTS)
def test_methods_of_inverse_dynamics_agree(name: str) -> None:
    model = robot(name)
    q, v, vdot, _, external = random_state(model, 51, (ROWS,))
    expected = ts.inverse_dynamics(model, q, v, vdot, external, passive=True)
    for method in INVERSE:
        found = ts.inverse_dynamics(model, q, v, vdot, external, method, passive=True)
        for row in range(ROWS):
            assert_close(found[row], expected[row], AGREEMENT)
            one = ts.inverse_dynamics(model, q[row], v[row], vdot[row], external[row], method, passive=True)
            assert_close(one, expected[row], AGREEMENT)


@pytest.mark.parametrize("name", ["hrp2", "dill", "shah7"])
def test_no_method_is_another_one_under_a_second_name(name: str) -> None:
    model = robot(name)
    q, v, vdot, tau, _ = random_state(model, 52, (40,))
    forward = {method: ts.forward_dynamics(model, q, v, tau, method=method) for method in FORWARD}
    inverse = {method: ts.inverse_dynamics(model, q, v, vdot, method=method) for method in INVERSE}
    for results in (forward, inverse):
        for one, other in combinations(results, 2):
            assert not np.array_equal(results[one], results[other]), (one, other)


@PROPERTY
@given(models(passive=True), seeds(), st.sampled_from(("newton-euler", "denoc")), st.booleans())
def test_forward_after_inverse_dynamics_by_the_same_formulation(
    model: ts.Model, seed: int, method: Any, passive: bool
) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    tau = ts.inverse_dynamics(model, q, v, vdot, external, method, passive=passive)
    assert_close(ts.forward_dynamics(model, q, v, tau, external, method, passive=passive), vdot, SOLVED)


@pytest.mark.parametrize("base", ["fixed", "planar", "free"])
def test_single_body_falls(base: Any) -> None:
    builder = ts.ModelBuilder("stone", base=base).add_link("stone", ts.Inertia.of_box(2.0, (0.1, 0.2, 0.3)))
    model = builder.build()
    zero = np.zeros(model.nv)
    expected = {"fixed": [], "planar": [0, -9.81, 0], "free": [0, 0, -9.81, 0, 0, 0]}[base]
    for method in FORWARD:
        np.testing.assert_allclose(
            ts.forward_dynamics(model, model.neutral(), zero, zero, method=method), expected, atol=1e-14
        )


def test_far_away_from_the_origin_nothing_is_lost() -> None:
    model = robot("hrp2")
    q, v, _, tau, external = random_state(model, 53)
    away = q.copy()
    away[:3] += (1e6, -1e6, 1e3)
    for method in FORWARD:
        here = ts.forward_dynamics(model, q, v, tau, external, method)
        assert_close(ts.forward_dynamics(model, away, v, tau, external, method), here, AGREEMENT)


@pytest.mark.parametrize(
    ("wrong", "close"), [("newton-eule", "newton-euler"), ("composite-body-spars", "composite-body-sparse")]
)
def test_misspelt_method_is_answered_by_the_nearest_name(wrong: Any, close: str) -> None:
    model = robot("shah7")
    zero = np.zeros(model.nv)
    with pytest.raises(UnknownNameError, match=f"'{wrong}' of forward_dynamics.*'{close}'"):
        ts.forward_dynamics(model, model.neutral(), zero, zero, method=wrong)


def test_method_of_forward_dynamics_is_none_of_inverse_dynamics() -> None:
    model = robot("shah7")
    zero = np.zeros(model.nv)
    wrong: Any = "articulated-body"
    with pytest.raises(UnknownNameError, match="'recursive', 'newton-euler', 'denoc'"):
        ts.inverse_dynamics(model, model.neutral(), zero, zero, method=wrong)
