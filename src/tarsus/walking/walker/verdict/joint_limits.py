"""Joints that a walk has driven far beyond their limits."""

from __future__ import annotations

import numpy as np

from tarsus.model.joint import HINGES, ONE_AXIS
from tarsus.recording.recorded import Recorded
from tarsus.walking.walker.gait.possible_speed import MUCH

PAST = 0.01
"""How far beyond a stop a joint is told [rad, m]."""


def limit_notes(run: Recorded, samples: slice) -> list[str]:
    """The joint that was fastest beyond twice its limit, and that which went furthest through its stop, in words.

    The simulation holds joints neither to their speeds nor, but for a spring, to their stops.
    """
    model = run.model
    found: list[str] = []
    axes = [
        joint for joint in model.joints.values() if joint.kind in ONE_AXIS and joint.q_index.stop > joint.q_index.start
    ]
    if not axes or not len(run.time[samples]):
        return found
    v = np.array([joint.v_index.start for joint in axes])
    limit = model.v_max[v]
    share = np.abs(run.v[samples][:, v]) / np.where(limit > 0.0, limit, np.inf)
    k, j = np.unravel_index(int(share.argmax()), share.shape)
    if share[k, j] > MUCH:
        found.append(f"{axes[j].name!r} turned at {share[k, j]:.0%} of its speed at {run.time[samples][k]:.2f} s")
    q = np.array([joint.q_index.start for joint in axes])
    at = run.q[samples][:, q]
    past = np.maximum(at - model.q_max[q], model.q_min[q] - at)
    k, j = np.unravel_index(int(past.argmax()), past.shape)
    if past[k, j] > PAST:
        far = f"{np.degrees(past[k, j]):.1f} degrees" if axes[j].kind in HINGES else f"{1e3 * past[k, j]:.0f} mm"
        found.append(f"{axes[j].name!r} was {far} beyond its stop at {run.time[samples][k]:.2f} s")
    return found
