"""What every constraint is: rows that a motion must obey, at position, velocity and acceleration level."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.lowering import Part
from tarsus.model.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintRows:
    """A constraint (or several, stacked) at a state.

    The motion obeys d/dt velocity = jacobian @ vdot + bias, and for holonomic rows d/dt violation = velocity; both
    hold on and off the constraint manifold.

    Attributes
    ----------
    violation : ndarray, shape (..., m)
        Phi(q, t) [m or rad]; zero for rows that exist at velocity level only.
    velocity : ndarray, shape (..., m)
        What must vanish at velocity level: jacobian @ v plus explicit time terms.
    jacobian : ndarray, shape (..., m, nv)
    bias : ndarray, shape (..., m)
        d/dt(jacobian) @ v plus explicit time terms.
    holonomic : ndarray of bool, shape (m,)
        Rows with a position level.
    """

    violation: FloatArray
    velocity: FloatArray
    jacobian: FloatArray
    bias: FloatArray
    holonomic: npt.NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Number of rows m."""
        return int(self.violation.shape[-1])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Constraint(ABC):
    """Base of all constraints; immutable, and tied to a model only by the names of its parts.

    Attributes
    ----------
    name : str
        Shown in errors and warnings.
    """

    name: str = ""

    @abstractmethod
    def describe(self) -> str:
        """What is tied to what, in a few words."""

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise where the constraint names what the model has not got."""

    @abstractmethod
    def parts(self, model: Model) -> Sequence[Part]:
        """Rows of the constraint, from which the native table is made."""

    def drive(self, model: Model, time: FloatArray) -> FloatArray | None:
        """Numbers of the motion given at the times (...), shape (..., k), where there is one."""
        return None

    @property
    def label(self) -> str:
        """Name and description, for messages."""
        return f"{self.name!r} ({self.describe()})" if self.name else self.describe()
