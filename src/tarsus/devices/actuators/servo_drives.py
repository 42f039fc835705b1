"""The usual drives of a robot on legs: motors with current loops behind gears, by rule from its limits."""

from __future__ import annotations

import numpy as np

from tarsus.devices.actuators.current_loop import CurrentLoop
from tarsus.devices.actuators.drive import Drive
from tarsus.devices.actuators.gear import Gear
from tarsus.devices.actuators.gear_friction import GearFriction
from tarsus.devices.actuators.motor import Motor
from tarsus.devices.actuators.torque_speed_curve import TorqueSpeedCurve
from tarsus.errors import ArgumentError
from tarsus.model.joint import ONE_AXIS
from tarsus.model.model import Model

RATIO = 100.0
"""Turns of the motor for one of the joint."""
CURRENT = 20.0
"""At the greatest torque of the joint [A]."""
RESISTANCE, INDUCTANCE = 0.5, 0.5e-3
"""Of windings [ohm, H]."""
BANDWIDTH = 4000.0
"""Of current loops [rad/s]."""
SPEED = 12.0
"""Greatest speed of joints that tell none [rad/s]."""
SPARE = 1.2
"""Speed without load over the greatest one."""
COULOMB, STATIC, VISCOUS = 0.02, 0.03, 0.005
"""Friction of gears, in torques of their joints; the last one for each rad/s."""
EFFICIENCY = 0.9
"""Of gears."""


def servo_drives(model: Model) -> dict[tuple[str, ...], Drive]:
    """Drives of all joints of one axis that are actuated and have a torque limit, with properties of ordinary parts.

    Motors of 0.5 ohm and 0.5 mH with 20 A at the torque limit of the joint, behind gears of 100:1; their voltage is
    enough for 1.2 times the speed limit of the joint (12 rad/s where there is none) at that current. Current loops of
    4000 rad/s. Gears have dry friction of 2 % of the torque limit (3 % at rest), viscous friction of 0.5 % for each
    rad/s, and an efficiency of 90 %. Rotors have the inertia that the model's joints have as armature.

    Returns
    -------
    dict of tuple of str to Drive
        One vectorised drive of all joints, as `ActuatedController` and `Walker.walk` take it.

    Raises
    ------
    ArgumentError
        Where no joint has a torque limit.
    """
    found = []
    for joint in model.joints.values():
        if joint.kind not in ONE_AXIS or joint.v_index.stop - joint.v_index.start != 1:
            continue
        i = joint.v_index.start
        if model.actuated[i] and 0.0 < model.tau_max[i] < np.inf:
            found.append((joint.name, i, float(np.max(joint.armature))))
    if not found:
        raise ArgumentError(f"{model.name!r} has no actuated joint with a torque limit; servo_drives needs one")
    names, places, armature = tuple(x[0] for x in found), [x[1] for x in found], np.array([x[2] for x in found])
    torque, speed = model.tau_max[places], model.v_max[places]
    speed = np.where(np.isfinite(speed) & (speed > 0.0), speed, SPEED)
    constant = torque / (RATIO * CURRENT)
    motor = Motor(
        resistance=RESISTANCE,
        inductance=INDUCTANCE,
        torque_constant=constant,
        rotor_inertia=armature / RATIO**2,
        voltage_max=RESISTANCE * CURRENT + constant * RATIO * SPARE * speed,
        current_max=CURRENT,
        loop=CurrentLoop.of_bandwidth(RESISTANCE, INDUCTANCE, BANDWIDTH),
    )
    friction = GearFriction(
        coulomb=COULOMB * torque,
        static=STATIC * torque,
        stribeck_speed=0.05,
        viscous=VISCOUS * torque,
        efficiency=EFFICIENCY,
    )
    return {names: Drive(motor, Gear(RATIO, friction), TorqueSpeedCurve(torque))}
