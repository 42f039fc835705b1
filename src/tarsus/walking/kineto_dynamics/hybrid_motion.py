"""Inverse kineto-dynamics of any robot: tasks of motion and force in one equation (Buschmann 2014, (5.92)-(5.96))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import bias_force, solve_mass
from tarsus.errors import ArgumentError, InconsistentConstraintsError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array, as_vector

CONSISTENT = 1e-7
"""Part of the terms of (5.96) by which its rows may be missed where they depend on each other."""


@dataclass(frozen=True, eq=False)
class Split:
    """A vector x = T_k x_k + T_u x_u of known and unknown parts, (5.90) and (5.93).

    Attributes
    ----------
    known : ndarray, shape (n, k)
        T_k.
    unknown : ndarray, shape (n, u)
        T_u. Neither needs to be a selection.
    value : ndarray, shape (k,)
        x_k.
    """

    known: npt.ArrayLike
    unknown: npt.ArrayLike
    value: npt.ArrayLike

    def __post_init__(self) -> None:
        T_k, T_u, x = as_array(self.known, "known"), as_array(self.unknown, "unknown"), as_array(self.value, "value")
        fits = T_k.ndim == T_u.ndim == 2 and len(T_k) == len(T_u) and x.shape == T_k.shape[1:]
        if not fits:
            raise ShapeError(
                f"known, unknown, value of Split: found shapes {T_k.shape}, {T_u.shape}, {x.shape}; expected (n, k), "
                "(n, u), (k,)"
            )
        for name, value in (("known", T_k), ("unknown", T_u), ("value", x)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, known: npt.ArrayLike, value: npt.ArrayLike) -> Split:
        """By a mask of the known components, shape (n,), and their values."""
        mask = np.asarray(known)
        if mask.ndim != 1 or mask.dtype != bool:
            raise ArgumentError(f"known of Split is {known!r}; expected booleans of shape (n,)")
        unit = np.eye(len(mask))
        return cls(unit[:, mask], unit[:, ~mask], value)

    @property
    def given(self) -> FloatArray:
        """T_k x_k, shape (n,)."""
        return np.asarray(self.known @ np.asarray(self.value))


class HybridMotion(NamedTuple):
    """What follows from known motions and forces.

    Attributes
    ----------
    vdot : ndarray, shape (nv,)
    force : ndarray, shape (p,)
        lambda, known and unknown.
    acceleration : ndarray, shape (m,)
        w'', known and unknown.
    """

    vdot: FloatArray
    force: FloatArray
    acceleration: FloatArray


def hybrid_motion(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    jacobian: npt.ArrayLike,
    bias: npt.ArrayLike,
    motion: Split,
    projection: npt.ArrayLike,
    force: Split,
    *,
    weights: npt.ArrayLike | None = None,
) -> HybridMotion:
    """Accelerations of a robot of whose task-space accelerations and forces some are known.

    M vdot + h = W (T_lk l_k + T_lu l_u) (5.94) and J vdot + dJ/dt v = T_wk w_k'' + T_wu w_u'' (5.95) give
    G (l_u; w_u'') + f = 0 (5.96). With as many unknowns as rows this is one solution; of more unknowns, those with the
    least weighted sum of squares are taken.

    Parameters
    ----------
    q : array_like, shape (nq,)
    v : array_like, shape (nv,)
    jacobian : array_like, shape (m, nv)
        J of the task space w.
    bias : array_like, shape (m,)
        dJ/dt v.
    motion : Split
        Of w'', m components.
    projection : array_like, shape (nv, p)
        W: generalised forces of unit forces; columns of the identity for torques of joints, transposed Jacobians for
        wrenches.
    force : Split
        Of lambda, p components.
    weights : array_like, shape (u,), optional
        Of the unknown forces, then of the unknown accelerations, for problems with more unknowns than rows: their
        units differ; 1 by default.

    Raises
    ------
    InconsistentConstraintsError
        Where no motion has the known parts: rows depend on each other and contradict.
    """
    q, v = as_vector(q, "q", model.nq), as_vector(v, "v", model.nv)
    J, W = as_array(jacobian, "jacobian"), as_array(projection, "projection")
    rows, forces = len(motion.given), len(force.given)
    if J.shape != (rows, model.nv) or W.shape != (model.nv, forces):
        raise ShapeError(
            f"jacobian, projection: found shapes {J.shape}, {W.shape}; expected {(rows, model.nv)}, "
            f"{(model.nv, forces)}"
        )
    T_lu, T_wu = np.asarray(force.unknown), np.asarray(motion.unknown)
    known = W @ force.given - bias_force(model, q, v)
    solved = solve_mass(model, q, np.vstack([(W @ T_lu).T, known])).T
    G = np.hstack([J @ solved[:, :-1], -T_wu])
    f = J @ solved[:, -1] + as_vector(bias, "bias", rows) - motion.given
    unknown = _least(G, f, weights)
    l_u, w_u = unknown[: T_lu.shape[1]], unknown[T_lu.shape[1] :]
    vdot = solved[:, :-1] @ l_u + solved[:, -1]
    return HybridMotion(vdot, force.given + T_lu @ l_u, motion.given + T_wu @ w_u)


def _least(G: FloatArray, f: FloatArray, weights: npt.ArrayLike | None) -> FloatArray:
    """X of G x + f = 0 with the least weighted square."""
    count = G.shape[1]
    scale = np.ones(count) if weights is None else as_vector(weights, "weights", count)
    if (scale <= 0).any():
        raise ArgumentError(f"weights are {scale.tolist()}; expected numbers above 0")
    root = 1.0 / np.sqrt(scale)
    # Rows and columns of forces and accelerations differ by the inertia: equilibrated before the rank is judged.
    size = np.abs(G * root).max(axis=1, initial=0.0)
    size = np.where(size > 0, size, 1.0)
    columns = root if len(f) < count else 1.0 / np.maximum(np.abs(G / size[:, None]).max(axis=0, initial=0.0), 1e-300)
    x = columns * np.linalg.lstsq(G * columns / size[:, None], -f / size, rcond=None)[0]
    missed = np.abs(G @ x + f)
    terms = np.abs(G) @ np.abs(x) + np.abs(f)
    worst = int(np.argmax(missed / np.maximum(terms, 1e-300)))
    if missed[worst] > CONSISTENT * terms[worst] and missed[worst] > CONSISTENT:
        raise InconsistentConstraintsError(
            f"row {worst} of the task space is missed by {missed[worst]:.3g}: known motions and forces contradict each "
            "other"
        )
    return np.asarray(x)
