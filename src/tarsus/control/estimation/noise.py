"""How much an estimator trusts what it is told."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from tarsus.errors import ArgumentError


@dataclass(frozen=True)
class EstimatorNoise:
    """Standard deviations and densities that a `BaseEstimator` reckons with.

    Readings of a sensor are white noise and a bias that walks at random. Contacts do not stand quite still: they creep
    and tilt at random, and a sole gives way under a load. The defaults belong to an inertial unit of some hundred
    euros, and to feet on firm ground.

    Attributes
    ----------
    gyroscope, accelerometer : float
        Density of their noise [rad/s/sqrt(Hz), m/s^2/sqrt(Hz)].
    gyroscope_walk, accelerometer_walk : float
        Of their biases [rad/s/sqrt(s), m/s^2/sqrt(s)].
    gyroscope_bias, accelerometer_bias : float
        Deviation of the biases at the start [rad/s, m/s^2].
    encoder : float
        Deviation of joint positions [rad or m].
    contact, contact_turn : float
        Deviation of the place and the orientation of a contact beside what joints tell, reading by reading [m, rad].
    creep, creep_turn : float
        Random walk of a contact that stands, of its place and about the vertical [m/sqrt(s), rad/sqrt(s)].
    creep_tilt : float
        The same of its tilt [rad/sqrt(s)]: a sole on compliant ground leans as the load on it moves.
    """

    gyroscope: float = 1e-4
    accelerometer: float = 2e-3
    gyroscope_walk: float = 1e-5
    accelerometer_walk: float = 1e-4
    gyroscope_bias: float = 1e-2
    accelerometer_bias: float = 0.1
    encoder: float = 1e-4
    contact: float = 1e-3
    contact_turn: float = 2e-3
    creep: float = 2e-3
    creep_turn: float = 2e-3
    creep_tilt: float = 2e-2

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float | np.floating) and np.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{field.name} of EstimatorNoise is {value!r}; expected a number of at least 0")
        if self.contact == 0.0 or self.contact_turn == 0.0:
            raise ArgumentError("contact and contact_turn of EstimatorNoise are 0; expected numbers above 0")
