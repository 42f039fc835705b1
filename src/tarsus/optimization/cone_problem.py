"""Contact problems with unilateral normals and Coulomb cones: find l in the cones with u = A l + b.

For every contact either it opens (l = 0, u_n >= 0), or it sticks (u = 0, |l_t| <= mu l_n), or it slips (u_n = 0,
l_t = -mu l_n u_t / |u_t|). The same problem gives forces and accelerations of closed contacts, and impulses and
velocities of an impact. The cone is a true cone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray

Mask = npt.NDArray[np.bool_]

_SOLVED = 1e-12
"""Residual at which a solution counts as found, relative to the largest load."""
_NEWTON_STEPS = 40
"""Steps of Newton's method from one start."""
_SWEEPS = 40
"""Projected sweeps before Newton's method is tried again, times the number of the attempt."""
_ATTEMPTS = 8
"""Starts of Newton's method: the guess, one of raised friction, then sweeps."""
_RATE_FACTORS = (1.0, 0.1, 10.0)
"""Factors of the rates r in the equations, tried in turn."""
_CONTINUATION_STEPS = 20
"""Steps in which friction is raised from none."""
RANK_TOLERANCE = 1e-10
"""Singular values below this part of the largest one are rounding: redundant contacts."""


@dataclass(frozen=True)
class ConeSolution:
    """Loads and motions of k contacts, axes (n, t1, t2) each.

    Attributes
    ----------
    load, motion : ndarray, shape (k, 3)
        l and u: forces and accelerations, or impulses and velocities.
    loaded, stick : ndarray of bool, shape (k,)
        Pressed together; and without slip.
    residual : float
        Natural residual |l - P(l - r u^)|, relative to the largest load.
    """

    load: FloatArray
    motion: FloatArray
    loaded: Mask
    stick: Mask
    residual: float


def project_on_cones(load: FloatArray, friction: FloatArray) -> FloatArray:
    """Nearest loads within the cones |l_t| <= mu l_n, shape (k, 3)."""
    n, size = load[:, 0], np.hypot(load[:, 1], load[:, 2])
    share = np.maximum(n + friction * size, 0.0) / (1.0 + friction**2)
    inside, gone = size <= friction * n, friction * size <= -n
    normal = np.where(inside, n, np.where(gone, 0.0, share))
    scale = np.where(inside, 1.0, friction * normal / np.where(size > 0.0, size, 1.0))
    return np.column_stack([normal, scale * load[:, 1], scale * load[:, 2]])


class ConeProblem:
    """One problem; `directions` fixes the slip of contacts that move already.

    Parameters
    ----------
    A : ndarray, shape (3 k, 3 k)
        Motions for unit loads, J M^-1 J^T: symmetric, positive semi-definite.
    b : ndarray, shape (3 k,)
        Motions without loads.
    friction : ndarray, shape (k,)
    sliding : ndarray of bool, shape (k,), optional
        Contacts that slip along `directions` (unit, shape (k, 2)), whatever u_t is: l_t = -mu l_n d.
    """

    def __init__(
        self,
        A: FloatArray,
        b: FloatArray,
        friction: FloatArray,
        sliding: Mask | None = None,
        directions: FloatArray | None = None,
    ) -> None:
        k = len(friction)
        self.A, self.b, self.friction, self.count = A, b, friction, k
        self.sliding = np.zeros(k, dtype=bool) if sliding is None else sliding
        self.directions = np.zeros((k, 2)) if directions is None else directions
        keep = np.ones((k, 3), dtype=bool)
        keep[self.sliding, 1:] = False
        self.rows = np.flatnonzero(keep.ravel())
        self.expand = load_map(self.friction, self.sliding, self.directions)
        self.W = A[self.rows] @ self.expand
        self.c = b[self.rows]
        blocks = np.einsum("iaia->i", A.reshape(k, 3, k, 3))
        self.rate = 3.0 / np.where(blocks > 0.0, blocks, 1.0)
        place = np.cumsum(keep.ravel()) - 1
        self.normal = place.reshape(k, 3)[:, 0]
        self.tangent = place.reshape(k, 3)[:, 1:][~self.sliding]

    def solve(self, guess: FloatArray | None = None) -> ConeSolution:
        """Newton's method on the equations of Alart and Curnier 1991, and projected sweeps where it stalls."""
        if self.count == 0:
            none = np.zeros((0, 3))
            return ConeSolution(none, none, np.zeros(0, dtype=bool), np.zeros(0, dtype=bool), 0.0)
        start = -np.linalg.lstsq(self.W, self.c, rcond=RANK_TOLERANCE)[0] if guess is None else guess.ravel()[self.rows]
        x = self._project(np.asarray(start, dtype=float))
        best = self._solution(x)
        sound = bool(np.all(self.W[self.normal, self.normal][self.sliding] > 0.0))  # sweeps diverge in Painleve's case
        for attempt in range(_ATTEMPTS if sound else 1):
            if attempt == 1:
                x = self._raise_friction()
            elif attempt > 1:
                x = self._sweep(x, _SWEEPS * attempt)
            for weight in _RATE_FACTORS:  # the equations are the same for every rate r > 0, their basins are not
                found = self._solution(self._newton(x, weight))
                if found.residual < best.residual:
                    best = found
                if best.residual <= _SOLVED:
                    return best
        return best

    def _raise_friction(self) -> FloatArray:
        """Continuation from the problem without friction, which is convex."""
        friction, x = self.friction, np.zeros(len(self.rows))
        try:
            for share in np.linspace(0.0, 1.0, _CONTINUATION_STEPS + 1):
                self.friction = share * friction
                tries = [self._newton(x, weight) for weight in _RATE_FACTORS]
                x = min(tries, key=lambda y: float(np.linalg.norm(self._equations(y)[0])))
        finally:
            self.friction = friction
        return x

    def _parts(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The vectors w, sigma = x_n - r w_n, tau = x_t - r w_t and the radius of the disc of friction."""
        w = self.W @ x + self.c
        free = ~self.sliding
        sigma = x[self.normal] - self.rate * w[self.normal]
        tau = x[self.tangent] - self.rate[free, None] * w[self.tangent]
        return w, sigma, tau, self.friction[free] * np.maximum(sigma[free], 0.0)

    def _equations(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residuals of Alart and Curnier, and their derivative."""
        w, sigma, tau, radius = self._parts(x)
        m, free = len(x), ~self.sliding
        F, D = np.empty(m), np.eye(m)
        n, t, rate = self.normal, self.tangent, self.rate
        pressed = sigma > 0.0
        F[n] = np.where(pressed, rate * w[n], x[n])
        D[n[pressed]] = rate[pressed, None] * self.W[n[pressed]]
        size = np.hypot(tau[:, 0], tau[:, 1])
        held = (size <= radius) & pressed[free]
        slips = ~held & pressed[free]
        F[t] = x[t]
        F[t[held]] = rate[free][held, None] * w[t[held]]
        D[t[held]] = rate[free][held, None, None] * self.W[t[held]]
        for i in np.flatnonzero(slips):
            j = int(np.flatnonzero(free)[i])
            d = tau[i] / size[i]
            turn = radius[i] / size[i] * (np.eye(2) - np.outer(d, d))
            d_sigma = -rate[j] * self.W[n[j]]
            d_sigma[n[j]] += 1.0
            d_tau = -rate[j] * self.W[t[i]]
            d_tau[[0, 1], t[i]] += 1.0
            F[t[i]] = x[t[i]] - radius[i] * d
            D[t[i]] -= self.friction[j] * np.outer(d, d_sigma) + turn @ d_tau
        return F, D

    def _newton(self, x: FloatArray, weight: float) -> FloatArray:
        rate = self.rate
        self.rate = weight * rate
        try:
            return self._descend(x)
        finally:
            self.rate = rate

    def _descend(self, x: FloatArray) -> FloatArray:
        F, D = self._equations(x)
        size = float(np.linalg.norm(F))
        for _ in range(_NEWTON_STEPS):
            if size <= 1e-16 * max(float(np.linalg.norm(x)), 1e-300):
                break
            step = np.linalg.lstsq(D, F, rcond=RANK_TOLERANCE)[0]
            scale, best = 1.0, None
            for _ in range(6):
                trial = x - scale * step
                F_trial, D_trial = self._equations(trial)
                new = float(np.linalg.norm(F_trial))
                if best is None or new < best[0]:
                    best = (new, trial, F_trial, D_trial)
                if new < (1.0 - 0.1 * scale) * size:
                    break
                scale *= 0.5
            assert best is not None
            if best[0] >= size:
                break
            size, x, F, D = best
        return x

    def _sweep(self, x: FloatArray, sweeps: int) -> FloatArray:
        """Projected Gauss-Seidel with the term mu |u_t| of de Saxce and Feng 1998."""
        load = (self.expand @ x).reshape(-1, 3)
        u = (self.A @ load.ravel() + self.b).reshape(-1, 3)
        for _ in range(sweeps):
            for i in range(self.count):
                if self.sliding[i]:
                    n = self.normal[i]
                    gain = max(float(self.W[n, n]), 1e-2 / self.rate[i])
                    normal = max(load[i, 0] - u[i, 0] / gain, 0.0)
                    new = normal * np.r_[1.0, -self.friction[i] * self.directions[i]]
                else:
                    shift = np.array([self.friction[i] * np.hypot(u[i, 1], u[i, 2]), 0.0, 0.0])
                    # The largest eigenvalue of the block is at most its trace: the step is safe.
                    new = project_on_cones(
                        (load[i] - self.rate[i] / 3.0 * (u[i] + shift))[None], self.friction[i : i + 1]
                    )[0]
                change = new - load[i]
                load[i] = new
                u += (self.A[:, 3 * i : 3 * i + 3] @ change).reshape(-1, 3)
        return np.asarray(load.ravel()[self.rows])

    def _project(self, x: FloatArray) -> FloatArray:
        load = np.zeros(3 * self.count)
        load[self.rows] = x
        cone = project_on_cones(load.reshape(-1, 3), np.where(self.sliding, 0.0, self.friction))
        return np.asarray(cone.ravel()[self.rows])

    def _solution(self, x: FloatArray) -> ConeSolution:
        load = (self.expand @ x).reshape(-1, 3)
        motion = (self.A @ load.ravel() + self.b).reshape(-1, 3)
        residual = cone_residual(load, motion, self.friction, self.rate, self.sliding)
        _, sigma, tau, radius = self._parts(x)
        loaded = sigma > 0.0
        stick = np.zeros(self.count, dtype=bool)
        stick[~self.sliding] = np.hypot(tau[:, 0], tau[:, 1]) <= radius
        return ConeSolution(load, motion, loaded, stick & loaded, residual)


def load_map(friction: FloatArray, sliding: Mask, directions: FloatArray) -> FloatArray:
    """Matrix from the unknowns (three a contact, one where it slides: the normal) to loads, shape (3 k, m)."""
    k = len(friction)
    width = np.where(sliding, 1, 3)
    start = np.cumsum(width) - width
    expand = np.zeros((3 * k, int(width.sum())))
    normal = np.arange(k)
    expand[3 * normal, start] = 1.0
    for axis in (1, 2):
        free = normal[~sliding]
        expand[3 * free + axis, start[free] + axis] = 1.0
        slides = normal[sliding]
        expand[3 * slides + axis, start[slides]] = -friction[slides] * directions[slides, axis - 1]
    return expand


def cone_residual(
    load: FloatArray, motion: FloatArray, friction: FloatArray, rate: FloatArray, sliding: Mask | None = None
) -> float:
    """Largest deviation from complementarity, as a load, relative to the largest load (or what would be one).

    max |l - P_K(l - r (u + mu |u_t| n))|, zero exactly for loads and motions that obey the law.
    """
    if len(load) == 0:
        return 0.0
    lifted = motion.copy()
    lifted[:, 0] += friction * np.hypot(motion[:, 1], motion[:, 2])
    natural = load - project_on_cones(load - rate[:, None] * lifted, friction)
    if sliding is not None and sliding.any():
        n = load[sliding, 0]
        natural[sliding] = 0.0
        natural[sliding, 0] = n - np.maximum(n - rate[sliding] * motion[sliding, 0], 0.0)
    scale = max(float(np.abs(load).max()), 1e-300)
    moved = float(np.abs(rate[:, None] * motion).max())
    return float(np.abs(natural).max()) / max(scale, moved)
