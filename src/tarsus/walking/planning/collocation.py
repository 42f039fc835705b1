"""Spline collocation for the three-mass model, with shape functions of the contact moment (Buschmann et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_banded

from tarsus.arrays import FloatArray
from tarsus.errors import PlanningError
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import (
    Planner,
    Start,
    changed_span,
    end_component,
    pattern_times,
    start_state,
    trapezoid,
)
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.planning.shooting import LegMotion, check_masses

MISSED = 1e-6
"""By which the divergent component may miss the wanted end [m]: rounding alone, of paths that can be walked."""


@dataclass(frozen=True)
class Collocation(Planner):
    """A cubic spline of the body's mass that satisfies the equation of motion at its knots.

    Unknown are the values of the spline at the knots and one amplitude of a shape function of the pressure in each
    direction; conditions are the equation of motion at all knots, position and velocity at the start, and the
    divergent component at the end (Buschmann 2014, 5.5.3). The shape function lets the pressure change where there is
    room, as in double support: it is trapezoidal between the times of `shaped`.

    Attributes
    ----------
    masses : ThreeMassModel, optional
        In place of `pendulum`, which then is not used.
    legs : callable, optional
        Motion of its legs.
    shaped : tuple of float, optional
        Between which times the pressure may be changed [s]; the first second by default. It rises and falls in a
        quarter of that time each.
    """

    masses: ThreeMassModel | None = None
    legs: LegMotion | None = None
    shaped: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expect_span("shaped")

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`. Knots are the samples.

        Raises
        ------
        PlanningError
            Where the shape function has no knot at which it could change the motion from its start on, or begins so
            long after it that what has fallen by then is too far off to be led to the end.
        """
        check_masses("Collocation", self.masses, self.legs)
        begin, end = start_state(reference, start), end_component(reference, divergent_end)
        omega = self.pendulum.omega if self.masses is None else self.masses.omega
        times = pattern_times(reference, self.dt)
        p, shape = reference.at(times), trapezoid(reference, self.shaped, 0.25, times)
        unit = np.repeat(shape[:, None], 2, axis=1)
        # The acceleration is w^2 x + u + a s: affine in x and in the amplitude a of each direction.
        u = self._push(times, p, omega)
        s = self._push(times, p + unit, omega) - u
        position, amplitude = np.empty((len(times), 2)), np.empty(2)
        for axis in range(2):
            state = MassState(begin.position[axis], begin.velocity[axis])
            position[:, axis], amplitude[axis] = _collocated(
                times, omega, u[:, axis], s[:, axis], state, float(end[axis])
            )
        acceleration = omega**2 * position + u + amplitude * s
        velocity = _spline_slopes(times, position, acceleration)
        missed = np.abs(position[-1] + velocity[-1] / omega - end)
        if not (missed <= MISSED).all():
            first, last = changed_span(reference, self.shaped)
            raise PlanningError(
                f"pressure that is shaped between {first:.3g} and {last:.3g} s does not lead from the start to the "
                f"end: collocation missed the divergent component at the end by {missed.max():.3g} m"
            )
        return Pattern(times, position, velocity, acceleration, p + amplitude * unit, omega)

    def _push(self, times: FloatArray, p: FloatArray, omega: float) -> FloatArray:
        legs = 0.0 if self.masses is None or self.legs is None else self.masses.leg_push(p, *self.legs(times))
        return np.asarray(-(omega**2) * p + legs)


def _collocated(
    times: FloatArray, omega: float, u: FloatArray, s: FloatArray, start: MassState, end: float
) -> tuple[FloatArray, float]:
    """Knots of the spline and the amplitude, for one direction.

    Slopes of a cubic spline with second derivatives M agree at inner knots where
    (x_k+1 - 2 x_k + x_k-1) / h = h / 6 (M_k+1 + 4 M_k + M_k-1); M_k = w^2 x_k + u_k + a s_k is put in. With the place
    at the start and the divergent component at the end these are three diagonals, x = y - a z; the velocity at the
    start then gives a.
    """
    n, h, w2 = len(times), times[1] - times[0], omega**2
    near, middle = 1 / h - h * w2 / 6, -2 / h - 4 * h * w2 / 6
    bands, right = np.zeros((3, n)), np.zeros((n, 2))
    bands[0, 2:], bands[1, 1:-1], bands[2, :-2] = near, middle, near
    for column, values, sign in ((0, u, 1.0), (1, s, -1.0)):  # b, and what multiplies a
        right[1:-1, column] = sign * h / 6 * (values[:-2] + 4 * values[1:-1] + values[2:])
    bands[1, 0], right[0, 0] = 1.0, start.position
    # Slope at the end, in x + x' / w: (x_n - x_n-1) / h + h / 6 (2 M_n + M_n-1).
    bands[1, -1], bands[2, -2] = 1 + (1 / h + h * w2 / 3) / omega, (-1 / h + h * w2 / 6) / omega
    right[-1] = end - h / 6 * (2 * u[-1] + u[-2]) / omega, h / 6 * (2 * s[-1] + s[-2]) / omega
    y, z = solve_banded((1, 1), bands, right).T
    # Slope at the start: (x_1 - x_0) / h - h / 6 (2 M_0 + M_1).
    c0, c1 = -1 / h - h * w2 / 3, 1 / h - h * w2 / 6
    missing = start.velocity + h / 6 * (2 * u[0] + u[1]) - c0 * y[0] - c1 * y[1]
    share = -h / 6 * (2 * s[0] + s[1]) - c0 * z[0] - c1 * z[1]
    if share == 0.0:
        raise PlanningError(
            f"the shape function of Collocation does not move the divergent component: expected knots within it that "
            f"are closer than {h:.3g} s, and that it begins soon"
        )
    a = float(missing / share)
    return np.asarray(y - a * z), a


def _spline_slopes(times: FloatArray, x: FloatArray, M: FloatArray) -> FloatArray:
    h = times[1] - times[0]
    slopes = (x[1:] - x[:-1]) / h - h / 6 * (2 * M[:-1] + M[1:])
    last = (x[-1:] - x[-2:-1]) / h + h / 6 * (2 * M[-1:] + M[-2:-1])
    return np.concatenate([slopes, last])
