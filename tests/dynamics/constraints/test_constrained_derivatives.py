"""Derivatives of accelerations and multipliers under constraints: differences and identities."""

import warnings

import numpy as np
import pytest
from dynamics.constraints.test_constrained_dynamics import SETS, problem, tree
from dynamics.constraints.test_constraints import CONSTRAINTS, TIME
from dynamics.finite_differences import derivative
from dynamics.loop_models import FourBar
from dynamics.states import SOLVED, assert_close
from loop_models import MECHANISMS, configurations, mechanism

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import Constraint, Rod, ball, weld
from tarsus.errors import ArgumentError, InconsistentConstraintsError, RedundantConstraintWarning, UnknownNameError
from tarsus.spatial import pose

DIFFERENCES = 1e-8
"""Agreement with extrapolated differences, as a share of the largest entry: rounding of accelerations, which random
rows of unlike size make of condition 1e3 to 1e6, divided by the step."""
STEP = 2e-3
FOOT_TURNS = 1e-6
"""Rank tolerance under which points of a foot that turns, as differences make it, do not contradict each other: their
centripetal accelerations are of second order."""


def extrapolated(f):
    """Derivative of f at zero: differences of fourth order with two steps, their leading errors taken away."""
    return (16.0 * derivative(f, 0.5 * STEP) - derivative(f, STEP)) / 15.0


def differences(model, q, v, tau, solve):
    """Derivatives of both results with respect to q, v and tau, (3, nv) and (3, m) rows stacked on the last axis."""

    def along(direction):
        return (
            extrapolated(lambda t: solve(model.integrate(q, t * direction), v, tau)),
            extrapolated(lambda t: solve(q, v + t * direction, tau)),
            extrapolated(lambda t: solve(q, v, tau + t * direction)),
        )

    return np.stack([np.stack(along(e)) for e in np.eye(model.nv)], axis=-1)


def assert_derivatives(
    model: ts.Model, state: tuple[FloatArray, ...], constraints: list[Constraint], **keywords: object
) -> None:
    """Of one state: accelerations and multipliers beside differences of `constrained_dynamics`."""

    def solve(q, v, tau):
        motion = ts.constrained_dynamics(model, q, v, tau, constraints, redundant="accept", **keywords)
        return np.concatenate([motion.vdot, motion.multipliers])

    found = ts.constrained_dynamics_derivatives(model, *state, constraints, redundant="accept", **keywords)
    expected = differences(model, *state, solve)
    for k in range(3):
        for mine, other in ((found.vdot, expected[k, : model.nv]), (found.multipliers, expected[k, model.nv :])):
            scale = max(float(np.abs(other).max(initial=0.0)), 1.0)
            np.testing.assert_allclose(mine[k], other, rtol=0.0, atol=DIFFERENCES * scale)


@pytest.mark.parametrize("base", ["free", "fixed", "planar"])
@pytest.mark.parametrize("name", SETS)
def test_derivatives_are_those_of_several_constraints(name: str, base: str) -> None:
    model = tree(base)
    q, v, tau, external = problem(model)
    assert_derivatives(model, (q, v, tau), SETS[name], external=external, alpha=2.0, beta=3.0)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_derivatives_are_those_of_every_kind_of_row(name: str) -> None:
    model = tree()
    q, v, tau, external = problem(model, seed=9)
    state = (q, v, tau)
    assert_derivatives(model, state, [CONSTRAINTS[name]], external=external, alpha=1.0, beta=2.0, time=TIME)


def test_springs_and_dampers_count_where_they_are_asked_for() -> None:
    model = tree()
    q, v, tau, _ = problem(model, seed=3)
    v = v + 0.1 * np.sign(v)
    assert_derivatives(model, (q, v, tau), SETS["nested loops"], passive=True)


@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_in_minimal_coordinates_may_carry_constraints(name: str) -> None:
    """The reduced rows J G, and what changes of G add to their derivatives; a lock of one leader leaves the others."""
    model, q = mechanism(name), configurations(name, 2)
    rng = np.random.default_rng(3)
    v, tau = rng.normal(size=(2, model.nv))
    tip = list(model.frames)[-1]
    rows = [Rod("world", tip, pose_a=pose((0.5, -2.0, 1.5)), pose_b=pose((0.1, 0.2, 0.0)), length=2.0)]
    assert_derivatives(model, (q, v, tau), rows, alpha=1.0)


def standing(kind: str) -> tuple[ts.Model, list[Constraint], FloatArray, FloatArray, FloatArray]:
    """hrp2 on both feet with its hands tied together, on its constraints."""
    model = ts.robots.hrp2()
    soles = ("l_sole", "r_sole")
    welds = [weld("world", sole, ts.frame_pose(model, model.reference, sole)) for sole in soles]
    hands = tuple(ts.frame_pose(model, model.reference, hand) for hand in ("l_hand", "r_hand"))
    tie = weld("l_hand", "r_hand", np.linalg.inv(hands[0]) @ hands[1])
    rng = np.random.default_rng(4)
    q = model.integrate(model.reference, 0.1 * rng.uniform(-1.0, 1.0, model.nv))
    q = ts.project_position(model, q, [*welds, tie])
    v = ts.project_velocity(model, q, rng.normal(size=model.nv), [*welds, tie])
    if kind == "points":
        corners = [(x, y, 0.0) for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
        feet: list[Constraint] = []
        for sole in soles:
            X = ts.frame_pose(model, model.reference, sole)
            feet += [ball("world", sole, X[:3, :3] @ np.array(p) + X[:3, 3], p) for p in corners]
    else:
        feet = list(welds)
    return model, [*feet, tie], q, v, rng.normal(size=model.nv)


@pytest.mark.parametrize("kind", ["welds", "points"])
def test_a_humanoid_on_two_feet_with_tied_hands(kind: str) -> None:
    """Four points a foot are twelve rows of rank six: multipliers of least norm have derivatives, too."""
    model, constraints, *state = standing(kind)
    assert_derivatives(model, tuple(state), constraints, rank_tolerance=FOOT_TURNS)


def test_redundant_rows_of_a_planar_loop() -> None:
    """Five rows of rank two."""
    bar = FourBar()
    model, constraints = bar.model(), [bar.closure()]
    state = (bar.configuration(0.7), bar.velocity(0.7, 2.0), np.array([0.3, -0.2, 0.5]))
    assert_derivatives(model, state, constraints, alpha=1.0)
    with pytest.warns(RedundantConstraintWarning, match="5 rows have the rank 2"):
        found = ts.constrained_dynamics_derivatives(model, *state, constraints)
    assert found.rank == 2


def test_derivatives_obey_the_differentiated_equations() -> None:
    """M dvdot/dtau = 1 + J^T dlambda/dtau and J dvdot/dtau = 0: an exact identity."""
    model = tree()
    q, v, tau, _ = problem(model)
    found = ts.constrained_dynamics_derivatives(model, q, v, tau, SETS["nested loops"])
    J = ts.constraint_rows(model, q, v, SETS["nested loops"]).jacobian
    M = ts.mass_matrix(model, q)
    assert_close(M @ found.vdot[2], np.eye(model.nv) + J.T @ found.multipliers[2], SOLVED)
    assert_close(J @ found.vdot[2], np.zeros((len(J), model.nv)), SOLVED)
    np.testing.assert_allclose(found.vdot[2], found.vdot[2].T, atol=1e-8 * np.abs(found.vdot[2]).max())


def test_without_constraints_they_are_those_of_forward_dynamics() -> None:
    model = tree()
    q, v, tau, external = problem(model)
    found = ts.constrained_dynamics_derivatives(model, q, v, tau, [], external=external)
    assert_close(found.vdot, ts.forward_dynamics_derivatives(model, q, v, tau, external), SOLVED)
    assert found.multipliers.shape == (3, 0, model.nv)


@pytest.mark.parametrize("name", ["nested loops", "rolling", "joints and bodies", "driven"])
def test_batches_have_the_results_of_their_states(name: str) -> None:
    model = tree()
    q, v, tau, external = problem(model, (2, 5))
    batch = ts.constrained_dynamics_derivatives(model, q, v, tau, SETS[name], external=external, threads=2)
    for place in ((0, 0), (1, 4)):
        one = ts.constrained_dynamics_derivatives(
            model, q[place], v[place], tau[place], SETS[name], external=external[place]
        )
        assert_close(batch.vdot[place], one.vdot, SOLVED)
        assert_close(batch.multipliers[place], one.multipliers, SOLVED)


def test_redundant_rows_of_a_batch() -> None:
    model, constraints, q, v, tau = standing("points")
    states = [np.tile(x, (9, 1)) for x in (q, v, tau)]
    states[2] += np.random.default_rng(8).normal(size=states[2].shape)
    batch = ts.constrained_dynamics_derivatives(model, *states, constraints, redundant="accept")
    one = ts.constrained_dynamics_derivatives(model, *(x[8] for x in states), constraints, redundant="accept")
    assert_close(batch.vdot[8], one.vdot, SOLVED)
    assert_close(batch.multipliers[8], one.multipliers, SOLVED)


def test_what_cannot_be_right_is_refused_by_name() -> None:
    model = tree()
    q, v, tau, _ = problem(model)
    call = ts.constrained_dynamics_derivatives
    with pytest.raises(ArgumentError, match="alpha of constrained_dynamics_derivatives is -1"):
        call(model, q, v, tau, [], alpha=-1.0)
    with pytest.raises(UnknownNameError, match="redundant must be"):
        call(model, q, v, tau, [], redundant="hide")  # type: ignore[arg-type]
    twice = [weld("world", "tool9"), weld("world", "tool9", pose((0.1, 0.0, 0.0)), name="elsewhere")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundantConstraintWarning)
        with pytest.raises(InconsistentConstraintsError, match="elsewhere"):
            call(model, q, v, tau, twice, alpha=1.0)
