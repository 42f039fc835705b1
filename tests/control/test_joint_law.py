"""Joint control inside the native loop, and what joints do by themselves: stops, friction, torque limits."""

import numpy as np
import pytest
from simulation.bodies import drift, point_pendulum

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.simulation import JointLaw, feed_forward, gravity_compensation

INTEGRATORS = ["semi-implicit-euler", "runge-kutta-4", "dormand-prince", "implicit-midpoint"]
INERTIA = 0.5
"""[kg m^2] about the hinge."""


def hinge(**properties):
    """A wheel about the vertical: gravity does nothing."""
    builder = ts.ModelBuilder("hinge").add_link("ground")
    builder.add_link("wheel", ts.Inertia(1.0, (0, 0, 0), INERTIA * np.eye(3)))
    return builder.add_joint("turn", "revolute", "ground", "wheel", axis=(0, 0, 1), **properties).build()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_pd_control_is_a_damped_oscillator(integrator):
    kp, kd, t = 50.0, 2.0, 0.7
    law = JointLaw(kp=kp, kd=kd, q=np.zeros(1))
    run = ts.simulate(hinge(), np.array([0.3]), controller=law, duration=t, dt=1e-4, sample_dt=t, integrator=integrator)
    decay, w = 0.5 * kd / INERTIA, np.sqrt(kp / INERTIA - (0.5 * kd / INERTIA) ** 2)
    expected = 0.3 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    tolerance = {"semi-implicit-euler": 2e-4, "implicit-midpoint": 1e-7}.get(integrator, 1e-8)  # order 1, 2, 4 and more
    np.testing.assert_allclose(run.q[-1, 0], expected, atol=tolerance)


def test_gains_far_beyond_explicit_stability_are_stable():
    """kp dt^2 / I = 2000: the implicit step settles, and holds a load with load / kp."""
    kp = 1e9
    law = JointLaw(kp=kp, kd=1e4, q=np.zeros(1), tau=np.array([3.0]), limited=False)
    run = ts.simulate(hinge(), np.array([0.1]), controller=law, duration=1.0, dt=1e-3)
    np.testing.assert_allclose(run.q[-1, 0], 3.0 / kp, rtol=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_gravity_compensation_leaves_a_pendulum_where_it_is(integrator):
    model = point_pendulum(2)
    start = np.array([1.0, -0.4])
    run = ts.simulate(model, start, controller=gravity_compensation(), duration=1.0, integrator=integrator)
    np.testing.assert_allclose(run.q[-1], start, atol=1e-9)
    np.testing.assert_allclose(run.tau[-1], ts.gravity_force(model, start), atol=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_feed_forward_torques_are_linear_between_their_times(integrator):
    """A ramp from 0 to 2 N m in 1 s: the angle is 2 t^3 / (6 I)."""
    law = feed_forward([0.0, 0.5, 1.0], [[0.0], [1.0], [2.0]])
    run = ts.simulate(hinge(), np.zeros(1), controller=law, duration=1.0, dt=1e-4, sample_dt=0.5, integrator=integrator)
    tolerance = 2e-4 if integrator == INTEGRATORS[0] else 1e-9
    np.testing.assert_allclose(run.q[:, 0], 2.0 * run.time**3 / (6.0 * INERTIA), atol=tolerance)
    np.testing.assert_allclose(run.tau[:, 0], 2.0 * run.time, atol=2.5e-4)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_torques_stay_within_the_limits_of_the_joint(integrator):
    model = hinge(tau_max=1.5)
    law = JointLaw(kp=1000.0, q=np.array([1.0]))
    run = ts.simulate(model, np.zeros(1), controller=law, duration=0.2, integrator=integrator, dt=1e-3)
    np.testing.assert_array_equal(run.tau[1:, 0], 1.5)
    np.testing.assert_allclose(run.q[-1, 0], 0.5 * 1.5 / INERTIA * 0.2**2, rtol=6e-3)
    free = ts.simulate(
        model, np.zeros(1), controller=JointLaw(kp=1000.0, q=np.array([1.0]), limited=False), duration=0.01
    )
    assert free.tau.max() > 100.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_joint_rests_against_its_stop_and_not_beyond(integrator):
    """Pressed with 20 N m it gives 20 / 1e4 rad, and the stop lets go when the load turns."""
    model = hinge(q_min=-0.2, q_max=0.5)
    law = JointLaw(tau=np.array([20.0]), limited=False)
    run = ts.simulate(model, np.array([0.3]), controller=law, duration=2.0, dt=1e-3, integrator=integrator)
    np.testing.assert_allclose(run.q[-1, 0], 0.5 + 20.0 / 1e4, atol=1e-6)
    np.testing.assert_allclose(run.energy["joint_stored"][-1], 0.5 * 20.0**2 / 1e4, rtol=1e-3)
    back = ts.simulate(model, run.q[-1], controller=JointLaw(tau=np.array([-1.0]), limited=False), duration=0.05,
                       integrator=integrator)  # fmt: skip
    assert back.v[-1, 0] < 0.0
    ignored = ts.simulate(model, np.array([0.3]), controller=law, duration=0.5, stops=False, integrator=integrator)
    assert ignored.q[-1, 0] > 1.0


def test_joint_friction_holds_a_smaller_torque_without_creep():
    model = hinge(friction=1.0)
    law = JointLaw(tau=np.array([0.9]), limited=False)
    run = ts.simulate(model, np.zeros(1), controller=law, duration=60.0, sample_dt=1.0)
    assert np.abs(run.q).max() < 1e-6


def test_joint_friction_stops_a_joint_when_it_should_and_takes_its_energy():
    """v0 = 2 rad/s: t = I v0 / f, angle I v0^2 / (2 f)."""
    model = hinge(friction=1.0)
    run = ts.simulate(model, np.zeros(1), np.array([2.0]), duration=2.0, dt=1e-4)
    np.testing.assert_allclose(run.q[-1, 0], INERTIA * 4.0 / 2.0, atol=2e-4)
    np.testing.assert_allclose(run.energy["joint_dissipated"][-1], 0.5 * INERTIA * 4.0, rtol=1e-6)
    assert abs(run.v[-1, 0]) < 1e-12
    assert drift(run) < 1e-9


def test_joint_friction_lets_a_larger_torque_through():
    law = JointLaw(tau=np.array([1.5]), limited=False)
    run = ts.simulate(hinge(friction=1.0), np.zeros(1), controller=law, duration=1.0, dt=1e-3)
    np.testing.assert_allclose(run.v[-1, 0], 0.5 / INERTIA, rtol=1e-9)


def test_every_robot_of_a_batch_may_have_references_of_its_own():
    goals = np.array([[0.1], [-0.2], [0.3], [0.0], [0.25]])
    law = JointLaw(kp=100.0, kd=20.0, q=goals)
    run = ts.simulate(hinge(), np.zeros((5, 1)), controller=law, duration=5.0)
    np.testing.assert_allclose(run.q[-1], goals, atol=1e-9)


@pytest.mark.parametrize(
    ("law", "kind", "words"),
    [
        (JointLaw(kp=[1.0, 2.0, 3.0]), ShapeError, "kp of JointLaw has shape"),
        (JointLaw(kd=-1.0), ArgumentError, "kd of JointLaw must be finite and not negative"),
        (JointLaw(q=[np.nan]), NonFiniteError, "q of JointLaw"),
        (JointLaw(tau=[[0.0], [1.0]], times=[0.0, 1.0, 3.0]), ArgumentError, "equal steps"),
        (JointLaw(tau=[[0.0], [1.0], [2.0]], times=[0.0, 1.0]), ShapeError, "tau of JointLaw has shape"),
    ],
)
def test_laws_that_do_not_fit_the_model_are_refused(law, kind, words):
    with pytest.raises(kind, match=words):
        ts.simulate(hinge(), np.zeros(1), controller=law, duration=0.1)


def test_gains_by_joint_are_those_of_the_array():
    model = ts.robots.quadruped()
    by_joint = {"*knee": 30.0, "*": 0.0, "fl_knee": 50.0, "?r_hip*": 20.0}
    array = np.zeros(model.nv)
    for joint in model.joints.values():
        if joint.actuated and joint.name.startswith(("fr_hip", "rr_hip")):
            array[joint.v_index] = 20.0
    array[model.joints["fl_knee"].v_index] = 50.0  # "*" comes after "*knee" and takes its place, not that of a name
    q0 = np.array(model.reference)
    runs = [
        ts.simulate(model, q0, duration=0.05, controller=JointLaw(kp=kp, kd=kd, q=q0))
        for kp, kd in ((by_joint, {"*": 1.0}), (array, 1.0))
    ]
    assert array.any()
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_gains_of_joints_that_are_not_there_are_told():
    for kp, told in (({"trun": 1.0}, "close: 'turn'"), ({"x*": 1.0}, "no joint"), ({"turn": [1.0, 2.0]}, "shape")):
        with pytest.raises(ArgumentError, match=told):
            ts.simulate(hinge(), duration=0.01, controller=JointLaw(kp=kp))
    with pytest.raises(ArgumentError, match="not negative"):
        ts.simulate(hinge(), duration=0.01, controller=JointLaw(kd={"turn": -1.0}))
