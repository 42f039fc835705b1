"""Inverse kinematics: from what a robot shall do to how its joints move."""

from tarsus.ik.position.answer import Answer
from tarsus.ik.position.solutions import Solutions, solutions
from tarsus.ik.position.solve import solve

__all__ = ["Answer", "Solutions", "solutions", "solve"]
