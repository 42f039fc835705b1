"""What cylinders with gas and with oil have in common: two chambers, a valve, steps and energies.

Each chamber is connected by the valve to one line, supply or return. With the volume V(t) of a joint that moves with
constant rate, its pressure follows

    p' = (pressure rate of the flow through the valve) - (compression modulus) V' / V.

Without flow the second term has a closed form (`carried`). A step is taken in that form: the unknown is the pressure
carried back to the volume at the beginning, which changes by flow alone. It is found by the singly diagonally implicit
Runge-Kutta method of second order that is L-stable (R. Alexander, SIAM J. Numer. Anal. 14(6), 1977), whose stages

    p = r + s flow(p)

have closed solutions for the orifices of both fluids: no iteration, no bound on the step from a wide valve or from
little volume, and a closed valve is exact.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.actuator import Actuator, Step, checked_duration
from tarsus.devices.actuators.cylinders.cylinder import Cylinder
from tarsus.errors import ArgumentError

_GAMMA = 1.0 - np.sqrt(0.5)
"""Diagonal of Alexander's method."""
_LONGEST_PHASE = 0.2
"""Part of the time in which a wide-open valve fills a chamber that a substep may take."""
_MOST_SUBSTEPS = 40
"""Faster valves are at the end of their filling after any substep."""


class Port(NamedTuple):
    """What the valve does to both chambers.

    Attributes
    ----------
    line : ndarray, shape (..., 2)
        Pressure of the line that the chamber is connected to [Pa].
    opening : ndarray, shape (...)
        In [0, 1].
    supplied : ndarray of bool, shape (..., 2)
        Where the line is the supply.
    """

    line: FloatArray
    opening: FloatArray
    supplied: npt.NDArray[np.bool_]


class FluidCylinder(Actuator):
    """A cylinder with a proportional valve; the fluid is told by the subclass.

    The command is the opening of the valve in [-1, 1], limited to it: positive connects chamber a to the supply and b
    to the return. States: both pressures, the joint's "position" at which they hold (the robot may have moved otherwise
    than with the rate at the beginning of the last step: then they are carried on with closed valve, and no fluid is
    made or lost), and the "deflection" of seals with dry friction.
    """

    cylinder: Cylinder
    supply: npt.ArrayLike

    fluid = ""
    """Name of the energy that is stored."""

    def _begin(self) -> None:
        """To be called when an object is made."""
        if not isinstance(self.cylinder, Cylinder):
            owner = type(self).__name__
            raise ArgumentError(f"cylinder of {owner} is a {type(self.cylinder).__name__}, expected a Cylinder")
        names: tuple[str, ...] = ("pressure_a", "pressure_b", "position")
        names += ("deflection",) if self.cylinder.seals is not None else ()
        object.__setattr__(self, "state_names", names)

    # What a fluid must tell; all arrays have both chambers as their last axis

    @property
    @abstractmethod
    def _returned(self) -> FloatArray:
        """Pressure of the return line [Pa], against which forces are counted, (...) of a joint."""

    @property
    @abstractmethod
    def _filling_rate(self) -> float:
        """Rate [1/s] at which a wide-open valve fills a chamber, in the middle of the stroke."""

    @abstractmethod
    def carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        """Pressure after a volume has grown by the factor exp(x) without flow."""

    @abstractmethod
    def _mean_carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        """Mean pressure over the volume meanwhile."""

    @abstractmethod
    def _modulus(self, p: FloatArray) -> FloatArray:
        """Minus V dp/dV without flow [Pa]."""

    @abstractmethod
    def _flow(self, p: FloatArray, port: Port) -> FloatArray:
        """Flow into the chamber."""

    @abstractmethod
    def _smooth_flow(self, p: FloatArray, port: Port) -> FloatArray:
        """The same with a finite slope where the pressures are equal, for integrators that choose their steps."""

    @abstractmethod
    def _pressure_rate(self, p: FloatArray, V: FloatArray, flow: FloatArray) -> FloatArray:
        """Growth of the pressure [Pa/s] by a flow at constant volume."""

    @abstractmethod
    def _admitted(self, r: FloatArray, s: float, V: FloatArray, port: Port) -> FloatArray:
        """The pressure p = r + s (pressure rate of the flow at p), at constant volume."""

    @abstractmethod
    def _carried_energy(self, p: FloatArray, flow: FloatArray) -> FloatArray:
        """Energy [J] that a flow, or an amount, takes with it from the supply to a chamber at p."""

    @abstractmethod
    def _energy(self, p: FloatArray, V: FloatArray) -> FloatArray:
        """Energy stored in a chamber [J]: what it can deliver until it is at the pressure of the return line."""

    @abstractmethod
    def _rest(self) -> FloatArray:
        """Pressures at the beginning, shape () or (n,) [Pa]."""

    def _leaked(self, p: FloatArray, V: FloatArray, h: float) -> FloatArray:
        """Pressures after the leakage of h seconds between the chambers."""
        return p

    # The interface of an actuator

    @property
    def armature(self) -> FloatArray:
        """Inertia of piston and rod at the joint [kg m^2 or kg]."""
        return self.cylinder.armature

    @property
    def held_damping(self) -> FloatArray:
        """Viscous friction of the seals at the joint, that of seals which stick included [N m s/rad or N s/m]."""
        seals = 0.0 if self.cylinder.seals is None else self.cylinder.seals.damping
        damping: FloatArray = self.cylinder.damping + seals
        return damping

    def initial(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> FloatArray:
        """Both chambers at the pressure `rest`, or as high as keeps the piston in balance; see `Actuator.initial`."""
        position = np.asarray(q, dtype=float)
        self.cylinder.volumes(position)
        x = np.zeros((*position.shape, self.nx))
        rest, back = self._rest(), self._returned
        # p_b = p_0, and p_a such that the forces on both sides of the piston cancel
        ratio = self.cylinder.areas[..., 1] / self.cylinder.areas[..., 0]
        x[..., 0], x[..., 1] = back + (rest - back) * ratio, rest
        x[..., 2] = position
        return x

    def step(self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float) -> Step:
        """State after dt, mean force, and energies; see `Actuator.step`."""
        h = checked_duration(type(self).__name__, dt)
        state, order, angle, rate = self._arguments(x, command, q, v)
        port, p, V = self._port(order), self.pressures(state, angle), self.cylinder.volumes(angle)
        before, swept = self._energy(p, V), self.cylinder.volumes(angle + rate * h) - V
        count = max(2, int(np.ceil(min(h * self._filling_rate / _LONGEST_PHASE, _MOST_SUBSTEPS))))
        part = h / count
        pressure, taken = np.zeros(p.shape), np.zeros(p.shape)
        for _ in range(count):
            after = V + swept / count
            p = self._leaked(p, V, 0.5 * part)
            p, mean, put_in = self._substep(p, V, after, part, port)
            p = self._leaked(p, after, 0.5 * part)
            pressure, taken, V = pressure + mean / count, taken + put_in, after
        force = np.sum(self.cylinder.slopes * (pressure - self._returned[..., None]), axis=-1)
        supply, gained = np.sum(taken, axis=-1), np.sum(self._energy(p, V) - before, axis=-1)
        energy = {"supply": supply, "throttling": supply - gained - force * rate * h}
        end = np.array(state)
        end[..., 0], end[..., 1], end[..., 2] = p[..., 0], p[..., 1], angle + rate * h
        energy["friction"] = self.cylinder.damping * rate**2 * h
        force = force - self.cylinder.damping * rate
        if self.cylinder.seals is not None:
            end[..., 3], dry, lost = self.cylinder.seals.step(state[..., 3], np.zeros(order.shape), rate, h)
            force = force - dry
            energy["friction"], energy["damping"] = energy["friction"] + lost["friction"], lost["damping"]
        energy["output"] = force * rate * h
        return Step(end, force, energy)

    def derivative(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Rate of the state and force at an instant; see `Actuator.derivative`.

        The flow has a finite slope here where both sides of the orifice have nearly the same pressure.
        """
        state, order, angle, rate = self._arguments(x, command, q, v)
        port, p, V = self._port(order), self.pressures(state, angle), self.cylinder.volumes(angle)
        slopes = self.cylinder.slopes
        growth = self._pressure_rate(p, V, self._smooth_flow(p, port)) - self._modulus(p) * slopes * rate[..., None] / V
        growth = growth + self._leak_rate(p, V)
        xdot = np.zeros(state.shape)
        xdot[..., :2] = np.where((p <= 0.0) & (growth < 0.0), 0.0, growth)
        xdot[..., 2] = rate
        force = np.sum(slopes * (p - self._returned[..., None]), axis=-1) - self.cylinder.damping * rate
        if self.cylinder.seals is not None:
            xdot[..., 3], dry = self.cylinder.seals.derivative(state[..., 3], np.zeros(order.shape), rate)
            force = force - dry
        return xdot, force

    def stored(self, x: npt.ArrayLike, q: npt.ArrayLike) -> dict[str, FloatArray]:
        """Energies of both chambers and of the seals [J]."""
        state, angle = self._state(x, q)
        energy = self._energy(self.pressures(state, angle), self.cylinder.volumes(angle))
        held = {self.fluid: np.sum(energy, axis=-1)}
        if self.cylinder.seals is not None:
            held["spring"] = 0.5 * self.cylinder.seals.stiffness * state[..., 3] ** 2
        return held

    def stiffness(self, x: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
        """Stiffness (...) at the joint with closed valve, seals that stick included [N m/rad or N/m]."""
        state, angle = self._state(x, q)
        V = self.cylinder.volumes(angle)
        chambers = self._modulus(self.pressures(state, angle)) * self.cylinder.slopes**2 / V
        seals = 0.0 if self.cylinder.seals is None else self.cylinder.seals.stiffness
        total: FloatArray = np.sum(chambers, axis=-1) + seals
        return total

    def pressures(self, x: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
        """Pressures of both chambers (..., 2) [Pa], those of the state x carried to the joint coordinate q (...)."""
        state, angle = self._state(x, q)
        p, position = state[..., :2], state[..., 2]
        if np.array_equal(position, angle):
            return np.array(p)
        ratio = self.cylinder.volumes(angle) / self.cylinder.volumes(position)
        return np.maximum(self.carried(p, np.log(ratio)), 0.0)

    # Steps

    def _substep(
        self, p: FloatArray, V0: FloatArray, V1: FloatArray, h: float, port: Port
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pressures after h, mean pressures, and energies from the supply, each (..., 2)."""
        Vg = V0 + _GAMMA * (V1 - V0)
        first, whole = np.log(Vg / V0), np.log(V1 / V0)
        early = np.maximum(self._admitted(self.carried(p, first), _GAMMA * h, Vg, port), 0.0)
        # carried back to V0, where the pressure changes by flow alone
        gained = self.carried(early, -first) - p
        r = self.carried(p + (1.0 - _GAMMA) / _GAMMA * gained, whole)
        closed = np.maximum(self.carried(p, whole), 0.0)
        end = self._admitted(r, _GAMMA * h, V1, port)
        # an extrapolation below zero is none: the chamber is nearly empty, and Euler's implicit step stays positive
        beyond = r <= 0.0
        if beyond.any():
            end = np.where(beyond, self._admitted(closed, h, V1, port), end)
        end = np.maximum(end, 0.0)
        mean = self._mean_carried(p, whole) + 0.5 * (end - closed)
        late = self._carried_energy(end, self._flow(end, port))
        soon = np.where(beyond, late, self._carried_energy(early, self._flow(early, port)))
        taken = np.where(port.supplied, h * ((1.0 - _GAMMA) * soon + _GAMMA * late), 0.0)
        return end, mean, taken

    def _leak_rate(self, p: FloatArray, V: FloatArray) -> FloatArray:
        """Growth of the pressures by leakage between the chambers [Pa/s]."""
        return np.zeros(p.shape)

    def _port(self, command: FloatArray) -> Port:
        opening = np.clip(command, -1.0, 1.0)
        supply, back = np.broadcast_arrays(np.asarray(self.supply, dtype=float), self._returned)
        forward = (opening > 0.0)[..., None] == np.array([True, False])
        return Port(np.where(forward, supply[..., None], back[..., None]), np.abs(opening), forward)

    def _state(self, x: npt.ArrayLike, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        zero = np.zeros(np.shape(q))
        state, _, angle, _ = self._arguments(x, zero, q, zero)
        return state, angle
