"""Motions that follow tasks, and what can be said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel
from tarsus.model import Model

FOLLOWED = 1e-3
"""Largest error of the tasks [m, rad] with which they count as followed."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion in steps: v[k] leads from q[k] to q[k + 1].

    Attributes
    ----------
    model : Model
    scene : CollisionModel or None
    t : ndarray, shape (K + 1,)
        [s]
    q : ndarray, shape (K + 1, nq)
    v : ndarray, shape (K, nv)
    u : ndarray, shape (K, nv)
        Nullspace input of (5.100).
    cost : float
        Integral of all terms with their weights (5.101).
    parts : mapping of str to float
        The same by terms: "velocity", "limits", "collision", "posture", "acceleration".
    task_error : ndarray, shape (K + 1,)
        Largest error of the tasks [m, rad].
    damping : ndarray, shape (K,)
        Of the pseudoinverse; zero away from singularities.
    status : str
    """

    model: Model
    scene: CollisionModel | None
    t: FloatArray
    q: FloatArray
    v: FloatArray
    u: FloatArray
    cost: float
    parts: Mapping[str, float]
    task_error: FloatArray
    damping: FloatArray
    status: str

    @property
    def pseudo_energy(self) -> FloatArray:
        """Sum of the squared joint velocities, shape (K,)."""
        result: FloatArray = (self.v**2).sum(axis=-1)
        return result

    @property
    def clearance(self) -> FloatArray:
        """Smallest distance of the collision model at every sample [m], shape (K + 1,); infinite without one."""
        return np.full(len(self.q), np.inf) if self.scene is None else self.scene.clearance(self.q)

    @property
    def beyond_limits(self) -> float:
        """By how much a coordinate passes its limit at most [rad, m]; 0 where none does."""
        past = np.maximum(self.model.q_min - self.q, self.q - self.model.q_max)
        return float(np.max(past, initial=0.0))

    @property
    def success(self) -> bool:
        """Whether tasks are followed to 1e-3, nothing collides, and joints are within their limits."""
        return not self._complaints()

    @property
    def reason(self) -> str:
        """The outcome in a sentence."""
        wrong = self._complaints()
        return f"{self.status}: {'; '.join(wrong)}" if wrong else f"{self.status}: cost {self.cost:.6g}"

    def _complaints(self) -> list[str]:
        wrong: list[str] = []
        if self.scene is not None:
            distance = self.clearance
            k = int(np.argmin(distance))
            if distance[0] < 0:
                wrong.append(f"the start is in collision by {-distance[0]:.3g} m ({self._pair(0)})")
            elif distance[k] < 0:
                wrong.append(f"collision by {-distance[k]:.3g} m at t = {self.t[k]:.3g} s ({self._pair(k)})")
        k = int(np.argmax(self.task_error))
        if self.task_error[k] > FOLLOWED:
            near = f"; damping near a singularity from t = {self.t[np.argmax(self.damping > 0)]:.3g} s on" * bool(
                (self.damping > 0).any()
            )
            wrong.append(f"tasks are missed by {self.task_error[k]:.3g} at t = {self.t[k]:.3g} s{near}")
        if self.beyond_limits > 0:
            wrong.append(f"a joint is {self.beyond_limits:.3g} beyond its limit")
        return wrong

    def _pair(self, k: int) -> str:
        assert self.scene is not None
        return " and ".join(self.scene.nearest(self.q[k])[0].pair)


@dataclass(frozen=True, eq=False)
class Plan(Motion):
    """The motion of one horizon, and how it was found.

    Attributes
    ----------
    input : ndarray, shape (K, nv)
        What was chosen: u, or its rate at the acceleration level.
    gradient : ndarray, shape (K, nv)
        dH/du (A.55), or dH/d(input) (A.63): of the cost with respect to the input, over dt.
    adjoint : ndarray, shape (K + 1, nv)
        lambda (5.113).
    history : ndarray, shape (iterations + 1,)
        Cost before and after every iteration.
    iterations, evaluations : int
        Steps, and motions that were tried.
    step : float
        Length of the last step, for the next optimisation.
    """

    input: FloatArray
    gradient: FloatArray
    adjoint: FloatArray
    history: FloatArray
    iterations: int
    evaluations: int
    step: float
