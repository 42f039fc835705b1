"""All solutions of arms of any geometry by continuation from an arm of general geometry (Wampler and Morgan 1991).

A loop with random complex axes has 16 solutions, found once by elimination. While its axes and its displacement move to
those of the arm, the solutions move along smooth paths: with probability one no two of them meet on the way, and every
isolated solution of the arm is the end of one. Where an arm has fewer, the others leave towards angles with infinite
imaginary part, or end where solutions coincide. This asks nothing of the geometry, and takes longer than elimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from tarsus.arrays import AnyArray, BoolArray, FloatArray
from tarsus.ik.six_axis.closure import closure
from tarsus.ik.six_axis.elimination import eliminate
from tarsus.ik.six_axis.loop import Loop
from tarsus.spatial import quaternion_from_rotation_matrix

TRACKED = 1e-5
"""Length of the last of three steps of Newton's method [rad] up to which a path counts as followed."""
FIRST_STEP, LONGEST, SHORTEST = 0.02, 0.1, 1e-7
"""Of the way from the start, 0, to the arm, 1."""
AWAY, LEAVING = 16.0, 6.0
"""Imaginary part of an angle [rad] beyond which a path has left for infinity, and beyond which one that stops just
before the arm is on its way there: its angles grow like the logarithm of what is left of the way."""
NEAR_THE_ARM = 0.99
"""Share of the way from which on a path that stops does so where solutions coincide, or leaves."""
WIDEST = 0.25
"""Change of an angle in a step [rad] from which on the step is made shorter."""


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Where paths went.

    Attributes
    ----------
    t : ndarray of complex, shape (n, 16, 6)
        Angles at their ends, or where they were left.
    arrived, away : ndarray of bool, shape (n, 16)
        Whether they came to the arm, or left for infinity; the others came to a stop.
    stopped_at : ndarray, shape (n, 16)
        Share of the way to the arm at which they stopped; 1 for those that arrived or left.
    """

    t: AnyArray
    arrived: BoolArray
    away: BoolArray
    stopped_at: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Of loops, real or complex. All that follows from them is rational: no straight way between them jumps.

    Attributes
    ----------
    u : ndarray, shape (n, 6, 2)
        Directions of axes by stereographic projection.
    o : ndarray, shape (n, 6, 3)
        Points on them.
    rotation : ndarray, shape (n, 4)
        Of the displacement, quaternions of any length.
    p : ndarray, shape (n, 3)
        Its position.
    """

    u: AnyArray
    o: AnyArray
    rotation: AnyArray
    p: AnyArray

    def mixed(self, other: Parameters, s: FloatArray) -> Parameters:
        """What lies a share s (n,) of the way to others."""
        pairs = ((self.u, other.u), (self.o, other.o), (self.rotation, other.rotation), (self.p, other.p))
        shares = [s.reshape(-1, *(1,) * (a.ndim - 1)) for a, _ in pairs]
        return Parameters(*((1 - x) * a + x * b for (a, b), x in zip(pairs, shares, strict=True)))

    def rows(self, rows: AnyArray) -> Parameters:
        """Some of the loops."""
        return Parameters(self.u[rows], self.o[rows], self.rotation[rows], self.p[rows])

    def arrays(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Directions with w.w = 1, without conjugates, points, and displacements."""
        square = np.sum(self.u * self.u, axis=-1, keepdims=True)
        w = np.concatenate([2 * self.u, 1 - square], axis=-1) / (1 + square)
        c, v = self.rotation[:, 0, None, None], self.rotation[:, 1:]
        K = np.zeros((len(v), 3, 3), dtype=complex)
        K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
        K -= np.swapaxes(K, -1, -2)
        G = np.zeros((len(v), 4, 4), dtype=complex)
        length = np.sum(self.rotation * self.rotation, axis=-1)[:, None, None]
        G[:, :3, :3], G[:, :3, 3], G[:, 3, 3] = np.eye(3) + 2 / length * (c * K + K @ K), self.p, 1.0
        return w, self.o, G


@cache
def _start(seed: int) -> tuple[Parameters, AnyArray]:
    """A loop with random complex parameters and its 16 solutions, (16, 6)."""
    rng = np.random.default_rng(seed)
    while True:
        start = Parameters(*(_drawn(rng, (1, *shape)) for shape in ((6, 2), (6, 3), (4,), (3,))))
        w, o, G = start.arrays()
        roots = eliminate(w[0], o[0], G[0])
        if roots is None or len(roots.z) != 16:
            continue
        with np.errstate(all="ignore"):
            t = -1j * np.log(roots.z)
        same = np.zeros(16, dtype=np.intp)
        t, error = _corrected(w[same], o[same], G[same], t, 20)
        apart = np.abs(np.exp(1j * t)[:, None] - np.exp(1j * t)[None]).max(axis=-1) + 9 * np.eye(16)
        if np.isfinite(t).all() and error.max() < 1e-6 and apart.min() > 1e-3:
            return start, t


def _drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> AnyArray:
    return np.asarray(rng.normal(size=shape) + 0.5j * rng.normal(size=shape))


def _corrected(w: AnyArray, o: AnyArray, G: AnyArray, t: AnyArray, steps: int) -> tuple[AnyArray, AnyArray]:
    """Newton's method; angles, and the length of the last step, infinite where there is none."""
    size = np.full(len(t), np.inf)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            error, J = closure(w, o, G, t)
            good = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(error).all(axis=-1)
            J[~good], error[~good] = np.eye(6), 0.0
            step = _solved(J, error)
            size = np.where(good, np.abs(step).max(axis=-1), np.inf)
            t = t - step
    return t, size


def _solved(J: AnyArray, right: AnyArray) -> AnyArray:
    """J^-1 right; zero where J has no inverse."""
    try:
        return np.asarray(np.linalg.solve(J, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        return np.asarray((np.linalg.pinv(J) @ right[..., None])[..., 0])


def continue_to(loop: Loop, seed: int = 0, longest: float = LONGEST) -> Ends:
    """Follow the 16 paths to each of n loops."""
    start, t0 = _start(seed)
    n = len(loop)
    below = loop.w[..., 2] < 0  # an axis the other way round has a projection of at most 1, and turns the other way
    w = np.where(below[..., None], -loop.w, loop.w)
    rotation = quaternion_from_rotation_matrix(loop.G[:, :3, :3])
    goal = Parameters(w[..., :2] / (1 + w[..., 2:]), loop.o, rotation, loop.G[:, :3, 3])
    begin, end = start.rows(np.zeros(16 * n, dtype=np.intp)), goal.rows(np.repeat(np.arange(n), 16))
    t, s = np.tile(t0, (n, 1)), np.zeros(16 * n)
    step = np.full(16 * n, FIRST_STEP)
    away = np.zeros(16 * n, dtype=bool)
    open_ = np.arange(16 * n)
    while open_.size:
        _advance(begin, end, t, s, step, open_, longest)
        away[open_] = np.abs(t[open_].imag).max(axis=-1) > AWAY
        open_ = open_[(s[open_] < 1) & (step[open_] > SHORTEST) & ~away[open_]]
    away |= (s < 1) & (s > NEAR_THE_ARM) & (np.abs(t.imag).max(axis=-1) > LEAVING)
    t = t.reshape(n, 16, 6) * np.where(below, -1.0, 1.0)[:, None]
    return Ends(t, (s >= 1).reshape(n, 16), away.reshape(n, 16), np.where(away, 1.0, s).reshape(n, 16))


def _advance(
    begin: Parameters, end: Parameters, t: AnyArray, s: FloatArray, step: FloatArray, rows: AnyArray, longest: float
) -> None:
    """One step along some of the paths: along the tangent, then Newton's method; kept where both agree."""
    own = begin.rows(rows), end.rows(rows)
    there = np.minimum(s[rows] + step[rows], 1.0)
    here_arrays, there_arrays = (own[0].mixed(own[1], x).arrays() for x in (s[rows], there))
    little = 1e-5
    beside = own[0].mixed(own[1], s[rows] + little).arrays()
    with np.errstate(all="ignore"):
        _, J = closure(*here_arrays, t[rows])
        change = (closure(*beside, t[rows])[0] - closure(*here_arrays, t[rows])[0]) / little
        way = -_solved(np.nan_to_num(J), np.nan_to_num(change)) * (there - s[rows])[:, None]
        guess = t[rows] + way
        found, error = _corrected(*there_arrays, guess, 3)
        off = np.abs(found - guess).max(axis=-1)
        length = np.abs(way).max(axis=-1)
    good = (error < TRACKED) & (off < 0.1 * WIDEST) & (length < WIDEST) & np.isfinite(off)
    t[rows[good]], s[rows[good]] = found[good], there[good]
    easy = good & (off < 0.01 * WIDEST)
    step[rows] = np.minimum(np.where(easy, 2.0, np.where(good, 1.0, 0.5)) * step[rows], longest)
