"""Gains, amplitudes, period and start of the walk, found by searches like `tarsus.walking.feng.search` one by one."""

from __future__ import annotations

from tarsus.walking.feng.split_stance import split_stance
from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
from tarsus.walking.feng.torques.posture_springs import PostureSprings
from tarsus.walking.feng.torques.visual_lifting import VisualLifting
from tarsus.walking.feng.torques.walk_law import WalkLaw

FENG_LAW = WalkLaw(
    lifting=VisualLifting(
        forward=14.56,
        lift=18850.0,
        roll=93.74,
        pitch=53.29,
        yaw=65.73,
        lead=0.3692,
        height=1.4836,
    ),
    periodic=PeriodicTorques(thigh=69.15, roll=4.415, arms=0.6227, period=1.063),
    posture=PostureSprings(
        knee=15.03,
        toe=14.11,
        trunk=55.35,
        knee_rest=0.3851,
        toe_rest=0.05,
    ),
)
"""The law of the walk: found by search, since neither gains nor amplitudes are in the paper."""

SPLIT, SPEED = 0.05042, 0.2307
"""Of the stance from which the walk starts: angle of the legs [rad], rate of the supporting one [rad/s]."""
FENG_START = split_stance(SPLIT, SPEED)
"""q [rad] and v [rad/s] of ``support_model("right")``, shapes (18,)."""
