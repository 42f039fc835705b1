"""Many walks side by side in fixed steps on `LeastConstraint` ground: what a search can afford."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact import LeastConstraint, flat
from tarsus.dynamics import frame_pose
from tarsus.simulation.stepping.simulation import Simulation
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, foot_points, support_model
from tarsus.walking.feng.support_exchange import exchanged, mirrored
from tarsus.walking.feng.torques.visual_lifting import HEAD
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk_step import LEANING, LONGEST_STEP, LOW_HEAD

_FLAT_HEIGHT, _REST_SPEED, _AHEAD = 2e-4, 0.02, 0.02
"""Steps of fixed length leave points of a flat foot so far above the ground [m] and so fast [m/s]; and a foot counts as
put forward from so far on [m]."""
_TURNED = 1.0
"""A supporting foot that turned further about its toes than this [rad] ends a walk: such walks lead nowhere."""
_KNEES = (2, 5)
"""Joints 3 and 6; the knee of the supporting leg bends backwards above 0, the other below 0."""


@dataclass(frozen=True, eq=False)
class BatchWalk:
    """What many walks came to.

    Attributes
    ----------
    time : ndarray, shape (B,)
        How long each lasted [s].
    standing : ndarray of bool, shape (B,)
        Whether it lasted to the end.
    lengths : list of B lists of float
        Lengths of the steps [m].
    bent_back : ndarray, shape (B,)
        Mean angle by which knees were bent backwards [rad].
    """

    time: FloatArray
    standing: BoolArray
    lengths: list[list[float]] = field(repr=False)
    bent_back: FloatArray = field(repr=False)

    @property
    def steps(self) -> FloatArray:
        """Number of steps, shape (B,)."""
        return np.array([len(lengths) for lengths in self.lengths])


def batch_walk(
    law: WalkLaw, q: FloatArray, v: FloatArray, *, duration: float, friction: float = 0.7, dt: float = 2e-3
) -> BatchWalk:
    """Walks of B robots from states q, v, shapes (B, 18), under laws whose numbers have the shape (B,).

    All robots stand on their right leg: after an exchange a robot is told as its mirror image. The ground is the same
    as that of `feng_walk` to first order in the step; where supports are exchanged the foot is flat to 0.2 mm.
    """
    model = support_model("right")
    count = len(q)
    robots = Simulation(model, q, v, ground=flat(LeastConstraint(friction)), contacts=FENG_CONTACTS, dt=dt, stops=False)
    exchange, time, back = np.zeros(count), np.full(count, float(duration)), np.zeros(count)
    alive = np.ones(count, dtype=bool)
    lengths: list[list[float]] = [[] for _ in range(count)]
    for k in range(round(duration / dt)):
        now = k * dt
        q, v = np.array(robots.q), np.array(robots.v)
        points = foot_points(model, q, v)
        ahead = points.position[:, 1, 0]
        bears = alive & (points.highest < _FLAT_HEIGHT) & (points.speed < _REST_SPEED) & (ahead > _AHEAD)
        if bears.any():
            for i in np.flatnonzero(bears):
                lengths[i].append(float(ahead[i]))
            exchange[bears] = now
            _exchange(robots, q, v, bears)
        head = np.asarray(frame_pose(model, q, HEAD))
        down = alive & (
            (head[:, 2, 3] < LOW_HEAD) | (head[:, 2, 2] < np.cos(LEANING)) | (q[:, 0] > _TURNED) | robots.failed
            | (now - exchange > LONGEST_STEP)
        )  # fmt: skip
        if down.any():
            time[down] = now
            alive &= ~down
            q[down] = v[down] = 0.0
            robots.reset(q, v, where=down)
        if not alive.any():
            break
        tau = law.torque(model, now - exchange, q, head=head)
        back += dt * alive * (np.maximum(q[:, _KNEES[0]], 0.0) + np.maximum(-q[:, _KNEES[1]], 0.0))
        robots.step(np.where(alive[:, None], tau, 0.0))
    return BatchWalk(time, alive, lengths, back / np.maximum(time, dt))


def _exchange(robots: Simulation, q: FloatArray, v: FloatArray, which: BoolArray) -> None:
    """Exchange the supports of some robots, in place; heels that are a little below the ground are put on it."""
    q[which], v[which] = mirrored(exchanged(q[which])), mirrored(exchanged(v[which]))
    q[which, 0], v[which, 0] = np.maximum(q[which, 0], 0.0), np.maximum(v[which, 0], 0.0)
    robots.reset(q, v, where=which)
