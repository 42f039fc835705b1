"""Controllers that are called with an observation: what it tells, what they log, and how they end a run."""

import numpy as np
import pytest
from sample_models import double_pendulum

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, flat
from tarsus.devices.sensors import IMU, Encoder, ErrorModel, ForceTorqueSensor
from tarsus.errors import ArgumentError, SimulationError
from tarsus.simulation import JointLaw

CORNERS = [(0.12, 0.06, 0), (0.12, -0.06, 0), (-0.1, -0.06, 0), (-0.1, 0.06, 0)]
FORCE = 1e-9
"""Rounding of sums of contact forces, relative to the weight."""


@pytest.fixture(scope="module")
def robot():
    return ts.robots.hrp2()


@pytest.fixture(scope="module")
def soles():
    return [ts.contact.Sole(side, f"{side}_sole", CORNERS) for side in "lr"]


def stand(robot, soles, **options):
    start = np.array(robot.reference)
    given = {"duration": 0.05, "sample_dt": 1e-3, "ground": flat(), "contacts": soles, "progress": False, **options}
    return ts.simulate(robot, start, **given)


@pytest.mark.parametrize("law", [Compliant(), LeastConstraint()], ids=["compliant", "least-constraint"])
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "three"])
def test_an_observation_tells_the_samples_of_the_trajectory(robot, soles, law, batch):
    seen = []
    hold = JointLaw(3000.0, 60.0, q=robot.reference)

    def controller(observation):
        seen.append(observation)
        assert observation.contacts.names  # found now, not when they are read below
        seen_tau.append(observation.tau)
        return hold

    seen_tau = []
    q = np.tile(robot.reference, (*batch, 1))
    run = ts.simulate(robot, q, duration=0.02, sample_dt=1e-3, ground=flat(law), contacts=soles, controller=controller)
    assert [observation.t for observation in seen] == list(run.time[:-1])
    weight = robot.total_mass * 9.81
    for k, observation in enumerate(seen):
        np.testing.assert_array_equal(observation.q, run.q[k])
        np.testing.assert_array_equal(observation.v, run.v[k])
        if k > 0:
            np.testing.assert_array_equal(seen_tau[k], run.tau[k])
            np.testing.assert_allclose(observation.contacts.force, run.contact_force[k], rtol=0, atol=FORCE * weight)
            left = run.contact_force[k][..., :4, :]
            np.testing.assert_array_equal(observation.force("l.0"), left[..., 0, :])
            wrench = observation.wrench("l_sole")
            np.testing.assert_allclose(wrench[..., :3], left.sum(axis=-2), rtol=0, atol=FORCE * weight)
            origin = ts.frame_pose(robot, observation.q, "l_sole")[..., None, :3, 3]
            moment = np.cross(run.contact_position[k][..., :4, :] - origin, left).sum(axis=-2)
            np.testing.assert_allclose(wrench[..., 3:], moment, rtol=0, atol=FORCE * weight)
            np.testing.assert_array_equal(observation.touching("l_sole"), np.any(left != 0.0, axis=(-1, -2)))
    assert np.all(seen[-1].touching("l_sole"))
    assert not np.any(seen[-1].touching("BODY"))


def test_observations_cannot_be_written_to(robot, soles):
    def controller(observation):
        for array in (observation.q, observation.v, observation.tau):
            assert not array.flags.writeable
        return np.zeros(robot.nv)

    stand(robot, soles, controller=controller, duration=0.003)


@pytest.mark.parametrize(
    ("controller", "count"), [(lambda t, q: 0, 2), (lambda t, q, v, w: 0, 4), (lambda: 0, 0)], ids=["2", "4", "0"]
)
def test_other_numbers_of_parameters_are_refused(robot, controller, count):
    text = rf"has {count} required .* expected one, controller\(observation\), or three, controller\(t, q, v\)"
    with pytest.raises(ArgumentError, match=text):
        ts.simulate(robot, duration=0.01, controller=controller)


def test_parameters_with_defaults_do_not_count(robot):
    def observing(observation, gain=2.0):
        assert isinstance(observation, ts.control.Observation)
        return np.zeros(robot.nv)

    def plain(t, q, v, gain=2.0):
        assert isinstance(t, float)
        return np.zeros(robot.nv)

    for controller in (observing, plain, lambda *state: np.zeros(robot.nv)):
        ts.simulate(robot, duration=0.002, controller=controller)


def test_logged_signals_end_up_in_trajectory_and_recording(tmp_path):
    model, path = double_pendulum().build(), tmp_path / "run.h5"

    def controller(observation):
        observation.log(energy=float(observation.t), angles=observation.q, high=observation.q[0] > 0.0)
        return np.zeros(2)

    run = ts.simulate(
        model, [0.3, -0.2], duration=0.1, sample_dt=0.005, control_dt=0.01, controller=controller, record=path
    )
    held = np.floor(run.time / 0.01 + 1e-9) * 0.01
    held[-1] = 0.09  # the controller is not called at the end
    np.testing.assert_allclose(run.signals["energy"], held, atol=1e-12)
    np.testing.assert_array_equal(run.signals["angles"][::2][:-1], run.q[::2][:-1])
    assert run.signals["high"].dtype == bool
    read = ts.open_recording(path)
    for name in ("energy", "angles", "high"):
        np.testing.assert_array_equal(read.signals[name], run.signals[name])


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (lambda t: {"a": 0.0, "b": 0.0} if t > 0.005 else {"a": 0.0}, "signal 'b' is new"),
        (lambda t: {"a": np.zeros(3 if t > 0.005 else 2)}, r"has shape \(3,\); expected \(2,\) as before"),
        (lambda t: {"work": 0.0}, "one of the run's own"),
        (lambda t: {"a": "text"}, "expected real numbers"),
    ],
)
def test_signals_that_do_not_fit_name_what_is_wrong(log, text):
    model = double_pendulum().build()

    def controller(observation):
        observation.log(**log(observation.t))
        return np.zeros(2)

    with pytest.raises(SimulationError, match=text) as told:
        ts.simulate(model, duration=0.1, controller=controller, sample_dt=1e-3)
    assert not told.value.trajectory.finished


@pytest.mark.parametrize("integrator", [None, "dormand-prince"])
def test_a_controller_ends_a_run_with_a_reason(tmp_path, integrator):
    model, path = double_pendulum().build(), tmp_path / "run.h5"

    def controller(observation):
        if observation.t >= 0.05 - 1e-12:
            observation.stop("fell")
            return None
        return np.zeros(2)

    run = ts.simulate(
        model, [0.9, 0.0], duration=1.0, sample_dt=0.01, controller=controller, integrator=integrator, record=path
    )
    assert (run.finished, run.reason) == (True, "fell")
    assert run.time[-1] == pytest.approx(0.05, abs=1e-12)
    read = ts.open_recording(path)
    assert (read.finished, read.reason, len(read)) == (True, "fell", len(run))


def test_sensors_tell_what_they_measured(robot, soles):
    joints = ("RLEG_JOINT3", "LLEG_JOINT3")
    devices = [
        Encoder(joints=joints, name="knees", velocity="none"),
        IMU(frame="BODY", delay=0.002),
        ForceTorqueSensor(frame="l_sole", name="left foot", errors=ErrorModel(noise=1.0)),
    ]
    told = []

    def controller(observation):
        told.append(observation)
        if observation.t < 0.002 - 1e-12:
            with pytest.raises(ts.errors.UnknownNameError, match="still on the way"):
                observation.sensors["imu"]
        with pytest.raises(ts.errors.UnknownNameError, match="'imv' not found; close: 'imu'"):
            observation.sensors["imv"]
        return JointLaw(3000.0, 60.0, q=robot.reference)

    run = stand(robot, soles, controller=controller, sensors=devices, seed=3)
    index = [robot.joints[name].q_index.start for name in joints]
    for k, observation in enumerate(told):
        np.testing.assert_allclose(observation.sensors["knees"], run.q[k][index], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(run.signals["knees"][k], observation.sensors["knees"])
    assert np.all(np.isnan(run.signals["imu"][:2]))
    afterwards = IMU(frame="BODY").measure(run).value
    np.testing.assert_allclose(run.signals["imu"][3:-1], afterwards[1:-3], rtol=0, atol=1e-8)
    loads = run.contact_force[:, :4, 2].sum(axis=-1)
    errors = run.signals["left foot"][1:-1, 2] - loads[1:-1]
    assert 0.5 < np.std(errors) < 1.5  # [N], the noise
    again = stand(robot, soles, controller=controller, sensors=devices, seed=3)
    np.testing.assert_array_equal(again.signals["left foot"], run.signals["left foot"])


def test_sensors_measure_without_a_controller(robot, soles):
    run = stand(robot, soles, sensors=[IMU(frame="BODY")], control_dt=2e-3)
    assert run.signals["imu"].shape == (51, 6)
    np.testing.assert_array_equal(run.signals["imu"][0], run.signals["imu"][1])


def test_gains_may_vary_in_time_and_from_robot_to_robot(robot):
    """Each of three robots moves as it does alone with its own gains."""
    times = np.array([0.0, 0.01, 0.02, 0.03])
    rng = np.random.default_rng(0)
    kp = np.where(robot.actuated, rng.uniform(100.0, 3000.0, size=(3, 4, robot.nv)), 0.0)
    kd = np.where(robot.actuated, rng.uniform(1.0, 60.0, size=(3, robot.nv)), 0.0)
    q = np.tile(robot.reference, (3, 1))
    target = np.array(robot.reference)
    target[7:] += 0.1
    law = JointLaw(kp, kd, q=target, times=times)
    together = ts.simulate(robot, q, duration=0.03, controller=law, sample_dt=0.03)
    for i in range(3):
        alone = ts.simulate(
            robot, q[i], duration=0.03, controller=JointLaw(kp[i], kd[i], q=target, times=times), sample_dt=0.03
        )
        np.testing.assert_allclose(together.q[-1, i], alone.q[-1], rtol=0, atol=1e-12)
    other = ts.simulate(robot, q[0], duration=0.03, controller=JointLaw(kp[1], kd[0], q=target, times=times))
    assert np.abs(other.q[-1] - together.q[-1, 0]).max() > 1e-4


def test_gains_are_linear_between_knots():
    """With constant torque k(t) q_ref, one step after the other equals the law with these gains given step by step."""
    model = double_pendulum().build()
    times = np.linspace(0.0, 0.02, 3)
    kp = np.array([[1.0, 2.0], [5.0, 3.0], [2.0, 8.0]])
    law = JointLaw(kp, 0.1, q=[1.0, 0.5], times=times, limited=False)
    whole = ts.simulate(model, duration=0.03, controller=law, sample_dt=1e-3)

    def by_hand(t, q, v):
        t_end = t + 1e-3  # implicit steps take the law at their end
        now = np.array([np.interp(t_end, times, kp[:, k]) for k in range(2)])
        return JointLaw(now, 0.1, q=[1.0, 0.5], limited=False)

    steps = ts.simulate(model, duration=0.03, controller=by_hand, sample_dt=1e-3)
    np.testing.assert_allclose(steps.q, whole.q, rtol=0, atol=1e-13)


def test_what_an_observation_was_not_asked_for_in_time_is_refused_later(robot, soles):
    """It was told of the moment at which it was asked for, beside q and t of another one."""
    kept = []

    def watch(observation):
        if len(kept) == 3:
            observation.contacts  # noqa: B018  # from now on it has them
        kept.append(observation)
        return JointLaw(kp=3000.0, kd=60.0, q=robot.reference)

    stand(robot, soles, controller=watch)
    for ask in (lambda o: o.wrench("l_sole"), lambda o: o.touching("l_sole"), lambda o: o.tau, lambda o: o.contacts):
        with pytest.raises(ArgumentError, match=r"of the observation at 0.002 s are asked for when .* moved on"):
            ask(kept[2])
    assert kept[3].wrench("l_sole")[2] > 0.0
    assert kept[2].q.shape == (robot.nq,) and kept[2].t == 0.002


def test_observations_of_a_simulation_are_of_their_moment(robot, soles):
    sim = ts.Simulation(robot, ground=flat(), contacts=soles)
    changes = {
        "step": lambda: sim.step(steps=1),
        "reset": lambda: sim.reset(),
        "restore": lambda: sim.restore(snapshot),
        "switch": lambda: sim.switch(sim.bodies_of_contacts[0], True),
    }
    snapshot = sim.snapshot()
    for change in changes.values():
        before, asked = sim.observe(), sim.observe()
        force = asked.wrench("l_sole")
        change()
        with pytest.raises(ArgumentError, match="moved on"):
            before.wrench("l_sole")
        assert np.array_equal(asked.wrench("l_sole"), force)
    late = ts.Simulation(robot, ground=flat(), contacts=soles, batch=1, observation_delay=1)
    late.step()
    seen = late.observe()
    late.step(steps=3)
    assert seen.tau.shape == (1, robot.nv)  # of a copy
