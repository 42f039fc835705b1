"""What a redundant robot should do with the freedom that its tasks leave."""

from tarsus.ik.objectives.angular_momentum import AngularMomentum
from tarsus.ik.objectives.collision_potential import CollisionPotential
from tarsus.ik.objectives.joint_limits import JointLimits
from tarsus.ik.objectives.manipulability import Manipulability
from tarsus.ik.objectives.objective import Objective, Sum
from tarsus.ik.objectives.posture_distance import PostureDistance
from tarsus.ik.objectives.potential import CubicPotential, PiecewisePotential, Potential, QuadraticPotential
from tarsus.ik.objectives.scaled_joint_limits import ScaledJointLimits

__all__ = [
    "AngularMomentum",
    "CollisionPotential",
    "CubicPotential",
    "JointLimits",
    "Manipulability",
    "Objective",
    "PiecewisePotential",
    "PostureDistance",
    "Potential",
    "QuadraticPotential",
    "ScaledJointLimits",
    "Sum",
]
