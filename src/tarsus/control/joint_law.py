"""Native joint control: feed-forward torque, PD and gravity compensation, evaluated inside the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class JointLaw:
    """tau + kp (q_ref - q) + kd (v_ref - v), plus gravity where asked for, within the joints' torque limits.

    It runs inside the native loop. The semi-implicit integrator takes its gains implicitly, so that stiff gains need no
    small steps.

    Attributes
    ----------
    kp, kd : mapping, or array_like, a number, shape (nv,), (K, nv), (*batch, nv) or (*batch, K, nv)
        Gains [N m/rad, N m s/rad or N/m, N s/m], constant or at the knots, for all robots or each of its own; numbers
        apply to the actuated joints. A mapping gives them by joint, ``{"*knee*": 300.0, "l_ankle": 80.0}``: a name
        before a pattern, a later pattern before an earlier one, zero elsewhere; patterns mean actuated joints.
    q : array_like, shape (nq,) or (K, nq) or (*batch, K, nq), optional
        Reference configuration, constant or at the knots; the model's reference pose by default. Joints with a
        rotation of their own (free base, ball joints) have no kp.
    v, tau : array_like, shape (nv,) or (K, nv) or (*batch, K, nv), optional
        Reference velocity and feed-forward torque; zero by default.
    times : array_like, shape (K,), optional
        Equidistant times of the knots [s]; references are linear between them and constant outside.
    gravity : bool
        Add the torque that holds the actuated joints against gravity, as far as nothing carries it (`Body.carried`).
    limited : bool
        Keep within `model.tau_max`.
    """

    kp: npt.ArrayLike | Mapping[str, float] = 0.0
    kd: npt.ArrayLike | Mapping[str, float] = 0.0
    q: npt.ArrayLike | None = None
    v: npt.ArrayLike | None = None
    tau: npt.ArrayLike | None = None
    times: npt.ArrayLike | None = None
    gravity: bool = False
    limited: bool = True

    def copy(self) -> JointLaw:
        """The same law with arrays of its own."""
        kp, kd, q, v, tau, times = map(_own, (self.kp, self.kd, self.q, self.v, self.tau, self.times))
        return JointLaw(kp, kd, q, v, tau, times, self.gravity, self.limited)


def _own(value: Any) -> Any:
    """A copy of what somebody may write to."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return deepcopy(value) if isinstance(value, list | dict) else value


def feed_forward(times: npt.ArrayLike, tau: npt.ArrayLike) -> JointLaw:
    """Torques given at equidistant times (K,), tau (K, nv), linear between them."""
    return JointLaw(tau=tau, times=times)


def gravity_compensation(kd: npt.ArrayLike | Mapping[str, float] = 0.0) -> JointLaw:
    """Torques that hold the actuated joints against gravity, with damping."""
    return JointLaw(kd=kd, gravity=True)


def _numbers(name: str, value: npt.ArrayLike) -> FloatArray:
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise DtypeError(f"{name} of JointLaw is {value!r}; expected numbers") from None


def gains(
    model: Model,
    name: str,
    value: npt.ArrayLike | Mapping[str, float],
    knots: int = 1,
    batch: tuple[int, ...] = (),
) -> tuple[FloatArray, bool]:
    """Gains as (copies, 1 or K, nv), and whether every robot of the batch has its own.

    One number is that of all actuated degrees of freedom.
    """
    given = _by_joint(model, name, value) if isinstance(value, Mapping) else _numbers(name, value)
    if not (given >= 0.0).all() or not np.isfinite(given).all():
        raise ArgumentError(f"{name} of JointLaw must be finite and not negative")
    if given.ndim == 0:
        return np.where(model.actuated, given, 0.0)[None, None], False
    if given.shape == (model.nv,):
        return np.array(given)[None, None], False
    return references(name, given, model.nv, knots, batch)


def _by_joint(model: Model, name: str, value: Mapping[str, float]) -> FloatArray:
    """Gains (nv,) of a mapping from joints, or patterns of their names, to numbers."""
    found = np.zeros(model.nv)
    joints = {joint.name: joint for joint in model.joints.values() if joint.v_index.stop > joint.v_index.start}
    for key in sorted(value, key=lambda key: key in joints):  # patterns first: names overwrite them
        named = [key] if key in joints else [n for n, j in joints.items() if j.actuated and fnmatchcase(n, str(key))]
        if not named:
            raise UnknownNameError(f"{name} of JointLaw: no joint that moves is {key!r}{nearest(str(key), joints)}")
        number = _numbers(name, value[key])
        for joint in named:
            place = joints[joint].v_index
            if number.shape not in ((), (place.stop - place.start,)):
                raise ShapeError(f"{name} of JointLaw has shape {number.shape} for {key!r}; expected a number")
            found[place] = number
    return found


def knot_times(law: JointLaw) -> tuple[int, float, float]:
    """Number of knots, first time and spacing."""
    if law.times is None:
        return 1, 0.0, 0.0
    times = np.atleast_1d(_numbers("times", law.times))
    if times.ndim != 1 or not np.all(np.isfinite(times)):
        raise ShapeError(f"times of JointLaw has shape {times.shape}; expected (K,) with finite entries")
    if len(times) == 1:
        return 1, float(times[0]), 0.0
    steps = np.diff(times)
    spacing = float(times[-1] - times[0]) / (len(times) - 1)
    if spacing <= 0 or np.abs(steps - spacing).max() > 1e-9 * max(1.0, abs(times).max()):
        raise ArgumentError("times of JointLaw must rise in equal steps")
    return len(times), float(times[0]), spacing


def references(
    name: str, value: npt.ArrayLike, size: int, knots: int, batch: tuple[int, ...]
) -> tuple[FloatArray, bool]:
    """References as (copies, K, size), and whether every robot of the batch has its own."""
    array = _numbers(name, value)
    if not np.all(np.isfinite(array)):
        raise NonFiniteError(f"{name} of JointLaw has entries that are not finite")
    if array.shape == (size,):
        return np.broadcast_to(array, (1, knots, size)), False
    if array.shape == (knots, size):
        return array[None], False
    if batch and array.shape == (*batch, size):
        return np.broadcast_to(array.reshape(-1, 1, size), (int(np.prod(batch)), knots, size)), True
    if batch and array.shape == (*batch, knots, size):
        return array.reshape(-1, knots, size), True
    own = f", ({', '.join(map(str, batch))}, {knots}, {size})" if batch else ""
    raise ShapeError(f"{name} of JointLaw has shape {array.shape}; expected ({size},), ({knots}, {size}){own}")
