"""The quantities that are compared, states to evaluate them at, and what a library must offer to take part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from benchmarks.timing import Statement
from tarsus.arrays import FloatArray
from tarsus.model.model import Model

QUANTITIES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "joint_screws",
    "center_of_mass",
    "jacobian",
)


@dataclass(frozen=True)
class States:
    """States of a model in our layout, (n, nq) and (n, nv); `tau` holds the forces that give `vdot`."""

    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray

    def __len__(self) -> int:
        return len(self.q)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter((self.q, self.v, self.vdot, self.tau))

    def first(self, n: int) -> States:
        """Return the first n states."""
        return States(*(np.ascontiguousarray(x[:n]) for x in self))


def random_states(model: Model, count: int, seed: int = 0) -> States:
    """Random states, shapes (count, nq) and (count, nv)."""
    from tarsus import inverse_dynamics

    rng = np.random.default_rng(seed)
    q = model.random(rng, count)
    v, vdot = rng.normal(size=(2, count, model.nv))
    return States(q, v, vdot, inverse_dynamics(model, q, v, vdot))


class Peer(Protocol):
    """Another library with the same model."""

    name: str
    calls: dict[str, str]
    """What is called for each quantity, in words."""

    def single(self, quantity: str, states: States) -> Statement | None:
        """Write the evaluation at the first state, with everything prepared; None where there is no counterpart."""

    def batch(self, quantity: str, states: States) -> Statement | None:
        """Write the evaluation at all states, one after the other, arguments prepared, results discarded."""

    def disagreement(self, quantity: str, states: States) -> float:
        """Largest difference from tarsus at the first states, relative to the largest entry (at least 1)."""


def relative_difference(ours: FloatArray, theirs: FloatArray) -> float:
    """Largest difference relative to the largest entry, at least 1."""
    scale = max(1.0, float(np.max(np.abs(ours), initial=0.0)))
    return float(np.max(np.abs(ours - theirs), initial=0.0)) / scale
