"""Walking: planned gaits, the laws that follow them, and the walks of the papers."""

from tarsus.walking.shah.driven_joints import DrivenWalk, drive_joints
from tarsus.walking.shah.feedforward_pd import feedforward_pd
from tarsus.walking.shah.pendulum_gait import GaitMotion, Path, PendulumGait
from tarsus.walking.shah.periodic_drive import periodic_drive
from tarsus.walking.shah.rigid_ground_torque import rigid_ground_torque
from tarsus.walking.shah.step_map import StepMap
from tarsus.walking.shah.two_link_leg import LegMotion, two_link_leg
from tarsus.walking.shah.walk import CONTACTS, FIRM_GROUND, SHAH_GROUND, WalkMeasures, measure_walk, shah_walk

__all__ = [
    "CONTACTS",
    "FIRM_GROUND",
    "SHAH_GROUND",
    "DrivenWalk",
    "GaitMotion",
    "LegMotion",
    "Path",
    "PendulumGait",
    "StepMap",
    "WalkMeasures",
    "drive_joints",
    "feedforward_pd",
    "measure_walk",
    "periodic_drive",
    "rigid_ground_torque",
    "shah_walk",
    "two_link_leg",
]
