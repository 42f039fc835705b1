"""Classical recursions for tasks J_i x = w_i of falling priority, by nullspaces (Buschmann 2014, 5.1.5).

All three give the x of least norm among those that fulfil task 1 as well as possible, then task 2 without disturbing
task 1, and so on. They know equalities only; `Hierarchy` knows inequalities, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.optimization.arguments import read_array, refuse_non_finite

Tasks = Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]


class TaskMotion(NamedTuple):
    """Result of a recursion.

    Attributes
    ----------
    x : ndarray, shape (n,)
    errors : tuple of ndarray
        w_i - J_i x of every task.
    ranks : tuple of int
        Directions in which each task is fulfilled: singular values of its projected matrix that were not truncated.
    least : tuple of float
        The smallest of these singular values, 0 for none: small near a singularity.
    """

    x: FloatArray
    errors: tuple[FloatArray, ...]
    ranks: tuple[int, ...]
    least: tuple[float, ...]


class _Inverse(NamedTuple):
    """A damped inverse of a matrix, and the projector on the range of its transpose, truncated but not damped."""

    damped: FloatArray
    onto: FloatArray
    rank: int
    least: float


def _inverse(J: FloatArray, size: float, damping: float, near: float, truncation: float) -> _Inverse:
    """Inverse by singular values.

    Those below `truncation` times `size`, the largest one of the matrix before it was projected, count as zero: an
    algorithmic singularity. Others become s / (s^2 + l^2), (5.22) with k = l^2 (which lacks a factor 2 in print), where
    l = damping, or, where `near` is positive, l^2 = damping^2 (1 - (s_min / near)^2) below s_min = near and 0 above it
    (Chiaverini, Siciliano and Egeland 1994).
    """
    left, s, right = np.linalg.svd(J, full_matrices=False)
    rank = int((s > truncation * size).sum())
    left, s, right = left[:, :rank], s[:rank], right[:rank]
    least = float(s[-1]) if rank else 0.0
    squared = damping**2
    if near > 0.0:
        squared *= max(0.0, 1.0 - (least / near) ** 2)
    return _Inverse((right.T * (s / (s**2 + squared))) @ left.T, right.T @ right, rank, least)


def _read(tasks: Tasks, damping: float, near: float, truncation: float) -> list[tuple[FloatArray, FloatArray]]:
    if not tasks:
        raise ArgumentError("tasks: found none, expected at least one pair (J, w)")
    for name, value in (("damping", damping), ("near", near), ("truncation", truncation)):
        if not 0.0 <= value < np.inf:
            raise ArgumentError(f"{name}: found {value}, expected a number from 0 on")
    found: list[tuple[FloatArray, FloatArray]] = []
    for i, (J, w) in enumerate(tasks):
        J_ = read_array(f"J of task {i}", J, (None, found[0][0].shape[1] if found else None))
        w_ = read_array(f"w of task {i}", w, (len(J_),))
        refuse_non_finite(f"J of task {i}", J_)
        refuse_non_finite(f"w of task {i}", w_)
        found.append((J_, w_))
    if found[0][0].shape[1] == 0:
        raise ArgumentError("J of task 0: found no columns, expected at least one variable")
    return found


def _size(J: FloatArray) -> float:
    return float(np.linalg.norm(J, 2)) if J.size else 0.0


def _motion(tasks: Sequence[tuple[FloatArray, FloatArray]], x: FloatArray, inverses: Sequence[_Inverse]) -> TaskMotion:
    errors = tuple(w - J @ x for J, w in tasks)
    return TaskMotion(x, errors, tuple(i.rank for i in inverses), tuple(i.least for i in inverses))


def nakamura(
    J1: npt.ArrayLike,
    w1: npt.ArrayLike,
    J2: npt.ArrayLike,
    w2: npt.ArrayLike,
    *,
    damping: float = 0.0,
    near: float = 0.0,
    truncation: float = 1e-9,
) -> TaskMotion:
    """Two tasks: x = J1^# w1 + (J2 N1)^# (w2 - J2 J1^# w1), N1 = 1 - J1^# J1 (Nakamura, Hanafusa and Yoshikawa 1987).

    Parameters
    ----------
    J1, w1 : array_like, shape (m1, n), (m1,)
        The task of higher priority.
    J2, w2 : array_like, shape (m2, n), (m2,)
    damping : float
        Damping l of the inverses, in the unit of J; 0 for none. Damped tasks are fulfilled less exactly, but N1 is not
        damped: the second task never disturbs the first.
    near : float
        Singular value below which damping begins, see Chiaverini, Siciliano and Egeland 1994; 0 damps everywhere.
    truncation : float
        Singular values below this part of the largest one of J_i count as zero.
    """
    tasks = _read([(J1, w1), (J2, w2)], damping, near, truncation)
    (J1_, w1_), (J2_, w2_) = tasks
    first = _inverse(J1_, _size(J1_), damping, near, truncation)
    x = first.damped @ w1_
    N1 = np.eye(len(x)) - first.onto
    second = _inverse(J2_ @ N1, _size(J2_), damping, near, truncation)
    return _motion(tasks, x + N1 @ (second.damped @ (w2_ - J2_ @ x)), (first, second))


def siciliano(tasks: Tasks, *, damping: float = 0.0, near: float = 0.0, truncation: float = 1e-9) -> TaskMotion:
    """Any number of tasks: x_i = x_i-1 + (J_i N_i-1)^# (w_i - J_i x_i-1) (Siciliano and Slotine 1991).

    N_i projects into the nullspace of all tasks up to i, from the singular values of their stacked matrix.

    Parameters
    ----------
    tasks : sequence of pairs (J, w)
        Of falling priority, shapes (m_i, n) and (m_i,).
    damping, near, truncation : float
        As in `nakamura`.
    """
    given = _read(tasks, damping, near, truncation)
    n = given[0][0].shape[1]
    x, N, stack, inverses = np.zeros(n), np.eye(n), np.zeros((0, n)), []
    for J, w in given:
        inverse = _inverse(J @ N, _size(J), damping, near, truncation)
        x = x + N @ (inverse.damped @ (w - J @ x))
        inverses.append(inverse)
        stack = np.vstack([stack, J / max(_size(J), 1e-300)])  # tasks of any unit, none hidden by a larger one
        N = np.eye(n) - _inverse(stack, _size(stack), 0.0, 0.0, truncation).onto
    return _motion(given, x, inverses)


def baerlocher(tasks: Tasks, *, damping: float = 0.0, near: float = 0.0, truncation: float = 1e-9) -> TaskMotion:
    """The same with the projector as a recursion: N_i = N_i-1 - (J_i N_i-1)^# J_i N_i-1 (Baerlocher and Boulic 1998).

    Parameters
    ----------
    tasks : sequence of pairs (J, w)
        Of falling priority, shapes (m_i, n) and (m_i,).
    damping, near, truncation : float
        As in `nakamura`.
    """
    given = _read(tasks, damping, near, truncation)
    n = given[0][0].shape[1]
    x, N, inverses = np.zeros(n), np.eye(n), []
    for J, w in given:
        inverse = _inverse(J @ N, _size(J), damping, near, truncation)
        x = x + N @ (inverse.damped @ (w - J @ x))
        inverses.append(inverse)
        N = N - inverse.onto
    return _motion(given, x, inverses)
