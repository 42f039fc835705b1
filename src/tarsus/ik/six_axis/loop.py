"""Six turns about given axes that add up to a given displacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import AnyArray, BoolArray, FloatArray, IndexArray
from tarsus.ik.six_axis.trigonometric import waves
from tarsus.spatial import inverse_pose

ALONG = 1e-8
"""Distance from an axis, in units of the arm's size, below which any turn about it leaves a point where it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """E_1(t_1) ... E_6(t_6) = G, with E_i(t) the turn by t about axis i as it lies where all t are zero.

    This is the product of exponentials (Brockett 1984). All arrays hold n such problems.

    Attributes
    ----------
    w : ndarray, shape (n, 6, 3)
        Unit directions of the axes.
    o : ndarray, shape (n, 6, 3)
        A point on each.
    G : ndarray, shape (n, 4, 4)
        What the turns add up to.
    """

    w: FloatArray
    o: FloatArray
    G: FloatArray

    def __len__(self) -> int:
        return len(self.G)

    def rows(self, rows: IndexArray) -> Loop:
        """Some of the problems."""
        return Loop(self.w[rows], self.o[rows], self.G[rows])

    def beginning_with(self, first: int) -> Loop:
        """The same condition, beginning with another axis: E_k ... E_6 E'_1 ... E'_(k-1) = G with axes G^-1 (axis i).

        A closed chain has no first joint: which three axes are the last ones is a matter of choice.
        """
        if first == 0:
            return self
        back = inverse_pose(self.G)[:, None]
        w = (back[..., :3, :3] @ self.w[:, :first, :, None])[..., 0]
        o = (back[..., :3, :3] @ self.o[:, :first, :, None])[..., 0] + back[..., :3, 3]
        return Loop(
            np.concatenate([self.w[:, first:], w], axis=1), np.concatenate([self.o[:, first:], o], axis=1), self.G
        )


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Scalar products (...) of vectors (..., 3)."""
    result: FloatArray = np.sum(a * b, axis=-1)
    return result


def cross(a: AnyArray, b: AnyArray) -> AnyArray:
    """Vector products (..., 3); for the few vectors of an arm NumPy's own takes several times as long."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def orbit(w: FloatArray, o: FloatArray, x: FloatArray) -> FloatArray:
    """Circles of points x (..., 3) about axes, x0 + xc cos t + xs sin t: x0, xc and xs, shape (..., 3, 3)."""
    r = x - o
    along = w * dot(w, r)[..., None]
    return np.stack([o + along, r - along, cross(w, r)], axis=-2)


def at_angle(coefficients: FloatArray, t: FloatArray) -> FloatArray:
    """x0 + xc cos t + xs sin t for coefficients (..., 3, k) and angles (...): shape (..., k)."""
    return np.asarray((waves(t)[..., None, :] @ coefficients)[..., 0, :])


def turned(w: FloatArray, o: FloatArray, t: FloatArray, x: FloatArray) -> FloatArray:
    """Points x (..., 3) after turns by t (...) about axes; directions where o is zero."""
    return at_angle(orbit(w, o, x), t)


def angle_between(w: FloatArray, x: FloatArray, y: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Turns about w (..., 3), in (-pi, pi], that bring x into the half plane of y; and where any does.

    It does where one of them is along w; the turn is 0 then.
    """
    across = x - w * dot(w, x)[..., None]
    beside = y - w * dot(w, y)[..., None]
    sine, cosine = dot(w, cross(across, beside)), dot(across, beside)
    any_does = np.hypot(sine, cosine) <= ALONG**2
    return np.where(any_does, 0.0, np.arctan2(sine, cosine)), any_does


def turn(w: AnyArray, t: AnyArray) -> AnyArray:
    """Rotation matrices (n, 3, 3) of turns by t (n,) about directions w (n, 3)."""
    K = np.zeros((*w.shape, 3), dtype=np.result_type(w, t))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -w[..., 2], w[..., 1], -w[..., 0]
    K[..., 1, 0], K[..., 2, 0], K[..., 2, 1] = w[..., 2], -w[..., 1], w[..., 0]
    return np.asarray(np.eye(3) + np.sin(t)[..., None, None] * K + (1 - np.cos(t))[..., None, None] * (K @ K))


def turn_pose(w: FloatArray, o: FloatArray, t: FloatArray) -> FloatArray:
    """Turns by t (...) about axes as poses (..., 4, 4)."""
    X = np.zeros((*t.shape, 4, 4))
    X[..., 3, 3] = 1.0
    R = X[..., :3, :3] = turn(w, t)
    X[..., :3, 3] = o - (R @ o[..., None])[..., 0]
    return X


def product(loop: Loop, t: FloatArray) -> FloatArray:
    """E_1(t_1) ... E_k(t_k) for angles (n, k), shape (n, 4, 4)."""
    X = turn_pose(loop.w[:, 0], loop.o[:, 0], t[:, 0])
    for k in range(1, t.shape[1]):
        X = X @ turn_pose(loop.w[:, k], loop.o[:, k], t[:, k])
    return X
