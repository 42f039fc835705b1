"""Walking: planned gaits, the laws that follow them, and the walks of the papers."""

from tarsus.walking.driven_joints import DrivenWalk, drive_joints
from tarsus.walking.feedforward_pd import feedforward_pd
from tarsus.walking.pendulum_gait import GaitMotion, Path, PendulumGait
from tarsus.walking.rigid_ground_torque import rigid_ground_torque
from tarsus.walking.shah_walk import CONTACTS, SHAH_GROUND, WalkMeasures, measure_walk, shah_walk
from tarsus.walking.two_link_leg import LegMotion, two_link_leg

__all__ = [
    "CONTACTS",
    "SHAH_GROUND",
    "DrivenWalk",
    "GaitMotion",
    "LegMotion",
    "Path",
    "PendulumGait",
    "WalkMeasures",
    "drive_joints",
    "feedforward_pd",
    "measure_walk",
    "rigid_ground_torque",
    "shah_walk",
    "two_link_leg",
]
