"""Velocity-level inverse kinematics: joint velocities that follow tasks (Buschmann 2014, 5.1.2 and 5.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray
from tarsus.errors import ArgumentError, ShapeError, SingularityError, UnknownNameError, nearest
from tarsus.ik.position.answer import shaped
from tarsus.ik.velocity.closed_loop import desired_velocity, stacked_jacobian, warn_of_gains
from tarsus.ik.velocity.damped import adaptive_damping, damped_velocity
from tarsus.ik.velocity.inequality import Inequality
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.klein_huang import klein_huang_velocity
from tarsus.ik.velocity.levels import Wishes, as_avoidance, as_inequalities, as_levels, as_limits, is_ranked
from tarsus.ik.velocity.nullspace import Objectives, as_objectives, weights_and_gradient
from tarsus.ik.velocity.pseudoinverse import pseudoinverse_velocity
from tarsus.ik.velocity.ranked import AT_BOUND, FOLLOWED, HELD_BACK
from tarsus.ik.velocity.ranked_batch import RankedOptions, ranked_batch
from tarsus.ik.velocity.transposed import transposed_velocity
from tarsus.ik.velocity.weighting import LowRankWeights, scaled_rows
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks import Task
from tarsus.tasks.task import as_tasks

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel
    from tarsus.ik.velocity.avoidance import Avoidance

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
        That was used; zero away from singularities. Of levels, which are damped one by one, it is zero.
    status : str, or ndarray of str, shape (...)
        "followed": the tasks (of the first level) move as they ask; "held back": less, by limits, other tasks or a
        singularity; "infeasible": rows that must hold cannot, and v misses them as little as possible; "failed": a
        program could not be solved, and v is zero.
    residuals : tuple of float, or ndarray, shape (..., n)
        Largest miss of each task and inequality in the order in which they were given, level by level.
    active : tuple of str, or ndarray of tuples, shape (...)
        Limits, distances and other inequalities that must hold and are at a bound.
    conflict : tuple of str, or ndarray of tuples, shape (...)
        Rows that cannot hold together.
    """

    v: FloatArray
    wanted: FloatArray
    missed: Any
    damping: Any
    status: Any = FOLLOWED
    residuals: Any = ()
    active: Any = ()
    conflict: Any = ()

    @property
    def reason(self) -> str:
        """The outcome in a sentence."""
        if np.ndim(self.missed) > 0:
            kinds, counts = np.unique(np.ravel(self.status).astype(str), return_counts=True)
            return ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts, strict=True))
        if self.conflict:
            return f"{self.status}: {'; '.join(self.conflict)} cannot hold together"
        if self.active:
            return f"{self.status}, at bounds: {'; '.join(self.active)}"
        return f"{self.status}: {self.missed:.3g} of what the tasks ask for is missed"


def velocity(
    model: Model,
    tasks: Wishes,
    q: npt.ArrayLike,
    *,
    method: VelocityMethod = "damped",
    gradient: npt.ArrayLike | None = None,
    objectives: Objectives = (),
    weights: npt.ArrayLike | None = None,
    dt: float | None = None,
    limits: bool | Limits | None = None,
    collision: CollisionModel | Avoidance | None = None,
    inequalities: Inequality | Sequence[Inequality] = (),
    v_previous: npt.ArrayLike | None = None,
) -> VelocityAnswer:
    """Joint velocities with which tasks move to their targets and follow them.

    J v = velocity of the target + gain * error (5.5); of all such velocities that with the least v^T W v (5.6), or with
    the least v^T W v / 2 + gradient . v (5.7).

    Parameters
    ----------
    tasks : Task, sequence, or sequence of sequences
        Tasks; or levels of them, the most important one first: ``[[feet], [hand, head], [posture]]``. Levels hold tasks
        and inequalities (`Within`, `Avoidance`, `LinearInequality`, `Limits`), and one never disturbs those before it.
    q : array_like, shape (..., nq)
        Batch axes broadcast against those of targets.
    method : str
        "damped" (5.22) with damping near singularities only; "klein-huang", algorithm 10, and "pseudoinverse" (5.14),
        which are the same without damping and refuse singular Jacobians; "transposed" (5.24), which knows no gradient.
    gradient : array_like, shape (..., nv), optional
        Of an objective that shall fall where the tasks leave room, times its weight alpha (5.7).
    objectives : objective or sequence of them
        Of `tarsus.ik.objectives`: their gradients are added to `gradient`; one of angular momentum changes W (5.62).
    weights : array_like, shape (nv,), optional
        W, the diagonal; ones by default.
    dt : float, optional
        Step with which v will be integrated [s]; gains that are too large for it are warned of. Limits need it.
    limits : bool or Limits, optional
        True for the limits of the model; they hold before everything else.
    collision : CollisionModel or Avoidance, optional
        Distances that are kept before all tasks.
    inequalities : sequence of Inequality
        Others that hold before all tasks.
    v_previous : array_like, shape (..., nv), optional
        Velocity of the step before, for limits of acceleration.

    Returns
    -------
    VelocityAnswer

    Raises
    ------
    SingularityError
        From methods without damping, where tasks cannot be followed in all directions.
    """
    held = as_inequalities(inequalities)
    own, avoidance = as_limits(limits), as_avoidance(collision)
    if dt is not None and not (np.isfinite(dt) and dt > 0):
        raise ArgumentError(f"dt is {dt!r}; expected a number above 0 [s]")
    if method not in get_args(VelocityMethod):
        raise UnknownNameError(f"method {method!r} of velocity not found{nearest(method, get_args(VelocityMethod))}")
    if model.nv == 0:
        raise ArgumentError(f"model {model.name!r} has no freedoms; expected at least one")
    W, z = weights_and_gradient(model, q, objectives, _weights(model, weights), _gradient(model, gradient))
    if is_ranked(tasks) or own is not None or avoidance is not None or held:
        if method != "damped":
            raise ArgumentError(f"method is {method!r}; expected 'damped' where there are levels or inequalities")
        if isinstance(W, LowRankWeights):
            raise ArgumentError(
                "objectives: AngularMomentum cannot be weighed beside levels or inequalities; make "
                "tarsus.tasks.Momentum the last level instead"
            )
        before = held if avoidance is None else (avoidance, *held)
        return _ranked(model, tasks, q, W, z, RankedOptions(own, before, dt, v_previous))
    tasks = as_tasks(tasks)
    if dt is not None:
        warn_of_gains(tasks, dt)
    w, J = desired_velocity(model, tasks, q), stacked_jacobian(model, tasks, q)
    batch = np.broadcast_shapes(w.shape[:-1], J.shape[:-2], z.shape[:-1])
    J = np.broadcast_to(J, (*batch, *J.shape[-2:]))
    w, z = np.broadcast_to(w, (*batch, w.shape[-1])), np.broadcast_to(z, (*batch, model.nv))
    k = np.zeros(batch)
    if method == "transposed":
        if gradient is not None or as_objectives(objectives):
            raise ArgumentError("gradient, objectives: the method 'transposed' follows none; 'damped' does")
        v = transposed_velocity(J, w, W)
    elif method == "damped":
        k = adaptive_damping(scaled_rows(J, W))
        v = damped_velocity(J, w, W, z, k)
    else:
        _refuse_singular(scaled_rows(J, W))
        v = (klein_huang_velocity if method == "klein-huang" else pseudoinverse_velocity)(J, w, W, z)
    missed = np.abs(w - (J @ v[..., None])[..., 0])
    ends = np.cumsum([task.rows(model) for task in tasks])[:-1]
    residuals = np.stack([part.max(axis=-1, initial=0.0) for part in np.split(missed, ends, axis=-1)], axis=-1)
    most = missed.max(axis=-1)
    status = np.where(most > AT_BOUND * (1.0 + np.abs(w).max(axis=-1)), HELD_BACK, FOLLOWED).astype(object)
    told = residuals if batch else tuple(residuals.tolist())
    return VelocityAnswer(v, w, shaped(most, batch), shaped(k, batch), shaped(status, batch), told)


def _ranked(
    model: Model, tasks: Wishes, q: npt.ArrayLike, W: FloatArray, z: FloatArray, options: RankedOptions
) -> VelocityAnswer:
    """The answer of a hierarchy."""
    levels = as_levels(tasks)
    if options.dt is not None:
        warn_of_gains([item for level in levels for item in level if isinstance(item, Task)], options.dt)
    batch, found = ranked_batch(model, levels, q, W, z, options)

    def told(name: str) -> Any:
        return shaped(_objects([getattr(one, name) for one in found]), batch)

    def numbers(rows: Sequence[npt.ArrayLike], count: int) -> FloatArray:
        return np.array(rows, dtype=float).reshape(*batch, count)

    items = sum(len(level) for level in levels)
    residuals = numbers([one.residuals for one in found], items)
    most = np.array([max(one.residuals, default=0.0) for one in found])
    return VelocityAnswer(
        v=numbers([one.v for one in found], model.nv),
        wanted=numbers([one.wanted for one in found], len(found[0].wanted) if found else 0),
        missed=shaped(most, batch),
        damping=shaped(np.zeros(len(found)), batch),
        status=told("status"),
        residuals=residuals if batch else tuple(residuals.tolist()),
        active=told("active"),
        conflict=told("conflict"),
    )


def _objects(values: Sequence[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = value
    return array


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
