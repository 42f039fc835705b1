"""How fast and how stiffly a robot goes from stance to stance: numbers that follow from its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics.momentum import center_of_mass
from tarsus.errors import ArgumentError
from tarsus.model import Model


@dataclass(frozen=True, slots=True)
class Pace:
    """Gains, weights, speeds and times of a sequence of stances.

    A robot whose centre of mass is at the height h above what it stands on falls at the rate omega = sqrt(g / h), so
    that errors must decay faster than that, and all speeds are parts of sqrt(g h), which robots of all sizes share
    (Froude). `of` makes them from h: gain = 2 omega puts both poles of the centre of mass at -2 omega, and asks for
    pressure (gain / omega)^2 = 4 times as far away as the error, plus the error.

    Attributes
    ----------
    gain : float
        Of the centre of mass, the posture and limbs [1/s].
    contact_gain : float
        Rate at which slip of contacts decays [1/s].
    com_weight, posture_weight, limb_weight : float
        Of accelerations of the centre of mass and limbs [1/m^2] and of joints and the base.
    com_speed, limb_speed : float
        Peak speeds of references [m/s].
    joint_speed : float
        Peak rate of joints [rad/s].
    fade : float
        Time in which the force of a contact goes away, or comes [s].
    clearance : float
        Of limbs half way [m].
    touch : float
        Normal force that is a touch [N].
    seek_speed, seek_most : float
        Speed [m/s] at which a limb that has met nothing goes on along the normal, and how far [m].
    arrived, slow : float
        Error [m] and speed [m/s] of the centre of mass at which a stance is reached.
    patience : float
        Time beyond the plan after which a state has failed [s].
    """

    gain: float
    contact_gain: float
    com_weight: float
    posture_weight: float
    limb_weight: float
    com_speed: float
    limb_speed: float
    joint_speed: float
    fade: float
    clearance: float
    touch: float
    seek_speed: float
    seek_most: float
    arrived: float
    slow: float
    patience: float = 2.0

    @classmethod
    def of(cls, model: Model, q: FloatArray, lowest: float = 0.0) -> Self:
        """For a robot whose centre of mass at q is to be compared with contacts at a height [m]."""
        g = float(np.linalg.norm(model.gravity))
        h = float(center_of_mass(model, q)[2]) - lowest
        if not (h > 0.0 and g > 0.0):
            raise ArgumentError(f"the centre of mass of {model.name!r} is {h:.3g} m above its contacts; expected above")
        omega, speed = float(np.sqrt(g / h)), float(np.sqrt(g * h))
        return cls(
            gain=2.0 * omega,
            contact_gain=2.0 * omega,
            com_weight=40.0 / h**2,
            posture_weight=0.3,
            limb_weight=40.0 / h**2,
            com_speed=0.06 * speed,
            limb_speed=0.15 * speed,
            joint_speed=0.3 * omega,
            fade=0.7 / omega,
            clearance=0.06 * h,
            touch=0.02 * model.total_mass * g,
            seek_speed=0.02 * speed,
            seek_most=0.06 * h,
            arrived=0.006 * h,
            slow=0.01 * speed,
        )
