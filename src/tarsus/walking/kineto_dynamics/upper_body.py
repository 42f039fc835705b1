"""What arms, waist and head do while legs walk: nullspace of inverse kineto-dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tarsus.ik.objectives import JointLimits, Objective, PostureDistance
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.reference_robot import Nullspace
from tarsus.walking.reference.task_space import POSTURE, TaskSpace

LIMITS = 100.0
"""Weight of the distance to limits of joints, those of the legs included."""
DAMPING = 30.0
"""Rate at which velocities become those that objectives ask for [1/s]: well above the pace of steps."""


@dataclass(frozen=True, eq=False)
class UpperBody:
    """An upper body that moves, as `TaskSpace` has it.

    Attributes
    ----------
    body : str
        Whose orientation is tracked.
    held : tuple of str
        Joints that are held, as those of a head.
    nullspace : Nullspace
        What the others are for.
    """

    body: str
    held: tuple[str, ...]
    nullspace: Nullspace

    @classmethod
    def swinging(cls, biped: Biped) -> Self:
        """Arms and waist keep the vertical angular momentum low (5.62), all joints off their limits, and go back."""
        space = TaskSpace.of(biped)
        objectives: list[Objective] = [JointLimits(weight=LIMITS)]
        if space.free:
            objectives.append(PostureDistance(biped.q, space.free, weight=POSTURE))
        return cls(space.torso, space.held, Nullspace(tuple(objectives), DAMPING, 1.0 / space.gamma))
