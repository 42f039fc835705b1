"""Dynamics error compensation: a pendulum driven by the error of the contact moment (Takenaka et al. 2009)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.walking.biped.biped import Biped

WEIGHTS = 3200.0 / (60.0 * 9.81)
"""K_R of the text in weights of its robot, of 60 kg."""
T_R, T_D = 0.2, 0.02
"""Of the text [s]."""


@dataclass(frozen=True)
class LeadController:
    """K_R (T_R s + 1) / (T_d s + 1) (5.98), by cycles, exact for inputs that are straight between them.

    Attributes
    ----------
    gain : float
        K_R [N].
    lead, lag : float
        T_R, T_d [s].
    """

    gain: float
    lead: float = T_R
    lag: float = T_D

    def __post_init__(self) -> None:
        for name in ("gain", "lead", "lag"):
            if not (math.isfinite(value := getattr(self, name)) and value > 0):
                raise ArgumentError(f"{name} of LeadController is {value!r}; expected a number above 0")

    def start(self, x: FloatArray) -> FloatArray:
        """State at rest at x."""
        return np.array(x)

    def step(self, state: FloatArray, x: FloatArray, x_next: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
        """State and output after a cycle.

        The output is K_R (a x + (1 - a) y), a = T_R / T_d, of the input and of y that follows it with T_d y' = x - y.
        """
        T, fades = self.lag, math.exp(-dt / self.lag)
        slope = (x_next - x) / dt
        state = x_next - slope * T + (state - x + slope * T) * fades
        share = self.lead / self.lag
        return state, self.gain * (share * x_next + (1.0 - share) * state)


@dataclass(frozen=True)
class ErrorCompensation:
    """Motion to be added to a planned one so that its contact moment comes nearer to the one that was planned for.

    Of an inverted pendulum m z x'' = m g x + dT (y and T_x likewise) the moment dT that is missing is the input; a
    lead controller keeps it from falling: dT = -e - C(s) x, and that of C(s) x is what is left of the error. Takenaka
    adds a reaction wheel, whose angle turns the upper body: I Theta'' takes `wheel` of the missing moment, and comes
    back by a spring and damper of its own.

    Attributes
    ----------
    mass, height, gravity : float
        m [kg], z [m], g [m/s^2].
    controller : LeadController
    wheel : float
        Part of the missing moment that the wheel takes, 0 to 1.
    inertia : float
        I of the wheel [kg m^2]; needed where it takes any.
    wheel_rate : float
        Natural frequency of its return, critically damped [1/s].
    """

    mass: float
    height: float
    gravity: float
    controller: LeadController
    wheel: float = 0.0
    inertia: float = 0.0
    wheel_rate: float = 6.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.wheel <= 1.0:
            raise ArgumentError(f"wheel of ErrorCompensation is {self.wheel!r}; expected a part from 0 to 1")
        if self.wheel > 0.0 and not (math.isfinite(self.inertia) and self.inertia > 0.0):
            raise ArgumentError(f"inertia of ErrorCompensation is {self.inertia!r}; expected a number above 0 [kg m^2]")
        if self.controller.gain <= self.mass * self.gravity:
            raise ArgumentError(
                f"K_R of ErrorCompensation is {self.controller.gain:.4g} N; expected more than the weight, "
                f"{self.mass * self.gravity:.4g} N: the pendulum falls"
            )

    @classmethod
    def of(cls, biped: Biped, *, gain: float | None = None, wheel: float = 0.0, inertia: float = 0.0) -> Self:
        """For a robot, with K_R [N] as in the text for Lola, in proportion to the weight, by default."""
        K_R = WEIGHTS * biped.weight if gain is None else gain
        return cls(biped.model.total_mass, biped.height, biped.gravity, LeadController(K_R), wheel, inertia)

    def motion(self, error: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
        """Ways of the pendulum and angles of the wheel for an error of the contact moment.

        Parameters
        ----------
        error : ndarray, shape (n, 2)
            T_full - T_planned about x and y [N m], every `dt` [s].

        Returns
        -------
        way : ndarray, shape (n, 3, 2)
            x and y to be added to the centre of mass, their rates and accelerations.
        angle : ndarray, shape (n, 3, 2)
            Angles of the wheel about x and y [rad], rates and accelerations.
        """
        scale, weight = self.mass * self.height, self.mass * self.gravity
        # As forces along x and y: T_y moves x, and -T_x moves y.
        push = np.column_stack([error[:, 1], -error[:, 0]])
        way, angle = np.zeros((len(push), 3, 2)), np.zeros((len(push), 3, 2))
        x, rate, u = np.zeros(2), np.zeros(2), np.zeros(2)
        state = self.controller.start(x)
        turn, spin, w = np.zeros(2), np.zeros(2), self.wheel_rate
        for k, e in enumerate(push):
            spin_rate = np.zeros(2)
            if self.wheel > 0.0:
                spin_rate = -self.wheel * e / self.inertia - 2.0 * w * spin - w * w * turn
            # What the wheel does of it is not missing any more.
            left = e + self.inertia * spin_rate
            change = (weight * x - left - u) / scale
            way[k], angle[k] = (x, rate, change), (turn, spin, spin_rate)
            rate = rate + dt * change
            after = x + dt * rate
            state, u = self.controller.step(state, x, after, dt)
            x = after
            spin = spin + dt * spin_rate
            turn = turn + dt * spin
        # Angles about the axes of the moments: about y with T_y, about x with T_x.
        turned = np.stack([-angle[..., 1], angle[..., 0]], axis=-1)
        return way, turned
