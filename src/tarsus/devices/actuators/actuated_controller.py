"""A controller whose commands go through drives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.actuator import ENERGIES
from tarsus.devices.actuators.driven_joints import Drives, driven_joints
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.model.model import Model
from tarsus.recording.signal_log import SAME_TIME, SignalLog

Controller = Callable[[float, FloatArray, FloatArray], npt.ArrayLike]
"""controller(t, q, v): time [s], q (..., nq), v (..., nv) to commands (..., nv)."""


class ActuatedController:
    """Turns controller(t, q, v) -> command into controller(t, q, v) -> tau, with drives in between.

    It is meant to be called every 1 / rate seconds, with the torques held in between. At each call the drives start
    from their states at t, the joints move with their present rates, and the mean torques over the coming 1 / rate
    are returned. Joints without a drive get their commands as they are. A call at a time before the last one starts
    anew; a call before the next step is due returns the torques again.

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
        Energies since the start [J] by name ("supply", "copper", "friction", "damping", "output"), at their joints.
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
        self.log = SignalLog(record)
        self.reset()

    def reset(self) -> None:
        """Forget states, energies and signals."""
        self.log.clear()
        self.energy: dict[str, FloatArray] = {}
        self._running = False
        self._states: list[FloatArray] = []
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
        for group, x in zip(self._groups, self._states, strict=False):
            if joint in group.names:
                number = group.names.index(joint)
                return {name: x[..., number, entry] for entry, name in enumerate(group.actuator.state_names)}
        known = [name for group in self._groups for name in group.names]
        if joint in known:
            raise ArgumentError(f"the drive of {joint!r} has no state yet: the controller was not called")
        raise UnknownNameError(f"joint {joint!r} has no drive{nearest(joint, known)}")

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
        tau = self._command.copy()
        self.log.add("command", t, self._command)
        for name, value in self.energy.items():
            self.log.add(f"drive.{name}", t, value)
        for place, group in enumerate(self._groups):
            x = self._states[place]
            for label, number, entry in self._labels[place]:
                self.log.add(label, t, x[..., number, entry])
            command = self._command[..., group.v_index]
            step = group.actuator.step(x, command, q[..., group.q_index], v[..., group.v_index], 1.0 / self.rate)
            self._states[place] = step.x
            tau[..., group.v_index] = step.tau
            for name, value in step.energy.items():
                self.energy[name][..., group.v_index] += value
        self.log.add("tau", t, tau)
        return tau

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


def _checked_rate(name: str, rate: float) -> float:
    if not (np.isfinite(rate) and rate > 0.0):
        raise ArgumentError(f"{name} of ActuatedController is {rate!r}, expected a positive number of Hz")
    return float(rate)
