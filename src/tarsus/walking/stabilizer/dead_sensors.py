"""Sensors of a walk that cannot be believed for some time: dead ones, and those that read no numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.base_estimator import BaseEstimator

EVERY = 0.05
"""Between two looks at what the estimator thinks of its sensors [s]."""
LASTING = 0.2
"""How long a sensor must be wrong before it is told [s]; landings shake inertial units for a moment."""
UNLOADED = 2.0
"""How long a foot that walks can carry nothing at all [s]."""
MOST = 3
"""Sensors that are named."""
NOTHING = 1e-6
"""Reading of a force sensor that is none, in weights of the robot."""


class DeadSensors:
    """Looks at readings, and at what `BaseEstimator` does not believe.

    A sensor is dead whose readings are all nothing. Feet that swing carry nothing, too: force sensors are dead that
    read nothing while the robot stands before its first step, or both of them at once, or for longer than steps last.

    Parameters
    ----------
    soles : sequence of str
        Names of the force sensors.
    weight : float
        Of the robot [N].

    Attributes
    ----------
    found : dict of str to (float, str)
        Since when which sensor is wrong, and how.
    """

    def __init__(self, soles: Sequence[str], weight: float) -> None:
        self._soles, self._nothing = soles, NOTHING * weight
        self._since: dict[str, tuple[float, str]] = {}
        self._silent: dict[str, float] = {}
        self._begun: float | None = None
        self._next = -np.inf
        self.found: dict[str, tuple[float, str]] = {}

    def look(self, t: float, readings: Mapping[str, FloatArray], estimator: BaseEstimator) -> None:
        """Readings by names of the sensors, and the estimator after its step, at a time [s]."""
        if t < self._next - 1e-9:
            return
        self._next = t + EVERY
        self._begun = t if self._begun is None else self._begun
        wrong = dict(estimator.status.rejected)
        for name, reading in readings.items():
            if name in self._soles and not np.isfinite(reading).all():
                wrong[name] = "reads no number"
            if np.abs(reading).max() <= (self._nothing if name in self._soles else 0.0):
                self._silent.setdefault(name, t)
            else:
                self._silent.pop(name, None)
        self._since = {name: self._since.get(name, (t, why)) for name, why in wrong.items()}
        for name, (begun, why) in self._since.items():
            if t - begun > LASTING - 1e-9:
                self.found.setdefault(name, (begun, why))
        for name, begun in self._silent.items():
            if t - begun > self._patience(name, begun) - 1e-9:
                self.found.setdefault(name, (begun, "reads nothing"))

    def _patience(self, name: str, begun: float) -> float:
        """How long a sensor that reads nothing since a time may do so [s]."""
        swings = name in self._soles and begun != self._begun and not all(sole in self._silent for sole in self._soles)
        return UNLOADED if swings else LASTING

    def __str__(self) -> str:
        """All of them, in words; empty where there is none."""
        alike: dict[tuple[float, str], list[str]] = {}
        for name, told in self.found.items():
            alike.setdefault(told, []).append(name)
        return "; ".join(f"{_named(names)} from {t:.2f} s on: {why}" for (t, why), names in alike.items())


def _named(names: list[str]) -> str:
    if len(names) == 1:
        return f"sensor {names[0]!r}"
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"sensors {', '.join(map(repr, names[:MOST]))}{more}"
