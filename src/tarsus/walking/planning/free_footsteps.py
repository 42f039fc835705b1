"""Predictive control that chooses its footsteps (Diedam et al. 2008; Herdt et al. 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError, ShapeError
from tarsus.optimization import QP
from tarsus.simulation.argument_kinds import check_flag, check_not_negative, check_positive, check_whole, finite_vector
from tarsus.spatial._arrays import as_array
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, check_pendulum
from tarsus.walking.planning.predictive_control import prediction


class ChosenSteps(NamedTuple):
    """What is planned from a state.

    Attributes
    ----------
    jerk : ndarray, shape (2,)
        For the next sample [m/s^3].
    steps : ndarray, shape (n, 2)
        Next footsteps [m].
    """

    jerk: FloatArray
    steps: FloatArray


@dataclass(frozen=True)
class FreeFootsteps:
    """Jerks and footsteps that follow a velocity with the pressure within the sole that stands.

    Minimises jerk_weight |u|^2 + velocity_weight |x' - v|^2 + pressure_weight |p - foot|^2 over the horizon. Variables
    are the jerks and the next footsteps; pressure minus the foot that stands is within half of the sole, each footstep
    within a box beside the one before, and the divergent component at the end within one more step.

    Attributes
    ----------
    pendulum : LinearInvertedPendulum
    half_sole : tuple of float
        By which the pressure may be off the middle of a foot, x and y [m].
    width : float
        Between the feet where they are side by side [m].
    reach : tuple of float
        By how much a step may be longer or shorter than none, forward and sideways [m]: feet do not come nearer than
        the width less the second.
    step_time, step : float
        Of a footstep, and between samples [s]; the former is a multiple of the latter.
    horizon_steps : int
        Footsteps ahead.
    """

    pendulum: LinearInvertedPendulum
    half_sole: tuple[float, float]
    width: float
    reach: tuple[float, float]
    step_time: float = 0.8
    step: float = 0.1
    horizon_steps: int = 2
    jerk_weight: float = 1e-6
    velocity_weight: float = 1.0
    pressure_weight: float = 1e-2

    def __post_init__(self) -> None:
        check_pendulum("pendulum of FreeFootsteps", self.pendulum)
        for name in ("width", "step_time", "step"):
            check_positive(f"{name} of FreeFootsteps", getattr(self, name), "a finite number above 0")
        for name in ("jerk_weight", "velocity_weight", "pressure_weight"):
            check_not_negative(f"{name} of FreeFootsteps", getattr(self, name))
        for name in ("half_sole", "reach"):
            value, expected = getattr(self, name), "two finite numbers of at least 0 [m]"
            if (finite_vector(f"{name} of FreeFootsteps", value, 2, expected) < 0).any():
                raise ArgumentError(f"{name} of FreeFootsteps is {value!r}; expected {expected}")
        check_whole("horizon_steps of FreeFootsteps", self.horizon_steps, least=1)
        ratio = self.step_time / self.step
        if not (1 <= ratio < np.inf and abs(ratio - round(ratio)) < 1e-9):
            raise ArgumentError(
                f"step_time of FreeFootsteps is {self.step_time!r}; expected a multiple of step, {self.step!r} s"
            )

    def choose(
        self, state: npt.ArrayLike, foot: npt.ArrayLike, left: bool, done: int, velocity: npt.ArrayLike
    ) -> ChosenSteps:
        """Jerk and footsteps from a state on.

        Parameters
        ----------
        state : array_like, shape (3, 2)
            Position, velocity and acceleration of the mass.
        foot : array_like, shape (2,)
            That stands [m].
        left : bool
            Whether it is the left one.
        done : int
            Samples for which it has stood.
        velocity : array_like, shape (2,)
            [m/s].

        Raises
        ------
        PlanningError
            Where no footsteps within reach keep the pressure on the soles.
        """
        s, f, v = as_array(state, "state"), as_array(foot, "foot"), as_array(velocity, "velocity")
        check_flag("left", left)
        check_whole("done", done)
        if s.shape != (3, 2) or f.shape != (2,) or v.shape != (2,):
            raise ShapeError(
                f"state, foot, velocity: found {s.shape}, {f.shape}, {v.shape}; expected (3, 2), (2,), (2,)"
            )
        samples = round(self.step_time / self.step)
        if not done < samples:
            raise ArgumentError(f"done is {done!r}; expected from 0 to {samples - 1}")
        jerk, steps = np.empty(2), np.empty((self.horizon_steps, 2))
        for axis in range(2):
            jerk[axis], steps[:, axis] = self._direction(axis, s[:, axis], float(f[axis]), left, done, float(v[axis]))
        return ChosenSteps(jerk, steps)

    @cached_property
    def _count(self) -> int:
        return round(self.step_time / self.step) * self.horizon_steps

    def _direction(
        self, axis: int, s: FloatArray, foot: float, left: bool, done: int, velocity: float
    ) -> tuple[float, FloatArray]:
        (p_s, p_u), (v_s, v_u), (xi_s, xi_u) = prediction(self.pendulum, self.step, self._count)
        n, m = self._count, self.horizon_steps
        # Which foot stands just before each sample ends.
        which = (done + 1 + np.arange(n)) * self.step / self.step_time - 1e-9
        on = np.minimum(which.astype(int), m)
        F = np.zeros((n, m))
        F[on > 0, on[on > 0] - 1] = 1.0
        base = np.where(on == 0, foot, 0.0)
        # Variables (u, steps): pressure from the foot e = p_s s - base + [p_u, -F] (u, f).
        E, e0 = np.hstack([p_u, -F]), p_s @ s - base
        V, v0 = np.hstack([v_u, np.zeros((n, m))]), v_s @ s - velocity
        H = self.velocity_weight * V.T @ V + self.pressure_weight * E.T @ E
        H[:n, :n] += self.jerk_weight * np.eye(n)
        H[n:, n:] += 1e-9 * np.eye(m)
        g = self.velocity_weight * V.T @ v0 + self.pressure_weight * E.T @ e0
        D, low, high = self._steps(axis, foot, left)
        # At the end the mass could be stopped above one more step within reach: xi is that far from the last foot.
        last = np.hstack([xi_u[-1:], -np.eye(m)[-1:]])
        further = xi_s[-1] @ s
        stop = self.half_sole[axis] + self.reach[axis] + (self.width if axis == 1 else 0.0)
        rows = np.vstack([E, last, np.hstack([np.zeros((m, n)), D])])
        half = self.half_sole[axis]
        lower = np.concatenate([-half - e0, [-stop - further], low])
        upper = np.concatenate([half - e0, [stop - further], high])
        solution = QP(H, g, rows, lower, upper).solve("native")
        if not solution.success:
            raise PlanningError(f"no footsteps within reach keep the pressure on the soles along {'xy'[axis]}")
        return float(solution.x[0]), solution.x[n:]

    def _steps(self, axis: int, foot: float, left: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows low <= f_k - f_k-1 <= high."""
        m = self.horizon_steps
        D = np.eye(m) - np.eye(m, k=-1)
        side = np.zeros(m)
        if axis == 1:  # the next foot is on the other side
            side = self.width * np.where((np.arange(m) + left) % 2 == 1, -1.0, 1.0)
        first = np.append(foot, np.zeros(m - 1))
        return D, side - self.reach[axis] + first, side + self.reach[axis] + first
