"""A plan that gives a little at its end, so that the pressure gives less (Sugihara and Nakamura 2005)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import check_number
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.planning.analytic import Analytic, divergent_along
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, end_component, start_state
from tarsus.walking.planning.pressure_path import PressurePath


@dataclass(frozen=True)
class RelaxedBoundary(Planner):
    """Knots of the pressure move so that the end is nearly met: boundary values relaxed.

    Start position and velocity hold. Of all changes of the knots the one with the least
    sum |change|^2 + divergent_weight |xi(T) - xi_T|^2 + convergent_weight |eta(T) - eta_T|^2 is taken, which is linear;
    xi_T is `divergent_end`, and eta_T the same: the mass at rest. With large weights the end is met. Of a path that
    lasts long, xi(T) is met all the same: what misses it would have fallen.

    Attributes
    ----------
    divergent_weight, convergent_weight : float
        Beside 1 for a knot that moves by a metre.
    """

    divergent_weight: float = 10.0
    convergent_weight: float = 1.0

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`."""
        for name in ("divergent_weight", "convergent_weight"):
            value = getattr(self, name)
            check_number(f"{name} of RelaxedBoundary", value, "a number above 0")
            if not value > 0:
                raise ArgumentError(f"{name} of RelaxedBoundary is {value!r}; expected a number above 0")
        begin, end = start_state(reference, start), end_component(reference, divergent_end)
        path, xi = self._relaxed(reference, begin, end)
        return Analytic(self.pendulum, self.dt).plan(path, begin.position, xi)

    def _relaxed(self, reference: PressurePath, start: MassState, end: FloatArray) -> tuple[PressurePath, FloatArray]:
        """The path with its knots moved, and where xi ends above it."""
        w, knots = self.pendulum.omega, len(np.asarray(reference.times))
        shrunk = np.exp(-w * (reference.end - reference.start))
        # Two conditions: xi(T) brought back to the start, where it is of the size of the others, and eta(T).
        none = PressurePath(reference.times, np.zeros((knots, 2)))
        units = [none.moved(np.eye(knots)[k][:, None] * np.ones(2)) for k in range(knots)]
        zero = np.zeros(2)
        E = np.array(
            [
                [-divergent_along(self.pendulum, unit, zero)[0, 0] for unit in units],
                [self._convergent_end(unit, zero)[0] for unit in units],
            ]
        )
        missing = np.stack(
            [
                divergent_along(self.pendulum, reference, end)[0] - self.pendulum.divergent(*start),
                end - self._convergent_end(reference, self.pendulum.convergent(*start)),
            ]
        )
        # min |c|^2 + (E c - m)^T W (E c - m) has c = E^T (E E^T + W^-1)^-1 m.
        inverse_weights = np.diag([shrunk**2 / self.divergent_weight, 1 / self.convergent_weight])
        price = np.linalg.solve(E @ E.T + inverse_weights, missing)
        # W^-1 (E E^T + W^-1)^-1 m of m is left. That of xi grows by e^(w T) until the end; a difference would be
        # rounding, grown.
        return reference.moved(E.T @ price), end - shrunk / self.divergent_weight * price[0]

    def _convergent_end(self, path: PressurePath, eta: FloatArray) -> FloatArray:
        for lasts, _, p, rate in path.pieces():
            eta = self.pendulum.convergent_after(eta, lasts, p, rate)
        return eta
