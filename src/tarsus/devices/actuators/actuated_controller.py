"""A controller whose commands go through drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.actuator import ENERGIES, Actuator
from tarsus.devices.actuators.driven_joints import DrivenJoints, Drives, driven_joints
from tarsus.devices.actuators.exchange_rate import needed_rate
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.recording.signal_log import SAME_TIME, SignalLog

_STIFFER = 1.1
"""Growth of an actuator's stiffness after which the rate is compared with it again."""

Controller = Callable[[float, FloatArray, FloatArray], npt.ArrayLike]
"""controller(t, q, v): time [s], q (..., nq), v (..., nv) to commands (..., nv)."""


class ActuatedController:
    """Turns controller(t, q, v) -> command into controller(t, q, v) -> tau, with drives in between.

    It is meant to be called every 1 / rate seconds, with the torques held in between. At each call the drives start
    from their states at t, the joints move with their present rates, and the mean torques over the coming 1 / rate
    are returned. Joints without a drive get their commands as they are. A call at a time before the last one starts
    anew; a call before the next step is due returns the torques again.

    A rate below the frequency [rad/s] of the stiffest spring between drives and robot is an error: with rotors it is
    known at once (`Drive.fastest_rate`), with actuators that have none (`Actuator.stiffness`, `Actuator.held_damping`)
    at the first call, from the inertia that the joints have there, and whenever an actuator has become stiffer.

    Parameters
    ----------
    controller : callable
        controller(t, q, v) -> command (..., nv): torques [N m], or what the drive at that place takes.
    drives : mapping of str or tuple of str to Actuator
        Drives by joint, or by a group of joints.
    model : Model
        Its rotors should be those of the drives: `with_rotors(model, drives)`.
    rate : float
        Steps of the drives in a second [Hz].
    command_rate : float, optional
        Calls of the controller in a second [Hz], not above `rate`, which it is by default.
    record : bool
        Keep signals in `log`; large batches may not want them.

    Attributes
    ----------
    log : SignalLog
        "command" and "tau" (..., nv), energies since the start by names such as "drive.copper" (..., nv), and the state
        of every drive by names such as "knee.current".
    energy : dict of ndarray, shape (..., nv)
        Energies since the start [J] by name ("supply", "copper", "friction", "damping", "throttling", "output"), at
        their joints.
    """

    def __init__(
        self,
        controller: Controller,
        drives: Drives,
        *,
        model: Model,
        rate: float,
        command_rate: float | None = None,
        record: bool = True,
    ) -> None:
        self.controller = controller
        self.model = model
        self.rate = _checked_rate("rate", rate)
        self.command_rate = self.rate if command_rate is None else _checked_rate("command_rate", command_rate)
        if self.command_rate > self.rate:
            raise ArgumentError(f"command_rate {command_rate} Hz is above rate {rate} Hz: commands would be lost")
        self._groups = driven_joints(model, drives)
        for group in self._groups:
            fastest = getattr(group.actuator, "fastest_rate", 0.0)
            if fastest > self.rate:
                raise ArgumentError(
                    f"the drive of {', '.join(group.names)} has a spring that swings with {fastest:.4g} rad/s: "
                    f"rate is {self.rate:g} Hz, expected at least {fastest:.4g} Hz"
                )
        self._labels = [
            [
                (f"{name}.{state}", number, entry)
                for number, name in enumerate(group.names)
                for entry, state in enumerate(group.actuator.state_names)
            ]
            for group in self._groups
        ]
        self._swings = any(_swings(group.actuator) for group in self._groups)
        self.log = SignalLog(record)
        self.reset()

    def reset(self) -> None:
        """Forget states, energies and signals."""
        self.log.clear()
        self.energy: dict[str, FloatArray] = {}
        self._running = False
        self._states: list[FloatArray] = []
        self._before: list[FloatArray] = []  # at the beginning of the last step
        self._stiffest = np.zeros(self.model.nv)
        self._start = 0.0
        self._steps = 0
        self._commands = 0
        self._last = -np.inf
        self._command = np.zeros(0)
        self._tau = np.zeros(0)

    def state(self, joint: str) -> dict[str, FloatArray]:
        """State of the drive of a joint by name, each (...), such as "current" or the "angle" of a rotor.

        Motor-side encoders of elastic gears read the angle. Before the first call there is none.
        """
        if self._states:
            return self._entries(joint, self._states)
        self._group_of(joint)
        raise ArgumentError(f"the drive of {joint!r} has no state yet: the controller was not called")

    def state_at(self, joint: str, t: float) -> dict[str, FloatArray] | None:
        """The same at a time within the last step, linear between its ends [s]; None before, where a run begins anew.

        After the last step it is the state at its end; before the first call there is none.
        """
        self._group_of(joint)
        if not self._running:
            return None
        now = self._start + self._steps / self.rate
        state = self.state(joint)
        if t >= now - SAME_TIME:
            return state
        part = (t - now) * self.rate + 1.0
        if part <= 0.0 or not self._before:
            return None
        before = self._entries(joint, self._before)
        return {name: (1.0 - part) * before[name] + part * value for name, value in state.items()}

    def ratio(self, joint: str) -> float:
        """Turns of the motor for one turn of a joint; 1 for an actuator without a gear."""
        group = self._group_of(joint)
        gear = getattr(group.actuator, "gear", None)
        ratios = np.broadcast_to(1.0 if gear is None else gear.ratio, (len(group.names),))
        return float(ratios[group.names.index(joint)])

    def _group_of(self, joint: str) -> DrivenJoints:
        """The drive of a joint and the joints that share it."""
        for group in self._groups:
            if joint in group.names:
                return group
        known = [name for group in self._groups for name in group.names]
        raise UnknownNameError(f"joint {joint!r} has no drive{nearest(joint, known)}")

    def _entries(self, joint: str, states: list[FloatArray]) -> dict[str, FloatArray]:
        """The state of the drive of a joint by name."""
        group = self._group_of(joint)
        number, x = group.names.index(joint), states[self._groups.index(group)]
        return {name: x[..., number, entry] for entry, name in enumerate(group.actuator.state_names)}

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Torques (..., nv) to hold until t + 1 / rate."""
        if self._running and t < self._last - SAME_TIME:
            self.reset()
        if not self._running:
            self._running = True
            self._states = [
                group.actuator.initial(q[..., group.q_index], v[..., group.v_index]) for group in self._groups
            ]
            self._start = float(t)
            shape = (*np.shape(q)[:-1], self.model.nv)
            self.energy = {name: np.zeros(shape) for name in ENERGIES}
        due = self._start + self._steps / self.rate
        if t < due - SAME_TIME:
            return self._tau.copy()
        if t > due + 0.5 / self.rate:
            raise ArgumentError(
                f"ActuatedController with rate {self.rate:g} Hz was called at {t:.9g} s, "
                f"but its drives had to be stepped at {due:.9g} s: call it at its rate"
            )
        self._last = float(t)
        if t >= self._start + self._commands / self.command_rate - SAME_TIME:
            self._command = self._checked(self.controller(t, q, v), q)
            self._commands = 1 + int(np.floor((t - self._start) * self.command_rate + SAME_TIME * self.command_rate))
        self._tau = self._step(t, q, v)
        self._steps += 1
        return self._tau.copy()

    def _step(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        if self._swings:
            self._check_rate(q)
        tau = self._command.copy()
        self._before = list(self._states)
        if self.log.record:
            self._log_states(t)
        for place, group in enumerate(self._groups):
            command = self._command[..., group.v_index]
            step = group.actuator.step(
                self._states[place], command, q[..., group.q_index], v[..., group.v_index], 1.0 / self.rate
            )
            self._states[place] = step.x
            tau[..., group.v_index] = step.tau
            for name, value in step.energy.items():
                self.energy[name][..., group.v_index] += value
        self.log.add("tau", t, tau)
        return tau

    def _log_states(self, t: float) -> None:
        """Commands, energies and states at the beginning of a step."""
        self.log.add("command", t, self._command)
        for name, value in self.energy.items():
            self.log.add(f"drive.{name}", t, value)
        for x, labels in zip(self._states, self._labels, strict=True):
            for label, number, entry in labels:
                self.log.add(label, t, x[..., number, entry])

    def _check_rate(self, q: FloatArray) -> None:
        """An error where forces change with the motion faster than they are exchanged."""
        stiffness, damping = np.zeros((2, *q.shape[:-1], self.model.nv))
        for group, x in zip(self._groups, self._states, strict=True):
            stiffness[..., group.v_index] = group.actuator.stiffness(x, q[..., group.q_index])
            damping[..., group.v_index] = group.actuator.held_damping
        stiffest = np.max((stiffness + self.rate * damping).reshape(-1, self.model.nv), axis=0, initial=0.0)
        if np.all(stiffest <= _STIFFER * self._stiffest):
            return
        self._stiffest = stiffest
        needed, coordinate = needed_rate(mass_matrix(self.model, q), stiffness, damping)
        if needed > self.rate:
            places = (zip(group.names, group.v_index, strict=True) for group in self._groups)
            name = next(joint for group in places for joint, place in group if place == coordinate)
            raise ArgumentError(
                f"{name} swings against its actuator, or is braked by it, with {needed:.4g} rad/s: "
                f"rate is {self.rate:g} Hz, expected at least {needed:.4g} Hz"
            )

    def _checked(self, command: npt.ArrayLike, q: FloatArray) -> FloatArray:
        try:
            array = np.asarray(command, dtype=float)
        except (TypeError, ValueError):
            raise DtypeError(
                f"the controller returned a {type(command).__name__}, expected commands (..., nv)"
            ) from None
        expected = (*q.shape[:-1], self.model.nv)
        if array.shape != expected:
            raise ShapeError(f"the controller returned commands of shape {array.shape}, expected {expected}")
        if not np.isfinite(array).all():
            raise NonFiniteError("the controller returned commands that are not finite")
        return array


def _swings(actuator: Actuator) -> bool:
    """Whether an actuator may tell a stiffness or a damping that joints without an inertia in it swing against."""
    return type(actuator).stiffness is not Actuator.stiffness or bool(np.any(actuator.held_damping))


def _checked_rate(name: str, rate: float) -> float:
    if not (np.isfinite(rate) and rate > 0.0):
        raise ArgumentError(f"{name} of ActuatedController is {rate!r}, expected a positive number of Hz")
    return float(rate)
