"""Turns of the first three axes that bring a point to a point, or a plane to a plane.

Both follow the same pattern (for points Pieper 1968). After the turn about axis 3 the point, seen from axis 2, or the
normal of the plane is a vector a(t_3). What a turn about axis 1 leaves as it is, the height along axis 1 and the
distance from a point on it, are two conditions that are bilinear in cosine and sine of t_2 and t_3.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.six_axis.bilinear import bilinear_angles
from tarsus.ik.six_axis.loop import Loop, angle_between, at_angle, cross, dot, orbit, turned


def carry_point(loop: Loop, x: FloatArray, y: FloatArray) -> tuple[IndexArray, FloatArray, BoolArray]:
    """Angles (k, 3) with E_1 E_2 E_3 x = y for points (n, 3), nearly; see `bilinear_angles` for what is returned."""
    w1, w2, o1, o2 = _first_axes(loop)
    m, there = o2 - o1, y - o1
    a = orbit(loop.w[:, 2], loop.o[:, 2], x)
    a[:, 0] -= o2
    constant = dot(a[:, 0], a[:, 0]) + dot(a[:, 1], a[:, 1])  # |a|^2, to which cos^2 and sin^2 contribute the same
    square = np.stack([constant, *(2 * dot(a[:, 0], a[:, k]) for k in (1, 2))], axis=-1)
    high, far = _products(w1, w2, a), _products(m, w2, a)
    high[:, 0, 0] -= dot(w1, there - m)
    far[:, 0] += 0.5 * square
    far[:, 0, 0] += 0.5 * (dot(m, m) - dot(there, there))
    rows, t, free = bilinear_angles(high, far)
    before = turned(w2[rows], o2[rows], t[:, 0], at_angle(a[rows], t[:, 1]) + o2[rows])
    t1, any_t1 = angle_between(w1[rows], before - o1[rows], there[rows])
    free[rows[any_t1]] = True
    return rows, np.column_stack([t1, t]), free


def carry_plane(loop: Loop, x: FloatArray, normal: FloatArray) -> tuple[IndexArray, FloatArray, BoolArray]:
    """The same for planes through x (n, 3) that shall come to where G brings them."""
    w1, w2, o1, o2 = _first_axes(loop)
    m, R, p = o2 - o1, loop.G[:, :3, :3], loop.G[:, :3, 3]
    there, g = (R @ x[..., None])[..., 0] + p, (R @ normal[..., None])[..., 0]
    a = orbit(loop.w[:, 2], np.zeros_like(x), normal)
    # Distance of o2 from the plane that E_3 brings about: a turn of the plane is one of o2 the other way round.
    back = -orbit(-loop.w[:, 2], loop.o[:, 2], o2)
    back[:, 0] += x
    high, far = _products(w1, w2, a), _products(m, w2, a)
    high[:, 0, 0] -= dot(w1, g)
    far[:, 0] += np.einsum("nij,nj->ni", back, normal)
    far[:, 0, 0] -= dot(g, there - o1)
    rows, t, free = bilinear_angles(high, far)
    before = turned(w2[rows], np.zeros(3), t[:, 0], at_angle(a[rows], t[:, 1]))
    t1, any_t1 = angle_between(w1[rows], before, g[rows])
    free[rows[any_t1]] = True
    return rows, np.column_stack([t1, t]), free


def _first_axes(loop: Loop) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Directions of axes 1 and 2, a point on axis 1, and the point of axis 2 that is nearest to it, (n, 3) each."""
    w1, w2, o1, o2 = loop.w[:, 0], loop.w[:, 1], loop.o[:, 0], loop.o[:, 1]
    return w1, w2, o1, o2 + w2 * dot(w2, o1 - o2)[:, None]


def _products(u: FloatArray, w2: FloatArray, a: FloatArray) -> FloatArray:
    """U . R_2 a by 1, cos t_2, sin t_2 and those of t_3, shape (n, 3, 3), for a vector a (n, 3, 3) of t_3."""
    along = dot(u, w2)[:, None] * np.einsum("nij,nj->ni", a, w2)
    across = np.einsum("nij,nj->ni", a, u) - along
    return np.stack([along, across, np.einsum("nij,nj->ni", a, cross(u, w2))], axis=1)
