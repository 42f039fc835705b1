"""Runs whose integrator gains or loses too much energy warn, once; those with all defaults do not."""

import warnings

import numpy as np
import pytest
from benchmarks.zoo.drop import law, start
from benchmarks.zoo.robots import ROBOTS
from simulation.bodies import ball, point_pendulum, tumbler

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, flat
from tarsus.errors import SimulationError, SimulationWarning
from tarsus.simulation.integration_check import MOST_GAINED, MOST_LOST, exchanged_energy

HIGH = np.array([0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0])
"""A ball 0.3 m above the ground."""
SKIDDING = np.array([1.0, 0.5, 0.0, 0.0, 3.0, 0.0])


def told(run):
    """The trajectory that run() returns, and the texts of all warnings of simulations on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trajectory = run()
    return trajectory, [str(w.message) for w in caught if issubclass(w.category, SimulationWarning)]


def light_ball(mass=0.1, **options):
    return ts.simulate(ball(mass=mass), HIGH, ground=flat(), duration=1.0, integrator="runge-kutta-4", **options)


def test_an_explicit_integrator_on_stiff_ground_warns():
    run, texts = told(light_ball)
    added = run.energy["integration"]
    worst = int(np.argmax(added))
    assert added[worst] > 10.0 * 0.1 * 9.81 * 0.3  # the fall ten times over
    share = 100.0 * added[worst] / exchanged_energy(run)
    (text,) = texts
    assert text.startswith(f"the integrator 'runge-kutta-4' added {added[worst]:.3g} J until {run.time[worst]:g} s, ")
    assert f"{share:.3g} % of the energy" in text
    assert text.endswith("try a smaller dt than 0.001 s, or leave the integrator out")


def test_the_warning_points_to_the_caller():
    with pytest.warns(SimulationWarning) as caught:
        ts.simulate(ball(mass=0.1), HIGH, ground=flat(), duration=0.5, integrator="runge-kutta-4")
    assert caught[0].filename == __file__


def test_of_a_batch_the_worst_robot_is_named_in_one_warning():
    """The first of three balls falls past the end of the run, the last one comes down fastest."""
    q = np.stack([HIGH + np.array([0.0, 0.0, z, 0.0, 0.0, 0.0, 0.0]) for z in (9.0, 0.0, -0.2)]).reshape(3, 1, 7)
    v = np.zeros((3, 1, 6))
    v[2, 0, 2] = -5.0
    model = ball(mass=0.1)
    run, texts = told(lambda: ts.simulate(model, q, v, ground=flat(), duration=0.3, integrator="runge-kutta-4"))
    share = (run.energy["integration"] / exchanged_energy(run)).max(axis=0)
    assert share[0, 0] < MOST_GAINED < share[1, 0]
    worst = (int(np.argmax(share[:, 0])), 0)
    assert len(texts) == 1
    assert f" J of robot {worst} (worst of 2 among 3) until" in texts[0]


def test_a_smaller_step_helps_as_the_warning_says():
    assert told(lambda: light_ball(dt=2e-6))[1] == []


def test_energy_that_gets_lost_is_told():
    """Steps of 10 ms brake a chaotic double pendulum, those of 1 ms do not in the same time."""
    q = np.array([1.5, 0.3])
    run, texts = told(lambda: ts.simulate(point_pendulum(2), q, duration=20.0, dt=0.01))
    share = run.energy["integration"] / exchanged_energy(run)
    assert share.max() < MOST_GAINED
    assert share.min() < -MOST_LOST
    assert len(texts) == 1
    assert texts[0].startswith("the integrator 'semi-implicit-euler' took ")
    assert texts[0].endswith("try a smaller dt than 0.01 s")
    run, texts = told(lambda: ts.simulate(point_pendulum(2), q, duration=20.0))
    assert -0.05 < (run.energy["integration"] / exchanged_energy(run)).min() < -0.02
    assert texts == []


def test_loose_tolerances_are_told():
    run, texts = told(
        lambda: ts.simulate(point_pendulum(2), np.array([1.5, 0.3]), duration=20.0, integrator="dormand-prince",
                            relative=1e-3, absolute=1e-3, sample_dt=0.5)
    )  # fmt: skip
    assert np.abs(run.energy["integration"]).max() > MOST_GAINED * exchanged_energy(run)
    assert len(texts) == 1
    assert texts[0].endswith("try smaller tolerances than 0.001 and 0.001")


def test_what_was_told_is_not_told_again_by_a_run_that_resumes():
    sick, texts = told(lambda: light_ball(mass=1.0, resumable=True))
    assert len(texts) == 1
    _, texts = told(lambda: ts.simulate(ball(mass=1.0), ground=flat(), duration=0.2, resume=sick))
    assert texts == []


def test_a_recorded_run_warns_and_is_finished(tmp_path):
    run, texts = told(lambda: light_ball(record=tmp_path / "run.h5"))
    assert len(texts) == 1
    recorded = ts.open_recording(tmp_path / "run.h5")
    assert recorded.finished
    np.testing.assert_array_equal(recorded.energy["integration"], run.energy["integration"])


def test_a_run_that_fails_tells_that_alone():
    def run():
        with pytest.raises(SimulationError):
            ts.simulate(ball(mass=0.1), HIGH, SKIDDING, ground=flat(), duration=1.0, integrator="implicit-midpoint")

    assert told(run)[1] == []


@pytest.mark.parametrize("drive", ["limp", "held"])
@pytest.mark.parametrize("name", ["solo12", "bolt", "anymal_b", "talos", "panda"])
def test_robots_that_fall_with_all_defaults_do_not_warn(name, drive):
    robot = ROBOTS[name]
    q = start(robot, 0)
    model = robot.load()
    run, texts = told(lambda: ts.simulate(model, q, controller=law(model, drive, q), ground=flat(), duration=1.5))
    assert run.energy["ground_dissipated"][-1] > 0.0
    assert texts == []


HEALTHY = {
    "pendulum": lambda: ts.simulate(point_pendulum(1), np.array([1.5]), duration=20.0),
    "body that tumbles": lambda: ts.simulate(tumbler((1.0, 2.0, 2.9)), None, [0.1, 50.0, 0.1], duration=20.0),
    "ball at rest": lambda: ts.simulate(ball(), HIGH - np.eye(7)[2] * 0.3, ground=flat(), duration=5.0),
    "body at rest that nothing pulls": lambda: ts.simulate(tumbler((1.0, 2.0, 2.9)), duration=1.0),
    "ball on hard ground": lambda: ts.simulate(ball(), HIGH, ground=flat(LeastConstraint()), duration=1.0),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_runs_do_not_warn(name):
    assert told(HEALTHY[name])[1] == []


@pytest.mark.parametrize("law", [Compliant(), LeastConstraint()], ids=lambda law: law.name)
def test_robots_that_start_a_little_in_the_ground_do_not_warn(law):
    """They are pushed out, which lifts them by 5 mm."""
    q = np.array(ts.robots.hrp2().reference)
    q[2] -= 0.005
    hold = ts.simulation.JointLaw(kp=3000.0, kd=60.0, q=q)
    run, texts = told(lambda: ts.simulate(ts.robots.hrp2(), q, controller=hold, ground=flat(law), duration=0.5))
    assert run.q[-1, 2] > q[2] + 0.002
    assert texts == []
