"""Drives that several tests share, and a joint to try them on."""

from __future__ import annotations

import numpy as np

from tarsus.devices.actuators import (
    CurrentLoop,
    Drive,
    ElasticGear,
    ForceLoop,
    Gear,
    GearFriction,
    IdealMotor,
    Motor,
)

R, L, KT, ROTOR = 0.5, 1e-3, 0.05, 1e-5
"""A motor of some 100 W: [ohm], [H], [N m/A], [kg m^2]."""
RATIO = 100.0
BANDWIDTH = 3000.0
"""Of the current loop [rad/s]."""
STIFFNESS = 2e4
"""Of an elastic gear [N m/rad]."""


def motor(**keywords):
    keywords.setdefault("loop", CurrentLoop.of_bandwidth(R, L, BANDWIDTH))
    return Motor(R, L, KT, ROTOR, **keywords)


FRICTION = GearFriction(coulomb=2.0, viscous=0.3, static=3.0, stribeck_speed=0.1, efficiency=0.8)

KINDS = {
    "voltage": lambda: Drive(motor(loop=None, voltage_max=48.0), Gear(RATIO)),
    "current": lambda: Drive(motor(voltage_max=48.0, current_max=8.0), Gear(RATIO, FRICTION)),
    "pmsm": lambda: Drive(
        Motor.pmsm(R, L, 0.01, 5, ROTOR, voltage_max=48.0, loop=CurrentLoop.of_bandwidth(R, L, BANDWIDTH, 0.5)),
        ElasticGear(RATIO, STIFFNESS, 5.0, FRICTION),
    ),
    "elastic": lambda: Drive(motor(voltage_max=24.0), ElasticGear(RATIO, STIFFNESS, 5.0, FRICTION)),
    "ideal": lambda: Drive(IdealMotor(ROTOR, 0.5), Gear(RATIO, FRICTION)),
    "series elastic": lambda: Drive(
        motor(voltage_max=48.0, current_max=10.0),
        ElasticGear(RATIO, 300.0, 1.0, FRICTION),
        force_loop=ForceLoop(3.0, 20.0, 0.03),
    ),
}


def balance(energy):
    """What the energies of a step say that was stored."""
    lost = sum(energy.get(name, 0.0) for name in ("copper", "friction", "damping", "throttling"))
    return energy["supply"] - lost - energy["output"]


def stored(drive, x, q):
    return sum(drive.stored(x, q).values(), np.zeros(np.shape(q)))


class Flywheel:
    """A joint with constant inertia and a constant load; its motion under a held torque is exact."""

    def __init__(self, inertia, q=0.0, v=0.0, load=0.0):
        self.inertia, self.q, self.v, self.load = inertia, np.asarray(q, float), np.asarray(v, float), load

    def move(self, tau, dt):
        a = (tau + self.load) / self.inertia
        self.q = self.q + self.v * dt + 0.5 * a * dt**2
        self.v = self.v + a * dt


def run(drive, wheel, command, dt, steps):
    """Drive and flywheel together; returns x, and rates of the wheel (steps + 1,)."""
    x = drive.initial(wheel.q, wheel.v)
    rates = [wheel.v]
    for _ in range(steps):
        x, tau = drive.advance(x, command, wheel.q, wheel.v, dt)
        wheel.move(tau, dt)
        rates.append(wheel.v)
    return x, np.array(rates)
