"""Inverse kinematics: from what a robot shall do to how its joints move."""

from tarsus.ik import objectives, predictive
from tarsus.ik.acceleration.acceleration import acceleration
from tarsus.ik.acceleration.answer import AccelerationAnswer
from tarsus.ik.acceleration.follow import AcceleratedPath, follow_acceleration
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.position.answer import Answer
from tarsus.ik.position.solutions import Solutions, solutions
from tarsus.ik.position.solve import solve
from tarsus.ik.reaching.follower import Follower
from tarsus.ik.reaching.motion import Motion, MotionSample
from tarsus.ik.reaching.reach import reach
from tarsus.ik.six_axis.branches import Branches, branches
from tarsus.ik.stance import stance
from tarsus.ik.standing import standing
from tarsus.ik.velocity.avoidance import Avoidance
from tarsus.ik.velocity.follow import Path, follow
from tarsus.ik.velocity.inequality import Inequality, LinearInequality, Moment, VelocityRows, Within
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.stepper import StepAnswer, Stepper, StepTargets
from tarsus.ik.velocity.velocity import VelocityAnswer, velocity

__all__ = [
    "AcceleratedPath",
    "AccelerationAnswer",
    "Answer",
    "Avoidance",
    "Branches",
    "Follower",
    "Inequality",
    "Limits",
    "LinearInequality",
    "Moment",
    "Motion",
    "MotionSample",
    "Path",
    "SecondOrderLimits",
    "Solutions",
    "StepAnswer",
    "StepTargets",
    "Stepper",
    "VelocityAnswer",
    "VelocityRows",
    "Within",
    "acceleration",
    "branches",
    "follow",
    "follow_acceleration",
    "objectives",
    "predictive",
    "reach",
    "solutions",
    "solve",
    "stance",
    "standing",
    "velocity",
]
