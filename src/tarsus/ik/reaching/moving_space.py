"""What of a robot may move on its way, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.errors import ArgumentError, ConstraintError, SingularityError, UnknownNameError, nearest
from tarsus.model import Model
from tarsus.model.joint import HINGES, Joint
from tarsus.tasks import Task
from tarsus.tasks.moved_freedoms import moved_freedoms

INSIDE = 1e-3
"""By how much limits are narrowed while a way is looked for [rad, m], so that smoothing has room; at most one percent
of the range."""
TURNS = 2 * np.pi
"""How far an angle without limits may go to either side [rad]."""
SLIDES = 2.0
"""The same of a length [m]."""
BEYOND = 1e-9
"""Distance beyond a limit that is rounding [rad, m]."""
WANDER = (0.3, 0.6)
"""How far random postures of a base that moves are from where it starts, at most: directions [m], rotations [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class MovingSpace:
    """Configurations that a motion may go through.

    Attributes
    ----------
    model : Model
    q0 : ndarray, shape (nq,)
        Where it starts; what does not move stays as it is there.
    moving : ndarray of bool, shape (nv,)
        Freedoms that move.
    lower, upper : ndarray, shape (nq,)
        Limits, a little narrower than the model's; infinite where an entry of q is no plain coordinate.
    """

    model: Model
    q0: FloatArray
    moving: BoolArray
    lower: FloatArray
    upper: FloatArray

    @property
    def base_moves(self) -> bool:
        """Whether a freedom of the base moves."""
        return bool(self.moving[self.model.joints["base"].v_index].any())

    def way(self, q1: FloatArray, q2: FloatArray) -> FloatArray:
        """Way from one configuration to another, shape (..., nv), of what moves."""
        way: FloatArray = np.where(self.moving, self.model.difference(q1, q2), 0.0)
        return way

    def inside(self, q: FloatArray) -> BoolArray:
        """Which configurations (n, nq) are within the limits, with those of joints that follow others."""
        within = np.asarray(((q >= self.lower - BEYOND) & (q <= self.upper + BEYOND)).all(axis=-1))
        if self.model.coordinates.independent.all():
            return within
        return np.array([ok and _followers_inside(self.model, row) for ok, row in zip(within, q, strict=True)])

    def clipped(self, q: FloatArray) -> FloatArray:
        """Configurations brought back to the limits, with what does not move where it was."""
        return np.clip(q, self.lower, self.upper)

    def unwound(self, q: FloatArray) -> FloatArray:
        """The same postures (n, nq) with as few whole turns of hinges from q0 as limits allow."""
        result = q.copy()
        for joint in self.model.joints.values():
            if joint.kind in HINGES and joint.q_index.stop > joint.q_index.start:
                k = joint.q_index.start
                less = result[:, k] - 2 * np.pi * np.round((result[:, k] - self.q0[k]) / (2 * np.pi))
                fits = (less >= self.lower[k]) & (less <= self.upper[k])
                result[:, k] = np.where(fits, less, result[:, k])
        return result

    def random(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Random configurations (count, nq) within the limits."""
        model = self.model
        q = model.random(rng, (count,))
        flat = np.isfinite(self.lower)
        box = rng.uniform(np.where(flat, self.lower, 0.0), np.where(flat, self.upper, 0.0), (count, model.nq))
        if model.coordinates.independent.all():
            q = np.where(flat, box, q)
        for joint in model.joints.values():
            if not _floats(joint) or joint.q_index.stop == joint.q_index.start:
                continue
            slide = np.array(joint.traits.slides)
            far = np.where(slide, *WANDER) * self.moving[joint.v_index]
            step = np.zeros((count, model.nv))
            step[:, joint.v_index] = rng.uniform(-far, far, (count, len(slide)))
            q[:, joint.q_index] = model.integrate(self.q0, step)[:, joint.q_index]
        return self.held(self.clipped(q))

    def held(self, q: FloatArray) -> FloatArray:
        """Configurations (n, nq) with joints that do not move where they are at the start."""
        result = q.copy()
        for joint in self.model.joints.values():
            if not self.moving[joint.v_index].any():
                result[:, joint.q_index] = self.q0[joint.q_index]
        return result


def moving_space(model: Model, tasks: Sequence[Task], q0: FloatArray, joints: Iterable[str] | None) -> MovingSpace:
    """Which freedoms move: those of given joints, or all that the tasks depend on.

    Objects beside a robot do not move.

    Parameters
    ----------
    tasks : sequence of Task
        Those to be met at the end and those to be kept.
    joints : iterable of str, optional
        Joints that may move.

    Raises
    ------
    ArgumentError
        Where nothing may move, or the start is beyond a limit, which is named.
    """
    _require_inside(model, q0)
    moving = np.zeros(model.nv, dtype=bool)
    if joints is None:
        moving = moved_freedoms(model, tasks, q0)
    else:
        for name in (joints,) if isinstance(joints, str) else joints:
            if name not in model.joints:
                raise UnknownNameError(f"joint {name!r} of joints= not found{nearest(str(name), model.joints)}")
            moving[model.joints[name].v_index] = True
    for joint in model.joints.values():
        if joint.name != "base" and joint.kind == "free":
            moving[joint.v_index] = False
    if not moving.any():
        raise ArgumentError(f"no joint of {model.name!r} that may move changes the tasks")
    return MovingSpace(model, q0, moving, *_box(model, q0, moving))


def reaching_space(
    model: Model, wanted: Sequence[Task], kept: Sequence[Task], start: FloatArray, joints: Iterable[str] | None
) -> MovingSpace:
    """What moves to meet tasks while others are kept: a base only where there are such, or where it is named.

    Raises
    ------
    ArgumentError
        As `moving_space` does, and where only a base would move that is held.
    """
    names = joints
    space = moving_space(model, (*wanted, *kept), start, names)
    if names is None and not kept and model.base != "fixed":
        held = [name for name, joint in model.joints.items() if space.moving[joint.v_index].any() and name != "base"]
        if not held:
            raise ArgumentError(
                f"the tasks move the base of {model.name!r} alone, which is held without keep=: say what it stands on"
            )
        space = moving_space(model, (*wanted, *kept), start, held)
    if space.base_moves and model.base == "free" and model.rotation != "quaternion":
        raise ArgumentError(
            f"reach moves a free base in quaternions; that of {model.name!r} has rotation={model.rotation!r}"
        )
    return space


def _box(model: Model, q0: FloatArray, moving: BoolArray) -> tuple[FloatArray, FloatArray]:
    lower, upper = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for joint in model.joints.values():
        if not joint.traits.flat:
            continue
        for k, (place, v) in enumerate(zip(_range(joint.q_index), _range(joint.v_index), strict=True)):
            x, far = q0[place], SLIDES if joint.traits.slides[k] else TURNS
            low, high = max(model.q_min[place], x - far), min(model.q_max[place], x + far)
            room = min(INSIDE, 0.01 * (high - low))
            lower[place], upper[place] = min(low + room, x), max(high - room, x)
            if not moving[v]:
                lower[place] = upper[place] = x
    return lower, upper


def _range(place: slice) -> range:
    return range(place.start, place.stop)


def _floats(joint: Joint) -> bool:
    return joint.name == "base" or joint.kind == "free"


def _require_inside(model: Model, q0: FloatArray) -> None:
    for joint in model.joints.values():
        if not joint.traits.flat:
            continue
        for k in _range(joint.q_index):
            if not model.q_min[k] - BEYOND <= q0[k] <= model.q_max[k] + BEYOND:
                raise ArgumentError(
                    f"q0: joint {joint.name!r} is at {q0[k]:.6g}, beyond its limits {model.q_min[k]:.6g} to "
                    f"{model.q_max[k]:.6g}; give a start within them (q0=, --q {joint.name}=...)"
                )
    if not model.coordinates.independent.all():
        _follower_outside(model, q0)


def _followers_inside(model: Model, q: FloatArray) -> bool:
    """Whether all loops close at q with the joints that follow inside their limits."""
    try:
        _follower_outside(model, q)
    except (ArgumentError, ConstraintError, SingularityError):
        return False
    return True


def _follower_outside(model: Model, q: FloatArray) -> None:
    """Raise where a joint that follows others is beyond its limits."""
    tree = np.asarray(model.joint_positions(q))
    for joint in model.joints.values():
        if joint.q_index.stop > joint.q_index.start or not joint.traits.flat:
            continue
        first = model.coordinates.tree_q_start[joint.index]
        x = tree[first : first + joint.nq]
        if (x < joint.q_min - 1e-6).any() or (x > joint.q_max + 1e-6).any():
            raise ArgumentError(
                f"q0: joint {joint.name!r}, which follows others, is at {x.tolist()}, beyond its limits "
                f"{joint.q_min.tolist()} to {joint.q_max.tolist()}"
            )
