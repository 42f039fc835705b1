"""Sensors: encoders, inertial measurement units, force/torque sensors and contact switches.

They have rates, delays, noise, biases and finite ranges; they run on a finished trajectory, or while a simulation goes
on.
"""

from tarsus.simulation.sensors.contact_switch import ContactSwitch
from tarsus.simulation.sensors.encoder import Encoder
from tarsus.simulation.sensors.error_model import ErrorModel
from tarsus.simulation.sensors.force_torque import ForceTorqueSensor
from tarsus.simulation.sensors.imu import IMU
from tarsus.simulation.sensors.motion import Contacts, Motion
from tarsus.simulation.sensors.sensor import Measurement, Sensor
from tarsus.simulation.sensors.suite import MeasuredController, SensorSuite, encoder_estimator

__all__ = [
    "IMU",
    "ContactSwitch",
    "Contacts",
    "Encoder",
    "ErrorModel",
    "ForceTorqueSensor",
    "MeasuredController",
    "Measurement",
    "Motion",
    "Sensor",
    "SensorSuite",
    "encoder_estimator",
]
