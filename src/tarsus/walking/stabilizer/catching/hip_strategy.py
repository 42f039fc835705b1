"""The upper body is turned where the pressure is at the edge of the sole: angular momentum for what is missing."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import jacobian, momentum_matrix
from tarsus.walking.biped.biped import Biped
from tarsus.walking.pendulum.flywheel_pendulum import FlywheelPendulum
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum

FURTHEST = 0.35
"""By which the upper body is turned at most [rad]."""
STRONGEST = 0.1
"""Torque that turns it at most, in m g h."""
RETURNING = 0.7
"""Rate at which it comes back, in w of the pendulum: slowly enough that ankles can take what that does."""

UPRIGHT = 1e-4
"""Angle [rad] and rate [rad/s] below which it is back."""


class HipStrategy:
    """Turns the upper body by a law of second order that returns.

    A pressure that is r beyond the edge of the sole would act on the mass as a torque m g r on a flywheel does
    (`FlywheelPendulum`; Pratt et al. 2006): a'' = m g r / J, within a largest torque, and braked in time before a
    largest angle. Where nothing is missing it comes back, a'' = -w_r^2 a - 2 w_r a', which has the opposite effect, but
    later and within the sole. Where ankles are enough it does nothing at all.

    What has been turned must be undone within the next step (Takenaka et al. 2009c; Buschmann 2014, 4.5.2): coming back
    moves the divergent component by `debt`, and the next foot can hold that while it stands for a time T if it is no
    more than d (1 - e^(-w T)), d being half of its sole. The upper body is turned no further than this allows. Steps
    are planned for the divergent component with the debt, so that they are changed where the sole cannot hold both.

    Attributes
    ----------
    inertia : ndarray, shape (2,)
        J of the upper body about the x and the y axis, feet and centre of mass held [kg m^2].
    rates : ndarray, shape (2, nv)
        Rates of the joints that turn it at 1 rad/s.
    angle, rate : ndarray, shape (2,)
        Of the upper body from upright about x and y [rad], [rad/s].
    wheels : tuple of two FlywheelPendulum
        The upper body that turns about x, and about y.
    """

    def __init__(self, biped: Biped, omega: float, dt: float) -> None:
        self.rates = np.array([_turning(biped, axis) for axis in (0, 1)])
        A = momentum_matrix(biped.model, biped.q)
        self.inertia = np.array([A[3 + axis] @ self.rates[axis] for axis in (0, 1)])
        self._weight, self._dt, self._returning = biped.weight, dt, RETURNING * omega
        torque = STRONGEST * biped.weight * biped.height
        self._most = torque / self.inertia
        pendulum = LinearInvertedPendulum(biped.height, biped.gravity)
        first, second = (
            FlywheelPendulum(pendulum, biped.model.total_mass, float(J), torque, FURTHEST) for J in self.inertia
        )
        self.wheels = first, second
        self.angle, self.rate = np.zeros(2), np.zeros(2)

    @property
    def at_rest(self) -> bool:
        """Whether the upper body is upright."""
        return not (self.angle.any() or self.rate.any())

    @property
    def debt(self) -> FloatArray:
        """By how much the upper body that comes back from now on moves the divergent component, shape (2,) [m]."""
        if self.at_rest:
            return np.zeros(2)
        return np.array([self._owed(1, 0.0), -self._owed(0, 0.0)])

    def turn(self, missing: FloatArray, room: FloatArray) -> None:
        """Go on by a cycle.

        Parameters
        ----------
        missing : ndarray, shape (2,)
            By which the pressure is out of reach, world axes [m].
        room : ndarray, shape (2,)
            Largest `debt` that the next foot can hold, world axes [m]; see `undone_within`.
        """
        # Forward of the sole is missing: a turn about +y pushes the mass back. To the left: about -x.
        asked = np.array([-missing[1], missing[0]]) * self._weight / self.inertia
        for k in (0, 1):
            a, v, most = float(self.angle[k]), float(self.rate[k]), float(self._most[k])
            change = min(max(float(asked[k]), -most), most)
            if change != 0.0 and math.copysign(1.0, change) * self._owed(k, change) > room[1 - k]:
                change = 0.0  # it could not be undone: the step does it
            if change == 0.0 or change * a < 0.0:
                change -= self._returning * (self._returning * a + 2.0 * v)
            if v * a > 0.0 and abs(a) + v * v / (2.0 * most) >= FURTHEST:
                change = -math.copysign(most, v)
            self.rate[k] = v + change * self._dt
            self.angle[k] = a + self.rate[k] * self._dt
        if not asked.any() and max(np.abs(self.angle).max(), np.abs(self.rate).max()) < UPRIGHT:
            self.angle[:], self.rate[:] = 0.0, 0.0

    def _owed(self, k: int, change: float) -> float:
        """What coming back costs about an axis after an acceleration for a cycle [rad/s^2], signed as the turn [m]."""
        rate, angle = float(self.rate[k]), float(self.angle[k])
        if change != 0.0:
            rate += change * self._dt
            angle += rate * self._dt
        return self.wheels[k].returned(angle, rate, self._returning)


def undone_within(half: FloatArray, yaw: float, omega: float, time: float) -> FloatArray:
    """Change of the divergent component that a foot can hold within a time, along world axes, shape (2,) [m].

    Above its edge, d away from its middle, xi - p grows as e^(w t): d (1 - e^(-w T)) brought back to the beginning.

    Parameters
    ----------
    half : ndarray, shape (2,)
        Half sizes of the sole that may be used [m].
    yaw : float
        Of the foot [rad].
    omega : float
        w [1/s].
    time : float
        T [s].
    """
    c, s = abs(math.cos(yaw)), abs(math.sin(yaw))
    a, b = float(half[0]), float(half[1])
    ways = [min(a / max(c, 1e-9), b / max(s, 1e-9)), min(a / max(s, 1e-9), b / max(c, 1e-9))]
    return np.array(ways) * (1.0 - math.exp(-omega * time))


def _turning(biped: Biped, axis: int) -> FloatArray:
    """Velocity that turns the base about an axis of the world by legs alone, feet and centre of mass held, (nv,)."""
    model, q = biped.model, biped.q
    own = np.concatenate([np.arange(6), *(leg.v for leg in biped.legs)])
    turned = jacobian(model, q, next(iter(model.bodies)))[3:, own]
    rows = [jacobian(model, q, leg.sole)[:, own] for leg in biped.legs]
    rows += [momentum_matrix(model, q)[:3, own] / model.total_mass, turned]
    wanted = np.zeros(sum(len(row) for row in rows))
    wanted[-3 + axis] = 1.0
    v = np.zeros(model.nv)
    v[own] = np.linalg.lstsq(np.vstack(rows), wanted, rcond=None)[0]
    return v
