"""A robot weighs itself before it moves: its bodies may be heavier than its model says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.control.whole_body.answer import Command
from tarsus.dynamics.momentum import com_jacobian
from tarsus.model import Model

if TYPE_CHECKING:
    from tarsus.control.sequencing.contact_sequence import Force

BELIEVED = (0.5, 2.0)
"""Weights, in those of the model, that are believed; others are the fault of a force sensor."""
CARRYING, DEAD = 0.1, 0.1
"""Part of the weight that commands give a contact from which on it must be felt, and part of that below which it is
not: a weight without it is not that of the robot, whatever it comes to."""


class Weighing:
    """Finds how heavy a robot is by the forces that it stands on, and makes its commands as much stronger.

    By the theorem of momentum, forces F of all contacts over a time T change the momentum of a robot of mass m' by
    m' (c'(T) - c'(0)), so that m' = u . integral F dt / (g T + u . (c'(T) - c'(0))) with u upwards, however it moves
    meanwhile. Weights tell the sum of errors of masses, not where they are: m' / m = s is taken for all bodies.
    Equations of motion of masses s m hold for torques and forces s times as large; friction and dampers of joints,
    which are small, are taken to be as much larger.

    Parameters
    ----------
    model : Model
        As it is known.
    frames : sequence of str
        Of all contacts that carry it meanwhile.
    duration : float
        Time to weigh, and again to come to the weight that was found [s].
    mass : float, optional
        That these contacts carry, where others lie elsewhere; all by default [kg].

    Attributes
    ----------
    found : float or None
        m' / m; None until it is known.
    reason : str
        Why a weight was not believed; commands stay as they are then.
    """

    def __init__(self, model: Model, frames: Sequence[str], duration: float, mass: float | None = None) -> None:
        self._mass = model.total_mass if mass is None else mass
        self._model, self._frames, self._duration = model, tuple(dict.fromkeys(frames)), duration
        gravity = np.asarray(model.gravity)
        self._g = float(np.linalg.norm(gravity))
        self._up = -gravity / self._g
        self._start: tuple[float, float] | None = None  # time, speed upwards
        self._last, self._impulse, self._ended = (0.0, 0.0), 0.0, np.inf
        self._felt = dict.fromkeys(self._frames, 0.0)  # impulse of each contact upwards, as it is felt
        self._given = dict.fromkeys(self._frames, 0.0)  # and by commands
        self._command: Command | None = None
        self.found: float | None = None
        self.reason = ""

    def feel(self, t: float, q: FloatArray, v: FloatArray, force: Force) -> bool:
        """Take the forces of a time; whether the weight is known by them for the first time."""
        if self.found is not None:
            return False
        forces = {frame: force(frame) for frame in self._frames}
        pressed = float(self._up @ sum(forces.values()))
        if self._start is None:
            self._start = t, self._speed(q, v)
        else:
            self._impulse += 0.5 * (pressed + self._last[1]) * (t - self._last[0])
            self._compare(t - self._last[0], forces)
        self._last = t, pressed
        spent = t - self._start[0]
        if spent < self._duration:
            return False
        momentum = self._model.total_mass * (self._speed(q, v) - self._start[1])
        expected = self._mass * self._g * spent + momentum
        self._conclude(t, self._impulse / expected if expected > 0.0 else np.nan, self._unfelt(spent))
        return True

    def share(self, t: float) -> float:
        """Weight that commands are made for, in that of the model; it comes to what was found without a jump."""
        if self.found is None:
            return 1.0
        return 1.0 + minimum_jerk(t - self._ended, self._duration).share * (self.found - 1.0)

    def over(self, t: float) -> bool:
        """Whether commands are made for the weight that was found."""
        return t >= self._ended + self._duration

    def scaled(self, t: float, command: Command) -> Command:
        """A command of the model as one of the robot: the same accelerations, larger torques and wrenches."""
        self._command = command
        share = self.share(t)
        if share == 1.0:
            return command
        wrenches = {frame: share * wrench for frame, wrench in command.wrenches.items()}
        return replace(command, tau=share * command.tau, wrenches=wrenches)

    def _compare(self, dt: float, forces: Mapping[str, FloatArray]) -> None:
        """Impulses of each contact, felt and by the last command."""
        given: Mapping[str, FloatArray] = {} if self._command is None else self._command.wrenches
        for frame, felt in forces.items():
            self._felt[frame] += dt * float(self._up @ felt)
            if frame in given:
                self._given[frame] += dt * float(self._up @ given[frame][:3])

    def _unfelt(self, spent: float) -> list[str]:
        """Contacts that carry the robot, and are not felt."""
        least = CARRYING * self._mass * self._g * spent
        return [f for f in self._frames if self._given[f] > least and not self._felt[f] > DEAD * self._given[f]]

    def _speed(self, q: FloatArray, v: FloatArray) -> float:
        """Of the centre of mass, upwards [m/s]."""
        return float(self._up @ com_jacobian(self._model, q) @ v)

    def _conclude(self, t: float, found: float, unfelt: Sequence[str]) -> None:
        self._ended = t
        self.found = 1.0
        if not BELIEVED[0] <= found <= BELIEVED[1]:
            self.reason = (
                f"forces of {list(self._frames)} are those of {found:.3g} times the weight of the model; expected "
                f"{BELIEVED[0]:g} to {BELIEVED[1]:g}: the model is believed"
            )
        elif unfelt:
            self.reason = f"nothing is felt at {list(unfelt)}, which carry the robot: the model is believed"
        else:
            self.found = found
