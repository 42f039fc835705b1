"""Inverse dynamics of a floating base: joint accelerations are given, the base accelerates as it must."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.dynamics._arguments import prepare
from tarsus.dynamics.inverse import inverse_dynamics
from tarsus.dynamics.jacobians import jacobian
from tarsus.dynamics.kinematics import frame_pose
from tarsus.dynamics.momentum import center_of_mass, momentum_matrix
from tarsus.errors import ArgumentError, MasslessJointError, NonFiniteError
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.spatial.pose import FloatArray


class FloatingInverseDynamics(NamedTuple):
    """Motion of the base and forces of the joints.

    Attributes
    ----------
    base_acceleration : ndarray, shape (..., n0)
        The first entries of vdot: 6 for a free base, 3 for a planar one.
    joint_torque : ndarray, shape (..., nv - n0)
        The other entries of tau [N m or N]; those of the base are zero.
    """

    base_acceleration: FloatArray
    joint_torque: FloatArray


def floating_inverse_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    joint_acceleration: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    *,
    passive: bool = False,
    threads: int = 1,
) -> FloatingInverseDynamics:
    """Base acceleration and joint torques of a given joint motion, where nothing drives the base.

    Shah, Saha and Dutt section 3.2, in O(n):

    1. the generalised forces -phi~ of the motion with a base that does not accelerate, by the recursive method;
    2. the n0 x n0 block I_0 of the generalised inertia matrix that belongs to the base, from the momentum of the
       whole robot;
    3. base acceleration I_0^-1 phi~_0 (21), and the joint torques of the complete motion.

    Deviations from the paper: step 1 counts the weights, which are missing in its w*; phi contains C v of all
    coordinates, not of the joints only.

    Parameters
    ----------
    model : Model
        With a free (n0 = 6) or planar (n0 = 3) base.
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    joint_acceleration : array_like, shape (..., nv - n0)
        vdot without the entries of the base.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, world axes: force [N], then moment [N m].
    passive : bool
        Count `passive_force`.
    threads : int
        Number of cores a batch may use.

    Returns
    -------
    FloatingInverseDynamics
        (base_acceleration, joint_torque).

    Raises
    ------
    ArgumentError
        Where the base is fixed: then nothing is unknown, and `inverse_dynamics` answers.
    MasslessJointError
        Where the base has no inertia to accelerate.
    """
    if model.base == "fixed":
        raise ArgumentError(
            f"floating_inverse_dynamics needs a base that moves, but that of {model.name!r} is fixed; "
            "use inverse_dynamics, or load with base='free' or base='planar'"
        )
    n0 = model.joints["base"].nv
    given = _finite(model, "joint_acceleration", joint_acceleration, model.nv - n0)
    vdot = np.zeros((*given.shape[:-1], model.nv))
    vdot[..., n0:] = given
    held = inverse_dynamics(model, q, v, vdot, external, passive=passive, threads=threads)
    I_0 = _base_inertia(model, q, n0, threads)
    try:
        base = np.asarray(-np.linalg.solve(I_0, held[..., :n0, None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise MasslessJointError(f"the base of {model.name!r} moves no inertia") from None
    vdot = np.concatenate([base, np.broadcast_to(given, (*base.shape[:-1], model.nv - n0))], axis=-1)
    tau = inverse_dynamics(model, q, v, vdot, external, passive=passive, threads=threads)
    return FloatingInverseDynamics(base, np.ascontiguousarray(tau[..., n0:]))


def _base_inertia(model: Model, q: npt.ArrayLike, n0: int, threads: int) -> FloatArray:
    """Block I_0 of (20): momentum of the whole robot per unit rate of the base, along the base's motions."""
    root = next(iter(model.bodies))
    J = jacobian(model, q, root, threads=threads)[..., :n0]
    to_center = center_of_mass(model, q, threads=threads) - frame_pose(model, q, root, threads=threads)[..., :3, 3]
    at_center = np.array(J)
    at_center[..., :3, :] -= skew(to_center) @ J[..., 3:, :]
    momenta = momentum_matrix(model, q, threads=threads)[..., :n0]
    block: FloatArray = np.swapaxes(at_center, -1, -2) @ momenta + np.diag(model.joints["base"].armature)
    return block


def _finite(model: Model, name: str, value: npt.ArrayLike, size: int) -> FloatArray:
    (array,) = prepare("floating_inverse_dynamics", model, [(name, value, (size,))])
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise NonFiniteError(f"{name} of floating_inverse_dynamics has the entry {array[tuple(where)]} at {where}")
    return array
