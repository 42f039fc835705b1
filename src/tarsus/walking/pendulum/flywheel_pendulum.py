"""A pendulum with a flywheel, and from where it can be stopped in one step (Pratt et al. 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError
from tarsus.simulation.argument_kinds import check_finite, check_positive
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState, check_pendulum


@dataclass(frozen=True)
class FlywheelPendulum:
    """x'' = w^2 (x - p) - tau / (m z), J phi'' = tau: a trunk that is turned pushes the mass.

    The strongest push of a trunk that starts and ends at rest within its range: torque +tau_max for half of the time T,
    -tau_max for the other, with T = 2 sqrt(J phi_max / tau_max). It moves the divergent component by
    tau_max / (m g) (e^(w T) - 2 e^(w T / 2) + 1) until T.

    Attributes
    ----------
    pendulum : LinearInvertedPendulum
    mass : float
        m [kg].
    inertia : float
        J of the trunk about its axis [kg m^2].
    torque : float
        tau_max [N m].
    angle : float
        phi_max, by which the trunk may be turned [rad].
    """

    pendulum: LinearInvertedPendulum
    mass: float
    inertia: float
    torque: float
    angle: float

    def __post_init__(self) -> None:
        check_pendulum("pendulum of FlywheelPendulum", self.pendulum)
        for name in ("mass", "inertia", "torque", "angle"):
            check_positive(f"{name} of FlywheelPendulum", getattr(self, name))

    @property
    def duration(self) -> float:
        """T of the strongest push, which turns the trunk by `angle` [s]."""
        return 2 * math.sqrt(self.inertia * self.angle / self.torque)

    @property
    def reach(self) -> float:
        """By how much further from the centre of pressure than without flywheel xi may be at the beginning [m].

        The motion of xi until T, brought back to the beginning by e^(-w T).
        """
        half = math.exp(-self.pendulum.omega * self.duration / 2)
        return self.torque / (self.mass * self.pendulum.gravity) * (1 - half) ** 2

    def returned(self, angle: float, rate: float, returning: float) -> float:
        """By how much a trunk that comes back moves xi, brought back to the beginning by e^(-w t) [m].

        With a'' = -r^2 a - 2 r a' from a_0 and a_0' on, the motion of xi is that of a pressure J a'' / (m g) ahead:

            w J / (m g) r (w r a_0 + (2 w + r) a_0') / (w + r)^2.

        What has held a fall by turning comes back later, as a fall in the same direction.

        Parameters
        ----------
        angle, rate : float
            a_0, a_0' of the trunk now [rad], [rad/s].
        returning : float
            r [1/s].
        """
        w, r = self.pendulum.omega, returning
        lever = w * self.inertia / (self.mass * self.pendulum.gravity)
        return lever * r * (w * r * angle + (2.0 * w + r) * rate) / (w + r) ** 2

    def pushed(self, start: MassState, t: npt.ArrayLike, p: float, direction: float = 1.0) -> MassState:
        """State after a time of the strongest push, above a constant centre of pressure.

        Parameters
        ----------
        start : MassState
            Of one direction.
        t : array_like, shape (...)
            From the beginning of the push [s].
        direction : float
            1 pushes along -x, which stops a fall forward; -1 along x.
        """
        t = np.asarray(t, dtype=float)
        lever = direction * self.torque / (self.mass * self.pendulum.gravity)
        first, second = np.minimum(t, self.duration / 2), np.clip(t - self.duration / 2, 0.0, self.duration / 2)
        # A constant torque is a shift of the centre of pressure by tau / (m g).
        state = self.pendulum.moved(start, first, p + lever)
        state = self.pendulum.moved(state, second, p - lever)
        return self.pendulum.moved(state, np.maximum(t - self.duration, 0.0), p)

    def capture_region(self, state: MassState, p: float, step_time: float) -> FloatArray:
        """Between which places the next foot stops the mass, shape (2,): the lower and the upper end along x [m].

        Until `step_time` the mass moves above p, pushed by the flywheel or not; afterwards xi is where the foot must
        be. With the push before the step and none after it. Of a fall towards -x the lower end is the further one.

        Parameters
        ----------
        state : MassState
            Of one direction, two numbers.
        step_time : float
            Until the foot is down [s], at least the duration of the push.

        Raises
        ------
        ArgumentError
            Where the step is shorter than the push, or `state` of several directions.
        """
        if not isinstance(state, MassState):
            raise DtypeError(f"state is {state!r}; expected a MassState of one direction")
        for name, value in (("position of state", state.position), ("velocity of state", state.velocity), ("p", p)):
            check_finite(name, value, "a finite number, that of one direction")
        check_finite("step_time", step_time, "a finite number [s]")
        if not step_time >= self.duration:
            raise ArgumentError(f"step_time is {step_time!r}; expected at least the duration {self.duration:.3g} s")
        ends = [self.pushed(state, step_time, p, side) for side in (1.0, -1.0)]
        return np.array([float(self.pendulum.divergent(*end)) for end in ends])
