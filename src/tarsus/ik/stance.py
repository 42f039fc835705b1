"""What a legged robot keeps while it does something else: its feet where they are, its weight above them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor
from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.feet import Foot, find_feet
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS
from tarsus.tasks import CenterOfMass, FramePose, Position, Task

NEAR = 0.05
"""Distance [m] of a frame from the point that a foot stands on, within which it stands for it."""


def stance(
    model: Model,
    q: npt.ArrayLike | None = None,
    *,
    feet: Iterable[str] | None = None,
    contacts: Iterable[Contactor] | None = None,
) -> tuple[Task, ...]:
    """Tasks that hold the feet of a robot where they are, and its centre of mass above the place where it is.

    Feet with a sole keep their pose; feet that stand on a point keep the place of the frame nearest to it.

    Parameters
    ----------
    q : array_like, shape (nq,), optional
        Where the robot stands; the reference pose by default.
    feet : iterable of str, optional
        Frames whose poses are held. By default feet are found from the shapes, as by `standing`.
    contacts : iterable of contactors, optional
        What it may stand on, where feet are looked for.

    Returns
    -------
    tasks : tuple of Task
        For `keep=` of `reach`, or beside others in `solve` and `velocity`.

    Raises
    ------
    ArgumentError
        Where no feet are found, or one that stands on a point has no frame there.
    """
    at = np.array(model.reference if q is None else q, dtype=float)
    if at.shape != (model.nq,):
        raise ShapeError(f"q: found shape {at.shape}, expected ({model.nq},)")
    if feet is not None:
        names = (feet,) if isinstance(feet, str) else tuple(feet)
        if not names:
            raise ArgumentError("feet is empty; expected names of frames")
        held: list[Task] = [FramePose(name, frame_pose(model, at, name)) for name in names]
    else:
        held = [_holding(model, at, foot) for foot in find_feet(model, stretched(model), contacts)]
    if model.total_mass <= 0:
        return tuple(held)
    return (*held, CenterOfMass(center_of_mass(model, at), axes=[True, True, False]))


def stretched(model: Model) -> FloatArray:
    """All joints at zero, or at the limit next to it, on the base of the reference pose."""
    q = np.array(model.reference)
    for joint in model.joints.values():
        if joint.kind in ONE_AXIS and joint.q_index.stop > joint.q_index.start:
            q[joint.q_index] = np.clip(0.0, model.q_min[joint.q_index], model.q_max[joint.q_index])
    return q


def _holding(model: Model, q: FloatArray, foot: Foot) -> Task:
    if foot.flat:
        return FramePose(foot.body, frame_pose(model, q, foot.body))
    point = foot.points.mean(axis=0)
    places = {name: frame.pose[:3, 3] for name, frame in model.frames.items() if frame.body == foot.body}
    name = min(places, key=lambda other: float(np.linalg.norm(places[other] - point)))
    away = float(np.linalg.norm(places[name] - point))
    if away > NEAR:
        raise ArgumentError(
            f"{foot.body!r} stands on a point, and the nearest frame, {name!r}, is {away:.3g} m away from it; "
            "give feet= or tasks of your own"
        )
    return Position(name, frame_pose(model, q, name)[:3, 3])
