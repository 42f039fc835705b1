"""Actuators: ideal sources, electric motors, gears with friction and elasticity, series elastic actuators.

An actuator takes a command and the motion of its joint and returns the force on the joint. It has a state of its own,
and it works entry by entry on arrays of joints and of simulations.
"""

from tarsus.simulation.actuators.actuated_controller import ActuatedController
from tarsus.simulation.actuators.actuator import Actuator, Step
from tarsus.simulation.actuators.current_loop import CurrentLoop
from tarsus.simulation.actuators.drive import Drive
from tarsus.simulation.actuators.driven_joints import with_rotors
from tarsus.simulation.actuators.force_loop import ForceLoop
from tarsus.simulation.actuators.gear import ElasticGear, Gear
from tarsus.simulation.actuators.gear_friction import GearFriction
from tarsus.simulation.actuators.motor import IdealMotor, Motor
from tarsus.simulation.actuators.series_elastic import SeriesElasticActuator
from tarsus.simulation.actuators.torque_source import TorqueSource
from tarsus.simulation.actuators.torque_speed_curve import TorqueSpeedCurve

__all__ = [
    "ActuatedController",
    "Actuator",
    "CurrentLoop",
    "Drive",
    "ElasticGear",
    "ForceLoop",
    "Gear",
    "GearFriction",
    "IdealMotor",
    "Motor",
    "SeriesElasticActuator",
    "Step",
    "TorqueSource",
    "TorqueSpeedCurve",
    "with_rotors",
]
