"""Impacts on rigid ground: several at once, with restitution and friction, never with a gain of energy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import Contactor
from tarsus.contact.ground import Ground
from tarsus.contact.rigid.touch_points import Touch, TouchPoints
from tarsus.errors import ShapeError
from tarsus.optimization.cone_problem import RANK_TOLERANCE, ConeProblem, Mask

if TYPE_CHECKING:
    from tarsus.model import Model

PLASTIC_SPEED = 1e-4
"""Slower impacts are plastic [m/s], so that bouncing comes to an end."""
_HALVINGS = 20
"""Bisections for the largest restitution that adds no energy."""
_SOLVED = 1e-10
"""Residual of complementarity up to which there is a solution, relative to the largest impulse."""


@dataclass(frozen=True)
class ImpactLoads:
    """Impulses of k points in contact axes.

    Attributes
    ----------
    impulse : ndarray, shape (k, 3)
        [N s].
    after : ndarray, shape (k, 3)
        Velocities after the impact [m/s].
    loss : float
        Energy lost, not negative [J].
    restitution : float
        Part of the coefficients of restitution that was used: less than 1 where all of it would have added energy.
    residual : float
    """

    impulse: FloatArray
    after: FloatArray
    loss: float
    restitution: float
    residual: float


def solve_impact(touch: Touch, A: FloatArray) -> ImpactLoads:
    """Impulses of points on the ground, those included that are at rest there.

    Newton's law u_n+ >= -e u_n-, with equality where an impulse acts, and Coulomb's with the velocity u_t+ after the
    impact. Restitution with friction can add energy (Kane and Levinson 1985), and corners of one foot of which some
    approach and some leave may ask for rebounds that contradict one another; e is then scaled down until the energy
    stays and there is a solution. With e = 0 there is one, and T+ - T- = l_t . u_t+ - l^T A l / 2 <= 0.
    """
    before = touch.velocity
    bounce = np.where(before[:, 0] < -PLASTIC_SPEED, touch.restitution * before[:, 0], 0.0)

    def attempt(scale: float) -> ImpactLoads:
        b = before.copy()
        b[:, 0] += scale * bounce
        found = ConeProblem(A, b.ravel(), touch.friction).solve()
        after = found.motion.copy()
        after[:, 0] -= scale * bounce
        loss = -0.5 * float(np.sum(found.load * (before + after)))
        return ImpactLoads(found.load, after, loss, scale, found.residual)

    whole = attempt(1.0)
    energy = 0.5 * float(np.abs(np.sum(whole.impulse * before)))
    if whole.loss >= -1e-12 * energy and whole.residual <= _SOLVED:
        return whole
    low, high, best = 0.0, 1.0, attempt(0.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        found = attempt(middle)
        if found.loss >= 0.0 and found.residual <= _SOLVED:
            low, best = middle, found
        else:
            high = middle
    return best


def stop_slips(touch: Touch, A: FloatArray, stop: Mask) -> ImpactLoads | None:
    """The impact without collision of Painleve's case: slips in `stop` end at once.

    All points are closed and have no normal velocity. Those of `stop` get the impulse that ends their slip, and so do
    points at rest; None where that impulse is outside a cone.
    """
    keep = np.ones((touch.count, 3), dtype=bool)
    still = np.hypot(touch.velocity[:, 1], touch.velocity[:, 2]) < 1e-7
    keep[~(stop | still), 1:] = False
    rows = np.flatnonzero(keep.ravel())
    impulse = np.zeros(3 * touch.count)
    impulse[rows] = -np.linalg.lstsq(A[np.ix_(rows, rows)], touch.velocity.ravel()[rows], rcond=RANK_TOLERANCE)[0]
    load = impulse.reshape(-1, 3)
    size = np.hypot(load[:, 1], load[:, 2])
    after = (A @ impulse).reshape(-1, 3) + touch.velocity
    if np.any(load[:, 0] < 0.0) or np.any(size[stop] > touch.friction[stop] * load[stop, 0] * (1 + 1e-9)):
        return None
    return ImpactLoads(load, after, -0.5 * float(np.sum(load * (touch.velocity + after))), 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class RigidImpact:
    """What `rigid_impact` returns, for nc contacts.

    Attributes
    ----------
    v : ndarray, shape (nv,)
        Velocities after the impact.
    contacts : tuple of str
        Names.
    impulse : ndarray, shape (nc, 3)
        On the robot, world axes [N s]; zero where nothing touches.
    loss : float
        Energy lost [J].
    restitution : float
        Part of the coefficients of restitution that was used, 0 to 1.
    residual : float
        Residual of complementarity and of the friction law, relative to the largest impulse.
    """

    v: FloatArray
    contacts: tuple[str, ...]
    impulse: FloatArray
    loss: float
    restitution: float
    residual: float


def rigid_impact(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    ground: Ground,
    contacts: Iterable[Contactor] | None = None,
    reach: float = 1e-6,
) -> RigidImpact:
    """Velocities after the impact of all points that touch the ground.

    M (v+ - v) = sum J^T p, with Newton's restitution u_n+ = -e u_n- where an impulse acts, never less than that, and
    impulses within the friction cones, opposite to the slip that is left. Closed contacts take part. The energy never
    grows: where Newton's restitution would add some (slip that changes its direction), it is scaled down.

    Parameters
    ----------
    q, v : array_like, shape (nq,) and (nv,)
        State before the impact.
    ground : Ground
        Ground with the law `Rigid` on every surface.
    contacts : iterable of ContactPoint, ContactEdge, Sole, optional
        Found from the collision shapes by default.
    reach : float
        Points with a gap up to this touch [m].

    Returns
    -------
    RigidImpact
    """
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    if q.shape != (model.nq,) or v.shape != (model.nv,):
        raise ShapeError(f"q, v have shapes {q.shape}, {v.shape}; expected ({model.nq},) and ({model.nv},)")
    points = TouchPoints(model, ground, contacts)
    touch = points.touch(q, v, np.flatnonzero(points.gaps(q) <= reach))
    Y, A = touch.response(model, q)
    found = solve_impact(touch, A)
    impulse = np.zeros((points.count, 3))
    impulse[touch.index] = touch.world(found.impulse)
    return RigidImpact(
        v=v + Y @ found.impulse.ravel(),
        contacts=points.names,
        impulse=impulse,
        loss=found.loss,
        restitution=found.restitution,
        residual=found.residual,
    )
