"""The start of a simulation: arrays of the user, or the end of a trajectory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.on_ground import on_ground
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.ik.standing import standing
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from tarsus.contact import Contactor, Ground
    from tarsus.model import Model


STANDING = "standing"
"""Name of the pose that is looked for where a model has none of that name."""


def named_start(
    model: Model,
    name: str | None,
    q0: npt.ArrayLike | None,
    resume: Trajectory | None,
    ground: Ground | None = None,
    contacts: Iterable[Contactor] | None = None,
) -> npt.ArrayLike | None:
    """Configurations to start from: those of the pose of a name, where there is one, else q0."""
    if name is None:
        return q0
    if q0 is not None or resume is not None:
        raise ArgumentError(f"start={name!r} is a pose of the model: leave q0 and resume out")
    touching = None if contacts is None else tuple(contacts)
    pose = named_pose(model, name, touching)
    found = name == STANDING and name not in model.poses and ground is not None
    return on_ground(model, pose, ground, touching) if found and ground is not None else pose


def named_pose(model: Model, name: str, contacts: Iterable[Contactor] | None = None) -> FloatArray:
    """Configuration of a pose of the model, or one to stand in; an error lists the names that there are."""
    if name in model.poses:
        return model.poses[name]
    if name == STANDING:
        return standing(model, contacts)
    there = f"there are {', '.join(map(repr, model.poses))}" if model.poses else "it has none"
    raise UnknownNameError(
        f"{model.name!r} has no pose {name!r}{nearest(str(name), (*model.poses, STANDING))}; {there}, and {STANDING!r} "
        "is looked for"
    )


def start_state(
    model: Model,
    q0: npt.ArrayLike | None,
    v0: npt.ArrayLike | None,
    resume: Trajectory | None,
    names: tuple[str, str] = ("q0", "v0"),
) -> tuple[FloatArray, FloatArray]:
    """Configurations and velocities at the start, of one batch shape; `names` are those of the caller's arguments."""
    if resume is not None:
        if q0 is not None or v0 is not None:
            raise ArgumentError("resume goes on from the end of a trajectory: leave q0 and v0 out")
        _check_resumed(model, resume)
        return np.array(resume.q[-1]), np.array(resume.v[-1])
    q = _start_array(names[0], model.reference if q0 is None else q0, model.nq)
    v = _start_array(names[1], np.zeros(model.nv) if v0 is None else v0, model.nv)
    batch = _start_batch(q, v, names)
    q = model.normalize(np.ascontiguousarray(np.broadcast_to(q, (*batch, model.nq))))
    model.joint_positions(q)  # raises where a loop cannot be closed
    return q, np.array(np.broadcast_to(v, (*batch, model.nv)))


def _check_resumed(model: Model, resume: Trajectory) -> None:
    """Raise where a trajectory is not one of this model."""
    if tuple(resume.model.joints) != tuple(model.joints) or resume.q.shape[-1] != model.nq:
        raise ArgumentError(
            f"resume is a trajectory of {resume.model.name!r} with nq = {resume.q.shape[-1]}; "
            f"expected one of {model.name!r} with nq = {model.nq} and the same joints"
        )


def _start_array(name: str, value: npt.ArrayLike, size: int) -> FloatArray:
    """A finite array of shape (..., size)."""
    try:
        raw = np.asarray(value)
        array = np.asarray(raw, dtype=float) if raw.dtype.kind in "biuf" else None
    except (TypeError, ValueError):
        array = None
    if array is None:
        raise DtypeError(f"{name} is {value!r}; expected real numbers of shape (..., {size})")
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{name} has shape {array.shape}; expected (..., {size})")
    if not np.all(np.isfinite(array)):
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise NonFiniteError(f"{name} is {array[tuple(where)]} at entry {where}; expected finite numbers")
    return array


def _start_batch(q: FloatArray, v: FloatArray, names: tuple[str, str]) -> tuple[int, ...]:
    """Batch axes that both share."""
    try:
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"{names[0]} and {names[1]} have batch axes {q.shape[:-1]} and {v.shape[:-1]}; expected axes that broadcast"
        ) from None
    if 0 in batch:
        raise ShapeError(f"{names[0]}, {names[1]} have batch axes {batch}: there is no robot to simulate")
    return batch


def with_batch(
    model: Model, batch: int | tuple[int, ...] | None, q: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The start for so many robots."""
    if batch is None:
        return q, v
    axes = (batch,) if isinstance(batch, int | np.integer) else tuple(batch)
    if not axes or not all(isinstance(n, int | np.integer) and n > 0 for n in axes):
        raise ArgumentError(f"batch is {batch!r}; expected a number of robots, or a tuple of them")
    try:
        return np.broadcast_to(q, (*axes, model.nq)).copy(), np.broadcast_to(v, (*axes, model.nv)).copy()
    except ValueError:
        raise ShapeError(f"q0, v0 have batch axes {q.shape[:-1]}, which do not fit batch = {axes}") from None
