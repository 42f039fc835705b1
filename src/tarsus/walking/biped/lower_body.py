"""The same robot with a stiff upper body: base and legs are all that moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.model import Model
from tarsus.tasks import Posture, Task
from tarsus.walking.biped.leg import Leg


@dataclass(frozen=True, eq=False)
class LowerBody:
    """Base and legs; twelve joints and a base meet two soles, the pelvis' orientation and the centre of mass exactly.

    Attributes
    ----------
    model : Model
        With all joints but those of the legs locked. Joints that lead others, as those of grippers do, cannot be.
    held : tuple of str
        The latter: `tasks` hold them.
    posture : ndarray, shape (nq,)
        Of the whole robot: where the others are locked.
    q, v : ndarray of int
        Places of the coordinates and freedoms of `model` in those of the whole robot.
    """

    model: Model
    held: tuple[str, ...]
    posture: FloatArray
    q: IndexArray
    v: IndexArray

    @classmethod
    def of(cls, model: Model, legs: Sequence[Leg], posture: FloatArray) -> Self:
        """Lock everything but base and legs at a posture, shape (nq,)."""
        moving = {name for leg in legs for name in leg.joints}
        leaders = {name for coupling in model.description.couplings for name, _ in coupling.terms}
        others = [
            joint
            for joint in model.joints.values()
            if joint.name not in moving and joint.name != "base" and joint.q_index.stop > joint.q_index.start
        ]
        locked = {joint.name: posture[joint.q_index] for joint in others if joint.name not in leaders}
        held = tuple(joint.name for joint in others if joint.name in leaders)
        lower = model.locked(locked) if locked else model
        kept = [model.joints[name] for name in lower.joints if name in moving or name in held or name == "base"]
        q = np.concatenate([np.arange(joint.q_index.start, joint.q_index.stop) for joint in kept])
        v = np.concatenate([np.arange(joint.v_index.start, joint.v_index.stop) for joint in kept])
        return cls(lower, held, np.array(posture), q, v)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What holds joints that could not be locked, beside tasks of feet, pelvis and centre of mass."""
        return (Posture(self.posture[self.q], joints=self.held),) if self.held else ()

    def whole(self, q: FloatArray) -> FloatArray:
        """Configurations of the whole robot, shape (..., nq), from those of base and legs."""
        found = np.broadcast_to(self.posture, (*q.shape[:-1], len(self.posture))).copy()
        found[..., self.q] = q
        return found
