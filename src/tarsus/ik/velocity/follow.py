"""Motions that follow tasks: velocities integrated with steps that the error of the tasks controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray, IntArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.inequality import Inequality
from tarsus.ik.velocity.joint_limits import Limits, inside
from tarsus.ik.velocity.levels import Wishes, as_levels, as_limits
from tarsus.ik.velocity.nullspace import Objectives, split_objectives
from tarsus.ik.velocity.velocity import VelocityAnswer, VelocityMethod, velocity
from tarsus.model import Model
from tarsus.tasks import Task

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel
    from tarsus.ik.velocity.avoidance import Avoidance

MOST_PARTS = 256
"""Into which a step is divided at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A motion that was made by following tasks.

    Attributes
    ----------
    t : ndarray, shape (K,)
        [s].
    q : ndarray, shape (K, nq)
    v : ndarray, shape (K, nv)
        Velocities with which the next step begins.
    error : ndarray, shape (K,)
        Largest error of the tasks, of the first level where there are several [m, rad, ...].
    parts : ndarray of int, shape (K,)
        Into how many parts the step to each sample was divided.
    status : ndarray of str, shape (K,)
        Of the velocity at each sample, as `VelocityAnswer.status`.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    error: FloatArray
    parts: IntArray
    status: AnyArray


def follow(
    model: Model,
    tasks: Callable[[float], Wishes],
    q0: npt.ArrayLike,
    *,
    duration: float,
    dt: float = 1e-3,
    tolerance: float | None = None,
    method: VelocityMethod = "damped",
    gradient: Callable[[FloatArray], npt.ArrayLike] | None = None,
    objectives: Objectives = (),
    weights: npt.ArrayLike | None = None,
    limits: bool | Limits | None = None,
    collision: CollisionModel | Avoidance | None = None,
    inequalities: Inequality | Sequence[Inequality] = (),
) -> Path:
    """Closed-loop inverse kinematics over time (Buschmann 2014, figure 5.2).

    Parameters
    ----------
    tasks : callable
        ``tasks(t)`` gives the tasks at time t, with the velocities of their targets; or levels of them.
    q0 : array_like, shape (nq,)
    duration, dt : float
        [s]; samples are `dt` apart.
    tolerance : float, optional
        Growth of the largest error in one step [m, rad, ...] beyond which the step is divided, again and again
        (after Gupta and Kazerounian 1985); steps are not divided by default.
    method, weights, limits, collision, inequalities
        As for `velocity`. Motions begin at rest where accelerations are limited, and their steps are not divided.
    gradient : callable, optional
        ``gradient(q)``, shape (nv,): of an objective that shall fall in the nullspace.
    objectives : objective or sequence of them
        Of `tarsus.ik.objectives`. Their gradients are evaluated once a sample, filtered where they say so, and held
        while a step is divided.
    """
    check_durations(duration, dt, tolerance)
    if not callable(tasks):
        raise ArgumentError(f"tasks is {tasks!r}; expected a function of time that gives tasks")
    q = model.normalize(q0)
    if q.ndim != 1:
        raise ShapeError(f"q0: found shape {q.shape}, expected ({model.nq},)")

    own = as_limits(limits)
    if own is not None and own.acceleration is not None and tolerance is not None:
        raise ArgumentError("tolerance: limits of acceleration are those of whole steps, which cannot be divided")

    fall, of_velocities = split_objectives(objectives, dt)
    held = None if fall is None else fall(model, q)

    def v_at(t: float, q: FloatArray, step: float, before: FloatArray) -> VelocityAnswer:
        z = held if gradient is None else gradient(q) if held is None else np.add(held, gradient(q))
        return velocity(
            model, tasks(t), q, method=method, gradient=z, objectives=of_velocities, weights=weights, dt=step,
            limits=own, collision=collision, inequalities=inequalities, v_previous=before,
        )  # fmt: skip

    def stepped(t: float, q: FloatArray, v: FloatArray, division: int) -> FloatArray:
        """One step in equal parts, each by the velocity at its begin; v is that of the first."""
        part = dt / division
        for i in range(division):
            v = v if i == 0 and division == 1 else v_at(t + i * part, q, part, v).v
            there = model.integrate(q, v, part)
            q = there if own is None or not own.position else inside(model, q, there)
        return q

    count = round(duration / dt)
    t = np.array([k * dt for k in range(count + 1)])
    rows, errors, parts = [q], [_largest(model, tasks(0.0), q)], [1]
    answers = [v_at(0.0, q, dt, np.zeros(model.nv))]
    for k in range(count):
        division = 1
        while True:
            there = stepped(t[k], rows[-1], answers[-1].v, division)
            error = _largest(model, tasks(t[k + 1]), there)
            if tolerance is None or error <= errors[-1] + tolerance or division >= MOST_PARTS:
                break
            division *= 2
        rows.append(there)
        errors.append(error)
        parts.append(division)
        held = None if fall is None else fall(model, there)
        answers.append(v_at(t[k + 1], there, dt, answers[-1].v))
    status = np.array([answer.status for answer in answers], dtype=object)
    return Path(t, np.array(rows), np.array([a.v for a in answers]), np.array(errors), np.array(parts), status)


def check_durations(duration: float, dt: float, tolerance: float | None) -> None:
    """Refuse what is no duration, no step or no tolerance."""
    for name, value in (("duration", duration), ("dt", dt), ("tolerance", tolerance)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ArgumentError(f"{name} is {value!r}; expected a number above 0")
    if abs(duration / dt - round(duration / dt)) > 1e-6:
        raise ArgumentError(f"duration is {duration!r}; expected a multiple of dt = {dt!r}")


def _largest(model: Model, tasks: Wishes, q: FloatArray) -> float:
    model.joint_positions(q)  # raises where a loop cannot be closed, whatever the tasks are about
    first = [item for item in as_levels(tasks)[0] if isinstance(item, Task)]
    return max((float(np.abs(task.error(model, q)).max(initial=0.0)) for task in first), default=0.0)
