"""Accelerations and contact forces of a robot on rigid ground, by the extended Newton-Euler method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import Contactor
from tarsus.contact.ground import Ground
from tarsus.contact.rigid.modes import choose_modes, closed_motion
from tarsus.contact.rigid.touch_points import TouchPoints
from tarsus.dynamics import forward_dynamics
from tarsus.errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    from tarsus.model import Model

_SOLVED = 1e-8
"""Residual of complementarity above which there is no solution, relative to the largest force."""


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """What `rigid_dynamics` returns, for nc contacts.

    Attributes
    ----------
    vdot : ndarray, shape (nv,)
    contacts : tuple of str
        Names.
    mode : tuple of str
        "open", "stick" or "slip".
    force : ndarray, shape (nc, 3)
        On the robot, world axes [N].
    position : ndarray, shape (nc, 3)
        Points where they act, world [m]; zero for open contacts.
    gap : ndarray, shape (nc,)
        Distance from the ground [m].
    dof : int
        Degrees of freedom that are left: nv less the independent constraints.
    residual : float
        Residual of complementarity and of the friction law, relative to the largest force.
    painleve : tuple of str
        Slipping contacts with A <= 0 in Feng et al. 2015 (20).
    """

    vdot: FloatArray
    contacts: tuple[str, ...]
    mode: tuple[str, ...]
    force: FloatArray
    position: FloatArray
    gap: FloatArray
    dof: int
    residual: float
    painleve: tuple[str, ...]


def rigid_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike | None = None,
    *,
    ground: Ground,
    contacts: Iterable[Contactor] | None = None,
    external: npt.ArrayLike | None = None,
    passive: bool = True,
    reach: float = 1e-6,
) -> RigidMotion:
    """Accelerations and contact forces at a state, Feng et al. 2015 (10) to (29) for any number of contacts.

    M vdot + h + g + D v = tau + sum (J_n^T f_n + J_t^T f_t), where for every point on the ground either f = 0 and it
    moves away, or it sticks (|f_t| <= mu f_n, no acceleration) or slips (f_t = -mu f_n u_t / |u_t|, (10) with K = mu).
    Which one follows from complementarity with an exact friction cone.

    Parameters
    ----------
    q, v : array_like, shape (nq,) and (nv,)
    tau : array_like, shape (nv,), optional
        Zero by default.
    ground : Ground
        Ground with the law `Rigid` on every surface.
    contacts : iterable of ContactPoint, ContactEdge, Sole, optional
        Found from the collision shapes by default.
    external : array_like, shape (nb, 6), optional
        Wrenches on the bodies at their origins, world axes [N, N m].
    passive : bool
        Damping, friction and springs of joints, D of (10).
    reach : float
        Points with a gap up to this are on the ground [m], unless they move away faster than `reach` per second.

    Returns
    -------
    RigidMotion

    Raises
    ------
    ArgumentError
        If no forces obey the law: the case of Painleve. `simulate` treats it by an impact.
    """
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    if q.shape != (model.nq,) or v.shape != (model.nv,):
        raise ShapeError(f"q, v have shapes {q.shape}, {v.shape}; expected ({model.nq},) and ({model.nv},)")
    points = TouchPoints(model, ground, contacts)
    torque = np.zeros(model.nv) if tau is None else np.asarray(tau, dtype=float)
    free = forward_dynamics(model, q, v, torque, external, passive=passive)
    gap = points.gaps(q)
    touch = points.touch(q, v, np.flatnonzero(gap <= reach))
    touch = points.touch(q, v, touch.index[touch.velocity[:, 0] <= reach])
    _, A = touch.response(model, q)
    choice = choose_modes(touch, A, free)
    names = tuple(points.names[touch.index[i]] for i in choice.painleve)
    if choice.residual > _SOLVED:
        hint = f": Painleve's paradox at {', '.join(names)}" if names else ""
        raise ArgumentError(f"no contact forces obey the law (residual {choice.residual:.1e}){hint}")
    modes = choice.modes
    closed = points.touch(q, v, modes.index)
    Y, A = closed.response(model, q)
    motion = closed_motion(closed, Y, A, free, modes, share=True, last=choice.load)
    mode = ["open"] * points.count
    force, position = np.zeros((points.count, 3)), np.zeros((points.count, 3))
    for i, stick in zip(modes.index, modes.stick, strict=True):
        mode[i] = "stick" if stick else "slip"
    force[modes.index], position[modes.index] = closed.world(motion.load), closed.point
    return RigidMotion(
        vdot=motion.vdot,
        contacts=points.names,
        mode=tuple(mode),
        force=force,
        position=position,
        gap=gap,
        dof=model.nv - motion.rank,
        residual=choice.residual,
        painleve=names,
    )
