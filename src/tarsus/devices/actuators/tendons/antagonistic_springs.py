"""A joint that two motors pull from both sides through springs that harden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.actuator import Actuator, Step, checked_duration
from tarsus.devices.actuators.tendons.tendon_spring import TendonSpring
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError

_SIDES = (1.0, -1.0)
"""Directions in which tendons a and b pull."""
_FOLLOWING_TIME = 1e-3
"""Time [s] in which motors of the continuous form come to rest at their targets."""


@dataclass(eq=False)
class AntagonisticSprings(Actuator):
    """Two motors wind tendons that pull a joint from both sides: equilibrium and stiffness are set independently.

    Yamaguchi and Takanishi 1997 built a biped with such joints; in others, pneumatic muscles are motor and spring in
    one (Verrelst et al. 2005; Buschmann 2014 section 4.2). Motor a stands at the angle theta_a of the joint at which
    its tendon becomes slack, motor b at theta_b; with the tension f of the springs

        tau = r [f(r (theta_a - q)) - f(r (q - theta_b))] - d v,    f = 0 for a slack tendon: it never pushes.

    The command is the position q_c [rad] of equilibrium without load. How stiff the joint is is the second input,
    `cocontraction` c [rad]: the motors go to q_c + c and q_c - c. It may be set at any time, by a controller too, and
    holds until it is set again. The stiffness at the equilibrium is 2 r^2 f'(r c): for `QuadraticSpring`, with both
    tendons taut (|q - q_c| < c), tau = -4 k r^3 c (q - q_c), a linear spring of any stiffness that is asked for;
    `cocontraction_for` computes c.

    The motors are stiff and follow with a speed of at most `speed`, at once by default; what they do on the tendons is
    "supply", negative where the joint drives them. A step is exact for a joint that moves evenly.

    Attributes
    ----------
    radius : float or ndarray, shape (n,)
        Of the pulley on the joint, r [m].
    spring : TendonSpring
        `QuadraticSpring` or `ExponentialSpring`, the same on both sides.
    cocontraction : float or ndarray, shape (n,) or (..., n)
        c [rad], not negative; may differ between joints and between simulations.
    speed : float or ndarray, shape (n,)
        Greatest speed of a motor, at the joint [rad/s].
    damping : float or ndarray, shape (n,)
        Of the joint, d [N m s/rad].
    """

    radius: npt.ArrayLike
    spring: TendonSpring
    cocontraction: npt.ArrayLike
    speed: npt.ArrayLike = np.inf
    damping: npt.ArrayLike = 0.0

    state_names = ("motor_a", "motor_b")

    def __setattr__(self, name: str, value: Any) -> None:
        """Checked: the co-contraction is an input, and changes."""
        owner = "AntagonisticSprings"
        if name == "spring":
            if not isinstance(value, TendonSpring):
                raise ArgumentError(f"spring of {owner} is a {type(value).__name__}, expected a TendonSpring")
            checked: FloatArray | TendonSpring = value
        elif name == "cocontraction":
            shape = np.shape(value)
            checked = parameter(owner, name, np.ravel(value)).reshape(shape)
        elif name in ("radius", "speed", "damping"):
            checked = parameter(owner, name, value, positive=name != "damping", unlimited=name == "speed")
        else:
            raise AttributeError(f"{owner} has no attribute {name!r} that can be set")
        object.__setattr__(self, name, checked)

    def cocontraction_for(self, stiffness: npt.ArrayLike) -> FloatArray:
        """Co-contraction c (...) [rad] with which the joint has a stiffness (...) [N m/rad] at its equilibrium."""
        asked = parameter("cocontraction_for", "stiffness", np.ravel(stiffness), positive=True)
        d = self.spring.deflection_of(asked.reshape(np.shape(stiffness)) / (2.0 * self._r**2))
        c: FloatArray = d / self._r
        return c

    # The interface of an actuator

    @property
    def held_damping(self) -> FloatArray:
        """Damping of the joint [N m s/rad]."""
        return np.asarray(self.damping)

    def initial(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> FloatArray:
        """Motors where the command q would send them, the joint in equilibrium; see `Actuator.initial`."""
        return self._targets(np.asarray(q, dtype=float))

    def step(self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float) -> Step:
        """State after dt, mean torque, and energies; see `Actuator.step`."""
        h = checked_duration("AntagonisticSprings", dt)
        state, order, angle, rate = self._arguments(x, command, q, v)
        speed = np.asarray(self.speed)
        end, supply = np.array(state), np.zeros(order.shape)
        tau = -np.asarray(self.damping) * rate
        targets = self._targets(order)
        for place, side in enumerate(_SIDES):
            motor = state[..., place]
            way = np.clip(targets[..., place] - motor, -speed * h, speed * h)
            # the motor runs, in no time if its speed has no bound; then it stands
            running = np.minimum(np.abs(way) / speed, h)
            d0 = self._r * side * (motor - angle)
            d1 = self._r * side * (motor + way - angle - rate * running)
            d2 = self._r * side * (motor + way - angle - rate * h)
            ran, stood = self.spring.mean_force(d0, d1), self.spring.mean_force(d1, d2)
            tau = tau + side * self._r * (running * ran + (h - running) * stood) / h
            supply = supply + side * self._r * way * ran
            end[..., place] = motor + way
        damping = np.asarray(self.damping) * rate**2 * h
        return Step(end, tau, {"supply": supply, "damping": damping, "output": tau * rate * h})

    def derivative(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Rate of the state and torque at an instant; see `Actuator.derivative`.

        Motors follow their targets here within milliseconds, not at once.
        """
        state, order, angle, rate = self._arguments(x, command, q, v)
        speed = np.asarray(self.speed)[..., None]
        xdot = np.clip((self._targets(order) - state) / _FOLLOWING_TIME, -speed, speed)
        a, b = (self.spring.force(d) for d in self._deflections(state, angle))
        torque: FloatArray = self._r * (a - b) - np.asarray(self.damping) * rate
        return xdot, torque

    def stored(self, x: npt.ArrayLike, q: npt.ArrayLike) -> dict[str, FloatArray]:
        """Energy of both springs [J]."""
        a, b = (self.spring.energy(d) for d in self._deflections(*self._state(x, q)))
        return {"spring": a + b}

    def stiffness(self, x: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
        """Stiffness of the joint (...) [N m/rad], r^2 (f_a' + f_b')."""
        a, b = (self.spring.stiffness(d) for d in self._deflections(*self._state(x, q)))
        stiffness: FloatArray = self._r**2 * (a + b)
        return stiffness

    def tensions(self, x: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
        """Tensions of both tendons (..., 2) [N], not negative."""
        return np.stack([self.spring.force(d) for d in self._deflections(*self._state(x, q))], axis=-1)

    # Parts

    @property
    def _r(self) -> FloatArray:
        return np.asarray(self.radius)

    def _targets(self, command: FloatArray) -> FloatArray:
        """Angles (..., 2) that the motors are to have."""
        c = np.asarray(self.cocontraction)
        return np.stack([command + side * c for side in _SIDES], axis=-1)

    def _deflections(self, x: FloatArray, q: FloatArray) -> list[FloatArray]:
        """Deflections of tendons a and b, each (...) [m]."""
        return [self._r * side * (x[..., place] - q) for place, side in enumerate(_SIDES)]

    def _state(self, x: npt.ArrayLike, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros(np.shape(q))
        state, _, angle, _ = self._arguments(x, zero, q, zero)
        return state, angle
