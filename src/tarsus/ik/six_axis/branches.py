"""All configurations of a six-axis arm that bring a frame to a pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.ik.position.answer import shaped
from tarsus.ik.six_axis.chain import Chain, chain_of
from tarsus.ik.six_axis.closed_form import closed_form, find_triple
from tarsus.ik.six_axis.closure import close_loop, closure
from tarsus.ik.six_axis.distinct import SAME, wrapped
from tarsus.ik.six_axis.general import CLOSED, SEARCHES, solve_general
from tarsus.ik.six_axis.loop import Loop
from tarsus.model import Model
from tarsus.spatial import nearest_rotation
from tarsus.spatial._arrays import as_matrix
from tarsus.tasks.orientation import rotation, rotation_error

PROVEN = 1e-9
"""Largest error of forward kinematics of a solution [m, of arms above 1 m as a share of their size; rad]."""
AT_LIMIT = 1e-10
"""Angle by which a solution may be beyond a limit; it is put at the limit then [rad]."""
DOUBTFUL = 1e-8
"""What is left of the displacement where Newton's method ended beside a solution, or where one is only nearly there:
such poses are solved again as those of a general arm."""
FLAT = 1e-6
"""Share of the largest singular value of the Jacobian below which a solution may be one of infinitely many."""
STRIDE = 0.05
"""Step away from such a solution after which it is looked for another one [rad]."""

SOLVED, INFINITE, UNREACHABLE, LIMITED = "solved", "infinite", "out of reach", "out of limits"


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """All configurations that bring a frame to each of a batch of poses.

    Attributes
    ----------
    q : ndarray, shape (..., k, nq)
        Different ones, the nearest to `q0` first; k is the largest number that any pose of the batch has. Where a pose
        has fewer, the rest repeats `q0`, and `found` says so.
    found : ndarray of bool, shape (..., k)
        Which of them are solutions; all of them where there is one pose.
    within : ndarray of bool, shape (..., k)
        Which of them are solutions within the limits of the joints.
    count : int, or ndarray of int, shape (...)
        How many solutions there are.
    status : str, or ndarray of str, shape (...)
        "solved"; "infinite": from one of them a motion begins that leaves the frame where it is, as where two axes of a
        wrist are in line, and some are given, or none where those that were met are beyond limits; "out of reach":
        there are none; "out of limits": there are some, but none within the limits of the joints.
    complete : bool, or ndarray of bool, shape (...)
        Whether these are proven to be all. They are not where there are infinitely many, and where paths of
        continuation were lost.
    method : str
        What the arm is, and how it was solved.
    """

    q: FloatArray
    found: BoolArray
    within: BoolArray
    count: Any
    status: Any
    complete: Any
    method: str


def branches(
    model: Model,
    frame: str,
    pose: npt.ArrayLike,
    q0: npt.ArrayLike | None = None,
    *,
    joints: Sequence[str] | None = None,
    limits: bool = True,
) -> Branches:
    """All solutions of the inverse kinematics of an arm with six hinges.

    Three axes in a row that meet in a point or are parallel, wherever in the arm, give a closed form with at most
    eight solutions. All other arms have at most 16, found by elimination to an eigenvalue problem, with continuation
    where the geometry is too special for that. The geometry is that of the model's own axes. Every solution is refined
    by Newton's method and proven by forward kinematics to 1e-9.

    Whole turns do not make a solution another one. Each angle is given within its limits where whole turns bring it
    there, and of several such angles the nearest to that of `q0`.

    Parameters
    ----------
    frame : str
    pose : array_like, shape (..., 4, 4)
        X_WF that is wanted.
    q0 : array_like, shape (nq,), optional
        What all other joints keep, the base included; the model's reference pose by default.
    joints : sequence of str, optional
        Names of six hinges between the base and the frame, for robots that have more joints there.
    limits : bool
        Leave out what is beyond the limits of the six joints.

    Returns
    -------
    Branches

    Raises
    ------
    ArgumentError
        If the frame is not moved by six hinges in a row.
    """
    X = _poses(pose)
    chain = chain_of(model, frame, _one_configuration(model, q0), joints)
    loop = chain.loop(X.reshape(-1, 4, 4))
    t, found, complete, method = _angles(loop, chain)
    found = _different(t, found)
    infinite = _moves_on(loop, t, found)
    q, within = _configurations(chain, t)
    found = _proven(chain, X.reshape(-1, 4, 4), q, found)
    return _gathered(chain, X.shape[:-2], q, found, found & within, infinite, complete, method, limits)


def _poses(pose: npt.ArrayLike) -> FloatArray:
    X = np.array(as_matrix(pose, "pose", 4, 4))
    rotation(X[..., :3, :3], "pose")
    if np.abs(X[..., 3, :] - [0.0, 0.0, 0.0, 1.0]).max(initial=0.0) > 0:
        raise ArgumentError("the last row of pose is not (0, 0, 0, 1)")
    X[..., :3, :3] = nearest_rotation(X[..., :3, :3])
    return X


def _one_configuration(model: Model, q0: npt.ArrayLike | None) -> FloatArray:
    q = model.reference if q0 is None else np.asarray(q0, dtype=float)
    if q.shape != (model.nq,):
        raise ShapeError(f"q0 has shape {q.shape}; expected one configuration, ({model.nq},)")
    if not np.isfinite(q).all():
        raise NonFiniteError("q0 holds numbers that are not finite")
    return model.normalize(q)


def _angles(loop: Loop, chain: Chain) -> tuple[FloatArray, BoolArray, BoolArray, str]:
    """Angles (n, k, 6), which of them close the loop, whether there can be no others, and how they are found."""
    triple = find_triple(chain.w, chain.o)
    if triple is None:
        rows, t, methods = _general(loop, np.arange(len(loop)))
        used = [name for name in ("elimination", "continuation") if name in methods]
        method = f"general arm: {' and '.join(used)}" if used else "general arm"
        return *_padded(rows, t, len(loop)), methods != "", method
    rows, t, free = closed_form(loop, triple)
    rows, t = _searched(loop, rows, t, free)
    t, error = close_loop(loop.rows(rows), t)
    doubtful = np.setdiff1d(rows[(error >= CLOSED) & (error < DOUBTFUL)], np.flatnonzero(free))
    more, more_t, methods = _general(loop, doubtful)
    complete = ~free
    complete[doubtful] = methods != ""
    rows, t = np.concatenate([rows[error < CLOSED], more]), np.concatenate([t[error < CLOSED], more_t])
    return *_padded(rows, t, len(loop)), complete, f"closed form: {triple}"


def _general(loop: Loop, which: IndexArray) -> tuple[IndexArray, FloatArray, AnyArray]:
    """To which of some loops solutions belong, these solutions (k, 6), and the method of each of those loops."""
    lists, methods = solve_general(loop.rows(which))
    rows = np.repeat(which, [len(own) for own in lists])
    return rows, np.concatenate([np.zeros((0, 6)), *lists]), np.array(methods, dtype=object)


def _searched(loop: Loop, rows: IndexArray, t: FloatArray, free: BoolArray) -> tuple[IndexArray, FloatArray]:
    """The same with random angles where an angle is free: what it was set to need not be a solution's."""
    more = np.repeat(np.flatnonzero(free), SEARCHES)
    drawn = np.random.default_rng(0).uniform(-np.pi, np.pi, (SEARCHES, 6))
    return np.concatenate([rows, more]), np.concatenate([t, np.tile(drawn, (int(np.count_nonzero(free)), 1))])


def _padded(rows: IndexArray, t: FloatArray, n: int) -> tuple[FloatArray, BoolArray]:
    """Angles (k, 6) of n loops as (n, most of any, 6), and where there are some."""
    order = np.argsort(rows, kind="stable")
    rows, t = rows[order], t[order]
    counts = np.bincount(rows, minlength=n)
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    result, found = np.zeros((n, counts.max(initial=0), 6)), np.zeros((n, counts.max(initial=0)), dtype=bool)
    result[rows, column], found[rows, column] = t, True
    return result, found


def _different(t: FloatArray, found: BoolArray) -> BoolArray:
    """Which solutions do not repeat one before them."""
    same = np.abs(wrapped(t[:, :, None] - t[:, None])).max(axis=-1) <= SAME
    before = np.tril(np.ones((t.shape[1], t.shape[1]), dtype=bool), -1)
    return np.asarray(found & ~(same & before & found[:, None, :]).any(axis=-1))


def _moves_on(loop: Loop, t: FloatArray, found: BoolArray) -> BoolArray:
    """Whether a solution of each pose begins a motion that leaves the frame where it is, (n,)."""
    rows, columns = np.nonzero(found)
    result = np.zeros(len(loop), dtype=bool)
    J = closure(loop.w[rows], loop.o[rows], loop.G[rows], t[rows, columns])[1]
    _, sizes, directions = np.linalg.svd(J)
    for k in (5, 4):
        flat = np.flatnonzero(sizes[:, k] < FLAT * sizes[:, 0])
        for side in (1.0, -1.0) if flat.size else ():
            moves = _step_aside(loop.rows(rows[flat]), t[rows[flat], columns[flat]], side * directions[flat, k])
            result[rows[flat[moves]]] = True
    return result


def _step_aside(loop: Loop, t: FloatArray, direction: FloatArray) -> BoolArray:
    """Whether steps of two lengths along directions lead to two other solutions there, (n,)."""
    near, near_error = close_loop(loop, t + 0.6 * STRIDE * direction)
    far, far_error = close_loop(loop, t + STRIDE * direction)
    ways = np.linalg.norm(wrapped(near - t), axis=-1), np.linalg.norm(wrapped(far - t), axis=-1)
    beside = (np.maximum(*ways) < 2 * STRIDE) & (np.minimum(*ways) > STRIDE / 4)
    apart = np.linalg.norm(wrapped(far - near), axis=-1) > STRIDE / 10
    return np.asarray((near_error < CLOSED) & (far_error < CLOSED) & beside & apart)


def _configurations(chain: Chain, t: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Configurations (n, k, nq) with whole turns chosen, and whether all six joints are within their limits, (n, k)."""
    index = chain.q_index
    lower, upper, here = chain.model.q_min[index], chain.model.q_max[index], chain.q0[index]
    angle = here + wrapped(t)  # the nearest to q0
    turn = 2 * np.pi
    up = np.ceil((lower - AT_LIMIT - angle) / turn).clip(min=0.0)
    down = np.ceil((angle - upper - AT_LIMIT) / turn).clip(min=0.0)
    moved = angle + turn * np.where(np.isfinite(up), up, 0.0) - turn * np.where(np.isfinite(down), down, 0.0)
    inside = (moved >= lower - AT_LIMIT) & (moved <= upper + AT_LIMIT)
    q = np.broadcast_to(chain.q0, (*t.shape[:2], len(chain.q0))).copy()
    q[..., index] = np.where(inside, np.clip(moved, lower, upper), angle)
    return q, np.asarray(inside.all(axis=-1))


def _proven(chain: Chain, X: FloatArray, q: FloatArray, found: BoolArray) -> BoolArray:
    """Which solutions forward kinematics confirms."""
    rows, columns = np.nonzero(found)
    reached = frame_pose(chain.model, q[rows, columns], chain.frame)
    linear = np.abs(reached[:, :3, 3] - X[rows, :3, 3]).max(axis=-1, initial=0.0) / max(1.0, chain.size)
    angular = np.abs(rotation_error(X[rows, :3, :3], reached[:, :3, :3])).max(axis=-1, initial=0.0)
    result = np.zeros_like(found)
    result[rows, columns] = (linear <= PROVEN) & (angular <= PROVEN)
    return result


def _gathered(
    chain: Chain,
    batch: tuple[int, ...],
    q: FloatArray,
    found: BoolArray,
    within: BoolArray,
    infinite: BoolArray,
    complete: BoolArray,
    method: str,
    limits: bool,
) -> Branches:
    """Solutions of every pose in the order of their distance from q0, those that are wanted first."""
    reachable = found.any(axis=-1)
    wanted = within if limits else found
    status = np.full(len(q), SOLVED, dtype=object)
    status[~wanted.any(axis=-1)] = LIMITED
    status[~reachable] = UNREACHABLE
    status[infinite & reachable] = INFINITE
    distance = np.linalg.norm(q[..., chain.q_index] - chain.q0[chain.q_index], axis=-1)
    order = np.argsort(np.where(wanted, distance, np.inf), axis=-1, kind="stable")
    count = wanted.sum(axis=-1)
    order = order[:, : count.max(initial=0)]
    wanted, within = (np.take_along_axis(a, order, axis=1) for a in (wanted, within))
    q = np.where(wanted[..., None], np.take_along_axis(q, order[..., None], axis=1), chain.q0)
    width = order.shape[1]
    return Branches(
        q=q.reshape(*batch, width, chain.model.nq),
        found=wanted.reshape(*batch, width),
        within=(within & wanted).reshape(*batch, width),
        count=shaped(count, batch),
        status=shaped(status, batch),
        complete=shaped(complete & ~infinite, batch),
        method=method,
    )
