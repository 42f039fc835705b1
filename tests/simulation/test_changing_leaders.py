"""Joints that lead loops change inside a run, where the ones before come to their dead points."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from loop_models import double_rocker, four_bar, serial_four_bars

import tarsus as ts
from tarsus.errors import ArgumentError, SimulationError
from tarsus.model.assembly import assemble

TRIPLE_ROCKER = (1.0, 0.6, 0.5, 0.7)
"""Ground, crank, coupler and rocker [m]: 1.0 + 0.5 > 0.6 + 0.7, so that every joint has dead points."""
START = {"a": 0.6, "b": -1.2, "d": 2.2}
ENERGY = {
    "semi-implicit-euler": 2e-2,
    "runge-kutta-4": 1e-7,
    "implicit-midpoint": 2e-3,
    "dormand-prince": 1e-6,
    "radau": 1e-6,
    "bdf": 1e-4,
    "cvode": 1e-4,
}
"""Integrators, and the share of energy that they may win or lose in half a second with 1 ms and tolerances of 1e-8."""


def triple_rocker_builder():
    builder = four_bar(TRIPLE_ROCKER)
    builder.gravity = (0.0, 0.0, 0.0)
    builder.reference = dict(START)
    return builder


@cache
def triple_rocker(couplings="reduce"):
    return triple_rocker_builder().build(couplings=couplings)


def change(model, *start, **options):
    return ts.simulate(model, *start, leaders="change", **options)


def mechanical(run):
    return run.energy["kinetic"] + run.energy["potential"]


def turns_back(angle):
    return int(np.sum(np.diff(np.sign(np.diff(angle))) != 0))


def leaders(run):
    return [tuple(change["joints"]) for change in run.metadata["leaders"]]


def closing_error(run):
    a, b, d = run.q[:, :3].T
    ground, crank, coupler, rocker = TRIPLE_ROCKER
    ends = crank * np.exp(1j * a) + coupler * np.exp(1j * (a + b)) - ground - rocker * np.exp(1j * d)
    return np.abs(ends).max()


@pytest.mark.parametrize("integrator", ENERGY)
def test_a_triple_rocker_turns_through_dead_points_of_its_joints_with_its_energy(integrator):
    model = triple_rocker()
    with pytest.raises(SimulationError, match="dead point"):
        ts.simulate(model, v0=[6.0], duration=1.0, integrator=integrator)
    run = change(model, v0=[6.0], duration=0.5, integrator=integrator)
    assert run.finished and run.time[-1] == pytest.approx(0.5)
    assert len(leaders(run)) >= 3 and all(one != two for one, two in zip(leaders(run), leaders(run)[1:], strict=False))
    assert sum(turns_back(run.q[:, k]) for k in range(3)) >= 2
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=ENERGY[integrator])
    assert closing_error(run) < 1e-10
    assert run.model.coupling_mode == "cut" and tuple(run.model.joints) == tuple(model.joints)


def test_the_motion_is_that_of_multipliers():
    model = triple_rocker("cut")
    loop = ts.loop_constraints(model)
    q = ts.project_position(model, model.reference, loop)
    v = ts.project_velocity(model, q, np.array([6.0, 0.0, 0.0]), loop)
    exact = {"integrator": "dormand-prince", "relative": 1e-11, "absolute": 1e-12, "duration": 0.5, "sample_dt": 0.02}
    run = change(model, q, v, **exact)
    expected = ts.simulate(model, q, v, constraints=loop, **exact)
    assert len(leaders(run)) >= 3
    np.testing.assert_array_equal(run.time, expected.time)
    np.testing.assert_allclose(run.q, expected.q, atol=1e-9)
    np.testing.assert_allclose(run.v, expected.v, atol=1e-8)
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=1e-8)


def test_runs_are_the_same_bit_by_bit():
    models = triple_rocker(), triple_rocker_builder().build()
    one, two = (change(model, v0=[6.0], duration=0.4) for model in models)
    assert len(leaders(one)) >= 2 and leaders(one) == leaders(two)
    assert one.q.tobytes() == two.q.tobytes() and one.v.tobytes() == two.v.tobytes()


@pytest.mark.parametrize(("dt", "near"), [(1e-3, 2e-3), (2.5e-4, 5e-4)])
def test_a_drive_passes_dead_points_of_its_own_joint(dt, near):
    """The crank of a double rocker; led by the coupler, which goes round, the same torque needs no change of leaders.

    Torques are held for a step in the coordinates of whoever leads, which differs by the order of dt.
    """
    driven, other = double_rocker("a").build(), double_rocker(None).build()
    q, v = driven.joint_positions(driven.reference), driven.coupling_matrix(driven.reference) @ [2.0]

    def torque(t):
        return np.array([5.0 * np.sin(3.0 * t), 0.0, 0.0])

    run = change(
        driven, v0=[2.0], duration=0.6, dt=dt, integrator="runge-kutta-4", controller=lambda t, q, v: torque(t)
    )
    expected = ts.simulate(
        other, [q[1]], [v[1]], duration=0.6, dt=dt, integrator="runge-kutta-4",
        controller=lambda t, q, v: other.coupling_matrix(q).T @ torque(t),
    )  # fmt: skip
    assert leaders(run) == [("a",), ("b",)] and turns_back(run.q[:, 0]) >= 1
    np.testing.assert_allclose(run.q, other.joint_positions(expected.q), atol=near)
    np.testing.assert_allclose(run.tau, [torque(max(t - dt, 0.0)) for t in run.time], atol=1e-12)
    for name in ("actuator", "potential", "kinetic"):
        np.testing.assert_allclose(run.energy[name], expected.energy[name], atol=20.0 * near)
    assert np.abs(run.energy["integration"]).max() < 1e-6


def test_a_start_on_another_branch_than_the_reference_stays_there():
    """The mirror image of a start has the mirror image of its motion."""
    reduced, whole = triple_rocker(), triple_rocker("cut")
    q, v = reduced.joint_positions(reduced.reference), reduced.coupling_matrix(reduced.reference) @ [6.0]
    one, two = (change(whole, s * q, s * v, duration=0.4, integrator="runge-kutta-4") for s in (1.0, -1.0))
    assert len(leaders(one)) >= 2 and leaders(one) == leaders(two)
    np.testing.assert_allclose(one.q, -two.q, atol=1e-9)


def test_loops_change_their_leaders_one_by_one():
    builder = serial_four_bars(2, TRIPLE_ROCKER)
    builder.gravity = (0.0, 0.0, 0.0)
    builder.reference = {f"{name}{k}": value for name, value in START.items() for k in range(2)}
    run = change(builder.build(), v0=[6.0, 4.0], duration=0.35, integrator="runge-kutta-4")
    pairs = leaders(run)
    assert len(pairs) >= 3 and all(len(pair) == 2 and {name[-1] for name in pair} == {"0", "1"} for pair in pairs)
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=1e-5)


def test_a_mechanism_without_dead_points_runs_as_ever():
    model = four_bar().build()
    run = change(model, duration=0.5)
    expected = ts.simulate(model, duration=0.5)
    assert len(leaders(run)) == 1
    np.testing.assert_array_equal(run.q, model.joint_positions(expected.q))


def test_limits_stop_it_on_the_way():
    """The rocker may not go on: it bounces off with the energy that its stop leaves, and the audit closes."""
    free = change(triple_rocker(), v0=[6.0], duration=0.3, integrator="runge-kutta-4").q[:, 2]
    limit = float(0.3 * free[0] + 0.7 * free.max())
    described = triple_rocker_builder().describe()
    joints = (replace(joint, q_max=limit) if joint.name == "d" else joint for joint in described.joints)
    model = assemble(replace(described, joints=tuple(joints)))
    run = change(model, v0=[6.0], duration=0.3, integrator="runge-kutta-4")
    assert free.max() > limit + 0.05
    assert limit < run.q[:, 2].max() < limit + 0.02
    assert np.abs(run.energy["integration"]).max() < 3e-3 * mechanical(run)[0]  # where 1 ms meets a stiff spring


@pytest.mark.parametrize(("dt", "ends"), [(1e-3, True), (2e-3, False)])
def test_where_branches_cross_a_motion_keeps_to_its_own_or_ends_and_says_so(dt, ends):
    """A kite folds: with 1 ms a step ends too near to where all its bars are in line."""
    builder = four_bar((1.0, 1.0, 0.5, 0.5))
    builder.gravity = (0.0, 0.0, 0.0)
    options = {"v0": [3.0], "duration": 2.4, "dt": dt, "integrator": "runge-kutta-4", "sample_dt": 0.02}
    if ends:
        with pytest.raises(SimulationError, match=r"dead point of the joint .* branches of the loop meet") as caught:
            change(builder.build(), **options)
        run = caught.value.trajectory
        assert not run.finished and 2.0 < run.time[-1] < 2.2
    else:
        run = change(builder.build(), **options)
        assert run.finished and run.q[0, 0] > 0.5 and np.ptp(run.q[:, 0]) > 0.5
        assert np.abs(np.diff(run.q, n=2, axis=0)).max() < 2e-2  # on the other branch the crank would turn back: 5e-2
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=1e-6)


def test_what_it_cannot_do_is_refused_by_name():
    model, whole = triple_rocker(), triple_rocker("cut")
    q = model.joint_positions(model.reference)
    cases = {
        "no loops": lambda: change(ts.robots.rabbit(), duration=0.1),
        "batch axes": lambda: change(model, np.tile(model.reference, (2, 1)), duration=0.1),
        "q0 does not close": lambda: change(whole, q + 0.1, duration=0.1),
        "v0 does not close": lambda: change(whole, q, [1.0, 1.0, 1.0], duration=0.1),
        "controller is 5": lambda: change(model, duration=0.1, controller=5),
        "controller is a JointLaw": lambda: change(model, duration=0.1, controller=ts.simulation.JointLaw(kp=1.0)),
        "constraints are not": lambda: change(
            model, duration=0.1, constraints=[ts.constraints.Lock.of_joint(model, "a")]
        ),
        "closes around joint": lambda: change(
            model, duration=0.1, sensors=[ts.sensors.JointTorqueSensor(joints=("a",))]
        ),
        "does not tell its leaders": lambda: change(
            model, duration=0.1, resume=ts.simulate(whole, q, duration=0.1, resumable=True)
        ),
        "expected 'fixed' or 'change'": lambda: ts.simulate(model, duration=0.1, leaders="b"),
    }
    for words, call in cases.items():
        with pytest.raises(ArgumentError, match=words):
            call()
    for words, answer in {r"expected \(3,\)": [1.0], "acts on leading joints": ts.simulation.JointLaw(kp=1.0)}.items():
        with pytest.raises(SimulationError, match=words):
            change(model, duration=0.1, controller=lambda t, q, v, answer=answer: answer)
