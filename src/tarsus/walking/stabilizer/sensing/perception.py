"""What a walk is told about the robot: the truth, or what sensors make of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.base_estimator import BaseEstimator
from tarsus.control.observation import Observation
from tarsus.devices.sensors.force_torque import ForceTorqueSensor
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.proprioception import proprioception
from tarsus.devices.sensors.sensor import Sensor
from tarsus.devices.sensors.strapdown_imu import StrapdownIMU
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError, ControlWarning, DtypeError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.sensing.dead_sensors import DeadSensors
from tarsus.walking.stabilizer.sensing.steady_place import SteadyPlace

BEARS, FAILS = 0.3, 0.2
"""Loads above which a foot counts as standing for the estimator, and down to which it goes on, in weights of the robot:
soles that land settle by a millimetre or two until they carry, which would be taken for a rise of the robot, step after
step."""
SETTLED = 0.05
"""How long it must have carried that [s]."""
FLAT = 0.95
"""Part of a sole within which the pressure is under one that is flat: beyond it the foot rolls over its edge."""
FINE = 1e-3
"""How often an inertial unit that tells values at single moments is to be read [s]: HRP-2 fell on readings every 2 ms
and more."""
NAMED = 3
"""Contacts that are named where those of the soles are missing."""


class Perception(Protocol):
    """State and loads at one moment."""

    def look(self, observation: Observation) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q, v, and the vertical forces on the left and the right sole [N], shapes (nq,), (nv,), (2,)."""

    def wrenches(self, observation: Observation) -> FloatArray:
        """Of the ground on the left and the right sole at its middle, (f; n) in its axes, shape (2, 6) [N, N m]."""


class TrueState:
    """The state of the simulation, and its contact forces."""

    def __init__(self, biped: Biped) -> None:
        self._sides = [leg.side for leg in biped.legs]
        self._biped = biped
        self._own: list[list[int]] | None = None

    def look(self, observation: Observation) -> tuple[FloatArray, FloatArray, FloatArray]:
        """As it is."""
        contacts = observation.contacts
        if self._own is None:
            named = [name.split(".")[0] for name in contacts.names]
            self._own = [[k for k, name in enumerate(named) if name == side] for side in self._sides]
            if not all(self._own):
                raise ArgumentError(
                    f"contacts of the simulation are {_listed(contacts.names)}; expected those of both soles, "
                    f"{' and '.join(repr(side + '.0') for side in self._sides)} and so on: give contacts=biped.soles "
                    "and ground="
                )
        force = contacts.force
        return observation.q, observation.v, np.array([force[own, 2].sum() for own in self._own])

    def wrenches(self, observation: Observation) -> FloatArray:
        """Of the contacts."""
        told = []
        for leg in self._biped.legs:
            R = frame_pose(self._biped.model, observation.q, leg.sole)[:3, :3]
            f = observation.wrench(leg.sole)
            told.append(np.concatenate([f[:3] @ R, f[3:] @ R]))
        return np.array(told)


class SensedState:
    """What encoders, an inertial unit in the base and force sensors in the feet tell, with errors of ordinary parts.

    Parameters
    ----------
    biped : Biped
    q0 : ndarray, shape (nq,)
        Where it stands at first.
    dt : float
        Cycle of the controller [s].
    sensors : sequence of Sensor, optional
        In place of these, as `tarsus.sensors.proprioception` makes them: force sensors have the names of the soles.

    Attributes
    ----------
    sensors : list of Sensor
        For the simulation.
    estimator : BaseEstimator
    dead : DeadSensors
        Sensors that cannot be believed.
    """

    def __init__(self, biped: Biped, q0: FloatArray, dt: float, sensors: Sequence[Sensor] | None = None) -> None:
        soles = [leg.sole for leg in biped.legs]
        self.sensors: list[Sensor] = (
            proprioception(biped.model, soles, rate=1.0 / dt, integrating=True)
            if sensors is None
            else _checked_sensors(sensors, soles, dt)
        )
        self.dead = DeadSensors(self.sensors, soles, biped.weight, q0)
        self.estimator = BaseEstimator(
            biped.model, soles, sensors=self.sensors, load_on=BEARS * biped.weight, load_off=FAILS * biped.weight,
            settle=SETTLED,
        )  # fmt: skip
        self.estimator.reset(q0)
        self._soles, self._half = soles, [FLAT * leg.half for leg in biped.legs]
        self._place = SteadyPlace()

    def look(self, observation: Observation) -> tuple[FloatArray, FloatArray, FloatArray]:
        """As it is estimated."""
        wrenches = [observation.sensors[name] for name in self._soles]
        rolling = [name for name, f, half in zip(self._soles, wrenches, self._half, strict=True) if not _flat(f, half)]
        q, v = self.estimator.update(observation, rolling)
        self.dead.look(observation.t, observation.sensors, self.estimator, q)
        loads = [max(0.0, float(f[2])) for f in wrenches]
        q[:3] += self._place.offset(self.estimator.standing, dict(zip(self._soles, loads, strict=True)))
        return q, v, np.array(loads)

    def wrenches(self, observation: Observation) -> FloatArray:
        """As force sensors tell them."""
        return np.array([observation.sensors[name] for name in self._soles])


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(map(repr, names[:NAMED]))}{more}" if names else "none"


def _checked_sensors(sensors: Sequence[Sensor], soles: list[str], dt: float) -> list[Sensor]:
    """Sensors that somebody gives, with force sensors of the soles, whose readings come at once.

    Warns of inertial units that tell values at single moments, read at a cycle of dt [s].
    """
    for sensor in sensors:
        if not isinstance(sensor, Sensor):
            raise DtypeError(f"sensed holds {sensor!r}; expected sensors, as ts.sensors.proprioception makes them")
        if sensor.delay > 0.0:
            raise ArgumentError(f"delay of the sensor {sensor.name!r} is {sensor.delay!r} s; expected 0 for a walk")
    felt = {sensor.name for sensor in sensors if isinstance(sensor, ForceTorqueSensor)}
    if missing := [name for name in soles if name not in felt]:
        raise ArgumentError(f"sensed has no ForceTorqueSensor named {', '.join(map(repr, missing))}; expected one each")
    for sensor in sensors:
        between = max(dt, 1.0 / sensor.rate)
        if isinstance(sensor, IMU) and not isinstance(sensor, StrapdownIMU) and between > FINE * (1 + 1e-9):
            warnings.warn(
                f"the inertial unit {sensor.name!r} tells values at single moments, which are read every "
                f"{1e3 * between:.3g} ms: robots that walk on such ones lean and fall after some steps; give a "
                f"StrapdownIMU, as ts.sensors.proprioception(model, feet, rate={1 / dt:.4g}, integrating=True) does",
                ControlWarning,
                stacklevel=5,
            )
    return list(sensors)


def _flat(wrench: FloatArray, half: FloatArray) -> bool:
    """Whether the pressure of a wrench (f; n) about the middle of a sole is within half sizes [m]."""
    _, _, down, x, y, _ = wrench.tolist()
    return bool(down > 0.0 and abs(y) <= half[0] * down and abs(x) <= half[1] * down)
