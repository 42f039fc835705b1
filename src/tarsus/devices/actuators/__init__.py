"""Actuators: sources, electric motors, gears with friction and elasticity, series elasticity, cylinders, tendons.

An actuator takes a command and the motion of its joint and returns the force on the joint. It has a state of its own,
and it works entry by entry on arrays of joints and of simulations.
"""

from tarsus.devices.actuators.actuated_controller import ActuatedController
from tarsus.devices.actuators.actuator import Actuator, Step
from tarsus.devices.actuators.current_loop import CurrentLoop
from tarsus.devices.actuators.cylinders.cylinder import Cylinder
from tarsus.devices.actuators.cylinders.hydraulic_cylinder import HydraulicCylinder
from tarsus.devices.actuators.cylinders.pneumatic_cylinder import PneumaticCylinder
from tarsus.devices.actuators.drive import Drive
from tarsus.devices.actuators.driven_joints import with_rotors
from tarsus.devices.actuators.force_loop import ForceLoop
from tarsus.devices.actuators.gear import ElasticGear, Gear
from tarsus.devices.actuators.gear_friction import GearFriction
from tarsus.devices.actuators.motor import IdealMotor, Motor
from tarsus.devices.actuators.series_elastic import SeriesElasticActuator
from tarsus.devices.actuators.servo_drives import servo_drives
from tarsus.devices.actuators.tendons.antagonistic_springs import AntagonisticSprings
from tarsus.devices.actuators.tendons.tendon_spring import ExponentialSpring, QuadraticSpring, TendonSpring
from tarsus.devices.actuators.torque_source import TorqueSource
from tarsus.devices.actuators.torque_speed_curve import TorqueSpeedCurve

__all__ = [
    "ActuatedController",
    "Actuator",
    "AntagonisticSprings",
    "CurrentLoop",
    "Cylinder",
    "Drive",
    "ElasticGear",
    "ExponentialSpring",
    "ForceLoop",
    "Gear",
    "GearFriction",
    "HydraulicCylinder",
    "IdealMotor",
    "Motor",
    "PneumaticCylinder",
    "QuadraticSpring",
    "SeriesElasticActuator",
    "Step",
    "TendonSpring",
    "TorqueSource",
    "TorqueSpeedCurve",
    "servo_drives",
    "with_rotors",
]
