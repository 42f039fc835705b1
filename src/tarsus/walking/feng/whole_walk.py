"""A walk as one trajectory of a robot with a planar base, to be recorded, drawn and viewed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose, jacobian
from tarsus.model import Model
from tarsus.recording.energies import ENERGY_SIGNS
from tarsus.recording.trajectory import Trajectory
from tarsus.robots import feng18
from tarsus.robots.feng18 import TOE_JOINT, TOE_TIP
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, contact_places, support_model
from tarsus.walking.feng.ground_reaction import ground_reaction
from tarsus.walking.feng.support_exchange import LEG_JOINTS, exchanged
from tarsus.walking.feng.walk import FengWalk
from tarsus.walking.feng.walk_step import WalkStep

_STATES = ("kinetic", "potential", "ground_stored", "joint_stored")
"""Parts of the audit that belong to a moment; all others count from the start of a step."""
_POINTS = ("heel", "ball", "tip")
WHOLE_CONTACTS = tuple(f"{side}_{point}" for side in ("right", "left") for point in _POINTS)
"""Contacts of the trajectory; the force of link 0 acts at the ball of the supporting foot."""


@cache
def whole_model() -> Model:
    """`feng18` from its right toe up, whose base moves in the plane of the walk: 21 coordinates."""
    return feng18(base="planar")


class _Motion(NamedTuple):
    """Of the samples of one step."""

    q: FloatArray
    v: FloatArray
    tau: FloatArray


def whole_walk(walk: FengWalk) -> Trajectory:
    """All steps of a walk in the coordinates of `whole_model`.

    Its energies are those of all steps: parts that count from a start go on where the step before ended. Signals:
    "support" (1 on the right leg, -1 on the left one), "step", "q10", "v10", "zero_moment_point" (N, 2) along the way
    and across, from the middle of the right foot [m], and "outside" of the hull (0 or 1).
    """
    parts = [_of_step(step, k) for k, step in enumerate(walk.steps)]
    energy: dict[str, list[FloatArray]] = {name: [] for name in ENERGY_SIGNS}
    sums = dict.fromkeys(ENERGY_SIGNS, 0.0)
    for step in walk.steps:
        for name, values in step.run.energy.items():
            energy[name].append(values + (0.0 if name in _STATES else sums[name]))
            sums[name] = float(energy[name][-1][-1])
    return Trajectory(
        whole_model(),
        np.concatenate([step.begin + step.run.time for step in walk.steps]),
        np.concatenate([part[0].q for part in parts]),
        np.concatenate([part[0].v for part in parts]),
        np.concatenate([part[0].tau for part in parts]),
        WHOLE_CONTACTS,
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        {name: np.concatenate(values) for name, values in energy.items() if values},
        {name: np.concatenate([part[3][name] for part in parts]) for name in parts[0][3]},
        {"feng_walk": "Feng et al. 2015", "first": walk.first, "friction": walk.means.friction},
        finished=not walk.fallen,
        reason=walk.fallen,
    )


def _of_step(step: WalkStep, number: int) -> tuple[_Motion, FloatArray, FloatArray, dict[str, FloatArray]]:
    """Motion, positions and forces of contacts, and signals of a step."""
    run, reaction = step.run, ground_reaction(step)
    right = step.support == "right"
    shift = np.array([step.origin, 0.0 if right else feet_distance(), 0.0])
    position = np.zeros((len(run), len(WHOLE_CONTACTS), 3))
    force = np.zeros_like(position)
    stands, steps = ("right", "left") if right else ("left", "right")
    places = {"support_heel": f"{stands}_heel"} | {point: f"{steps}_{point}" for point in _POINTS}
    at = contact_places(support_model(step.support), run.q)
    for k, contact in enumerate(FENG_CONTACTS):
        column = WHOLE_CONTACTS.index(places[contact.name])
        position[:, column], force[:, column] = at[:, k] + shift, run.contact_force[:, k]
    ball = WHOLE_CONTACTS.index(f"{stands}_ball")
    position[:, ball], force[:, ball] = shift, reaction.toe_force
    position[:, WHOLE_CONTACTS.index(f"{stands}_tip")] = shift + np.array([TOE_TIP - TOE_JOINT, 0.0, 0.0])
    ones = np.ones(len(run))
    signals = {
        "support": ones if right else -ones,
        "step": number * ones,
        "q10": run.q[:, 9],
        "v10": run.v[:, 9],
        "zero_moment_point": reaction.zero_moment_point + shift[:2],
        "outside": reaction.outside.astype(float),
    }
    return _motion(step), position, force, signals


def feet_distance() -> float:
    """Distance of the left foot from the right one along y [m]."""
    return float(frame_pose(support_model("right"), np.zeros(18), "swing_toe")[1, 3])


def _motion(step: WalkStep) -> _Motion:
    """Motion and torques with the base at the right toe."""
    run, model = step.run, support_model(step.support)
    n = len(run)
    if step.support == "right":
        base, rate = np.tile([step.origin, 0.0, 0.0], (n, 1)), np.zeros((n, 3))
        joints = _Motion(run.q, run.v, run.tau)
    else:
        toe = frame_pose(model, run.q, "swing_toe")
        twist = (jacobian(model, run.q, "swing_toe") @ run.v[..., None])[..., 0]
        pitch = run.q[:, :LEG_JOINTS].sum(axis=1)
        base = np.stack([step.origin + toe[:, 0, 3], toe[:, 2, 3], pitch], axis=-1)
        # velocities of a planar base are in its own axes
        own = np.einsum("nji,nj->ni", toe[:, :3, :3], twist[:, :3])
        rate = np.stack([own[:, 0], own[:, 2], twist[:, 4]], axis=-1)
        joints = _Motion(exchanged(run.q), exchanged(run.v), exchanged(run.tau))
    return _Motion(
        np.concatenate([base, joints.q], axis=1),
        np.concatenate([rate, joints.v], axis=1),
        np.concatenate([np.zeros((n, 3)), joints.tau], axis=1),
    )
