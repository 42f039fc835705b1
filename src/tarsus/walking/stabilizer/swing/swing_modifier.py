"""What leads a swinging foot elsewhere than straight to its next footstep."""

from __future__ import annotations

from typing import Protocol

from tarsus.arrays import FloatArray


class SwingModifier(Protocol):
    """Asked once a cycle while a foot swings."""

    def modified(
        self,
        foot: int,
        number: int,
        part: float,
        left_over: float,
        X: FloatArray,
        t: float,
        q: FloatArray,
        angle: float,
    ) -> FloatArray:
        """Pose of the sole that is wanted, shape (4, 4), which comes back to X at the end of the swing.

        Parameters
        ----------
        foot : int
            0 for the left one, 1 for the right one.
        number : int
            Of the phase of the plan.
        part : float
            Part of the swing that is over.
        left_over : float
            Time until touch-down [s].
        X : ndarray, shape (4, 4)
            Pose of the sole with nothing in its way.
        t : float
            [s].
        q : ndarray, shape (nq,)
            Of the robot as it is.
        angle : float
            By which the plan is turned [rad].
        """
