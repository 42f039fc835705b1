"""What every actuator is: a command in, a joint force out, states and energies of its own."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError

ENERGIES = ("supply", "copper", "friction", "damping", "throttling", "output")
"""What may pass during a step: put in, lost in four ways, delivered to the joint."""


class Step(NamedTuple):
    """What an actuator did within a step.

    Attributes
    ----------
    x : ndarray, shape (..., nx)
        State at the end.
    tau : ndarray, shape (...)
        Mean force on the joint [N m or N].
    energy : dict of ndarray, shape (...)
        Energies that passed during the step [J]: "supply" (put in), "copper", "friction", "damping" and "throttling"
        (lost), "output" (work on the joint, which moved by v dt). stored after - stored before = supply - losses -
        output. A loss that is not named is zero.
    """

    x: FloatArray
    tau: FloatArray
    energy: dict[str, FloatArray]


class Actuator(ABC):
    """An actuator of one joint or, entry by entry, of many joints and many simulations.

    `command`, `q` and `v` share a shape (...), for example (batch, joints); the state x has that shape and one more
    axis, (..., nx). Parameters are numbers, or have one entry a joint: the last axis of q.
    """

    state_names: tuple[str, ...] = ()
    """Entries of the state."""

    @property
    def nx(self) -> int:
        """Number of entries of the state of one joint."""
        return len(self.state_names)

    @property
    def armature(self) -> FloatArray:
        """Rotor inertia to be counted in the model's joint [kg m^2 or kg]: ratio^2 rotor_inertia for a rigid gear."""
        return np.zeros(())

    @abstractmethod
    def initial(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> FloatArray:
        """State (..., nx) without current and without deflection at the joint coordinate q (...) and rate v (...)."""

    @abstractmethod
    def step(self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float) -> Step:
        """State after dt, mean force, and energies.

        Parameters
        ----------
        x : array_like, shape (..., nx)
        command : array_like, shape (...)
            Held during the step; its meaning is the actuator's own, mostly a joint torque [N m].
        q, v : array_like, shape (...)
            Joint coordinate at the beginning, and its rate; the joint moves to q + v dt.
        dt : float
            [s].
        """

    @abstractmethod
    def derivative(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Rate of the state (..., nx) and force on the joint (...) at an instant, for integrators that choose steps."""

    @abstractmethod
    def stored(self, x: npt.ArrayLike, q: npt.ArrayLike) -> dict[str, FloatArray]:
        """Energies held at an instant [J]: "inductive", "rotor", "spring", "gas", "oil", each of shape (...)."""

    @property
    def held_damping(self) -> FloatArray:
        """Viscous friction of such a joint, whose force is held during a step [N m s/rad or N s/m]; see `stiffness`."""
        return np.zeros(())

    def stiffness(self, x: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
        """Stiffness (...) that a joint without an inertia in the actuator swings against [N m/rad or N/m].

        Minus the slope of the force over q, with the state as it is. Zero where there is no such spring, and for
        drives: they know the inertia of their rotor, and tell `fastest_rate`.
        """
        return np.zeros(np.shape(q))

    def advance(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float
    ) -> tuple[FloatArray, FloatArray]:
        """State after dt (..., nx) and mean force on the joint (...); see `step`."""
        result = self.step(x, command, q, v, dt)
        return result.x, result.tau

    def _arguments(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Arrays of one common shape, or an error that names what does not fit."""
        owner = type(self).__name__
        arrays = {
            name: np.asarray(value, dtype=float) for name, value in (("x", x), ("command", command), ("q", q), ("v", v))
        }
        if not math.isfinite(sum(float(array.sum()) for array in arrays.values())):  # cheap where all is well
            for name, array in arrays.items():
                if not np.isfinite(array).all():
                    raise NonFiniteError(f"{name} of {owner} has entries that are not finite")
        if arrays["x"].shape[-1:] != (self.nx,):
            raise ShapeError(f"x of {owner} has shape {arrays['x'].shape}, expected (..., {self.nx})")
        order, angle, rate = arrays["command"], arrays["q"], arrays["v"]
        if order.shape == angle.shape == rate.shape == arrays["x"].shape[:-1]:
            return arrays["x"], order, angle, rate
        try:
            shape = np.broadcast_shapes(order.shape, angle.shape, rate.shape, arrays["x"].shape[:-1])
        except ValueError:
            found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise ShapeError(f"arguments of {owner} do not fit together: {found}") from None
        order, angle, rate = (np.broadcast_to(array, shape) for array in (order, angle, rate))
        return np.broadcast_to(arrays["x"], (*shape, self.nx)), order, angle, rate


def checked_duration(owner: str, dt: float) -> float:
    """Length of a step, or an error."""
    if not (np.isfinite(dt) and dt > 0.0):
        raise ArgumentError(f"dt of {owner} is {dt!r}, expected a positive time in seconds")
    return float(dt)
