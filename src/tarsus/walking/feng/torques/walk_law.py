"""The torques of the walk: visual lifting, periodic torques and the springs of a posture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.model import Model
from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
from tarsus.walking.feng.torques.posture_springs import PostureSprings
from tarsus.walking.feng.torques.visual_lifting import HEAD, VisualLifting


@dataclass(frozen=True)
class WalkLaw:
    """Sum of the inputs of Feng et al. 2015, section 6, and of a posture.

    Attributes
    ----------
    lifting : VisualLifting or None
        Stabilisation of the pose; without it the robot falls.
    periodic : PeriodicTorques
    posture : PostureSprings
    """

    lifting: VisualLifting | None
    periodic: PeriodicTorques
    posture: PostureSprings

    def torque(
        self,
        model: Model,
        elapsed: npt.ArrayLike,
        q: FloatArray,
        across: float = 1.0,
        head: FloatArray | None = None,
    ) -> FloatArray:
        """Torques [N m], shape (..., 18).

        Parameters
        ----------
        elapsed : array_like, shape (...)
            Time since the last exchange of supports [s].
        q : ndarray, shape (..., 18)
        across : {1.0, -1.0}
            1 on the right leg, -1 on the left one.
        head : ndarray, shape (..., 4, 4), optional
            Pose at which the head is seen, from the supporting toe; the true one by default.
        """
        tau = self.periodic.torque(elapsed, across) + self.posture.torque(q)
        if self.lifting is not None:
            seen = frame_pose(model, q, HEAD) if head is None else head
            tau = tau + self.lifting.torque(model, q, seen)
        return tau
