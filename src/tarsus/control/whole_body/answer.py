"""What a whole-body controller found at a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray

SOLVED, LIMITS_MISSED = "solved", "limits-missed"
STATUSES = (SOLVED, LIMITS_MISSED, "infeasible", "iteration-limit", "inaccurate", "contradictory", "singular")
"""In the order of their numbers in recordings."""
HOLDS = "contacts, cones, limits and equations of motion hold"
HELD = 1e-7
"""By how much rows may be missed, forces in the largest generalised force at rest, relative to the torques."""


TOLD = 3
"""Missed limits that a reason names, the worst ones; `Command.missed` has all of them."""


def limits_reason(missed: Mapping[str, float]) -> str:
    """Limits that are missed, in words."""
    worst = sorted(missed, key=missed.__getitem__, reverse=True)[:TOLD]
    more = f" and {len(missed) - TOLD} more" if len(missed) > TOLD else ""
    return "limits of accelerations are missed: " + ", ".join(f"{name} by {missed[name]:.3g}" for name in worst) + more


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """Accelerations, torques and contact forces of one state.

    Attributes
    ----------
    tau : ndarray, shape (nv,)
        Zero where nothing drives; within the limits whatever the status.
    vdot : ndarray, shape (nv,)
        What the robot is expected to do.
    wrenches : mapping of str to ndarray, shape (6,)
        What each contact does to the robot, by its frame: at the origin of the frame, world axes [N, N m].
    status : str
        "solved" where everything holds. "limits-missed" where cones and torques leave no room for all limits of joints
        and distances: everything else holds. Otherwise "infeasible", "iteration-limit", "inaccurate", "contradictory"
        or "singular", and the torques are those that hold the robot without contact forces, as far as limits allow.
    reason : str
        In words, with the names of rows.
    errors : mapping of str to ndarray
        By how much each task misses the acceleration it asks for.
    multiplier : ndarray, shape (nc,)
        Of redundant parameters, by the method "multiplier"; it is zero in every motion.
    iterations : int
    missed : mapping of str to float
        Limits that do not hold, and by how much [rad/s^2, m/s^2].
    solve_time : float
        How long it took, by the clock [s]. No signal of recordings has it, which are the same bit by bit.
    """

    tau: FloatArray
    vdot: FloatArray
    wrenches: Mapping[str, FloatArray]
    status: str
    reason: str
    errors: Mapping[str, FloatArray] = field(default_factory=dict)
    multiplier: FloatArray | None = None
    iterations: int = 0
    missed: Mapping[str, float] = field(default_factory=dict)
    solve_time: float = 0.0

    @property
    def success(self) -> bool:
        """Whether everything that was asked for holds."""
        return self.status == SOLVED

    @property
    def answered(self) -> bool:
        """Whether it is the answer of a program: everything holds, or everything but limits of joints and distances."""
        return self.status in (SOLVED, LIMITS_MISSED)


@dataclass(frozen=True, slots=True, eq=False)
class Commands:
    """Commands of many robots: the fields of `Command` with batch axes.

    Attributes
    ----------
    tau, vdot : ndarray, shape (..., nv)
    wrenches : mapping of str to ndarray, shape (..., 6)
    status : ndarray of str, shape (...)
    errors : mapping of str to ndarray, shape (..., rows)
        NaN where nothing was found.
    iterations : ndarray of int, shape (...)
    """

    tau: FloatArray
    vdot: FloatArray
    wrenches: Mapping[str, FloatArray]
    status: npt.NDArray[np.object_]
    errors: Mapping[str, FloatArray]
    iterations: npt.NDArray[np.int32]

    @property
    def success(self) -> BoolArray:
        """Where everything that was asked for holds, shape (...)."""
        return np.asarray(self.status == SOLVED, dtype=bool)


def blended(before: Command, after: Command, share: float) -> Command:
    """What is between two commands at one state: torques, accelerations and wrenches of `after` by its share.

    The status is that of `after`, or of `before` where only that was not solved; errors and multipliers are of `after`.
    """
    told = before if after.success else after
    nothing = np.zeros(6)
    return replace(
        after,
        tau=(1.0 - share) * before.tau + share * after.tau,
        vdot=(1.0 - share) * before.vdot + share * after.vdot,
        wrenches={
            frame: (1.0 - share) * before.wrenches.get(frame, nothing) + share * after.wrenches.get(frame, nothing)
            for frame in dict.fromkeys([*before.wrenches, *after.wrenches])
        },
        status=told.status,
        reason=told.reason,
        iterations=before.iterations + after.iterations,
        missed={**before.missed, **after.missed},
        solve_time=before.solve_time + after.solve_time,
    )
