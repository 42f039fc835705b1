"""Mechanisms turn through the dead points of their cranks, where another joint leads them or multipliers close them."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import at, double_rocker, four_bar
from scipy.integrate import quad

import tarsus as ts
from tarsus.contact import Rigid, flat, points
from tarsus.model.assembly import assemble

SPEED = 6.0
"""Of the leading joint at the start [rad/s]: three turns in the time of the runs."""
DURATION = 4.0
ENERGY = {
    "runge-kutta-4": 1e-8,
    "implicit-midpoint": 1e-4,
    "dormand-prince": 1e-6,
    "radau": 1e-6,
    "bdf": 1e-4,
    "cvode": 1e-4,
}
"""Integrators, and the share of the energy that they may win or lose in three turns with their own steps and tolerances
(1 ms, 1e-8): of order 4 and 2, and by the steps of the adaptive ones."""
TRIPLE_ROCKER = (1.0, 0.6, 0.5, 0.7)
"""Ground, crank, coupler and rocker [m]: 1.0 + 0.5 > 0.6 + 0.7, so that nothing goes round against anything else."""


def rocker_without_forces():
    builder = double_rocker(None)
    builder.gravity = (0.0, 0.0, 0.0)
    builder.add_frame("tip", "rocker", at(0.9))
    return builder.build()


def leaders(model):
    return [joint.name for joint in model.joints.values() if joint.v_index.stop > joint.v_index.start]


def mechanical(run):
    return run.energy["kinetic"] + run.energy["potential"]


def turns_back(angle):
    """How often an angle changes its direction."""
    return int(np.sum(np.diff(np.sign(np.diff(angle))) != 0))


def time_of_a_turn(model):
    """M(q) v^2 is constant: T = int sqrt(M(q) / M(q0)) / v0 dq over a turn of the coupler."""
    start = float(model.reference[0])

    def inertia(q):
        return float(ts.mass_matrix(model, [q])[0, 0])

    return quad(lambda q: np.sqrt(inertia(q) / inertia(start)) / SPEED, start, start + 2.0 * np.pi, epsrel=1e-10)[0]


def test_the_coupler_leads_a_double_rocker_and_goes_round():
    model = rocker_without_forces()
    assert leaders(model) == ["b"]
    assert np.isneginf(model.q_min[0]) and np.isposinf(model.q_max[0])
    q = np.linspace(-4.0 * np.pi, 4.0 * np.pi, 500)[:, None]
    assert np.abs(model.coupling_matrix(q)).max() < 2.0
    tree = model.joint_positions(q)
    tip = tree[:, 0] + tree[:, 1]
    knee = [0.8 * np.cos(tree[:, 0]) + 0.5 * np.cos(tip), 0.8 * np.sin(tree[:, 0]) + 0.5 * np.sin(tip)]
    np.testing.assert_allclose(knee, [1.0 + 0.9 * np.cos(tree[:, 2]), 0.9 * np.sin(tree[:, 2])], atol=1e-12)


@pytest.mark.parametrize("integrator", ENERGY)
def test_a_double_rocker_turns_through_the_dead_points_of_its_crank_with_its_energy(integrator):
    model = rocker_without_forces()
    run = ts.simulate(model, v0=[SPEED], duration=DURATION, integrator=integrator, sample_dt=5e-3)
    assert run.finished
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=ENERGY[integrator])
    crank, coupler, rocker = model.joint_positions(run.q).T
    assert np.ptp(coupler) > 6.0 * np.pi and np.all(np.diff(coupler) > 0.0)
    assert turns_back(crank) >= 6 and turns_back(rocker) >= 6
    turned = np.interp(coupler[0] + 2.0 * np.pi, coupler, run.time)
    assert turned == pytest.approx(time_of_a_turn(model), rel=1e-4)  # straight lines between samples


@pytest.mark.parametrize(("dt", "share"), [(1e-3, 0.07), (2.5e-4, 0.02)])
def test_the_default_step_keeps_the_energy_up_to_its_first_order(dt, share):
    model = rocker_without_forces()
    run = ts.simulate(model, v0=[SPEED], duration=DURATION, dt=dt, sample_dt=5e-3)
    assert run.finished and turns_back(model.joint_positions(run.q)[:, 0]) >= 6
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=share)
    assert mechanical(run).max() < 1.005 * mechanical(run)[0]


def test_rigid_ground_far_away_changes_nothing():
    model = rocker_without_forces()
    run = ts.simulate(
        model, v0=[SPEED], duration=DURATION, ground=flat(Rigid(), -5.0), contacts=points(model, ("tip",))
    )
    assert run.finished and turns_back(model.joint_positions(run.q)[:, 0]) >= 6
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=1e-6)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", *ENERGY])
def test_runs_are_the_same_bit_by_bit(integrator):
    one, two = (ts.simulate(rocker_without_forces(), v0=[SPEED], duration=1.0, integrator=integrator) for _ in range(2))
    assert one.q.tobytes() == two.q.tobytes() and one.v.tobytes() == two.v.tobytes()


def test_weight_swings_a_double_rocker_through_its_dead_points():
    """Released from rest it passes them to and fro, and keeps kinetic and potential energy together."""
    model = double_rocker(None).build()
    run = ts.simulate(model, duration=DURATION, integrator="dormand-prince", sample_dt=5e-3)
    assert run.finished
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], atol=1e-5 * run.energy["kinetic"].max())


def changed(builder, **changes):
    """The mechanism with other properties of some joints."""
    description = builder.describe()
    joints = tuple(replace(j, **changes[j.name]) if j.name in changes else j for j in description.joints)
    return assemble(replace(description, joints=joints))


def test_a_drive_of_the_crank_keeps_it_leading():
    """What moves it is a torque of the crank; nothing else could take it."""
    passive = {"actuated": False}
    assert leaders(changed(double_rocker(None), b=passive, d=passive)) == ["a"]


def test_limits_short_of_the_dead_points_leave_the_crank_leading():
    free = double_rocker("a").build()
    short = {"q_min": free.q_min[0] + 0.1, "q_max": free.q_max[0] - 0.1}
    assert leaders(changed(double_rocker(None), a=short)) == ["a"]
    assert leaders(changed(double_rocker(None), d={"q_min": 1.0, "q_max": 1.9})) == ["a"]


def opened_triple_rocker():
    builder = four_bar(TRIPLE_ROCKER)
    builder.gravity = (0.0, 0.0, 0.0)
    builder.reference = {"a": 0.6, "b": -1.2, "d": 2.2}
    return builder.build(couplings="cut")


@pytest.mark.parametrize("integrator", ["runge-kutta-4", "dormand-prince"])
def test_multipliers_take_a_triple_rocker_through_dead_points_of_all_its_joints(integrator):
    """No joint goes round, so that no coordinate of one joint could lead it: the tree's coordinates do."""
    model = opened_triple_rocker()
    loop = ts.loop_constraints(model)
    q = ts.project_position(model, model.reference, loop)
    v = ts.project_velocity(model, q, np.array([6.0, 0.0, 0.0]), loop)
    run = ts.simulate(model, q, v, duration=DURATION, integrator=integrator, constraints=loop, sample_dt=5e-3)
    assert run.finished
    assert all(turns_back(run.q[:, k]) >= 4 for k in range(3))
    np.testing.assert_allclose(mechanical(run), mechanical(run)[0], rtol=1e-5)
    assert np.abs(ts.constraint_rows(model, run.q, run.v, loop).violation).max() < 1e-6
