"""Geometry and seals of a double-acting cylinder."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.gear_friction import GearFriction
from tarsus.devices.actuators.presliding import Presliding
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError

_DEAD_PART = 0.1
"""Dead volume of a chamber by default, as a part of what the piston sweeps."""
_OVERRUN = 0.25
"""Part of its dead volume that a chamber may lose where a joint stop gives way; beyond it is an error."""

_SETTLING_TIME = 1e-3
"""Of the way that seals give before they slide, without inertia [s]."""


@dataclass(frozen=True, eq=False)
class Cylinder:
    """A piston between two chambers, on a joint by a lever whose arm does not change.

    The piston is arm (q - center) from the middle of its stroke; chamber a, on the side without rod, pushes towards
    greater arm q:

        V_a = V_0 + A_a (stroke / 2 + arm (q - center)),    V_b = V_0 + A_b (stroke / 2 - arm (q - center)).

    The joint's own limits must end the motion within the stroke; a piston that is pushed into its cover is an error.

    Dry friction of the seals is that of a rigid gear (`Gear`): elastic up to its level, over `presliding`, then
    constant. It returns no more than it took, and a standing piston does not creep.

    Attributes
    ----------
    bore, stroke : float or ndarray, shape (n,)
        Diameter and way of the piston [m].
    arm : float or ndarray, shape (n,)
        Way of the piston over the joint's coordinate [m/rad]; of either sign, 1 for a prismatic joint.
    rod : float or ndarray, shape (n,)
        Diameter of the rod in chamber b [m]; 0 for a rod on both sides that is thin.
    center : float or ndarray, shape (n,)
        Joint coordinate at which the piston is in the middle [rad or m].
    dead_volume : float or ndarray, shape (n,), optional
        V_0 [m^3] of each chamber with its pipe; by default a tenth of what the piston sweeps in chamber a.
    piston_mass : float or ndarray, shape (n,)
        Of piston and rod [kg]; it is inertia of the joint (`with_rotors`).
    coulomb, viscous : float or ndarray, shape (n,)
        Friction of the seals [N], [N s/m].
    presliding : float or ndarray, shape (n,)
        Way at which dry friction reaches its level [m].
    presliding_damping : float or ndarray, shape (n,), optional
        Damping of that way [N s/m], within the level of friction; by default what brings it to rest within 1 ms where
        there is no inertia.
    """

    bore: npt.ArrayLike
    stroke: npt.ArrayLike
    arm: npt.ArrayLike = 1.0
    rod: npt.ArrayLike = 0.0
    center: npt.ArrayLike = 0.0
    dead_volume: npt.ArrayLike | None = None
    piston_mass: npt.ArrayLike = 0.0
    coulomb: npt.ArrayLike = 0.0
    viscous: npt.ArrayLike = 0.0
    presliding: npt.ArrayLike = 1e-4
    presliding_damping: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("bore", "stroke", "presliding"):
            set_(self, name, parameter("Cylinder", name, getattr(self, name), positive=True))
        for name in ("rod", "piston_mass", "coulomb", "viscous"):
            set_(self, name, parameter("Cylinder", name, getattr(self, name)))
        settling = _SETTLING_TIME * np.asarray(self.coulomb) / np.asarray(self.presliding)
        damping = settling if self.presliding_damping is None else self.presliding_damping
        set_(self, "presliding_damping", parameter("Cylinder", "presliding_damping", damping))
        set_(self, "arm", parameter("Cylinder", "arm", self.arm, positive=True, signed=True))
        set_(self, "center", parameter("Cylinder", "center", self.center, signed=True))
        if not np.all(np.asarray(self.rod) < np.asarray(self.bore)):
            raise ArgumentError(
                f"rod of Cylinder is {np.asarray(self.rod)}, expected less than the bore, {np.asarray(self.bore)}"
            )
        swept = 0.25 * np.pi * np.asarray(self.bore) ** 2 * np.asarray(self.stroke)
        dead = _DEAD_PART * swept if self.dead_volume is None else self.dead_volume
        set_(self, "dead_volume", parameter("Cylinder", "dead_volume", dead, positive=True))
        coulomb = np.asarray(self.coulomb)
        if np.any(coulomb > 0.0) and not np.all(coulomb > 0.0):
            raise ArgumentError(
                f"coulomb of Cylinder is {coulomb.tolist()}, expected positive for all joints or zero for all"
            )

    @functools.cached_property
    def areas(self) -> FloatArray:
        """Areas of the piston in chambers a and b (..., 2) [m^2]."""
        bore, rod = np.broadcast_arrays(np.asarray(self.bore), np.asarray(self.rod))
        areas: FloatArray = 0.25 * np.pi * np.stack([bore**2, bore**2 - rod**2], axis=-1)
        return areas

    @functools.cached_property
    def slopes(self) -> FloatArray:
        """Growth of the volumes with the joint's coordinate (..., 2) [m^3/rad]: force = slopes . pressures."""
        slopes: FloatArray = np.asarray(self.arm)[..., None] * self.areas * (1.0, -1.0)
        return slopes

    @functools.cached_property
    def mid_volumes(self) -> FloatArray:
        """Volumes with the piston in the middle (..., 2) [m^3]."""
        half = 0.5 * np.asarray(self.stroke)[..., None] * self.areas
        volumes: FloatArray = np.asarray(self.dead_volume)[..., None] + half
        return volumes

    def volumes(self, q: FloatArray) -> FloatArray:
        """Volumes of both chambers (..., 2) [m^3] at the joint coordinate q (...); an error outside of the stroke."""
        volumes: FloatArray = self.mid_volumes + self.slopes * (q - np.asarray(self.center))[..., None]
        least = (1.0 - _OVERRUN) * np.asarray(self.dead_volume)[..., None]
        if (volumes < least).any():
            piston = np.asarray(self.arm) * (q - np.asarray(self.center))
            half = np.broadcast_to(0.5 * np.asarray(self.stroke), piston.shape)
            worst = np.unravel_index(np.argmax(np.abs(piston) - half), piston.shape)
            raise ArgumentError(
                f"the piston of a Cylinder is {float(piston[worst]):.4g} m from its middle, expected within its "
                f"stroke, +-{float(half[worst]):.4g} m: the joint's limits, or `center`, must keep it there"
            )
        return volumes

    @functools.cached_property
    def armature(self) -> FloatArray:
        """Inertia of piston and rod at the joint [kg m^2 or kg]."""
        inertia: FloatArray = np.asarray(self.arm) ** 2 * np.asarray(self.piston_mass)
        return inertia

    @functools.cached_property
    def damping(self) -> FloatArray:
        """Viscous friction at the joint [N m s/rad]."""
        damping: FloatArray = np.asarray(self.arm) ** 2 * np.asarray(self.viscous)
        return damping

    @functools.cached_property
    def seals(self) -> Presliding | None:
        """Dry friction at the joint, None where there is none."""
        if not np.any(np.asarray(self.coulomb) > 0.0):
            return None
        arm = np.abs(np.asarray(self.arm))
        stiffness = arm**2 * np.asarray(self.coulomb) / np.asarray(self.presliding)
        damping = arm**2 * np.asarray(self.presliding_damping)
        return Presliding(GearFriction(coulomb=arm * np.asarray(self.coulomb)), stiffness, damping)
