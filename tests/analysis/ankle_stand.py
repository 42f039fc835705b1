"""HRP-2 that stands by turning its ankles against its centre of mass: whether it recovers from a push."""

from __future__ import annotations

import functools

import numpy as np

import tarsus as ts
from tarsus.control import JointLaw

DURATION = 4.0
SETTLED = 0.1
"""Deviation of the centre of mass at the end [m]."""
DRIFT = 0.2
"""Velocity of the centre of mass at the end [m/s]."""
LOWEST = 0.45
"""Height of the base below which the robot has fallen [m]."""


@functools.cache
def robot():
    model = ts.robots.hrp2()
    corners = [name for name in model.frames if "_sole_" in name]
    frames = [model.frames[name] for name in corners]
    contacts = [ts.contact.ContactPoint(n, f.body, f.pose[:3, 3]) for n, f in zip(corners, frames, strict=True)]
    ankles = np.array([model.joints[f"{side}LEG_JOINT{k}"].q_index.start for k in (4, 5) for side in "RL"])
    return model, contacts, ankles


def deviation(model, q):
    """Centre of mass seen from between the soles [m]."""
    soles = [ts.frame_pose(model, q, name)[:2, 3] for name in ("l_sole", "r_sole")]
    return ts.center_of_mass(model, q)[:2] - 0.5 * (soles[0] + soles[1])


def run(push):
    model, contacts, ankles = robot()
    rest = np.array(model.reference)
    place = deviation(model, rest)

    def balance(observed):
        if observed.q[2] < LOWEST:
            observed.stop("fallen")
        e = deviation(model, observed.q) - place
        u = ts.momentum(model, observed.q, observed.v)[:2] / model.total_mass
        turn = np.clip(2.0 * e + 0.6 * u, -0.3, 0.3)
        q = rest.copy()
        q[ankles] += np.repeat([turn[0], -turn[1]], 2)
        return JointLaw(3000.0, 60.0, q=q)

    return ts.simulate(
        model, duration=DURATION, ground=ts.contact.flat(), contacts=contacts, controller=balance, control_dt=0.01,
        sample_dt=0.05, pushes=[push],
    )  # fmt: skip


def recovers(push):
    """Whether the robot stands still again where it stood."""
    found = run(push)
    model, *_ = robot()
    if found.reason or not found.finished:
        return False
    e = deviation(model, found.q[-1]) - deviation(model, np.array(model.reference))
    u = ts.momentum(model, found.q[-1], found.v[-1])[:2] / model.total_mass
    return bool(np.linalg.norm(e) < SETTLED and np.linalg.norm(u) < DRIFT)
