"""Modes of contacts (closed, sticking, slipping), and forces and accelerations while they do not change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.touch_points import Indices, Touch
from tarsus.optimization.cone_problem import RANK_TOLERANCE, ConeProblem, ConeSolution, Mask, load_map, project_on_cones

STICK_SPEED = 1e-4
"""A point slower than this may stick, and begins to slip in the direction of its acceleration [m/s]."""
CONE_TOLERANCE = 1e-9
"""Forces may leave their cones by this part of their sum before the modes are chosen anew."""
_OPENING_ACCELERATION = 1e-10
"""A point that carries nothing stays closed below this acceleration away from the ground [m/s^2], relative to 1 + free
acceleration: points that touch although others carry the load."""
_SLIP_ONSET = 1e-11
"""A point slips that accelerates by more than this part of what the sum of all forces would do to it."""
_PROJECTIONS = 300
"""Projections in turn onto cones and equal accelerations before a load counts as one that cannot be shared."""


@dataclass(frozen=True)
class Modes:
    """Closed points and how they move; every other point is open.

    Attributes
    ----------
    index : ndarray of int, shape (k,)
        Closed points.
    stick : ndarray of bool, shape (k,)
        Without slip.
    direction : ndarray, shape (k, 3)
        Unit vectors of slip, world axes; zero where a point sticks.
    """

    index: Indices
    stick: Mask
    direction: FloatArray

    @classmethod
    def none(cls) -> Modes:
        """Everything is open."""
        return cls(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool), np.zeros((0, 3)))

    def same_as(self, other: Modes) -> bool:
        """Whether the same points are closed and stick."""
        return np.array_equal(self.index, other.index) and np.array_equal(self.stick, other.stick)


@dataclass(frozen=True)
class ClosedMotion:
    """Forces and accelerations with given modes.

    Attributes
    ----------
    load : ndarray, shape (k, 3)
        Forces in contact axes [N].
    vdot : ndarray, shape (nv,)
    rank : int
        Independent constraints: the degrees of freedom are nv less so many.
    feasible : bool
        Whether normal forces push and sticking forces are within their cones, for some distribution of the load.
    """

    load: FloatArray
    vdot: FloatArray
    rank: int
    feasible: bool


def slip_directions(touch: Touch, modes: Modes) -> FloatArray:
    """Unit directions of slip in the tangential axes, shape (k, 2); zero where points stick.

    While a slip reverses within one step of an integrator, its direction is continued, not turned around: the moment
    of the reversal is an event.
    """
    reference = (touch.axes[:, 1:] @ modes.direction[:, :, None])[:, :, 0]
    u = touch.velocity[:, 1:]
    size = np.hypot(u[:, 0], u[:, 1])
    turned = (np.sum(u * reference, axis=1) < -0.9 * size) & (size > STICK_SPEED)  # around, not to the side
    sign = np.where(turned, -1.0, 1.0)
    weight = 3.0 * STICK_SPEED / (1.0 + (size / STICK_SPEED) ** 4)  # slow slips follow the reference: no jump at zero
    d = sign[:, None] * u + weight[:, None] * reference
    length = np.hypot(d[:, 0], d[:, 1])
    return np.where(modes.stick[:, None], 0.0, d / np.where(length > 0.0, length, 1.0)[:, None])


def closed_motion(
    touch: Touch,
    Y: FloatArray,
    A: FloatArray,
    free: FloatArray,
    modes: Modes,
    *,
    share: bool = False,
    last: FloatArray | None = None,
) -> ClosedMotion:
    """Accelerations and forces of closed points, Feng et al. 2015 (10) to (29) for any number of constraints.

    The normal accelerations of all closed points and the tangential ones of sticking points vanish; a slipping point
    has the friction f_t = -K f_n along its motion (10). With the map E from unknown forces x to all forces,

        S (J M^-1 J^T) E x = -S (J vdot_free + Jdot v),    vdot = vdot_free + M^-1 J^T E x,

    where S picks the rows of those accelerations: (21) and (29) for one point. Where points are redundant (four corners
    of a sole) x of least norm is taken, or one with all forces inside their cones if there is one. Where redundant
    points slip, accelerations depend on how they share the load: then x next to the forces `last` is taken.

    Parameters
    ----------
    Y, A : ndarray, shape (nv, 3 k) and (3 k, 3 k)
        Results of `Touch.response`.
    free : ndarray, shape (nv,)
        Accelerations without contact.
    share : bool
        Look for a distribution inside the cones where that of least norm is not.
    last : ndarray, shape (k, 3), optional
        Forces at the beginning of the motion with these modes.
    """
    k = touch.count
    if k == 0:
        return ClosedMotion(np.zeros((0, 3)), free, 0, True)
    sliding = ~modes.stick
    b = (touch.J @ free + touch.drift).ravel()
    if sliding.any():
        E = load_map(touch.friction, sliding, slip_directions(touch, modes))
        keep = np.ones((k, 3), dtype=bool)
        keep[sliding, 1:] = False
        rows = np.flatnonzero(keep.ravel())
        W = A[rows] @ E
    else:
        E, rows, W = np.eye(3 * k), np.arange(3 * k), A
    start = np.zeros(len(rows)) if last is None or not sliding.any() else last.ravel()[rows]
    step, _, rank, _ = np.linalg.lstsq(W, -b[rows] - W @ start, rcond=RANK_TOLERANCE)
    x = np.asarray(start + step, dtype=float)
    load = (E @ x).reshape(-1, 3)
    feasible = within_cones(load, touch.friction, sliding)
    redundant = rank < len(rows)
    if share and redundant and not feasible:
        load, feasible = _share(Y @ E, x, E, touch.friction, sliding, rows, last)
    return ClosedMotion(load, free + Y @ load.ravel(), int(rank), feasible)


def within_cones(load: FloatArray, friction: FloatArray, sliding: Mask) -> bool:
    """Whether all forces push and those of sticking points are in their cones, up to `CONE_TOLERANCE`."""
    slack = CONE_TOLERANCE * max(float(np.abs(load[:, 0]).sum()), 1e-9)
    if float(load[:, 0].min()) < -slack:
        return False
    size = np.hypot(load[:, 1], load[:, 2])
    return not bool(np.any((size > friction * load[:, 0] + slack) & ~sliding))


def _share(
    G: FloatArray,
    x: FloatArray,
    E: FloatArray,
    friction: FloatArray,
    sliding: Mask,
    rows: Indices,
    last: FloatArray | None,
) -> tuple[FloatArray, bool]:
    """Other forces x with the same accelerations G x that are in the cones, by projections in turn, or those given."""
    _, s, V = np.linalg.svd(G)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
    N = V[rank:]
    limit = np.where(sliding, 0.0, friction)

    def search(start: FloatArray) -> tuple[FloatArray, bool]:
        y, correction = start, np.zeros_like(start)
        for _ in range(_PROJECTIONS):
            full = np.zeros(E.shape[0])
            full[rows] = y + correction
            inside = project_on_cones(full.reshape(-1, 3), limit).ravel()[rows]
            correction = y + correction - inside  # Dykstra's correction: tends to the nearest solution
            y = x + N.T @ (N @ (inside - x))
            if within_cones((E @ y).reshape(-1, 3), friction, sliding):
                return y, True
        return y, False

    found, feasible = search(x)
    if not feasible and last is not None:
        near = last.ravel()[rows]
        found, feasible = search(x + N.T @ (N @ (near - x)))
    return (E @ (found if feasible else x)).reshape(-1, 3), feasible


@dataclass(frozen=True)
class Choice:
    """Modes that a state and its free accelerations lead to.

    Attributes
    ----------
    modes : Modes
    load : ndarray, shape (k, 3)
        Forces of the closed points in contact axes [N].
    residual : float
        Residual of complementarity, relative to the largest force.
    painleve : ndarray of int
        Slipping points for which no force, or more than one, obeys the law: A <= 0 in Feng et al. 2015 (20).
    solution : ConeSolution
        Forces and accelerations of all candidates.
    """

    modes: Modes
    load: FloatArray
    residual: float
    painleve: Indices
    solution: ConeSolution


def choose_modes(touch: Touch, A: FloatArray, free: FloatArray, guess: FloatArray | None = None) -> Choice:
    """Modes of candidates: points on the ground whose normal velocity is zero.

    Points faster than `STICK_SPEED` slip along their velocity; the others stick, begin to slip or open as the
    accelerations and forces of the cone problem say.
    """
    if touch.count == 0:
        empty = ConeProblem(A, np.zeros(0), np.zeros(0)).solve()
        return Choice(Modes.none(), np.zeros((0, 3)), 0.0, np.zeros(0, dtype=np.intp), empty)
    b = (touch.J @ free + touch.drift).ravel()
    u = touch.velocity[:, 1:]
    speed = np.hypot(u[:, 0], u[:, 1])
    sliding = (speed > STICK_SPEED) | (touch.friction == 0.0)
    directions = np.where(sliding[:, None], u / np.maximum(speed, STICK_SPEED)[:, None], 0.0)
    problem = ConeProblem(A, b, touch.friction, sliding, directions)
    found = problem.solve(guess)
    painleve = np.flatnonzero(sliding & (problem.W[problem.normal, problem.normal] <= 1e-9 / problem.rate))
    away = found.motion[:, 0] > _OPENING_ACCELERATION * (1.0 + np.abs(b[::3]))
    closed = found.loaded | ~away
    # A corner at the limit of its cone whose foot is held by others does not slip.
    speeding = np.hypot(found.motion[:, 1], found.motion[:, 2])
    begins_to = speeding > _SLIP_ONSET * float(np.abs(found.load).sum()) / problem.rate
    slips = sliding | (found.loaded & ~found.stick & begins_to)
    # A point that begins to slip moves against the friction that could not hold it.
    size = np.hypot(found.load[:, 1], found.load[:, 2])
    begins = -found.load[:, 1:] / np.where(size > 0.0, size, 1.0)[:, None]
    planar = np.where(sliding[:, None], directions, begins) * slips[:, None]
    world = np.einsum("kab,ka->kb", touch.axes[:, 1:], planar)
    modes = Modes(touch.index[closed], ~slips[closed], world[closed])
    return Choice(modes, found.load[closed], found.residual, painleve, found)
