"""HRP-2 on rigid ground by events, beside the laws that tend to it: least constraint, and stiffer compliant ground."""

import warnings

import numpy as np
import pytest
from benchmarks.rigid_robustness import DEEPEST, cases
from simulation.bodies import GRAVITY, drift

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, Rigid, contactors, flat
from tarsus.simulation import JointLaw
from tarsus.simulation.rigid.stepped_time import stepped_time

MODEL = ts.robots.hrp2()
FEET = contactors(MODEL, ["LLEG_LINK5", "RLEG_LINK5"])
WEIGHT = MODEL.total_mass * GRAVITY
LAW = JointLaw(kp=4000.0, kd=400.0)


def stiff(k):
    return Compliant(stiffness=k, damping=0.01 * k, tangential_stiffness=k, tangential_damping=0.01 * k)


def stand(law, duration, sample_dt=0.5):
    return ts.simulate(MODEL, controller=LAW, ground=flat(law), contacts=FEET, duration=duration, sample_dt=sample_dt)


def loads(run):
    """Forces and centres of pressure of the feet at the end, shapes (2, 3) and (2, 2)."""
    force, position = run.contact_force[-1], run.contact_position[-1]
    feet = [[i for i, name in enumerate(run.contacts) if name.startswith(side)] for side in "LR"]
    total = np.array([force[i].sum(axis=0) for i in feet])
    pressure = np.array([force[i, 2] @ position[i, :2] / force[i, 2].sum() for i in feet])
    return total, pressure


@pytest.fixture(scope="module")
def stood():
    return stand(Rigid(), 4.0, 0.1)


def test_the_ground_carries_the_weight_below_the_centre_of_mass(stood):
    force, position = stood.contact_force[-1], stood.contact_position[-1]
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, WEIGHT], atol=1e-6 * WEIGHT)
    pressure = force[:, 2] @ position[:, :2] / WEIGHT
    np.testing.assert_allclose(pressure, ts.center_of_mass(MODEL, stood.q[-1])[:2], atol=1e-6)
    assert stood.signals["dof"][-1] == MODEL.nv - 12
    assert drift(stood) < 1e-6


def test_least_constraint_carries_the_same_load_at_rest(stood):
    force, pressure = loads(stood)
    other_force, other_pressure = loads(stand(LeastConstraint(), 4.0))
    np.testing.assert_allclose(other_force, force, atol=1e-5 * WEIGHT)
    np.testing.assert_allclose(other_pressure, pressure, atol=1e-5)


def test_compliant_ground_tends_to_the_same_load_as_it_stiffens(stood):
    force, pressure = loads(stood)
    errors = []
    for k in (2e5, 2e6, 2e7):
        other_force, other_pressure = loads(stand(stiff(k), 4.0))
        errors.append((np.abs(other_force - force).max() / WEIGHT, np.abs(other_pressure - pressure).max()))
    assert errors[1][0] < 0.01
    assert errors[1][1] < 0.001
    ratios = np.array(errors[1:]) / np.array(errors[:-1])
    assert np.all(ratios < 0.3)  # ten times as stiff: a tenth of the error, once it is stiff


@pytest.mark.parametrize(
    "law", [Rigid(), LeastConstraint(), stiff(2e6)], ids=["rigid", "least-constraint", "compliant"]
)
def test_feet_stay_for_a_minute(law):
    run = stand(law, 60.0)
    soles = ts.frame_poses(MODEL, run.q, ["l_sole", "r_sole"])[..., :3, 3]
    assert np.linalg.norm(soles[4:] - soles[4], axis=-1).max() < 1e-3
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0, 0, WEIGHT], atol=1e-4 * WEIGHT)


def test_a_fall_of_5_cm_ends_on_both_feet():
    q = np.array(MODEL.reference)
    q[2] += 0.05
    law = JointLaw(kp=4000.0, kd=100.0, q=q)
    run = ts.simulate(MODEL, q, controller=law, ground=flat(Rigid()), contacts=FEET, duration=1.5)
    first = next(e for e in run.metadata["events"] if e["event"] == "impact")
    height = 0.05 + ts.frame_pose(MODEL, np.array(MODEL.reference), "l_sole")[2, 3]
    assert first["time"] == pytest.approx(np.sqrt(2 * height / GRAVITY), abs=1e-6)
    np.testing.assert_allclose(run.contact_force[-1, :, 2].sum(), WEIGHT, rtol=0.01)
    assert run.contact_force[..., 2].min() > -1e-6 * WEIGHT
    size = np.linalg.norm(run.contact_force[..., :2], axis=-1)
    assert np.all(size <= 0.8 * run.contact_force[..., 2] + 1e-6 * WEIGHT)
    assert drift(run) < 1e-4
    assert np.all(np.diff(run.energy["impact"]) > -1e-9)


def test_an_unheld_robot_sinks_down_with_its_energy_accounted_for():
    """Feet rock and slip in many modes, joints run into their stops, every point of the robot may touch."""
    run = ts.simulate(MODEL, ground=flat(Rigid(0.6)), controller=JointLaw(kd=3.0), duration=0.5)
    assert drift(run) < 1e-5
    assert {"impact", "slip", "stick", "lift-off"} <= {e["event"] for e in run.metadata["events"]}
    assert run.contact_force[..., 2].min() > -1e-6 * WEIGHT
    size = np.linalg.norm(run.contact_force[..., :2], axis=-1)
    assert np.all(size <= 0.6 * run.contact_force[..., 2] + 1e-6 * WEIGHT)


@pytest.fixture(scope="module")
def collapsed():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*gone through in steps")
        return ts.simulate(MODEL, ground=flat(Rigid()), duration=1.2)


def test_impacts_that_rattle_are_faster_than_what_comes_to_rest(collapsed):
    """0.1 mm/s, times the square of a third of the events of three closed points within 2 ms, at most 1 mm/s.

    Moments without a logged event count, too: what the log tells is a lower bound.
    """
    moments = {}
    for event in collapsed.metadata["events"]:
        moments.setdefault(event["time"], []).append(event)
    rattle, last, closed, bounds = 0.0, 0.0, 0, []
    for time, events in moments.items():
        rattle *= np.exp(-(time - last) / 2e-3)
        slowest = 1e-4 * np.clip((rattle / 3) ** 2, 1.0, 10.0)
        bounds += [slowest for event in events if event["event"] == "impact"]
        assert all(event["speed"] > 0.999 * slowest for event in events if event["event"] == "impact")
        kinds = [event["event"] for event in events]
        closed += kinds.count("touch-down") - kinds.count("lift-off")
        rattle, last = rattle + (closed >= 3), time
    assert max(bounds) > 3e-4


def test_a_limp_robot_collapses_by_events(collapsed):
    """All 596 points, no torques: hundreds of impacts, of which almost none are stepped through."""
    run = collapsed
    assert run.finished
    assert stepped_time(run) < 0.05 * 1.2
    assert run.q[-1, 2] < 0.3  # it lies down
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    assert mechanical.max() < mechanical[0] + 1e-3 * WEIGHT
    assert np.diff(run.energy["impact"]).min() > -1e-9
    assert drift(run) < 1e-3
    assert run.contact_force[..., 2].min() > -1e-6 * WEIGHT


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_limp_drops_in_random_attitudes_end(seed):
    rng = np.random.default_rng(seed)
    q = np.array(MODEL.reference)
    w = rng.normal(size=4)
    q[2], q[3:7] = 1.2, w / np.linalg.norm(w)
    run = ts.simulate(MODEL, q, ground=flat(Rigid(0.6)), duration=2.0)
    assert run.finished
    assert run.energy["kinetic"][-1] < 0.2 * run.energy["kinetic"].max()


@pytest.mark.filterwarnings("ignore:.*gone through in steps")
@pytest.mark.long
@pytest.mark.parametrize(
    "case", ["hrp2 3", "hrp2 17", "feng18 l 0.2 2000", "feng18 r 0.4 1000", "feng18 l 0.1 500", "talos 4"]
)
def test_falls_and_leg_lifts_neither_fail_nor_gain_energy_nor_sink_in(case):
    found = dict(cases())[case]()
    assert found["failure"] == ""
    assert found["depth"] < DEEPEST
    assert found["stepped"] < 0.05
