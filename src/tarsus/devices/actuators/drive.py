"""A motor, a gear and limits: the drive of a joint."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators import drive_equations as de
from tarsus.devices.actuators.actuator import ENERGIES, Actuator, Step, checked_duration
from tarsus.devices.actuators.force_loop import ForceLoop
from tarsus.devices.actuators.gear import ElasticGear, Gear
from tarsus.devices.actuators.implicit_friction import implicit_friction
from tarsus.devices.actuators.linear_step import LinearStep, along, applied
from tarsus.devices.actuators.motor import IdealMotor, Motor
from tarsus.devices.actuators.presliding import Presliding
from tarsus.devices.actuators.torque_speed_curve import TorqueSpeedCurve
from tarsus.errors import ArgumentError

_LONGEST_PHASE = 0.5
"""Angle [rad] of the swing of rotor against spring within which dry friction is taken as constant."""
_KEPT_STEPS = 8
"""Lengths of steps whose matrices are kept."""


class _Outcome(NamedTuple):
    """Result of a step: y at its end, its mean, mean reference, mean voltage and energies."""

    end: FloatArray
    mean: FloatArray
    reference: FloatArray
    voltage: FloatArray
    energy: dict[str, FloatArray]


@dataclass(frozen=True, eq=False)
class Drive(Actuator):
    """Motor, gear and limits of a joint, or of many joints at once.

    The command is the torque at the joint [N m] that the current is to make (K i_ref = command; losses of the gear are
    not compensated), or the voltage [V] of a `Motor` without current loop. The linear part is stepped exactly, its
    energies are integrated exactly; dry friction is solved for implicitly, and limits are kept in the mean over a step,
    with the integrals of the loops held meanwhile. A step may be as long as one likes without becoming unstable by
    itself; how often drive and robot exchange torque and motion is another matter (`fastest_rate`).

    Attributes
    ----------
    motor : Motor or IdealMotor
    gear : Gear or ElasticGear
    limits : TorqueSpeedCurve, optional
        Limits of the motor's torque, at the joint.
    force_loop : ForceLoop, optional
        Makes the drive a series elastic actuator; `SeriesElasticActuator` is the name for it.
    """

    motor: Motor | IdealMotor
    gear: Gear | ElasticGear = field(default_factory=Gear)
    limits: TorqueSpeedCurve | None = None
    force_loop: ForceLoop | None = None

    def __post_init__(self) -> None:
        elastic = isinstance(self.gear, ElasticGear)
        if not isinstance(self.motor, Motor | IdealMotor):
            raise ArgumentError(f"motor of Drive is a {type(self.motor).__name__}, expected a Motor or an IdealMotor")
        if not isinstance(self.gear, Gear | ElasticGear):
            raise ArgumentError(f"gear of Drive is a {type(self.gear).__name__}, expected a Gear or an ElasticGear")
        if elastic and not np.all(np.asarray(self.motor.rotor_inertia) > 0.0):
            raise ArgumentError("an elastic gear needs a rotor with inertia: rotor_inertia of the motor is 0")
        if self.force_loop is not None and not elastic:
            raise ArgumentError("a force loop needs an ElasticGear, whose deflection it measures")
        if self._voltage_driven and (self.limits is not None or self.force_loop is not None):
            raise ArgumentError(
                "limits and force loops need a motor with a current loop; this one's command is a voltage"
            )
        names: tuple[str, ...] = {"ideal": (), "held": ("current",), "loop": ("current", "loop_voltage")}[
            self._voltage_mode
        ]
        names += ("angle", "rate") if elastic else ()
        names += ("force_integral",) if self.force_loop is not None else ()
        presliding = Presliding.of(self.gear, self.reflected_inertia) if isinstance(self.gear, Gear) else None
        names += ("deflection",) if presliding is not None else ()
        object.__setattr__(self, "state_names", names)
        object.__setattr__(self, "_presliding", presliding)
        object.__setattr__(self, "_steps", {})
        object.__setattr__(self, "_equations", {})

    _presliding: Presliding | None = field(init=False, repr=False)
    _steps: dict[tuple[str, str, float], LinearStep] = field(init=False, repr=False)
    _equations: dict[tuple[str, str], de.DriveEquations] = field(init=False, repr=False)

    # What it is

    @property
    def reflected_inertia(self) -> FloatArray:
        """Inertia of the rotor seen at the joint, ratio^2 rotor_inertia [kg m^2]."""
        J: FloatArray = np.asarray(self.gear.ratio) ** 2 * np.asarray(self.motor.rotor_inertia)
        return J

    @property
    def armature(self) -> FloatArray:
        """What belongs to the model's joint: the reflected inertia for a rigid gear, nothing for an elastic one."""
        return np.zeros(()) if isinstance(self.gear, ElasticGear) else self.reflected_inertia

    @functools.cached_property
    def fastest_rate(self) -> float:
        """Frequency [rad/s] of the stiffest spring between drive and robot with the rotor's inertia; 0 without spring.

        Drive and robot should exchange torque and motion at least as often as this, 1 / rate in seconds.
        """
        J = np.maximum(self.reflected_inertia, np.finfo(float).tiny)
        if isinstance(self.gear, ElasticGear):
            return float(np.max(np.sqrt(np.asarray(self.gear.stiffness) / J)))
        if self._presliding is None or not np.any(self.reflected_inertia > 0.0):
            return 0.0
        return float(np.max(np.sqrt(self._presliding.stiffness / J)))

    @property
    def _voltage_driven(self) -> bool:
        return isinstance(self.motor, Motor) and self.motor.loop is None

    @property
    def _voltage_mode(self) -> de.VoltageMode:
        return "ideal" if isinstance(self.motor, IdealMotor) else "held" if self._voltage_driven else "loop"

    # The interface of an actuator

    def initial(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> FloatArray:
        """State without current and deflection, the rotor moving with the joint; see `Actuator.initial`."""
        angle = np.asarray(q, dtype=float)
        y = np.zeros((*angle.shape, de.SIZE))
        y[..., de.ANGLE] = angle
        y[..., de.RATE] = 0.0 if v is None else v
        return self._packed(y, np.zeros(angle.shape))

    def step(self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float) -> Step:
        """State after dt, mean torque, and energies; see `Actuator.step`."""
        h = checked_duration("Drive", dt)
        state, order, angle, rate = self._arguments(x, command, q, v)
        y, deflection = self._unpacked(state, order, angle, rate)
        count = 1
        if isinstance(self.gear, ElasticGear):
            gain = 1.0 if self.force_loop is None else float(np.max(1.0 + np.asarray(self.force_loop.kp)))
            count = max(1, int(np.ceil(h * self.fastest_rate * np.sqrt(gain) / _LONGEST_PHASE)))
        energy: dict[str, FloatArray] = {}
        tau: FloatArray | float = 0.0
        for _ in range(count):
            part = h / count
            outcome = self._limited(y, part)
            _add_to(energy, outcome.energy)
            if isinstance(self.gear, ElasticGear):
                torque = along(self._system("held", self._voltage_mode).output, outcome.mean)
            else:
                motor = self._motor_torque(outcome)
                torque = motor - np.asarray(self.gear.friction.viscous) * rate
                if self._presliding is not None:
                    deflection, dry, lost = self._presliding.step(deflection, motor, rate, part)
                    torque = torque - dry
                    _add_to(energy, lost)
            tau = tau + torque / count
            y = outcome.end
        for name in ENERGIES:
            if name not in energy:
                energy[name] = np.zeros(order.shape)
        return Step(self._packed(y, deflection), np.asarray(tau), energy)

    def derivative(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Rate of the state and torque at an instant; see `Actuator.derivative`.

        Dry friction of an elastic gear is rounded off here (`ElasticGear.smoothing`).
        """
        state, order, angle, rate = self._arguments(x, command, q, v)
        y, deflection = self._unpacked(state, order, angle, rate)
        if isinstance(self.gear, ElasticGear):
            w, transmitted = y[..., de.RATE], self._transmitted(y)
            smooth = np.tanh(w / np.asarray(self.gear.smoothing))
            y[..., de.DRY] = self.gear.friction.level(w, transmitted) * smooth
        y, system, pick = self._instant_modes(y)
        ydot = np.zeros(y.shape)
        output, current = np.zeros(order.shape), np.zeros(order.shape)
        for mode, chosen in zip(system, pick, strict=True):
            ydot = np.where(chosen[..., None], applied(mode.F, y), ydot)
            output = np.where(chosen, along(mode.output, y), output)
            current = np.where(chosen, along(mode.current, y), current)
        sdot = np.zeros(order.shape)
        if self._presliding is not None:
            motor = self._torque_per_ampere * current
            sdot, dry = self._presliding.derivative(deflection, motor, rate)
            output = output - dry
        return self._packed(ydot, sdot), output

    def stored(self, x: npt.ArrayLike, q: npt.ArrayLike) -> dict[str, FloatArray]:
        """Energies of current, rotor (elastic gears only: else it is in the model) and springs [J]."""
        zero = np.zeros(np.shape(q))
        state, _, angle, _ = self._arguments(x, zero, q, zero)
        y, deflection = self._unpacked(state, zero, angle, zero)
        held = {}
        if isinstance(self.motor, Motor):
            phases = np.asarray(self.motor.torque_constant) / np.asarray(self.motor.emf_constant)
            held["inductive"] = 0.5 * phases * np.asarray(self.motor.inductance) * y[..., de.CURRENT] ** 2
        if isinstance(self.gear, ElasticGear):
            held["rotor"] = 0.5 * self.reflected_inertia * y[..., de.RATE] ** 2
            held["spring"] = 0.5 * np.asarray(self.gear.stiffness) * (y[..., de.ANGLE] - y[..., de.Q]) ** 2
        elif self._presliding is not None:
            held["spring"] = 0.5 * self._presliding.stiffness * deflection**2
        return held

    # Steps

    def _limited(self, y: FloatArray, h: float) -> _Outcome:
        """A step that keeps the limits of current reference and voltage in the mean."""
        low, high = self._reference_bounds(y)
        mode = self._voltage_mode
        if self.force_loop is None:
            y = _with(y, de.HELD_CURRENT, np.minimum(np.maximum(y[..., de.HELD_CURRENT], low), high))
            outcome = self._free(y, h, "held", mode)
        else:
            outcome = self._free(y, h, "force", mode)
            beyond = (outcome.reference < low) | (outcome.reference > high)
            if beyond.any():
                held = _with(y, de.HELD_CURRENT, np.clip(outcome.reference, low, high))
                outcome = _chosen(beyond, self._free(held, h, "held", mode), outcome)
        if mode == "loop" and isinstance(self.motor, Motor):
            top = np.asarray(self.motor.voltage_max)
            beyond = np.abs(outcome.voltage) > top
            if beyond.any():
                held = _with(y, de.HELD_VOLTAGE, np.clip(outcome.voltage, -top, top))
                outcome = _chosen(beyond, self._free(held, h, "held", "held"), outcome)
        return outcome

    def _free(self, y: FloatArray, h: float, reference: de.ReferenceMode, voltage: de.VoltageMode) -> _Outcome:
        """A step without limits, dry friction of an elastic gear solved for."""
        system, step = self._system(reference, voltage), self._matrices(reference, voltage, h)
        if isinstance(self.gear, ElasticGear):
            level = self.gear.friction.level(y[..., de.RATE], self._transmitted(y))
            y = _with(y, de.DRY, 0.0)
            y[..., de.DRY] = implicit_friction(step, y, level, de.RATE, de.DRY)
        end, mean, energy = step.taken(y)
        return _Outcome(
            end,
            mean,
            along(system.reference, mean),
            along(system.voltage, mean),
            energy,
        )

    def _motor_torque(self, outcome: _Outcome) -> FloatArray:
        """Mean torque of the motor at the joint [N m]."""
        current = outcome.reference if isinstance(self.motor, IdealMotor) else outcome.mean[..., de.CURRENT]
        torque: FloatArray = self._torque_per_ampere * current
        return torque

    def _transmitted(self, y: FloatArray) -> FloatArray:
        """Torque of spring and damper [N m]."""
        return along(self._system("held", self._voltage_mode).output, y)

    def _reference_bounds(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least and greatest reference of the current."""
        if self._constant_bounds is not None:
            return self._constant_bounds
        assert self.limits is not None
        top, K = self._greatest_reference, self._torque_per_ampere
        slow, fast = self.limits.bounds(y[..., de.RATE if isinstance(self.gear, ElasticGear) else de.V])
        return np.maximum(-top, slow / K), np.minimum(top, fast / K)

    @property
    def _greatest_reference(self) -> FloatArray:
        """Of the current, by the motor alone."""
        return np.asarray(self.motor.current_max if isinstance(self.motor, Motor) else self.motor.torque_max)

    @functools.cached_property
    def _constant_bounds(self) -> tuple[FloatArray, FloatArray] | None:
        """Least and greatest reference of the current where they do not depend on the speed."""
        top = self._greatest_reference
        if self.limits is not None:
            if not np.isinf(self.limits.speed_max).all():
                return None
            top = np.minimum(top, np.asarray(self.limits.torque_max) / self._torque_per_ampere)
        return -top, top

    @functools.cached_property
    def _torque_per_ampere(self) -> FloatArray:
        """K; see `torque_per_ampere`."""
        return de.torque_per_ampere(self.motor, self.gear)

    def _instant_modes(self, y: FloatArray) -> tuple[FloatArray, list[de.DriveEquations], list[npt.NDArray[np.bool_]]]:
        """Y with held values at an instant, the sets of equations in question, and where each of them holds."""
        mode = self._voltage_mode
        first = self._system("held" if self.force_loop is None else "force", mode)
        low, high = self._reference_bounds(y)
        asked = along(first.reference, y)
        y = _with(y, de.HELD_CURRENT, np.clip(asked, low, high))
        held = (asked < low) | (asked > high)
        systems, pick = [first, self._system("held", mode)], [~held, held]
        if mode == "loop" and isinstance(self.motor, Motor):
            asked = np.where(held, along(systems[1].voltage, y), along(first.voltage, y))
            top = np.asarray(self.motor.voltage_max)
            beyond = np.abs(asked) > top
            y = _with(y, de.HELD_VOLTAGE, np.clip(asked, -top, top))
            systems.append(self._system("held", "held"))
            pick = [pick[0] & ~beyond, pick[1] & ~beyond, beyond]
        return y, systems, pick

    def _system(self, reference: de.ReferenceMode, voltage: de.VoltageMode) -> de.DriveEquations:
        key = (reference, voltage)
        if key not in self._equations:
            self._equations[key] = de.equations(self.motor, self.gear, self.force_loop, reference, voltage)
        return self._equations[key]

    def _matrices(self, reference: de.ReferenceMode, voltage: de.VoltageMode, h: float) -> LinearStep:
        key = (reference, voltage, h)
        if key not in self._steps:
            system = self._system(reference, voltage)
            if len(self._steps) >= 3 * _KEPT_STEPS:
                del self._steps[next(iter(self._steps))]
            self._steps[key] = LinearStep.of(system.F, system.powers, h)
        return self._steps[key]

    # Packing

    def _unpacked(
        self, x: FloatArray, command: FloatArray, q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Vector y of the equations (..., 11), and the deflection of the teeth (...)."""
        y = np.zeros((*q.shape, de.SIZE))
        deflection = np.zeros(q.shape)
        for place, name in enumerate(self.state_names):
            if name == "deflection":
                deflection = x[..., place]
            else:
                y[..., _PLACES[name]] = x[..., place]
        y[..., de.Q], y[..., de.V] = q, v
        if self._voltage_driven and isinstance(self.motor, Motor):
            top = np.asarray(self.motor.voltage_max)
            y[..., de.HELD_VOLTAGE] = np.clip(command, -top, top)
        else:
            y[..., de.REFERENCE] = command
            y[..., de.HELD_CURRENT] = command / self._torque_per_ampere
        return y, deflection

    def _packed(self, y: FloatArray, deflection: FloatArray) -> FloatArray:
        parts = [deflection if name == "deflection" else y[..., _PLACES[name]] for name in self.state_names]
        return np.stack(parts, axis=-1) if parts else np.zeros((*deflection.shape, 0))


_PLACES = {
    "current": de.CURRENT,
    "loop_voltage": de.LOOP,
    "angle": de.ANGLE,
    "rate": de.RATE,
    "force_integral": de.FORCE,
}


def _with(y: FloatArray, index: int, value: FloatArray | float) -> FloatArray:
    y = np.array(y)
    y[..., index] = value
    return y


def _add_to(energy: dict[str, FloatArray], more: dict[str, FloatArray]) -> None:
    """Add energies by name."""
    for name, value in more.items():
        energy[name] = energy[name] + value if name in energy else value


def _chosen(mask: npt.NDArray[np.bool_], one: _Outcome, other: _Outcome) -> _Outcome:
    """The one outcome where the mask is set, the other elsewhere."""
    return _Outcome(
        np.where(mask[..., None], one.end, other.end),
        np.where(mask[..., None], one.mean, other.mean),
        np.where(mask, one.reference, other.reference),
        np.where(mask, one.voltage, other.voltage),
        {name: np.where(mask, one.energy[name], other.energy[name]) for name in other.energy},
    )
