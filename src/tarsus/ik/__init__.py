"""Inverse kinematics: from what a robot shall do to how its joints move."""

from tarsus.ik.position.answer import Answer
from tarsus.ik.position.solutions import Solutions, solutions
from tarsus.ik.position.solve import solve
from tarsus.ik.standing import standing
from tarsus.ik.velocity.follow import Path, follow
from tarsus.ik.velocity.velocity import VelocityAnswer, velocity

__all__ = ["Answer", "Path", "Solutions", "VelocityAnswer", "follow", "solutions", "solve", "standing", "velocity"]
