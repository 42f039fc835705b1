"""The periodic step of a robot whose joints follow a gait exactly: what a walk without end has to feed forward."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import PseudoCoulomb
from tarsus.errors import SimulationError
from tarsus.model import Model
from tarsus.walking.shah.driven_joints import DrivenWalk, drive_joints
from tarsus.walking.shah.pendulum_gait import PendulumGait

_STEPS = np.array([1e-6, 1e-5, 1e-5, 1e-5, 1e-5])
"""Finite differences of height [m], pitch [rad] and velocity of the base [m/s], [rad/s]."""
_FURTHEST = 0.01
"""Largest change in one step of Newton's method: touch-downs of heel and toe make the map smooth only in pieces."""
_ITERATIONS = 15
_SETTLING_TOLERANCE = 1e-5


def periodic_drive(
    model: Model,
    gait: PendulumGait,
    law: PseudoCoulomb,
    *,
    start: npt.ArrayLike | None = None,
    settling: int = 8,
    rtol: float = 1e-7,
    tolerance: float = 1e-7,
    sample: float = 1e-3,
) -> tuple[DrivenWalk, FloatArray]:
    """The step of `drive_joints` that ends as it began, legs exchanged, and the derivative of its end by its start.

    The state y = (z, pitch, v) of the base at the exchange of legs, without the way forward, comes back after a step as
    P(y). Newton's method on P(y) = y finds the fixed point even where steps move away from it.

    Parameters
    ----------
    model, gait, law
        As for `drive_joints`.
    start : array_like, shape (5,), optional
        Where to begin to search; by default the state after `settling` steps from the planned one.
    settling : int
        Number of steps.
    rtol : float
        Tolerance of the integration.
    tolerance : float
        Largest difference between the end and the start of the step that is found [m], [rad], [m/s], [rad/s].
    sample : float
        As for `drive_joints`; a fraction of the period.

    Returns
    -------
    step : DrivenWalk
        From one exchange of legs to the next; the first leg stands.
    derivative : ndarray, shape (5, 5)
        dP/dy. Its eigenvalues say whether steps of the driven robot approach the periodic one.
    """

    def advanced(y: FloatArray, rtol: float, sample: float) -> DrivenWalk:
        base, velocity = np.r_[gait.motion(0.0).q[0], y[:2]], y[2:]
        walk = drive_joints(
            model, gait, law, duration=gait.period, sample=sample, base=base, base_velocity=velocity, rtol=rtol
        )
        if not walk.finished:
            raise SimulationError(f"the driven robot falls within a step from the state {y} of its base")
        return walk

    def end(y: FloatArray, rtol: float = rtol) -> FloatArray:
        return _base_state(advanced(y, rtol, gait.period / 10.0), -1)

    planned = gait.motion(0.0)
    y = np.r_[planned.q[1:3], planned.v[:3]] if start is None else np.array(start, dtype=float)
    for _ in range(settling if start is None else 0):
        y = end(y, _SETTLING_TOLERANCE)
    for _ in range(_ITERATIONS):
        derivative = np.stack([(end(y + h) - end(y - h)) / (2.0 * h.sum()) for h in np.diag(_STEPS)], axis=-1)
        residual = end(y) - y
        if np.abs(residual).max() < tolerance:
            return advanced(y, rtol, sample), derivative
        change = np.linalg.solve(np.eye(5) - derivative, residual)
        y = y + change * min(1.0, _FURTHEST / np.abs(change).max())
    raise SimulationError(
        f"no periodic step was found in {_ITERATIONS} iterations: the last one ends {np.abs(residual).max():.1e} off"
    )


def _base_state(walk: DrivenWalk, row: int) -> FloatArray:
    """(z, pitch, v) of the base, shape (5,)."""
    return np.concatenate([walk.q[row, 1:3], walk.v[row, :3]])
