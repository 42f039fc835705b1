"""Gears between motor and joint: rigid and elastic."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy.typing as npt

from tarsus.devices.actuators.gear_friction import GearFriction
from tarsus.devices.parameters import parameter


@dataclass(frozen=True, eq=False)
class Gear:
    """A rigid gear: the motor turns `ratio` times as fast as the joint, and its inertia belongs to the joint.

    Dry friction is that of an elastic, perfectly plastic element (Prandtl): up to the level of friction the teeth give
    way like a spring, so that a standing joint holds a load without creeping, whatever the step; beyond it they slide.

    Attributes
    ----------
    ratio : float or ndarray, shape (n,)
        Motor speed / joint speed.
    friction : GearFriction
        Friction at the joint.
    presliding : float or ndarray, shape (n,)
        Deflection of the teeth at the level of dry friction without load and at rest [rad].
    presliding_damping : float or ndarray, shape (n,), optional
        Damping of the deflection [N m s/rad]; by default 1.4 sqrt(stiffness armature), 0.7 of what is critical for
        the rotor alone.
    """

    ratio: npt.ArrayLike = 1.0
    friction: GearFriction = field(default_factory=GearFriction)
    presliding: npt.ArrayLike = 1e-3
    presliding_damping: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "ratio", parameter("Gear", "ratio", self.ratio, positive=True))
        set_(self, "presliding", parameter("Gear", "presliding", self.presliding, positive=True))
        if self.presliding_damping is not None:
            set_(self, "presliding_damping", parameter("Gear", "presliding_damping", self.presliding_damping))


@dataclass(frozen=True, eq=False)
class ElasticGear:
    """A gear with a spring and a damper between its output and the joint: two masses, with the rotor as the second.

    Buschmann 2014 figure 3.9: a deformable flex spline opens the loop of motor, gear and segment. Dry friction acts on
    the rotor, whose speed is a state: it is solved for implicitly, so that a rotor that sticks stands still exactly.

    Attributes
    ----------
    ratio : float or ndarray, shape (n,)
        Motor speed / output speed.
    stiffness, damping : float or ndarray, shape (n,)
        Spring and damper at the joint [N m/rad], [N m s/rad].
    friction : GearFriction
        Friction at the joint, from the output's speed.
    smoothing : float or ndarray, shape (n,)
        Speed over which the continuous form rounds off dry friction [rad/s]: F tanh(w / smoothing), which creeps.
    """

    ratio: npt.ArrayLike
    stiffness: npt.ArrayLike
    damping: npt.ArrayLike = 0.0
    friction: GearFriction = field(default_factory=GearFriction)
    smoothing: npt.ArrayLike = 1e-3

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("ratio", "stiffness", "smoothing"):
            set_(self, name, parameter("ElasticGear", name, getattr(self, name), positive=True))
        set_(self, "damping", parameter("ElasticGear", "damping", self.damping))
