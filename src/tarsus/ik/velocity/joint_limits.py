"""Limits of joints as bounds of velocities: positions, velocities, accelerations, without contradictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.inequality import Inequality, Moment, VelocityRows
from tarsus.model import Model
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial._arrays import as_array, as_vector


def viable_speed(way: FloatArray, acceleration: FloatArray, dt: float, share: float = 1.0) -> FloatArray:
    """Largest speed towards a limit from which Euler steps can brake before they reach it.

    With h = a dt^2 and the n for which n (n - 1) / 2 < way / h <= n (n + 1) / 2, the speed is
    (way / n + h (n - 1) / 2) / dt: n steps that slow down by a dt each end at the limit. It tends to sqrt(2 a way) for
    short steps, and is way / dt without a limit of acceleration or within the last step. A state at such a speed is at
    such a speed after a step of full braking: what was possible stays possible.

    Parameters
    ----------
    way : ndarray, shape (...)
        To the limit [rad, m]; negative beyond it, which gives the speed with which a step comes back.
    acceleration : ndarray, shape (...)
        [rad/s^2, m/s^2], infinite where there is no limit.
    dt : float
        [s]
    share : float
        Part of the way that one step may take, where there is no limit of acceleration.
    """
    h = acceleration * dt**2
    with np.errstate(invalid="ignore", divide="ignore"):
        n = np.maximum(np.ceil(0.5 * (np.sqrt(1.0 + 8.0 * np.maximum(way, 0.0) / h) - 1.0)), 1.0)
        braking = way / n + np.where(n > 1.0, 0.5 * h * (n - 1.0), 0.0)
    result: FloatArray = np.where(np.isinf(way), np.inf, np.where(np.isinf(h), share * way, braking)) / dt
    return result


ROUNDING = 1e-9
"""By how much limits of joints that follow others may be passed, relative to the coordinate."""


@dataclass(frozen=True, slots=True, eq=False)
class Limits(Inequality):
    """Limits of joints.

    Bounds of each joint lie inside each other: that of the acceleration first, inside it that of the velocity, inside
    both that of the position. A motion that begins within all of them stays within all of them; one that begins beyond
    some is brought back as fast as those before allow. Positions have limits where coordinates are plain numbers, not
    in free, planar and ball joints. Limits of joints that follow others in loops are rows G v of their own, exact to
    first order in a step.

    Attributes
    ----------
    position : bool
        Whether positions stay within `model.q_min` and `model.q_max`.
    velocity : bool or array_like, shape (nv,), or a number
        True for `model.v_max`; or the limits [rad/s, m/s].
    acceleration : array_like, shape (nv,), or a number, optional
        [rad/s^2, m/s^2]; none by default. It needs the velocity of the step before.
    share : float
        Part of the way to a position limit that one step may take, above 0 and at most 1; where accelerations are
        limited it must be 1, since these say how joints slow down.
    """

    position: bool = True
    velocity: bool | npt.ArrayLike = True
    acceleration: npt.ArrayLike | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.share) and 0 < self.share <= 1):
            raise ArgumentError(f"share of Limits is {self.share!r}; expected a number above 0, at most 1")
        if self.acceleration is not None and self.share != 1.0:
            raise ArgumentError(f"share of Limits is {self.share!r}; expected 1 where accelerations are limited")
        for name in ("velocity", "acceleration"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                array = as_array(value, f"{name} of Limits")
                if (array <= 0).any():
                    raise ArgumentError(f"{name} of Limits: found {array.min():g}, expected numbers above 0")

    def speeds(self, model: Model) -> FloatArray:
        """Limits of velocity, shape (nv,), infinite where there are none."""
        if isinstance(self.velocity, bool):
            return np.array(model.v_max) if self.velocity else np.full(model.nv, np.inf)
        return _each(self.velocity, model.nv, "velocity of Limits")

    def accelerations(self, model: Model) -> FloatArray:
        """Limits of acceleration, shape (nv,), infinite where there are none."""
        if self.acceleration is None:
            return np.full(model.nv, np.inf)
        return _each(self.acceleration, model.nv, "acceleration of Limits")

    def bounds(self, model: Model, q: FloatArray, dt: float, v_previous: FloatArray | None) -> tuple[FloatArray, ...]:
        """Lower and upper bounds of v, shape (..., nv).

        Parameters
        ----------
        q : ndarray, shape (..., nq)
        v_previous : ndarray, shape (..., nv), or None
            Needed where accelerations are limited.
        """
        a, v_max = self.accelerations(model), self.speeds(model)
        if self.acceleration is not None and v_previous is None:
            raise ArgumentError("v_previous is missing; limits of acceleration need the velocity of the step before")
        before = np.zeros(model.nv) if v_previous is None else as_vector(v_previous, "v_previous", model.nv)
        least, most = before - a * dt, before + a * dt
        low, high = np.clip(-v_max, least, most), np.clip(v_max, least, most)
        place = flat_coordinates(model)
        if self.position and len(place.v):
            x, a = q[..., place.q], a[place.v]
            down = -viable_speed(x - model.q_min[place.q], a, dt, self.share)
            up = viable_speed(model.q_max[place.q] - x, a, dt, self.share)
            low, high = (np.array(np.broadcast_to(b, (*x.shape[:-1], model.nv))) for b in (low, high))
            inner = low[..., place.v], high[..., place.v]
            low[..., place.v], high[..., place.v] = np.clip(down, *inner), np.clip(up, *inner)
        return low, high

    def rows(self, model: Model, moment: Moment) -> VelocityRows:
        """Rows of the identity for joints with bounds, then G v of joints that follow others."""
        dt = moment.step("limits of joints")
        low, high = self.bounds(model, moment.q, dt, moment.v_previous)
        bound = np.isfinite(low) | np.isfinite(high)
        names = [f"limits of {name!r}" for name in rate_names(model)]
        own = VelocityRows(
            np.eye(model.nv)[bound], low[bound], high[bound], tuple(np.array(names, dtype=object)[bound])
        )
        return self._with_followers(model, moment.q, dt, own)

    def _with_followers(self, model: Model, q: FloatArray, dt: float, own: VelocityRows) -> VelocityRows:
        table = follower_limits(model)
        use_position, use_velocity = self.position, self.velocity is True
        bound = (use_position & table.limited) | (use_velocity & np.isfinite(table.v_max))
        if not bound.any():
            return own
        G, x = model.coupling_matrix(q)[table.v], model.joint_positions(q)[table.q]
        v_max = table.v_max if use_velocity else np.full(len(table.v), np.inf)
        low, high = -v_max, v_max.copy()
        if use_position:
            low = np.clip(self.share * (table.q_min - x) / dt, -v_max, v_max)
            high = np.clip(self.share * (table.q_max - x) / dt, -v_max, v_max)
        names = tuple(
            f"limits of {name!r}, which follows others" for name in np.array(table.names, dtype=object)[bound]
        )
        return VelocityRows(
            np.concatenate([own.A, G[bound]]),
            np.append(own.lower, low[bound]),
            np.append(own.upper, high[bound]),
            (*own.names, *names),
        )


class FlatCoordinates(NamedTuple):
    """Places in q and v of independent coordinates that are plain numbers, joint by joint."""

    q: IndexArray
    v: IndexArray


def flat_coordinates(model: Model) -> FlatCoordinates:
    """Of all joints whose velocity is the rate of their coordinates."""
    q: list[int] = []
    v: list[int] = []
    for joint in model.joints.values():
        if JOINT_TRAITS[joint.kind].flat:
            q.extend(range(joint.q_index.start, joint.q_index.stop))
            v.extend(range(joint.v_index.start, joint.v_index.stop))
    return FlatCoordinates(np.array(q, dtype=np.intp), np.array(v, dtype=np.intp))


def rate_names(model: Model) -> list[str]:
    """Names of the entries of v: "knee", "base.vx"."""
    names: list[str] = []
    for joint in model.joints.values():
        count = joint.v_index.stop - joint.v_index.start
        labels = joint.traits.rates[:count]
        names.extend(joint.name if label == "" else f"{joint.name}.{label}" for label in labels)
    return names


def inside(model: Model, before: FloatArray, after: FloatArray) -> FloatArray:
    """A step without what rounding put beyond limits: coordinates that began within them end within them."""
    place = flat_coordinates(model).q
    x, low, high = before[..., place], model.q_min[place], model.q_max[place]
    result = after.copy()
    kept = (x >= low) & (x <= high)
    result[..., place] = np.where(kept, np.clip(after[..., place], low, high), after[..., place])
    return result


class FollowerLimits(NamedTuple):
    """Limits of joints that follow others and are not already part of the limits of one leader.

    Attributes
    ----------
    q, v : ndarray of int
        Places in the coordinates and velocities of the tree.
    q_min, q_max, v_max : ndarray
    limited : ndarray of bool
        Whether there is a limit of position.
    names : list of str
    """

    q: IndexArray
    v: IndexArray
    q_min: FloatArray
    q_max: FloatArray
    v_max: FloatArray
    limited: BoolArray
    names: list[str]


def follower_limits(model: Model) -> FollowerLimits:
    """Of all followers in loops, of polynomials, and of several leaders; those that cannot be kept are left out."""
    c = model.coordinates
    narrowed = {
        dof
        for closure in c.closures
        if closure.kind == "linear" and len(closure.dofs) == closure.dependents + 1
        for dof in closure.dofs[: closure.dependents]
    }
    found = []
    for joint in model.joints.values():
        place, rate = int(c.tree_q_start[joint.index]), int(c.tree_v_start[joint.index])
        follows = not c.independent[joint.index] and JOINT_TRAITS[joint.kind].one_axis
        if not follows or c.leader_q[place] >= 0 or rate in narrowed:
            continue
        low, high = float(joint.q_min[0]), float(joint.q_max[0])
        if not low <= c.reference[place] <= high:  # limits that not even the reference keeps are not about this branch
            low, high = -np.inf, np.inf
        found.append((place, rate, low, high, float(joint.v_max[0]), joint.name))
    q, v = (np.array([row[k] for row in found], dtype=np.intp) for k in (0, 1))
    q_min, q_max, v_max = (np.array([row[k] for row in found], dtype=float) for k in (2, 3, 4))
    limited = np.isfinite(q_min) | np.isfinite(q_max)
    return FollowerLimits(q, v, q_min, q_max, v_max, limited, [row[5] for row in found])


def followers_within(model: Model, q: FloatArray) -> BoolArray:
    """Which of configurations (n, nq) keep the limits of position of `follower_limits`, shape (n,)."""
    table = follower_limits(model)
    if not table.limited.any():
        return np.ones(len(q), dtype=bool)
    x = model.joint_positions(q)[:, table.q]
    room = ROUNDING * (1.0 + np.abs(x))
    return np.asarray(((x >= table.q_min - room) & (x <= table.q_max + room)).all(axis=-1))


def _each(value: npt.ArrayLike, count: int, name: str) -> FloatArray:
    array = as_array(value, name)
    if array.shape not in ((), (count,)):
        raise ShapeError(f"{name}: found shape {array.shape}, expected a number or ({count},)")
    return np.array(np.broadcast_to(array, (count,)))
