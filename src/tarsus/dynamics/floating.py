"""Inverse dynamics of a floating base: joint accelerations are given, the base accelerates as it must."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

# (model, q, v, joint_acceleration, external, *, passive, out, threads) -> (..., nv): base acceleration, joint torques.
_stacked = cast(Callable[..., FloatArray], _native.function("floating_inverse_dynamics"))


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

    Shah, Saha and Dutt section 3.2, in O(n), native:

    1. the generalised forces -phi~ of the motion with a base that does not accelerate, by the recursive method;
    2. the n0 x n0 block I_0 of the generalised inertia matrix that belongs to the base, which is the inertia of the
       whole robot as one rigid body;
    3. base acceleration q0'' = I_0^-1 phi~_0 (21), and the joint torques I~ q0'' - phi~, where the rows of I~ q0''
       come from the inertia behind each joint.

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
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    FloatingInverseDynamics
        (base_acceleration, joint_torque), two views of one array.

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
    n0 = 6 if model.base == "free" else 3
    both = _stacked(model, q, v, joint_acceleration, external, passive=passive, threads=threads)
    return FloatingInverseDynamics(both[..., :n0], both[..., n0:])
