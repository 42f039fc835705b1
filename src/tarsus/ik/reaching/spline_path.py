"""Smooth paths through configurations: cubic splines with bounds of where they go between their knots."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from tarsus.arrays import FloatArray, IndexArray
from tarsus.model import Model
from tarsus.model.joint import Joint

DIFFERENCE = 2e-4
"""Share of the whole length between places of which rates of rotations are differences."""
THICKER = 1.02
"""Rates of rotations are at most this much more than twice those of quaternions, which are next to unit length."""


class SplinePath:
    """A twice continuously differentiable path q(s), 0 <= s <= length.

    Entries of q are natural cubic splines; quaternions are made unit again.

    Parameters
    ----------
    model : Model
    s : ndarray, shape (n,)
        Knots, from zero on.
    q : ndarray, shape (n, nq)
    """

    def __init__(self, model: Model, s: FloatArray, q: FloatArray) -> None:
        self.model, self.s, self.length = model, s, float(s[-1])
        self._flat = [joint for joint in model.joints.values() if _has_entries(joint) and joint.traits.flat]
        self._curved = [joint for joint in model.joints.values() if _has_entries(joint) and not joint.traits.flat]
        self.q_index, self.v_index = (
            np.array([k for joint in self._flat for k in _range(getattr(joint, name))], dtype=np.intp)
            for name in ("q_index", "v_index")
        )
        self._spline = CubicSpline(s, _without_flips(self._curved, q), bc_type="natural")
        self._rate, self._bend = self._spline.derivative(), self._spline.derivative(2)

    def at(self, s: FloatArray) -> FloatArray:
        """Configurations, shape (n, nq), at s (n,)."""
        q: FloatArray = self._spline(np.clip(s, 0.0, self.length))
        return self.model.normalize(q) if self._curved else q

    def rates(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second derivative of the path, shape (n, nv) each: v at unit speed, and its rate."""
        s = np.clip(s, 0.0, self.length)
        first, second = np.zeros((len(s), self.model.nv)), np.zeros((len(s), self.model.nv))
        first[:, self.v_index] = self._rate(s)[:, self.q_index]
        second[:, self.v_index] = self._bend(s)[:, self.q_index]
        if self._curved:
            h = DIFFERENCE * self.length
            middle = np.clip(s, h, self.length - h)
            q, before, after = self.at(middle), self.at(middle - h), self.at(middle + h)
            back, ahead = self.model.difference(before, q), self.model.difference(q, after)
            for joint in self._curved:
                bend = (ahead[:, joint.v_index] - back[:, joint.v_index]) / h**2
                second[:, joint.v_index] = bend
                rate = (ahead[:, joint.v_index] + back[:, joint.v_index]) / (2 * h)
                first[:, joint.v_index] = rate + bend * (s - middle)[:, None]
        return first, second

    def within(self, lower: FloatArray, upper: FloatArray) -> bool:
        """Whether plain coordinates are within limits (nq,) everywhere: their Bernstein coefficients are."""
        h = np.diff(self.s)[:, None]
        c3, c2, c1, c0 = (c[:, self.q_index] for c in self._spline.c)
        corners = (c0, c0 + c1 * h / 3, c0 + 2 * c1 * h / 3 + c2 * h**2 / 3, c0 + c1 * h + c2 * h**2 + c3 * h**3)
        low, high = lower[self.q_index], upper[self.q_index]
        return all(bool(((x >= low) & (x <= high)).all()) for x in corners)

    def part(self, piece: IndexArray, begin: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Middle of parts of pieces between knots, and how far freedoms move between there and their ends at most.

        Parameters
        ----------
        piece : ndarray of int, shape (k,)
        begin, end : ndarray, shape (k,)
            Shares of the piece.

        Returns
        -------
        q : ndarray, shape (k, nq)
        moved : ndarray, shape (k, nv)
        """
        h = np.diff(self.s)[piece]
        middle = self.s[piece] + h * (begin + end) / 2
        a, width = (h * begin)[:, None], (h * (end - begin))[:, None]
        c = self._spline.c[:, piece]
        # A rate is a parabola: between its two ends and the corner of its Bernstein form.
        left = 3 * c[0] * a**2 + 2 * c[1] * a + c[2]
        corner = left + (3 * c[0] * a + c[1]) * width
        right = 3 * c[0] * (a + width) ** 2 + 2 * c[1] * (a + width) + c[2]
        fastest = np.maximum(np.abs(left), np.maximum(np.abs(corner), np.abs(right)))
        moved = np.zeros((len(piece), self.model.nv))
        moved[:, self.v_index] = fastest[:, self.q_index]
        for joint in self._curved:
            self._curved_bound(joint, fastest, moved)
        return self.at(middle), moved * width / 2

    def _curved_bound(self, joint: Joint, fastest: FloatArray, moved: FloatArray) -> None:
        """Lengths of the translation and of the rotation, each as that of its first freedom."""
        rate = fastest[:, joint.q_index]
        slides, start = joint.traits.translations, joint.v_index.start
        if slides:
            moved[:, start] = np.linalg.norm(rate[:, :slides], axis=-1)
        turn = np.linalg.norm(rate[:, slides:], axis=-1)
        moved[:, start + slides] = turn if joint.traits.quaternion is None else 2 * THICKER * turn


def _has_entries(joint: Joint) -> bool:
    return bool(joint.q_index.stop > joint.q_index.start)


def _range(place: slice) -> range:
    return range(place.start, place.stop)


def _without_flips(joints: list[Joint], q: FloatArray) -> FloatArray:
    """Configurations (n, nq) with quaternions of the sign that is next to the one before."""
    result = q.copy()
    for joint in joints:
        if joint.traits.quaternion is None:
            continue
        first = joint.q_index.start + joint.traits.quaternion
        x = result[:, first : first + 4]
        sign = np.cumprod(np.where(np.sum(x[1:] * x[:-1], axis=-1) < 0, -1.0, 1.0))
        x[1:] *= sign[:, None]
    return result
