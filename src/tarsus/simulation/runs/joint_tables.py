"""Joint laws and stops as the tables that native runs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw, gains, knot_times, references
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_native

if TYPE_CHECKING:
    from tarsus.model import Model

STOP_STIFFNESS = 1.0e4
"""Stiffness of the stops at joint limits [N m/rad or N/m]."""
STOP_DAMPING = 1.0e2
"""Damping of the stops at joint limits [N m s/rad or N s/m]."""
_UNLIMITED = 1e300
"""What the native core takes for no limit."""


@final
class LawTables:
    """Makes tables of joint laws for a batch of robots; what does not change from law to law is made once."""

    def __init__(self, model: Model, batch: tuple[int, ...]) -> None:
        self._model, self._batch = model, batch
        self._robots = int(np.prod(batch, dtype=int))
        nv = model.nv
        self._still = np.zeros((1, 1, nv))
        self._reference = np.ascontiguousarray(to_native(model, np.array(model.reference)))[None, None]
        self._actuated = np.ascontiguousarray(model.actuated, dtype=np.int32)
        self._free = np.full(nv, _UNLIMITED)
        self._limited = np.where(model.actuated, np.minimum(model.tau_max, _UNLIMITED), _UNLIMITED)
        self._turning = np.zeros(nv, dtype=bool)
        for joint in model.joints.values():
            if not joint.traits.flat:
                self._turning[joint.v_index] = True

    @property
    def constants(self) -> dict[str, Any]:
        """What laws do not tell, for native ones without knots."""
        return {
            "reference": self._reference,
            "limited": self._limited,
            "actuated": self._actuated,
            "turning": self._turning.astype(np.int32),
        }

    def of(self, law: JointLaw) -> dict[str, Any]:
        """Gains, limits and references of a joint law.

        Raises
        ------
        ArgumentError
            Where it does not fit model and batch.
        """
        model, batch = self._model, self._batch
        knots, first, spacing = knot_times(law)
        kp, own_kp = gains(model, "kp", law.kp, knots, batch)
        kd, own_kd = gains(model, "kd", law.kd, knots, batch)
        if np.any(kp[..., self._turning]):
            self._refuse_turning(kp)
        q, own_q = self._given("q", law.q, model.nq, knots)
        v, own_v = self._given("v", law.v, model.nv, knots)
        tau, own_tau = self._given("tau", law.tau, model.nv, knots)
        own, own_gains = own_q or own_v or own_tau, own_kp or own_kd
        gain_knots = max(kp.shape[1], kd.shape[1])
        return {
            "kp": self._table(kp, own_gains, gain_knots),
            "kd": self._table(kd, own_gains, gain_knots),
            "own_gains": int(own_gains),
            "gain_knots": gain_knots,
            "limit": self._limited if law.limited else self._free,
            "gravity": int(bool(law.gravity)),
            "actuated": self._actuated,
            "knots": knots,
            "knots_first": first,
            "knots_spacing": spacing,
            "own_references": int(own),
            "reference_q": self._table(q, own, knots),
            "reference_v": self._table(v, own, knots),
            "reference_tau": self._table(tau, own, knots),
        }

    def _given(self, name: str, value: Any, size: int, knots: int) -> tuple[FloatArray, bool]:
        """References as (copies, K, native size), and whether every robot has its own."""
        if value is None:
            return (self._reference if name == "q" else self._still), False
        array, own = references(name, value, size, knots, self._batch)
        return (to_native(self._model, array) if name == "q" else array), own

    def _table(self, array: FloatArray, own: bool, knots: int) -> FloatArray:
        """In one piece, with a copy for every robot or one for all; arrays that a caller may change are copied."""
        shape = (self._robots if own else 1, knots, array.shape[-1])
        return np.array(array if array.shape == shape else np.broadcast_to(array, shape), order="C")

    def _refuse_turning(self, kp: FloatArray) -> None:
        """Raise where a joint has a gain of position, but no difference of angles."""
        for joint in self._model.joints.values():
            if not joint.traits.flat and np.any(kp[..., joint.v_index] > 0):
                raise ArgumentError(
                    f"kp of joint {joint.name!r} must be 0: a {joint.kind} joint has no difference of angles"
                )


def stop_tables(model: Model, stops: bool) -> dict[str, Any]:
    """Stops at the limits of one-axis joints, dependent ones included, over the degrees of freedom of the tree."""
    none = dict.fromkeys(("stop_q", "lower", "upper", "stop_stiffness", "stop_damping"))
    if not stops:
        return none
    coordinates = model.coordinates
    n = len(coordinates.leader_v)
    stop_q = np.full(n, -1, dtype=np.int32)
    lower, upper = np.full(n, -_UNLIMITED), np.full(n, _UNLIMITED)
    for joint in model.joints.values():
        if not joint.traits.one_axis or joint.traits.unlimited:
            continue
        low, high = float(joint.q_min[0]), float(joint.q_max[0])
        if np.isfinite(low) or np.isfinite(high):
            k = coordinates.tree_v_start[joint.index]
            stop_q[k] = coordinates.tree_q_start[joint.index]
            # A leading joint stops where its loop ends, on the sides that have a stop.
            first, last = coordinates.within_reach(int(stop_q[k]), low, high)
            low, high = first if np.isfinite(low) else low, last if np.isfinite(high) else high
            lower[k], upper[k] = max(low, -_UNLIMITED), min(high, _UNLIMITED)
    if np.all(stop_q < 0):
        return none
    return {
        "stop_q": stop_q,
        "lower": lower,
        "upper": upper,
        "stop_stiffness": np.full(n, STOP_STIFFNESS),
        "stop_damping": np.full(n, STOP_DAMPING),
    }
