"""Closed forms of arms with three axes in a row that meet in a point (Pieper 1968) or are parallel.

The loop is begun with the axis after the three, so that they come last. A point that all three pass through, or a plane
across all three, is left where it is by them: the first three axes have to bring it to its place. The last three do the
rest: an orientation, or a displacement in a plane. There are at most eight solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.six_axis.carrying import carry_plane, carry_point
from tarsus.ik.six_axis.loop import Loop, angle_between, cross, dot, orbit, product, turn_pose, turned
from tarsus.ik.six_axis.trigonometric import first_degree_angles, is_constant
from tarsus.spatial import inverse_pose

NEARLY = 1e-9
"""How far three axes may miss a point, as a share of the arm's size, or be out of parallel [rad]. Arms that are so only
nearly, as when a file rounds pi/2 to six digits, have more than eight solutions and are not meant here."""


@dataclass(frozen=True, slots=True)
class Triple:
    """Three axes in a row with a property.

    Attributes
    ----------
    kind : {"intersecting", "parallel"}
    first : int
        Which of the six is the first of them, counted from zero.
    """

    kind: Literal["intersecting", "parallel"]
    first: int

    def __str__(self) -> str:
        numbers = f"{self.first + 1}, {self.first + 2}, {self.first + 3}"
        return f"axes {numbers} {'meet in a point' if self.kind == 'intersecting' else 'are parallel'}"


def find_triple(w: FloatArray, o: FloatArray) -> Triple | None:
    """The first three axes in a row that are parallel or meet, of six, (6, 3) each, in units of the arm's size."""
    for first in range(4):
        own = slice(first, first + 3)
        if np.linalg.norm(cross(w[own], w[first + 1]), axis=-1).max() <= NEARLY:
            return Triple("parallel", first)
        if _meeting_point(w[None, own], o[None, own])[1][0] <= NEARLY:
            return Triple("intersecting", first)
    return None


def closed_form(loop: Loop, triple: Triple) -> tuple[IndexArray, FloatArray, BoolArray]:
    """All solutions of n loops whose axes have the property.

    Returns
    -------
    rows : ndarray of int, shape (k,)
        To which of the loops each solution belongs. Some may repeat others, or be so only nearly: they are to be
        refined and checked.
    angles : ndarray, shape (k, 6)
    free : ndarray of bool, shape (n,)
        Whether an angle may be what it likes: then there are infinitely many, or none, and these say nothing.
    """
    begin = (triple.first + 3) % 6
    begun = loop.beginning_with(begin)
    w, o = begun.w[:, 3:], begun.o[:, 3:]
    if triple.kind == "parallel":
        rows, first, free = carry_plane(begun, o[:, 1], w[:, 1])
    else:
        point = _meeting_point(w, o)[0]
        goal = (begun.G[:, :3, :3] @ point[..., None])[..., 0] + begun.G[:, :3, 3]
        rows, first, free = carry_point(begun, point, goal)
    each = begun.rows(rows)
    rest = inverse_pose(product(each, first)) @ each.G
    last, real, any_does = _last_three(each.w[:, 3:], each.o[:, 3:], rest, triple.kind)
    free[rows[any_does]] = True
    which, branch = np.nonzero(real)
    angles = np.concatenate([first[which], last[which, branch]], axis=1)
    return rows[which], np.roll(angles, begin, axis=-1), free


def _meeting_point(w: FloatArray, o: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Point (n, 3) nearest to axes (n, k, 3), and its distance from the farthest; infinite where they are parallel."""
    across = np.eye(3) - w[..., :, None] * w[..., None, :]
    normal = across.sum(axis=1)
    parallel = np.linalg.eigvalsh(normal)[:, 0] <= NEARLY**2
    normal[parallel] = np.eye(3)
    right = (across @ o[..., None])[..., 0].sum(axis=1)
    point = np.linalg.solve(normal, right[..., None])[..., 0]
    miss = np.linalg.norm((across @ (point[:, None] - o)[..., None])[..., 0], axis=-1).max(axis=-1)
    return point, np.where(parallel, np.inf, miss)


def _last_three(w: FloatArray, o: FloatArray, rest: FloatArray, kind: str) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Angles (n, 2, 3) about axes (n, 3, 3) that add up to `rest`; whether they are real; whether one is free, (n,)."""
    if kind == "parallel":
        still, base, middle = o[:, 2], o[:, 0], o[:, 1]
        goal = (rest[:, :3, :3] @ still[..., None])[..., 0] + rest[:, :3, 3]
        polynomial = _distance(w, o, goal)
    else:  # R_4 R_5 brings the direction of axis 6 to its place: its angle with axis 4 tells t_5
        still, base, middle = w[:, 2], np.zeros_like(o[:, 0]), np.zeros_like(o[:, 1])
        goal = (rest[:, :3, :3] @ still[..., None])[..., 0]
        polynomial = np.einsum("nij,nj->ni", orbit(w[:, 1], middle, still), w[:, 0])
        polynomial[:, 0] -= dot(goal, w[:, 0])
    t5, real = first_degree_angles(polynomial)
    w4, w5, w6, base, middle, still, goal = (
        np.broadcast_to(part[:, None], (*t5.shape, 3)) for part in (*np.moveaxis(w, 1, 0), base, middle, still, goal)
    )
    t4, any_t4 = angle_between(w4, turned(w5, middle, t5, still) - base, goal - base)
    none = np.zeros(3)
    side = cross(w6, np.eye(3)[np.argmin(np.abs(w6), axis=-1)])
    turn = turn_pose(w4, none, t4)[..., :3, :3] @ turn_pose(w5, none, t5)[..., :3, :3]
    left = np.swapaxes(turn, -1, -2) @ rest[:, None, :3, :3]
    t6, _ = angle_between(w6, side, (left @ side[..., None])[..., 0])
    free = (any_t4 & real).any(axis=-1) | (is_constant(polynomial) & real[:, 0])
    return np.stack([t4, t5, t6], axis=-1), real, free


def _distance(w: FloatArray, o: FloatArray, goal: FloatArray) -> FloatArray:
    """E_4 E_5 brings a point of axis 6 to its place: what its distance from axis 4 says of t_5, (n, 3)."""
    across = np.eye(3) - w[:, 1, :, None] * w[:, 1, None, :]
    circle = orbit(w[:, 1], o[:, 1], o[:, 2])
    circle[:, 0] -= o[:, 0]
    circle = circle @ across
    there = ((goal - o[:, 0])[:, None] @ across)[:, 0]
    constant = dot(circle[:, 0], circle[:, 0]) + dot(circle[:, 1], circle[:, 1]) - dot(there, there)
    return np.stack([constant, *(2 * dot(circle[:, 0], circle[:, k]) for k in (1, 2))], axis=-1)
