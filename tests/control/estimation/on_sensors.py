"""Robots that are controlled by what sensors tell, and how far the estimate is from the truth meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

import tarsus as ts
from tarsus.contact import ContactPoint, Sole, flat, on_ground
from tarsus.control import BaseEstimator, Contact, JointLaw, WholeBody
from tarsus.gym import policies, quadruped_walk
from tarsus.gym.base_motion import heading, up_in_base

SOLES = ("l_sole", "r_sole")
LEGS = ("fl", "fr", "rl", "rr")
FEET = tuple(f"{leg}_foot" for leg in LEGS)
CORNERS = [(x, y, 0.0) for x in (-0.115, 0.115) for y in (-0.0655, 0.0655)]
INNER = [(x, y, 0.0) for x in (-0.09, 0.09) for y in (-0.05, 0.05)]


@dataclass
class Deviations:
    """Estimate less truth at every call of the controller, and the run.

    Attributes
    ----------
    place, turn, speed, spin : ndarray, shape (N, 3)
        Position in the world, rotation and velocities in base axes [m, rad, m/s, rad/s].
    """

    run: ts.Trajectory
    estimator: BaseEstimator
    rows: np.ndarray
    words: list[str]

    def __getattr__(self, name):
        return self.rows[:, {"place": slice(3), "turn": slice(3, 6), "speed": slice(6, 9), "spin": slice(9, 12)}[name]]

    @property
    def way(self):
        """Distance from start to end [m]."""
        return np.linalg.norm(self.run.q[-1, :2] - self.run.q[0, :2])


def follow(model, q0, estimator, control, sensors, fault=None, every=2, truth=False, **options):
    """Simulate with control(t, q, v) told by the estimator, or the truth.

    From 0.3 s on fault(t, readings) spoils readings.
    """
    rows, words, held = [], [], [None]

    def controller(seen):
        told = seen
        if fault is not None and seen.t >= 0.3:
            readings = {name: np.array(seen.sensors[name]) for name in seen.sensors}
            fault(seen.t, readings)
            told = SimpleNamespace(t=seen.t, sensors=readings, wrench=seen.wrench)
        q, v = estimator.update(told)
        assert np.isfinite(q).all() and np.isfinite(v).all()
        rows.append(np.concatenate([(q - seen.q)[:3], model.difference(seen.q, q)[3:6], (v - seen.v)[:6]]))
        if len(rows) % 10 == 0:
            words.append(str(estimator.status))
        if (len(rows) - 1) % every == 0:
            held[0] = control(seen.t, seen.q, seen.v) if truth else control(seen.t, q, v)
        return held[0]

    run = ts.simulate(model, q0, controller=controller, sensors=sensors, sample_dt=0.01, **options)
    return Deviations(run, estimator, np.array(rows), words)


def stand(duration, *, sensors=None, model=None, q=None, errors=1.0, **options):
    """HRP-2 stands by whole-body control, `model` is what controller and estimator believe it to be."""
    robot = ts.robots.hrp2()
    model = robot if model is None else model
    q = np.array(robot.reference) if q is None else q
    sensors = ts.sensors.proprioception(robot, SOLES, errors=errors) if sensors is None else sensors
    estimator = BaseEstimator(model, SOLES, sensors=sensors)
    estimator.reset(q)
    feet = [Contact(sole, INNER, pose=ts.frame_pose(model, q, sole)) for sole in SOLES]
    tasks = [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q), weight=10.0),
        ts.tasks.Orientation("BODY", np.eye(3)),
        ts.tasks.Posture(q, weight=0.3),
    ]
    body = WholeBody(model, tasks, feet)
    soles = [Sole(sole, sole, CORNERS) for sole in SOLES]
    return follow(robot, q, estimator, body, sensors, duration=duration, ground=flat(), contacts=soles, **options)


def trot(duration, *, speed=0.4, sensors=None, law=None, start=True, options=None, **simulation):
    """The quadruped trots by the policy of the gym, told by the estimator."""
    model = ts.robots.quadruped()
    rest = np.array(model.reference)
    sensors = ts.sensors.proprioception(model, FEET) if sensors is None else sensors
    feet = [ContactPoint(foot, foot, radius=0.02) for foot in FEET]
    ground = flat(law)
    q0 = on_ground(model, rest, ground, feet)
    estimator = BaseEstimator(model, sensors=sensors, **(options or {}))
    if start:
        estimator.reset(q0)

    def control(t, q, v):
        angle = 2.0 * np.pi * t / quadruped_walk.PERIOD
        own = [heading(q), speed, np.sin(angle), np.cos(angle)]
        seen = np.concatenate([up_in_base(q), v[:6], own, q[7:] - rest[7:], 0.1 * v[6:]])
        wanted = rest.copy()
        wanted[7:] += quadruped_walk.REACH * policies.trot(seen)
        return JointLaw(100.0, 3.0, q=wanted)

    return follow(
        model, q0, estimator, control, sensors, every=20, duration=duration, ground=ground, contacts=feet, **simulation
    )
