"""Dry friction of a rigid gear: an elastic, perfectly plastic element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.gear import Gear
from tarsus.devices.actuators.gear_friction import GearFriction
from tarsus.errors import ArgumentError

_ELASTIC_PART = 0.95
"""Part of the level of friction up to which the continuous form is elastic; from there to the level it begins to slide.

An elastoplastic transition, after P. Dupont et al., Single State Elastoplastic Friction Models, IEEE TAC 47(5), 2002:
without it an integrator that chooses its steps would meet a corner at every change of the level.
"""
_RETURN_TIME = 1e-3
"""Time [s] in which the continuous form gives up a deflection beyond the level of friction."""


@dataclass(frozen=True, eq=False)
class Presliding:
    """Prandtl's element: the deflection s follows the joint as long as stiffness |s| stays below the level of friction.

    For a joint that moves with constant rate the step is exact. Below the level the element is a spring and returns
    what it took: no creep under a constant load, no limit cycle from a sign that flips.

    Attributes
    ----------
    friction : GearFriction
    stiffness : ndarray, shape () or (n,)
        [N m/rad].
    damping : ndarray, shape () or (n,)
        Damping of the deflection [N m s/rad].
    """

    friction: GearFriction
    stiffness: FloatArray
    damping: FloatArray

    @classmethod
    def of(cls, gear: Gear, inertia: FloatArray) -> Presliding | None:
        """The element of a gear, None where it has no dry friction."""
        static = np.asarray(gear.friction.static)
        if not np.any(static > 0.0):
            if np.any(gear.friction.load_factor > 0.0):
                raise ArgumentError("a rigid gear with an efficiency below 1 needs some Coulomb friction to stick with")
            return None
        if not np.all(static > 0.0):
            raise ArgumentError("dry friction of a rigid gear must be positive for all joints or zero for all")
        stiffness = static / np.asarray(gear.presliding)
        given = gear.presliding_damping
        damping = 1.4 * np.sqrt(stiffness * inertia) if given is None else np.asarray(given)
        return cls(gear.friction, stiffness, damping)

    def step(
        self, s: FloatArray, motor: FloatArray, v: FloatArray, h: float
    ) -> tuple[FloatArray, FloatArray, dict[str, FloatArray]]:
        """Deflection after h, mean friction torque against the motion, and changes to the drive's energies.

        Parameters
        ----------
        s : ndarray, shape (...)
            Deflection [rad].
        motor : ndarray, shape (...)
            Motor torque at the joint [N m], which loads the gear.
        v : ndarray, shape (...)
            Rate of the joint [rad/s].
        h : float
            [s].
        """
        way = v * h
        level = self._level(s, motor, v)
        most = level / self.stiffness
        start = np.minimum(np.maximum(s, -most), most)
        end = np.minimum(np.maximum(start + way, -most), most)
        elastic, direction = end - start, np.sign(way)
        moving = way != 0.0
        # the spring first, up to the level; then sliding under constant torque
        work = self.stiffness * (0.5 * (start + end) * elastic + end * (way - elastic))
        torque = np.where(moving, work / np.where(moving, way, 1.0), self.stiffness * end)
        # the damper helps the spring to hold, but both together are not stronger than friction
        room = np.maximum(level - direction * torque, 0.0)
        damper = direction * np.minimum(self.damping * np.abs(elastic) / h, room)
        lost = self.stiffness * (0.5 * (s**2 - start**2) + end * (way - elastic))
        energy = {"friction": lost, "damping": damper * way, "output": -(torque + damper) * way}
        return end, torque + damper, energy

    def derivative(self, s: FloatArray, motor: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rate of the deflection and friction torque against the motion at an instant."""
        level = self._level(s, motor, v)
        most = level / self.stiffness
        outward = s * v > 0.0
        sliding = np.where(outward, np.clip((np.abs(s) / most - _ELASTIC_PART) / (1.0 - _ELASTIC_PART), 0.0, 1.0), 0.0)
        elastic = (1.0 - sliding) * v
        beyond = np.where(outward, np.sign(s) * np.maximum(np.abs(s) - most, 0.0), 0.0)
        room = np.maximum(level - np.sign(v) * self.stiffness * s, 0.0)
        damper = np.sign(v) * np.minimum(self.damping * np.abs(elastic), room)
        return elastic - beyond / _RETURN_TIME, self.stiffness * s + damper

    def _level(self, s: FloatArray, motor: FloatArray, v: FloatArray) -> FloatArray:
        direction = np.where(v != 0.0, np.sign(v), np.sign(s))
        return self.friction.level_of_motor_torque(v, motor, direction)
