"""When samples are taken."""

import numpy as np
import pytest
from simulation.bodies import point_pendulum

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, flat, on_ground
from tarsus.simulation import JointLaw


@pytest.mark.parametrize(("dt", "duration"), [(1e-3, 0.2), (3e-4, 0.3), (1e-3, 0.203), (0.02, 0.1), (2.5e-3, 1.0)])
def test_default_samples_end_with_the_run(dt, duration):
    run = ts.simulate(point_pendulum(), duration=duration, dt=dt)
    spacing = np.diff(run.time)
    assert run.time[0] == 0.0
    assert run.time[-1] == pytest.approx(duration, abs=1e-12)
    assert spacing == pytest.approx(spacing[0], abs=1e-12)
    assert max(0.5 * 0.01, dt) <= spacing[0] + 1e-12 <= max(0.011, dt + 2e-12)


def test_given_samples_are_kept_as_they_are():
    run = ts.simulate(point_pendulum(), duration=0.1, dt=1e-3, sample_dt=0.03)
    assert run.time == pytest.approx([0.0, 0.03, 0.06, 0.09])


RESUMABLE = {
    "compliant": (Compliant(), None),
    "runge-kutta-4": (Compliant(), "runge-kutta-4"),
    "implicit-midpoint": (Compliant(), "implicit-midpoint"),
    "least constraint": (LeastConstraint(), None),
}
CONTROLLERS = {"passive": None, "law": JointLaw(kp=100.0, kd=5.0), "function": lambda t, q, v: np.full(v.shape, t)}


@pytest.mark.parametrize("case", RESUMABLE)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_runs_that_can_be_resumed_have_a_sample_at_their_end(case, controller, tmp_path):
    """The same bits as where it is due, so that a run with other samples goes on from the very last step."""
    law, integrator = RESUMABLE[case]
    robot = ts.robots.rabbit()
    dt = 2.5e-4 if integrator == "runge-kutta-4" else 1e-3
    options = {"ground": flat(law), "integrator": integrator, "controller": CONTROLLERS[controller], "dt": dt,
               "resumable": True}  # fmt: skip
    q0 = on_ground(robot, robot.reference, options["ground"])
    whole = ts.simulate(robot, q0, duration=0.075, sample_dt=0.005, **options)
    first = ts.simulate(robot, q0, duration=0.035, sample_dt=0.02, record=tmp_path / "first.h5", **options)
    np.testing.assert_allclose(first.time, [0.0, 0.02, 0.035], atol=1e-12)
    assert_same_moment(first, -1, whole, 7)
    for part in (first, ts.open_recording(tmp_path / "first.h5")):
        second = ts.simulate(robot, resume=part, duration=0.04, sample_dt=0.03, **options)
        np.testing.assert_allclose(second.time, [0.06, 0.075], atol=1e-12)
        assert_same_moment(second, 0, whole, 12)
        assert_same_moment(second, -1, whole, -1)


def test_a_run_that_its_controller_ends_can_be_resumed_from_there():
    def until(observation):
        if observation.t > 0.0345:
            observation.stop("enough")
        return np.zeros(1)

    body = point_pendulum()
    first = ts.simulate(body, [1.0], duration=1.0, sample_dt=0.02, controller=until, resumable=True)
    second = ts.simulate(body, resume=first, duration=0.025, sample_dt=0.02)
    whole = ts.simulate(body, [1.0], duration=0.06, sample_dt=0.005)
    np.testing.assert_allclose(first.time, [0.0, 0.02, 0.035], atol=1e-12)
    assert second.q[-1].tobytes() == whole.q[-1].tobytes() and second.time[-1] == whole.time[-1]


def assert_same_moment(one, i, other, k):
    assert one.time[i] == pytest.approx(other.time[k], abs=1e-12)
    for name in ("q", "v", "tau", "contact_position", "contact_force"):
        np.testing.assert_array_equal(getattr(one, name)[i], getattr(other, name)[k], err_msg=name)
    for kind in ("energy", "signals"):
        for name, values in getattr(one, kind).items():
            np.testing.assert_array_equal(values[i], getattr(other, kind)[name][k], err_msg=name)


@pytest.mark.parametrize(("dt", "sample_dt"), [(3e-4, 3e-3), (1e-4, 3e-3), (7e-4, 2.1e-3), (1e-3, 7e-3)])
def test_what_a_controller_logs_belongs_to_the_sample_of_its_moment(dt, sample_dt):
    """Multiples of dt and of sample_dt are rounded in different ways."""

    def clock(observation):
        observation.log(clock=observation.t)
        return np.zeros(1)

    run = ts.simulate(point_pendulum(), duration=100 * sample_dt, dt=dt, sample_dt=sample_dt, controller=clock)
    np.testing.assert_allclose(run.signals["clock"][:-1], run.time[:-1], atol=1e-12)  # nobody is called at the end
