"""Sensors: encoders, inertial measurement units, force and torque sensors, contact switches.

They have rates, delays, noise, biases and finite ranges; they run on a finished trajectory, or while a simulation goes
on.
"""

from tarsus.devices.sensors.contact_switch import ContactSwitch
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.error_model import ErrorModel
from tarsus.devices.sensors.force_torque import ForceTorqueSensor
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.joint_torque import JointTorqueSensor
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.motor_encoder import MotorEncoder
from tarsus.devices.sensors.proprioception import proprioception
from tarsus.devices.sensors.sensor import Measurement, Sensor
from tarsus.devices.sensors.strapdown_imu import StrapdownIMU
from tarsus.devices.sensors.suite import MeasuredController, SensorSuite, encoder_estimator

__all__ = [
    "IMU",
    "ContactSwitch",
    "Contacts",
    "Encoder",
    "ErrorModel",
    "ForceTorqueSensor",
    "JointTorqueSensor",
    "MeasuredController",
    "Measurement",
    "Motion",
    "MotorEncoder",
    "Sensor",
    "SensorSuite",
    "StrapdownIMU",
    "encoder_estimator",
    "proprioception",
]
