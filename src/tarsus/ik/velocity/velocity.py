"""Velocity-level inverse kinematics: joint velocities that follow tasks (Buschmann 2014, 5.1.2 and 5.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError, SingularityError, UnknownNameError, nearest
from tarsus.ik.position.answer import shaped
from tarsus.ik.velocity.closed_loop import desired_velocity, stacked_jacobian, warn_of_gains
from tarsus.ik.velocity.damped import adaptive_damping, damped_velocity
from tarsus.ik.velocity.klein_huang import klein_huang_velocity
from tarsus.ik.velocity.pseudoinverse import pseudoinverse_velocity
from tarsus.ik.velocity.transposed import transposed_velocity
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks import Task
from tarsus.tasks.task import as_tasks

VelocityMethod = Literal["damped", "klein-huang", "pseudoinverse", "transposed"]


@dataclass(frozen=True, slots=True, eq=False)
class VelocityAnswer:
    """Velocities that follow tasks.

    Attributes
    ----------
    v : ndarray, shape (..., nv)
    wanted : ndarray, shape (..., m)
        Velocities that the tasks ask for, gain times error included (5.5).
    missed : float, or ndarray, shape (...)
        Largest part of them that v does not give: damping near singularities, tasks that contradict each other.
    damping : float, or ndarray, shape (...)
        That was used; zero away from singularities.
    """

    v: FloatArray
    wanted: FloatArray
    missed: Any
    damping: Any


def velocity(
    model: Model,
    tasks: Task | Sequence[Task],
    q: npt.ArrayLike,
    *,
    method: VelocityMethod = "damped",
    gradient: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    dt: float | None = None,
) -> VelocityAnswer:
    """Joint velocities with which tasks move to their targets and follow them.

    J v = velocity of the target + gain * error (5.5); of all such velocities that with the least v^T W v (5.6), or with
    the least v^T W v / 2 + gradient . v (5.7).

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Batch axes broadcast against those of targets.
    method : str
        "damped" (5.22) with damping near singularities only; "klein-huang", algorithm 10, and "pseudoinverse" (5.14),
        which are the same without damping and refuse singular Jacobians; "transposed" (5.24), which knows no gradient.
    gradient : array_like, shape (..., nv), optional
        Of an objective that shall fall where the tasks leave room, times its weight alpha (5.7).
    weights : array_like, shape (nv,), optional
        W, the diagonal; ones by default.
    dt : float, optional
        Step with which v will be integrated [s]; gains that are too large for it are warned of.

    Returns
    -------
    VelocityAnswer

    Raises
    ------
    SingularityError
        From methods without damping, where tasks cannot be followed in all directions.
    """
    tasks = as_tasks(tasks)
    if dt is not None and not (np.isfinite(dt) and dt > 0):
        raise ArgumentError(f"dt is {dt!r}; expected a number above 0 [s]")
    if method not in get_args(VelocityMethod):
        raise UnknownNameError(f"method {method!r} of velocity not found{nearest(method, get_args(VelocityMethod))}")
    if dt is not None:
        warn_of_gains(tasks, dt)
    W, z = _weights(model, weights), _gradient(model, gradient)
    w, J = desired_velocity(model, tasks, q), stacked_jacobian(model, tasks, q)
    batch = np.broadcast_shapes(w.shape[:-1], J.shape[:-2], z.shape[:-1])
    J = np.broadcast_to(J, (*batch, *J.shape[-2:]))
    w, z = np.broadcast_to(w, (*batch, w.shape[-1])), np.broadcast_to(z, (*batch, model.nv))
    k = np.zeros(batch)
    if method == "transposed":
        if gradient is not None:
            raise ArgumentError("gradient: the method 'transposed' follows none; 'damped' does")
        v = transposed_velocity(J, w, W)
    elif method == "damped":
        k = adaptive_damping(J / np.sqrt(W))
        v = damped_velocity(J, w, W, z, k)
    else:
        _refuse_singular(J / np.sqrt(W))
        v = (klein_huang_velocity if method == "klein-huang" else pseudoinverse_velocity)(J, w, W, z)
    missed = np.abs(w - (J @ v[..., None])[..., 0]).max(axis=-1)
    return VelocityAnswer(v, w, shaped(missed, batch), shaped(k, batch))


SINGULAR = 1e-9
"""Smallest share of the largest singular value with which methods without damping are content."""


def _refuse_singular(J: FloatArray) -> None:
    values = np.linalg.svd(J, compute_uv=False)
    if J.shape[-2] > J.shape[-1] or (values[..., -1] <= SINGULAR * values[..., 0]).any():
        raise SingularityError(
            f"tasks of {J.shape[-2]} rows cannot all be followed here: singular values from {values[..., 0].max():.3g} "
            f"down to {values[..., -1].min():.3g}; method='damped' takes the nearest motion"
        )


def _weights(model: Model, weights: npt.ArrayLike | None) -> FloatArray:
    W = np.ones(model.nv) if weights is None else as_array(weights, "weights")
    if W.shape != (model.nv,):
        raise ShapeError(f"weights: found shape {W.shape}, expected ({model.nv},)")
    if (W <= 0).any():
        raise ArgumentError(f"weights: found {W.min():g}, expected numbers above 0")
    return W


def _gradient(model: Model, gradient: npt.ArrayLike | None) -> FloatArray:
    z = np.zeros(model.nv) if gradient is None else as_array(gradient, "gradient")
    if z.shape[-1:] != (model.nv,):
        raise ShapeError(f"gradient: found shape {z.shape}, expected (..., {model.nv})")
    return z
