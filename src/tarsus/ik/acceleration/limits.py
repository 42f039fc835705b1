"""Limits of positions, velocities, accelerations, torques and distances as rows of accelerations."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.errors import ArgumentError, KinematicsWarning, ShapeError
from tarsus.ik.acceleration.cost import Dynamics
from tarsus.ik.objectives.limited_coordinates import limited_coordinates
from tarsus.ik.velocity.joint_limits import rate_names
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks import Distance

KEPT = 0.6
"""Gain times step up to which limits are kept: h' + gain h stays above 0 while 1 - x - x^2 >= 0, x = gain dt."""


@dataclass(eq=False)
class Rows:
    """Rows lower <= A vdot <= upper with names, collected one after the other."""

    nv: int
    A: list[FloatArray] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, row: FloatArray, name: str, lower: float = -np.inf, upper: float = np.inf) -> None:
        """One more row, brought to length 1, so that rows of torques and of joints are missed by comparable amounts."""
        size = float(np.linalg.norm(row)) or 1.0
        self.A.append(row / size)
        self.lower.append(lower / size)
        self.upper.append(upper / size)
        self.names.append(name)

    def matrix(self) -> FloatArray:
        """A, shape (m, nv)."""
        return np.array(self.A).reshape(-1, self.nv)


@dataclass(frozen=True, eq=False)
class SecondOrderLimits:
    """What accelerations must respect so that limits are kept (after Dariush, Hammam and Orin 2010).

    For h >= 0, the way to a position limit or a distance less its margin, the row is h'' >= -2 gain h' - gain^2 h; for
    a velocity limit it is |v + vdot / gain| <= v_max. In steps of dt with gain dt <= 0.6 position limits are kept if
    h' >= -gain h at the beginning and the rows hold, which `AccelerationAnswer.status` tells; distances are kept to
    second order in the step. Rows of joints need accelerations of up to gain times velocity, so that acceleration
    limits should be at least gain v_max.

    Attributes
    ----------
    position, velocity : bool
        Keep `model.q_min`, `model.q_max` of independent coordinates that are plain numbers, and `model.v_max`.
    acceleration : float or array_like, shape (nv,), optional
        Largest absolute accelerations; a number is that of driven coordinates.
    torque : bool
        Keep `model.tau_max`, and ask no torque of joints without drive.
    scene : CollisionModel, optional
        Whose pairs keep `margin` [m]. Rows are those of pairs nearer than `margin + reach` [m].
    margin, reach : float
    gain : float
        How late limits are felt [1/s]: the time constant of the approach is its inverse.
    """

    position: bool = True
    velocity: bool = True
    acceleration: npt.ArrayLike | None = None
    torque: bool = False
    scene: CollisionModel | None = None
    margin: float = 0.0
    reach: float = 0.2
    gain: float = 10.0

    def __post_init__(self) -> None:
        if not (isinstance(self.gain, int | float) and np.isfinite(self.gain) and self.gain > 0):
            raise ArgumentError(f"gain of SecondOrderLimits is {self.gain!r}; expected a number above 0 [1/s]")
        if not (np.isfinite(self.reach) and self.reach > 0 and np.isfinite(self.margin)):
            raise ArgumentError(
                f"margin and reach of SecondOrderLimits are {self.margin!r} and {self.reach!r}; expected finite "
                "numbers [m], the second above 0"
            )
        if self.acceleration is not None and (as_array(self.acceleration, "acceleration") <= 0).any():
            raise ArgumentError(f"acceleration of SecondOrderLimits is {self.acceleration!r}; expected numbers above 0")
        if self.scene is not None:
            Distance(self.scene, self.margin)  # refuses what is no scene by name

    def rows(self, model: Model, q: FloatArray, v: FloatArray, dynamics: Dynamics) -> Rows:
        """All rows at one state."""
        rows = Rows(model.nv)
        if self.position:
            self._positions(model, q, v, rows)
        bounds = self.accelerations(model)
        names = rate_names(model)
        for k in range(model.nv):
            unit = np.eye(model.nv)[k]
            if self.velocity and np.isfinite(model.v_max[k]):
                lower, upper = self.gain * (-model.v_max[k] - v[k]), self.gain * (model.v_max[k] - v[k])
                rows.add(unit, f"velocity limit of {names[k]!r}", lower, upper)
            if np.isfinite(bounds[k]):
                rows.add(unit, f"acceleration limit of {names[k]!r}", -bounds[k], bounds[k])
            if self.torque and model.actuated[k] and np.isfinite(model.tau_max[k]):
                most, h = model.tau_max[k], dynamics.h[k]
                rows.add(dynamics.M[k], f"torque limit of {names[k]!r}", -most - h, most - h)
        if self.scene is not None:
            self._distances(model, q, v, rows)
        return rows

    def _positions(self, model: Model, q: FloatArray, v: FloatArray, rows: Rows) -> None:
        limited = limited_coordinates(model)
        for i, j, low, high, name in zip(
            limited.q_index, limited.v_index, limited.lower, limited.upper, limited.names, strict=True
        ):
            unit = np.eye(model.nv)[j]
            k = self.gain
            if np.isfinite(low):
                rows.add(unit, f"lower limit of {name!r}", lower=-2 * k * v[j] - k * k * (q[i] - low))
            if np.isfinite(high):
                rows.add(unit, f"upper limit of {name!r}", upper=-2 * k * v[j] + k * k * (high - q[i]))

    def accelerations(self, model: Model) -> FloatArray:
        """Largest absolute accelerations, shape (nv,), infinite where there is no limit."""
        if self.acceleration is None:
            return np.full(model.nv, np.inf)
        bounds = np.asarray(self.acceleration, dtype=float)
        if bounds.shape not in ((), (model.nv,)):
            raise ShapeError(
                f"acceleration of SecondOrderLimits: found shape {bounds.shape}, expected a number or ({model.nv},)"
            )
        return np.where(model.actuated, bounds, np.inf) if bounds.ndim == 0 else bounds

    def _distances(self, model: Model, q: FloatArray, v: FloatArray, rows: Rows) -> None:
        assert self.scene is not None
        near = Distance(self.scene, self.margin + self.reach)
        missing, J, bias = near.error(model, q), near.jacobian(model, q), near.jacobian_dot_v(model, q, v)
        k = self.gain
        for i in np.flatnonzero(missing > 0):
            h, rate = self.reach - missing[i], J[i] @ v
            first, second = self.scene.pairs[i]
            name = f"distance of {first!r} and {second!r}"
            rows.add(J[i], name, lower=-2 * k * rate - k * k * h - bias[i])


def warn_of_limit_gain(limits: SecondOrderLimits, dt: float) -> None:
    """Tell a gain with which steps of `dt` [s] may pass limits."""
    if limits.gain * dt > KEPT:
        warnings.warn(
            f"SecondOrderLimits: gain {limits.gain:g} 1/s times the step {dt:g} s is {limits.gain * dt:.3g}, and "
            f"beyond {KEPT:g} limits are not kept; take a gain below {KEPT / dt:.3g} 1/s, or shorter steps",
            KinematicsWarning,
            stacklevel=3,
        )
