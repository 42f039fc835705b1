"""Lola's walks with everything that the text has: drives, visco-elastic soles, sensors, 1.5 ms cycle, wrong masses."""

from __future__ import annotations

import tarsus as ts
from tarsus.contact import ViscoElasticSole, flat
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker, WalkOutcome

CYCLE = 1.5e-3
"""Of Lola's controller [s] (Buschmann 2014)."""
SLOW, FAST = 2.5 / 3.6, 3.5 / 3.6
"""Speeds of the text [m/s]: steps of 0.556 m and 0.778 m in 0.8 s."""


def lola_walk(speed: float, steps: int, seed: int, mass_error: float = 0.05) -> WalkOutcome:
    """Lola on sensors and drives, heavier than she knows by a share."""
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05, control_dt=CYCLE)
    robot = heavier(walker.biped.model, mass_error)
    return walker.walk(
        speed,
        steps=steps,
        sensed=True,
        simulated=robot,
        drives=ts.actuators.servo_drives(robot),
        ground=flat(law=ViscoElasticSole()),
        seed=seed,
    )
