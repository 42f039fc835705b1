"""Motions that follow tasks: velocities integrated with steps that the error of the tasks controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.velocity import VelocityMethod, velocity
from tarsus.model import Model
from tarsus.tasks import Task
from tarsus.tasks.task import as_tasks

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
        Largest error of the tasks [m, rad, ...].
    parts : ndarray of int, shape (K,)
        Into how many parts the step to each sample was divided.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    error: FloatArray
    parts: IntArray


def follow(
    model: Model,
    tasks: Callable[[float], Task | Sequence[Task]],
    q0: npt.ArrayLike,
    *,
    duration: float,
    dt: float = 1e-3,
    tolerance: float | None = None,
    method: VelocityMethod = "damped",
    gradient: Callable[[FloatArray], npt.ArrayLike] | None = None,
    weights: npt.ArrayLike | None = None,
) -> Path:
    """Closed-loop inverse kinematics over time (Buschmann 2014, figure 5.2).

    Parameters
    ----------
    tasks : callable
        ``tasks(t)`` gives the tasks at time t, with the velocities of their targets.
    q0 : array_like, shape (nq,)
    duration, dt : float
        [s]; samples are `dt` apart.
    tolerance : float, optional
        Growth of the largest error in one step [m, rad, ...] beyond which the step is divided, again and again
        (after Gupta and Kazerounian 1985); steps are not divided by default.
    method, weights
        As for `velocity`.
    gradient : callable, optional
        ``gradient(q)``, shape (nv,): of an objective that shall fall in the nullspace.
    """
    _check(duration, dt, tolerance)
    if not callable(tasks):
        raise ArgumentError(f"tasks is {tasks!r}; expected a function of time that gives tasks")
    q = model.normalize(q0)
    if q.ndim != 1:
        raise ShapeError(f"q0: found shape {q.shape}, expected ({model.nq},)")

    def v_at(t: float, q: FloatArray, step: float | None = None) -> FloatArray:
        z = None if gradient is None else gradient(q)
        return velocity(model, tasks(t), q, method=method, gradient=z, weights=weights, dt=step).v

    count = round(duration / dt)
    t = np.array([k * dt for k in range(count + 1)])
    rows, speeds, errors, parts = [q], [v_at(0.0, q, dt)], [_largest(model, tasks(0.0), q)], [1]
    for k in range(count):
        division = 1
        while True:
            there = _stepped(model, v_at, t[k], rows[-1], dt, division)
            error = _largest(model, tasks(t[k + 1]), there)
            if tolerance is None or error <= errors[-1] + tolerance or division >= MOST_PARTS:
                break
            division *= 2
        rows.append(there)
        errors.append(error)
        parts.append(division)
        speeds.append(v_at(t[k + 1], there))
    return Path(t, np.array(rows), np.array(speeds), np.array(errors), np.array(parts))


def _check(duration: float, dt: float, tolerance: float | None) -> None:
    if np.isfinite(duration) and np.isfinite(dt) and abs(duration / dt - round(duration / dt)) > 1e-6:
        raise ArgumentError(f"duration is {duration!r}; expected a multiple of dt = {dt!r}")
    for name, value in (("duration", duration), ("dt", dt), ("tolerance", tolerance)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ArgumentError(f"{name} is {value!r}; expected a number above 0")


def _stepped(
    model: Model, v_at: Callable[[float, FloatArray], FloatArray], t: float, q: FloatArray, dt: float, division: int
) -> FloatArray:
    """One step in equal parts, each by the velocity at its begin."""
    part = dt / division
    for i in range(division):
        q = model.integrate(q, v_at(t + i * part, q), part)
    return q


def _largest(model: Model, tasks: Task | Sequence[Task], q: FloatArray) -> float:
    model.joint_positions(q)  # raises where a loop cannot be closed, whatever the tasks are about
    return max(float(np.abs(task.error(model, q)).max()) for task in as_tasks(tasks))
