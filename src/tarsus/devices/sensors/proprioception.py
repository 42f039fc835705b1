"""The usual sensors of a robot on legs: encoders, an inertial unit, force sensors in the feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.force_torque import ForceTorqueSensor
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.sensor import Sensor
from tarsus.devices.sensors.strapdown_imu import StrapdownIMU
from tarsus.errors import ArgumentError
from tarsus.model.model import Model


def proprioception(
    model: Model,
    feet: Sequence[str],
    *,
    imu: str | None = None,
    rate: float = 1000.0,
    delay: float = 0.0,
    errors: float = 1.0,
    integrating: bool = False,
) -> list[Sensor]:
    """Sensors by which a robot can know its own state, with errors of ordinary parts.

    Encoders of all joints: 200,000 counts a turn behind the gear, a noise of 1e-5 rad, rates through a low pass of
    300 rad/s. An inertial unit: gyroscopes with a noise of 1e-4 rad/s/sqrt(Hz) and a bias that is drawn with a
    deviation of 2e-3 rad/s and walks by 1e-5 rad/s/sqrt(s); accelerometers with 2e-3 m/s^2/sqrt(Hz), 0.05 m/s^2 and
    1e-4 m/s^2/sqrt(s). A force sensor in each foot, named after its frame: noise of 0.2 % of the weight [N, N m].

    Parameters
    ----------
    model : Model
    feet : sequence of str
        Frames of the force sensors.
    imu : str, optional
        Frame of the inertial unit; the base by default.
    rate, delay : float
        Of all sensors [Hz, s].
    errors : float
        Times all of the errors; 0 for perfect sensors.
    integrating : bool
        Whether the inertial unit tells means since its last reading (`StrapdownIMU`), which estimators that run at a
        few hundred Hz need; values at single moments by default.

    Returns
    -------
    list of Sensor
        "encoder", "imu", and one of each foot's name.
    """
    if not (np.isfinite(errors) and errors >= 0.0):
        raise ArgumentError(f"errors is {errors!r}; expected a number of at least 0")
    moving = [j for j in model.joints.values() if j.v_index.stop > j.v_index.start and j.name != "base"]
    for joint in moving:
        if joint.q_index.stop - joint.q_index.start != 1:
            raise ArgumentError(f"joint {joint.name!r} has more than one coordinate: no Encoder reads it")
    counts = ErrorModel(noise=1e-5 * errors, resolution=errors * Encoder.counts(per_turn=2000, ratio=100))
    turning = ErrorModel(noise_density=1e-4 * errors, bias_spread=2e-3 * errors, bias_walk=1e-5 * errors)
    falling = ErrorModel(noise_density=2e-3 * errors, bias_spread=0.05 * errors, bias_walk=1e-4 * errors)
    load = ErrorModel(noise=2e-3 * errors * model.total_mass * float(np.linalg.norm(model.gravity)))
    names = tuple(joint.name for joint in moving)
    frame = next(iter(model.bodies)) if imu is None else imu
    sensors: list[Sensor] = []
    if names:
        sensors.append(Encoder(joints=names, errors=counts, velocity="filtered", cutoff=300.0, rate=rate, delay=delay))
    unit = StrapdownIMU if integrating else IMU
    sensors.append(unit(frame=frame, gyroscope=turning, accelerometer=falling, rate=rate, delay=delay))
    return sensors + [ForceTorqueSensor(frame=f, name=f, errors=load, rate=rate, delay=delay) for f in feet]
