"""Joint laws and stops as the tables that native runs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def law_tables(model: Model, law: JointLaw, batch: tuple[int, ...]) -> dict[str, Any]:
    """Gains, limits and references of a joint law for a batch of robots."""
    knots, first, spacing = knot_times(law)
    q_given = model.reference if law.q is None else law.q
    nq, nv = model.nq, model.nv
    q, own_q = references("q", q_given, nq, knots, batch)
    v, own_v = references("v", np.zeros(nv) if law.v is None else law.v, nv, knots, batch)
    tau, own_tau = references("tau", np.zeros(nv) if law.tau is None else law.tau, nv, knots, batch)
    own = own_q or own_v or own_tau
    robots = int(np.prod(batch, dtype=int))

    def table(array: FloatArray) -> FloatArray:
        return np.ascontiguousarray(np.broadcast_to(array, (robots, *array.shape[1:])) if own else array)

    kp = gains(model, "kp", law.kp)
    _refuse_turning(model, kp)
    limit = np.minimum(model.tau_max, _UNLIMITED) if law.limited else np.full(nv, _UNLIMITED)
    limit[~model.actuated] = _UNLIMITED
    return {
        "kp": kp,
        "kd": gains(model, "kd", law.kd),
        "limit": limit,
        "gravity": int(bool(law.gravity)),
        "actuated": np.ascontiguousarray(model.actuated, dtype=np.int32),
        "knots": knots,
        "knots_first": first,
        "knots_spacing": spacing,
        "own_references": int(own),
        "reference_q": table(to_native(model, q)),
        "reference_v": table(v),
        "reference_tau": table(tau),
    }


def _refuse_turning(model: Model, kp: FloatArray) -> None:
    """Raise where a joint has a gain of position, but no difference of angles."""
    for joint in model.joints.values():
        if not joint.traits.flat and np.any(kp[joint.v_index] > 0):
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
