"""What a robot shall do, as errors, Jacobians and biases; for inverse kinematics and control."""

from tarsus.tasks.center_of_mass import CenterOfMass
from tarsus.tasks.distance import Distance
from tarsus.tasks.frame_pose import FramePose
from tarsus.tasks.function import Function
from tarsus.tasks.look_at import LookAt
from tarsus.tasks.momentum import Momentum
from tarsus.tasks.orientation import Orientation
from tarsus.tasks.position import Position
from tarsus.tasks.posture import Posture
from tarsus.tasks.task import Task

__all__ = [
    "CenterOfMass",
    "Distance",
    "FramePose",
    "Function",
    "LookAt",
    "Momentum",
    "Orientation",
    "Position",
    "Posture",
    "Task",
]
