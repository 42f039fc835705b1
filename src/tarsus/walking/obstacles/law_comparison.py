"""The laws of task-space modification on one scene: what each moves, and what it costs."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.walking.obstacles.modification_laws import LAWS
from tarsus.walking.obstacles.obstacle_plan import ObstaclePlan
from tarsus.walking.obstacles.reactive_avoidance import BASE, ReactiveAvoidance
from tarsus.walking.obstacles.task_jacobian import FEET, task_jacobian

REPEATED = 200
"""Calls that are timed."""
COM = slice(0, 3)


@dataclass(frozen=True)
class LawOutcome:
    """What a law does at one moment.

    Attributes
    ----------
    fall : float
        How fast H falls where task space moves by w', for a w' of unit length [1/m].
    com : float
        Speed at which it would move the centre of mass, in lengths of w'.
    stance : float
        The same of the foot that stands.
    time : float
        Of a call, of the thread [us].
    """

    fall: float
    com: float
    stance: float
    time: float


def compare_laws(plan: ObstaclePlan) -> dict[str, LawOutcome]:
    """All laws where a swinging foot is nearest to an obstacle.

    (5.67) and (5.74) move everything that is tracked, centre of mass and foot that stands included, which a walk cannot
    allow; (5.78) and (5.80) move the foot that swings alone.
    """
    walk, biped = plan.walk, plan.walk.biped
    swinging = ~walk.feet.standing.all(axis=1)
    if not plan.obstructions or not swinging.any():
        raise ArgumentError("plan has no swing past an obstacle; expected one to compare laws at")
    k = int(np.where(swinging, plan.distance, np.inf).argmin())
    foot = int(bool(walk.feet.standing[k, 0]))
    q = walk.q[k][biped.lower.q]
    avoidance = ReactiveAvoidance(biped, plan.obstructions, walk.dt)
    gradient = avoidance.gradients(foot, q, avoidance.poses(float(walk.times[k])))[:, 0]
    J = task_jacobian(biped, q)
    W = np.where(np.arange(J.shape[1]) < 6, BASE, 1.0)
    slope = np.linalg.lstsq(J.T, gradient, rcond=None)[0]  # dH/dw, the rest of task space as it is
    found = {}
    for name, law in LAWS.items():
        w = law(J, gradient, W, FEET[foot])
        length = float(np.linalg.norm(w))
        begin = time.thread_time()
        for _ in range(REPEATED):
            law(J, gradient, W, FEET[foot])
        each = (time.thread_time() - begin) / REPEATED
        com, stance = np.linalg.norm(w[COM]), np.linalg.norm(w[FEET[1 - foot]])
        found[name] = LawOutcome(-float(slope @ w) / length, float(com) / length, float(stance) / length, 1e6 * each)
    return found
