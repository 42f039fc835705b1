"""Friction of a gear: dry, growing towards rest, growing with load, and viscous."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class GearFriction:
    """Friction torque of a drive, at the joint.

    Sliding, with the torque T that the teeth transmit:

        F(w, T) = [Fc + (Fs - Fc) exp(-(w / ws)^2) + (1 - eta) / eta |T|] sign(w) + b w.

    Coulomb friction Fc, its rise to Fs at rest (Stribeck), load-dependent friction of a gear with the efficiency eta,
    and viscous friction b; Buschmann 2014 section 3.6 refers to Baur et al. 2014 for laws of this form. A gear that
    drives with eta is driven backwards with 2 - 1 / eta, so eta > 1/2; at eta = 1/2 it would lock.

    At rest friction takes any value up to F(0, T). How it is held there is told by the gear: `Gear` and `ElasticGear`.

    Attributes
    ----------
    coulomb : float or ndarray, shape (n,)
        Fc [N m].
    viscous : float or ndarray, shape (n,)
        b [N m s/rad].
    static : float or ndarray, shape (n,), optional
        Fs [N m], not below `coulomb`, which it is by default.
    stribeck_speed : float or ndarray, shape (n,)
        ws [rad/s].
    efficiency : float or ndarray, shape (n,)
        eta, in (1/2, 1].
    """

    coulomb: npt.ArrayLike = 0.0
    viscous: npt.ArrayLike = 0.0
    static: npt.ArrayLike | None = None
    stribeck_speed: npt.ArrayLike = 0.1
    efficiency: npt.ArrayLike = 1.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if self.static is None:
            set_(self, "static", self.coulomb)
        for name in ("coulomb", "viscous", "static"):
            set_(self, name, parameter("GearFriction", name, getattr(self, name)))
        for name in ("stribeck_speed", "efficiency"):
            set_(self, name, parameter("GearFriction", name, getattr(self, name), positive=True))
        if not np.all(np.asarray(self.static) >= np.asarray(self.coulomb)):
            raise ArgumentError(f"static {self.static} of GearFriction is below coulomb {self.coulomb}")
        efficiency = np.asarray(self.efficiency)
        if not np.all((efficiency > 0.5) & (efficiency <= 1.0)):
            raise ArgumentError(f"efficiency of GearFriction is {self.efficiency}, expected more than 0.5, at most 1")

    @functools.cached_property
    def load_factor(self) -> FloatArray:
        """Friction for a unit of transmitted torque, (1 - eta) / eta."""
        eta = np.asarray(self.efficiency)
        factor: FloatArray = (1.0 - eta) / eta
        return factor

    def dry(self, w: npt.ArrayLike) -> FloatArray:
        """Dry friction without load (...) at the speed w (...), not negative."""
        coulomb, static = np.asarray(self.coulomb), np.asarray(self.static)
        ratio = np.asarray(w, dtype=float) / np.asarray(self.stribeck_speed)
        level: FloatArray = coulomb + (static - coulomb) * np.exp(-(ratio**2))
        return level

    def level(self, w: npt.ArrayLike, transmitted: npt.ArrayLike) -> FloatArray:
        """Dry friction under load (...), where the transmitted torque (...) is known; not negative."""
        level: FloatArray = self.dry(w) + self.load_factor * np.abs(np.asarray(transmitted, dtype=float))
        return level

    def level_of_motor_torque(self, w: npt.ArrayLike, motor: npt.ArrayLike, direction: npt.ArrayLike) -> FloatArray:
        """Dry friction under load (...), where the torque before friction is known and not the transmitted one.

        The transmitted torque T = motor - F sign(w) and F = D + c |T| are solved together: with a = motor sign(w),
        F = (D + c a) / (1 + c) for a >= D (the motor drives) and (D - c a) / (1 - c) otherwise.

        Parameters
        ----------
        w, motor : array_like, shape (...)
            Speed, and motor torque at the joint [N m].
        direction : array_like, shape (...)
            Sign of the sliding that happens or threatens.
        """
        c, dry = self.load_factor, self.dry(w)
        along = np.asarray(motor, dtype=float) * np.asarray(direction, dtype=float)
        level: FloatArray = np.where(along >= dry, (dry + c * along) / (1.0 + c), (dry - c * along) / (1.0 - c))
        return level
