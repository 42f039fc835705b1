"""The extended Newton-Euler method as Feng et al. 2015 wrote it down: everything by calls of inverse dynamics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import body_wrenches, frame_velocity, gravity_force, inverse_dynamics, jacobian, jacobian_dot_v
from tarsus.errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    from tarsus.model import Model

_LEVEL_AXIS = 1
"""The foot pitches about y of the world, the axis of all joints of the legs."""


@dataclass(frozen=True, eq=False)
class ContactingMotion:
    """What `extended_newton_euler` returns.

    Attributes
    ----------
    vdot : ndarray, shape (nv,)
    normal_force : float
        f_n of the ground on the heel or toe [N]; one that pulls (below 0) means that the contact opens.
    friction_force : float
        f_t = K f_n against the motion [N].
    moment : float
        tau_n of the ground on a foot that is held flat, about +y [N m]; 0 otherwise.
    """

    vdot: FloatArray
    normal_force: float
    friction_force: float
    moment: float


def extended_newton_euler(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    *,
    contact: str | None = None,
    friction: float = 0.0,
    flat: bool = False,
) -> ContactingMotion:
    """Accelerations of a robot whose heel or toe slides along the floor z = 0, Feng et al. 2015 (24) to (37).

    A short reference beside `rigid_dynamics`, which finds out by itself what sticks, slips and opens, for any number of
    contacts: here the state of the foot is given, and every quantity is a call of inverse dynamics INV(q, q', q'', g,
    f_n, K): b, the columns of M, j_c and j_t, and b_n in (29).

    Deviations from the paper: the direction of slip is that of r' at the state, which (26) and (27) lose with their
    zero velocity; the row of C2 is not divided by |dC2/dq| as in (36), so that tau_n is a moment.

    Parameters
    ----------
    q, v, tau : array_like, shapes (nq,), (nv,) and (nv,)
    contact : str, optional
        Frame of the heel or toe on the floor, C1 = its height (33); none is on it by default: (32).
    friction : float
        K of f_t = K f_n, 0 to 1.
    flat : bool
        Whether the foot is on the floor with all of its sole: C2 = its angle about y.

    Returns
    -------
    ContactingMotion

    Raises
    ------
    ArgumentError
        Where K > 0 and the foot does not slide, so that friction has no direction; or where A of (20) is not positive
        (Painleve's case: f_n and the motion do not determine each other).
    """
    q, v, tau = (np.asarray(x, dtype=float) for x in (q, v, tau))
    if q.shape != (model.nq,) or v.shape != (model.nv,) or tau.shape != (model.nv,):
        raise ShapeError(
            f"q, v, tau have shapes {q.shape}, {v.shape}, {tau.shape}; "
            f"expected ({model.nq},), ({model.nv},) and ({model.nv},)"
        )
    if not 0.0 <= friction <= 1.0:
        raise ArgumentError(f"friction is {friction!r}; expected K from 0 to 1")
    if contact is None and (friction or flat):
        raise ArgumentError(f"friction is {friction!r} and flat {flat!r} without a contact; expected its frame")
    if contact is None:
        slip = np.zeros(3)
    else:
        slip = _direction(frame_velocity(model, q, v, contact)[:3], friction)

    def inverse(
        v: FloatArray, vdot: FloatArray, gravity: bool, f_n: float, K: float, moment: float = 0.0
    ) -> FloatArray:
        """INV of (25), the recursions (2) to (9) with the wrench (6) of the floor on the foot."""
        wrench = np.concatenate([[0.0, 0.0, f_n] - K * f_n * slip, np.zeros(3)])
        wrench[3 + _LEVEL_AXIS] = moment
        external = None if contact is None else body_wrenches(model, q, {contact: wrench})
        needed = inverse_dynamics(model, q, v, vdot, external, "recursive", passive=bool(v.any()))
        return np.asarray(needed if gravity else needed - gravity_force(model, q))

    rest = np.zeros(model.nv)
    b = inverse(v, rest, True, 0.0, friction)
    M = np.stack([inverse(rest, e, False, 0.0, friction) for e in np.eye(model.nv)], axis=-1)
    if contact is None:
        return ContactingMotion(np.asarray(np.linalg.solve(M, tau - b), dtype=float), 0.0, 0.0, 0.0)

    j_c = inverse(rest, rest, False, -1.0, 0.0)  # (26)
    j_t = j_c - inverse(rest, rest, False, -1.0, 1.0)  # (27), (28)
    J, bias = jacobian(model, q, contact), jacobian_dot_v(model, q, v, contact)
    rows = [2, 3 + _LEVEL_AXIS] if flat else [2]  # C1 and C2 of (33)
    forces = [j_c - friction * j_t] + [-inverse(rest, rest, False, 0.0, 0.0, 1.0)] * flat
    # (37) with q'' of (34): A f = -(C_q M^-1 (tau - b) + C_qq q' q'), (13) to (21) for one or two constraints.
    solved = np.linalg.solve(M, np.column_stack([tau - b, *forces]))
    A = J[rows] @ solved[:, 1:]
    if A[0, 0] <= 0.0 or np.linalg.det(A) <= 0.0:
        raise ArgumentError(f"A of {contact!r} is {A.ravel()}; expected a positive one: this is Painleve's case")
    f = np.linalg.solve(A, -(J[rows] @ solved[:, 0] + bias[rows]))
    moment = float(f[1]) if flat else 0.0
    b_n = inverse(v, rest, True, float(f[0]), friction, moment)
    vdot = np.asarray(np.linalg.solve(M, tau - b_n), dtype=float)  # (29)
    return ContactingMotion(vdot, float(f[0]), friction * float(f[0]), moment)


def _direction(velocity: FloatArray, friction: float) -> FloatArray:
    """R' / |r'| along the floor, shape (3,)."""
    along = np.array([velocity[0], velocity[1], 0.0])
    speed = float(np.linalg.norm(along))
    if speed == 0.0 and friction > 0.0:
        raise ArgumentError("the contact does not slide, so that friction above 0 has no direction")
    return along / speed if speed > 0.0 else along
