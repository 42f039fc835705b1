"""The centre of mass of a walk by collocation with the three-mass model, whole or a step at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.planning.collocation import Collocation
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.pressure_path import PressurePath

KNOTS, WHOLE = 0.005, 0.01
"""Between knots of the splines of a step, and of a whole walk [s]."""


class PlannedMass(NamedTuple):
    """Centre of mass at n cycles, seen from above, and the pressure that belongs to it.

    Attributes
    ----------
    position, velocity, acceleration, pressure : ndarray, shape (n, 2)
        [m], [m/s], [m/s^2], [m].
    """

    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    pressure: FloatArray


@dataclass(frozen=True, eq=False)
class ThreeMassPlan:
    """Masses of a body and two feet above a pressure path.

    Attributes
    ----------
    known : KnownMotion
        Whose feet the masses of the legs move with.
    masses : ThreeMassModel
    reference : Pattern
        Of the body's mass, for the whole walk.
    """

    known: KnownMotion
    masses: ThreeMassModel
    reference: Pattern

    @classmethod
    def of(cls, known: KnownMotion, leg_ratio: float) -> Self:
        """Plan a whole walk.

        Parameters
        ----------
        leg_ratio : float
            m_l / m of one leg. The body is as high as it must be for the height of the centre of mass.
        """
        biped = known.biped
        masses = ThreeMassModel(
            biped.model.total_mass, leg_ratio, known.height / (1.0 - 2.0 * leg_ratio), biped.gravity
        )
        reference = _planner(known, masses, WHOLE).plan(known.path)
        return cls(known, masses, reference)

    def along(self, times: FloatArray, pattern: Pattern | None = None) -> PlannedMass:
        """Centre of mass of all three masses at times (n,), of the whole walk by default."""
        found = self.reference if pattern is None else pattern
        times = np.minimum(times, found.times[-1])  # the last cycle may be a little later
        body, rate, change = found.at(times)
        legs, leg_change = self.known.leg_masses(times)
        masses = self.masses
        pressure = np.column_stack([np.interp(times, found.times, found.pressure[:, i]) for i in (0, 1)])
        return PlannedMass(
            masses.center_of_mass(body, legs),
            masses.center_of_mass(rate, self.known.leg_rates(times)),
            masses.center_of_mass(change, leg_change),
            pressure,
        )

    def again(
        self, position: FloatArray, velocity: FloatArray, start: float, end: float, shaped: tuple[float, float]
    ) -> Pattern:
        """The body's mass from where the robot is to the divergent component of the whole walk (5.5.3).

        Parameters
        ----------
        position, velocity : ndarray, shape (2,)
            Of the centre of mass at `start` [m], [m/s].
        start, end : float
            [s].
        shaped : tuple of float
            Times between which the pressure may change by a trapezoid, as in double support [s].
        """
        at = np.array([start])
        masses, known = self.masses, self.known
        legs, leg_rates = known.leg_masses(at)[0][0], known.leg_rates(at)[0]
        state = MassState(masses.body_of(position, legs), masses.body_of(velocity, leg_rates))
        x, rate, _ = self.reference.at(end)
        planner = _planner(known, masses, KNOTS, shaped)
        return planner.plan(part_of(known.path, start, end), state, x + rate / masses.omega)


def part_of(path: PressurePath, start: float, end: float) -> PressurePath:
    """A path between two times [s]."""
    times = np.asarray(path.times)
    inside = times[(times > start + 1e-9) & (times < end - 1e-9)]
    own = np.concatenate([[start], inside, [end]])
    return PressurePath(own, path.at(own))


def _planner(
    known: KnownMotion, masses: ThreeMassModel, knots: float, shaped: tuple[float, float] | None = None
) -> Collocation:
    pendulum = LinearInvertedPendulum(masses.height, masses.gravity)
    return Collocation(pendulum, knots, masses, known.leg_masses, shaped)
