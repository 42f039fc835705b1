"""Which sensors tell an estimator what, and how much noise they say they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.support import Support
from tarsus.devices.sensors.contact_switch import ContactSwitch
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.force_torque import ForceTorqueSensor, bodies_behind
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model

Loads = Literal["sensors", "touching"]


@dataclass(frozen=True)
class EncoderWire:
    """One encoder: its name, and where its channels belong among joint positions and rates."""

    name: str
    positions: list[int]
    rates: list[int] | None
    delay: float


@dataclass(frozen=True)
class LoadWire:
    """What tells the load of one support: a force sensor, a switch, or the simulation itself (None)."""

    name: str | None
    switch: bool
    delay: float


@dataclass(frozen=True)
class Wiring:
    """Sensors by what they tell."""

    imu: IMU
    encoders: tuple[EncoderWire, ...]
    loads: tuple[LoadWire, ...]


def chosen_imu(sensors: Sequence[Sensor], imu: str | IMU | None) -> IMU:
    """The inertial unit of that name, or the only one."""
    if isinstance(imu, IMU):
        return imu
    units = [sensor for sensor in sensors if isinstance(sensor, IMU)]
    if imu is None:
        if len(units) != 1:
            names = ", ".join(repr(unit.name) for unit in units)
            found = f"{len(units)} units, {names}: say which by imu=" if units else "no IMU among the sensors"
            raise ArgumentError(f"a BaseEstimator needs one inertial unit; found {found}")
        return units[0]
    for unit in units:
        if unit.name == imu:
            return unit
    raise UnknownNameError(f"IMU {imu!r} not found among the sensors{nearest(imu, [unit.name for unit in units])}")


def wired(model: Model, sensors: Sequence[Sensor], imu: IMU, supports: Sequence[Support], loads: Loads) -> Wiring:
    """Sensors of every joint and every support."""
    encoders = tuple(_encoder_wire(model, sensor) for sensor in sensors if isinstance(sensor, Encoder))
    known = {place for wire in encoders for place in wire.positions}
    for joint in model.joints.values():
        places = range(joint.q_index.start - _lead(model), joint.q_index.stop - _lead(model))
        if joint.name != "base" and not known.issuperset(places):
            raise ArgumentError(
                f"joint {joint.name!r} has no Encoder among the sensors; the estimator needs all joints"
            )
    if loads == "touching":
        return Wiring(imu, encoders, tuple(LoadWire(None, False, 0.0) for _ in supports))
    return Wiring(imu, encoders, tuple(_load_wire(model, sensors, support) for support in supports))


def load_frames(sensors: Sequence[Sensor]) -> list[str]:
    """Frames of force sensors and switches: where a robot stands, if nobody says it."""
    found = [sensor.frame for sensor in sensors if isinstance(sensor, ForceTorqueSensor)]
    found += [sensor.body for sensor in sensors if isinstance(sensor, ContactSwitch)]
    if not found:
        raise ArgumentError(
            "contacts are not given, and there is no ForceTorqueSensor or ContactSwitch to find them by"
        )
    return found


def noise_of(sensors: Sequence[Sensor], imu: IMU, noise: EstimatorNoise) -> EstimatorNoise:
    """The noise that sensors say they have, where that is more than the one given."""
    gyro, acc = imu.gyroscope, imu.accelerometer
    counts = [sensor.errors for sensor in sensors if isinstance(sensor, Encoder)]
    told = {
        "gyroscope": _density(gyro, imu.rate),
        "accelerometer": _density(acc, imu.rate),
        "gyroscope_walk": _greatest(gyro.bias_walk),
        "accelerometer_walk": _greatest(acc.bias_walk),
        "gyroscope_bias": _greatest(gyro.bias_spread),
        "accelerometer_bias": _greatest(acc.bias_spread),
        "encoder": max((_reading(errors) for errors in counts), default=0.0),
    }
    return replace(noise, **{name: max(value, getattr(noise, name)) for name, value in told.items()})


def _greatest(value: object) -> float:
    return float(np.max(np.asarray(value, dtype=float)))


def _density(errors: ErrorModel, rate: float) -> float:
    """Of noise by density, of each reading, and of counts [unit / sqrt(Hz)]."""
    return float(np.hypot(_greatest(errors.noise_density), _reading(errors) / np.sqrt(rate)))


def _reading(errors: ErrorModel) -> float:
    """Deviation of each reading; a count is spread evenly over its width."""
    return float(np.hypot(_greatest(errors.noise), _greatest(errors.resolution) / np.sqrt(12.0)))


def _lead(model: Model) -> int:
    return int(model.joints["base"].q_index.stop)


def _encoder_wire(model: Model, sensor: Encoder) -> EncoderWire:
    joints = [model.joints[name] for name in sensor.joints]
    rates = None if sensor.velocity == "none" else [joint.v_index.start - 6 for joint in joints]
    return EncoderWire(sensor.name, [joint.q_index.start - _lead(model) for joint in joints], rates, sensor.delay)


def _load_wire(model: Model, sensors: Sequence[Sensor], support: Support) -> LoadWire:
    body = model.frames[support.frame].body
    for sensor in sensors:
        if isinstance(sensor, ForceTorqueSensor):
            behind = (model.frames[sensor.frame].body,) if sensor.joint is None else bodies_behind(model, sensor.joint)
            if body in behind:
                return LoadWire(sensor.name, False, sensor.delay)
        if isinstance(sensor, ContactSwitch) and model.frames[sensor.body].body == body:
            return LoadWire(sensor.name, True, sensor.delay)
    raise ArgumentError(
        f"nothing tells the load of {support.frame!r}: give a ForceTorqueSensor or a ContactSwitch on {body!r}, or "
        "loads='touching' to ask the simulation"
    )


def check_base(model: Model) -> None:
    """Refuse models whose state a `BaseEstimator` cannot tell."""
    kind = model.joints["base"].kind if "base" in model.joints else "fixed"
    if kind != "free" or _lead(model) != 7:
        raise ArgumentError(
            f"the base of {model.name!r} is {kind!r}; a BaseEstimator needs a free one with a quaternion (base='free')"
        )
    for joint in model.joints.values():
        if joint.name != "base" and joint.q_index.stop - joint.q_index.start > 1:
            raise ArgumentError(f"joint {joint.name!r} has more than one coordinate: no encoder tells it")
    if not np.linalg.norm(model.gravity) > 0.0:
        raise ArgumentError("a BaseEstimator needs gravity; the model has none")


def unit_frame(model: Model, imu: str | IMU | None) -> str:
    """Frame of the inertial unit where there are no sensors: told, or the base."""
    frame = imu.frame if isinstance(imu, IMU) else next(iter(model.bodies)) if imu is None else imu
    if frame not in model.frames:
        raise UnknownNameError(f"frame {frame!r} of the inertial unit not found{nearest(frame, list(model.frames))}")
    return frame
