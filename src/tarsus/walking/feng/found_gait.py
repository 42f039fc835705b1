"""Gains, amplitudes, period and start of the walk, as the search of `tarsus.walking.feng.search` found them."""

from __future__ import annotations

import numpy as np

from tarsus.walking.feng.periodic_torques import PeriodicTorques
from tarsus.walking.feng.posture_springs import PostureSprings
from tarsus.walking.feng.visual_lifting import VisualLifting
from tarsus.walking.feng.walk_law import WalkLaw

FENG_LAW = WalkLaw(
    lifting=VisualLifting(
        forward=18.54, lift=18940.0, roll=80.51, pitch=155.9, yaw=89.53, lead=0.3226, height=1.4831
    ),
    periodic=PeriodicTorques(thigh=82.58, roll=4.571, arms=0.5742, period=1.089),
    posture=PostureSprings(
        knee=18.49,
        ankle=10.36,
        toe=17.35,
        trunk=65.61,
        knee_rest=0.3954,
        ankle_rest=-0.03778,
        toe_rest=0.05,
    ),
)
"""The law of the walk: found by search, since neither gains nor amplitudes are in the paper."""

_Q = np.array(
    [
        0.0, -0.01491, -0.13139, -0.07924, 0.31503, 0.10349,
        -0.15213, -0.04085, 0.13372, -0.01272, 0.03289, 0.10012,
        0.04618, 0.00674, -0.11138, 0.01226, 0.00492, 0.09533,
    ]
)  # fmt: skip
_V = np.array(
    [
        0.0, 0.9828, -0.442, -3.0414, 2.7976, 0.7326,
        0.037, -1.0665, 1.5599, -0.0443, 0.0856, 0.0252,
        0.0526, 0.0131, 0.4463, -0.5478, -0.0403, 1.0651,
    ]
)  # fmt: skip
FENG_START = (_Q, _V)
"""q [rad] and v [rad/s] of ``support_model("right")`` just after an exchange."""
