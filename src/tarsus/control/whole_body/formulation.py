"""What a formulation of the equations of motion makes of the unknowns of whole-body control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.terms import Terms

Affine = tuple[FloatArray, FloatArray]
"""A matrix and a vector: matrix @ z + vector."""


@dataclass(frozen=True, slots=True, eq=False)
class Unknowns:
    """Accelerations, torques and contact forces as affine functions of the variables z of a program, with equalities.

    Attributes
    ----------
    vdot, tau, y : Affine
        Of nv accelerations, of the torques of driven coordinates, of the contacts' force variables.
    E, e : ndarray, shape (k, n), (k,)
        E z = e: equations of motion and rows of contacts that were not eliminated.
    multiplier : Affine or None
        Of the constraints on redundant parameters, where they are variables.
    """

    vdot: Affine
    tau: Affine
    y: Affine
    E: FloatArray
    e: FloatArray
    multiplier: Affine | None = None

    @property
    def size(self) -> int:
        """Number of variables."""
        return int(self.E.shape[1])


def selection(start: int, stop: int, size: int) -> FloatArray:
    """Rows that pick the variables start to stop, shape (stop - start, size)."""
    return np.eye(size)[start:stop]


def force_unit(terms: Terms) -> float:
    """Size of generalised forces at the state [N, N m]: variables that count forces are given in it."""
    return max(float(np.abs(terms.h).max(initial=0.0)), 1.0)
