"""What position-level inverse kinematics gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import AnyArray, FloatArray

SOLVED, STUCK, LIMITED, EXHAUSTED = "solved", "no way down", "limits in the way", "iteration limit"


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Configurations that meet tasks as well as they could be met. All fields have the batch shape of the targets.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
        The solution, or the best that was found.
    success : bool, or ndarray of bool, shape (...)
        Whether every error is within the tolerance.
    residual : float, or ndarray, shape (...)
        Largest error that is left, of any entry of any task [m, rad, ...].
    status : str, or ndarray of str, shape (...)
        "solved"; "no way down": the best of all starts is a local minimum, as for targets out of reach; "limits in the
        way": the same with joints at limits that the way down would leave; "iteration limit".
    iterations, starts : int, or ndarray of int, shape (...)
        Steps that were taken from the start that is told of, and starts that were tried.
    worst : str, or ndarray of str, shape (...)
        The task with the largest error.
    """

    q: FloatArray
    success: Any
    residual: Any
    status: Any
    iterations: Any
    starts: Any
    worst: Any

    @property
    def reason(self) -> str:
        """The outcome in a sentence."""
        if np.ndim(self.success) == 0:
            if self.success:
                return f"solved: largest error {self.residual:.3g}"
            return f"{self.status} after {self.starts} starts: {self.worst} is {self.residual:.3g} off"
        if np.size(self.success) == 0:
            return "nothing was asked for"
        failed = np.flatnonzero(~np.ravel(self.success))
        if failed.size == 0:
            return f"all {np.size(self.success)} solved: largest error {np.max(self.residual):.3g}"
        kinds, counts = np.unique(np.ravel(self.status)[failed], return_counts=True)
        told = ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True))
        return f"{failed.size} of {np.size(self.success)} not solved ({told}); the first is member {failed[0]}"


def shaped(array: AnyArray, batch: tuple[int, ...]) -> Any:
    """Values of a batch in its shape; a plain value where there is no batch."""
    if batch:
        return array.reshape(batch)
    value = array.reshape(-1)[0]
    return value.item() if isinstance(value, np.generic) else value
