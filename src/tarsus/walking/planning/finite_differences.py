"""Boundary values of the pendulum by finite differences (Kagami et al. 2002)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_banded

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import check_kind
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.pendulum.variable_height import VariableHeightPendulum
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, end_component, pattern_times, start_position
from tarsus.walking.planning.pressure_path import PressurePath


@dataclass(frozen=True)
class FiniteDifferences(Planner):
    """(x_k+1 - 2 x_k + x_k-1) / dt^2 = c_k (x_k - p_k) in all samples at once: one tridiagonal system.

    x is given at the start, the divergent component at the end, both to second order in dt. c_k = w^2, or that of a
    planned height. A velocity at the start cannot be met, too: there are as many equations as places.

    Attributes
    ----------
    height : VariableHeightPendulum, optional
        In place of the constant height of `pendulum`, which then tells w at the end only.
    """

    height: VariableHeightPendulum | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_kind("height of FiniteDifferences", self.height, VariableHeightPendulum, "a VariableHeightPendulum")

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`."""
        if isinstance(start, MassState):
            raise ArgumentError(
                "FiniteDifferences takes a position to start from, the velocity follows; found a MassState"
            )
        first, last = start_position(reference, start), end_component(reference, divergent_end)
        times = pattern_times(reference, self.dt)
        p = reference.at(times)
        rate = np.full(len(times), self.pendulum.omega**2)
        if self.height is not None:
            rate = self.height.square_rate(times)
        x = self._solved(times, p, rate, first, last)
        velocity = np.gradient(x, times, axis=0, edge_order=2)
        return Pattern(times, x, velocity, rate[:, None] * (x - p), p, self.pendulum.omega)

    def _solved(
        self, times: FloatArray, p: FloatArray, rate: FloatArray, first: FloatArray, last: FloatArray
    ) -> FloatArray:
        h, w, n = times[1] - times[0], self.pendulum.omega, len(times)
        c = h * h * rate
        bands, right = np.zeros((3, n)), -c[:, None] * p
        bands[0, 2:], bands[1, 1:-1], bands[2, :-2] = 1.0, -(2.0 + c[1:-1]), 1.0
        bands[1, 0], right[0] = 1.0, first
        # At the end x + v / w = xi, v by central differences with the place beyond it that the pendulum leads to.
        bands[2, -2], bands[1, -1] = -1.0 / (h * w), 1.0 + (2.0 + c[-1]) / (2 * h * w)
        right[-1] = last + c[-1] * p[-1] / (2 * h * w)
        return np.asarray(solve_banded((1, 1), bands, right))
