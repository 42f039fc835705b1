"""Motions that follow tasks: accelerations integrated over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.acceleration.acceleration import TaskLevels, acceleration, sum_of
from tarsus.ik.acceleration.answer import AccelerationAnswer
from tarsus.ik.acceleration.cost import Minimised
from tarsus.ik.acceleration.demand import as_levels, warn_of_gains
from tarsus.ik.acceleration.limits import SecondOrderLimits, warn_of_limit_gain
from tarsus.ik.objectives import Objective
from tarsus.ik.velocity.follow import check_durations
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector

FURTHEST = 10.0
"""Way of a coordinate in one step that no motion makes [rad, m]."""
DIVERGED = "diverged"


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratedPath:
    """A motion that was made by accelerations that follow tasks.

    Attributes
    ----------
    t : ndarray, shape (K,)
        [s].
    q : ndarray, shape (K, nq)
    v, vdot, tau : ndarray, shape (K, nv)
        Accelerations with which the next step begins, and the torques that make them.
    error : ndarray, shape (K,)
        Largest error of the tasks [m, rad, ...].
    status : ndarray of str, shape (K,)
        Of `AccelerationAnswer`; "diverged" in the last sample of a motion that ended early, since a joint would have
        moved by more than ten radians or metres in the next step.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    tau: FloatArray
    error: FloatArray
    status: AnyArray


def follow_acceleration(
    model: Model,
    tasks: Callable[[float], TaskLevels],
    q0: npt.ArrayLike,
    v0: npt.ArrayLike | None = None,
    *,
    duration: float,
    dt: float = 1e-3,
    minimise: Minimised = "acceleration",
    damping: float = 0.0,
    objectives: Objective | Sequence[Objective] = (),
    limits: SecondOrderLimits | None = None,
) -> AcceleratedPath:
    """Integrate accelerations that follow tasks, as for a robot that follows positions (Buschmann 2014, 5.1.3).

    Each step has constant acceleration: q moves by v dt + vdot dt^2 / 2. Errors settle where gain times dt is below 1.

    Parameters
    ----------
    tasks : callable
        ``tasks(t)`` gives the tasks at time t, with velocities and accelerations of their targets; or levels of them.
    q0 : array_like, shape (nq,)
    v0 : array_like, shape (nv,), optional
        At rest by default.
    duration, dt : float
        [s]; samples are `dt` apart.
    minimise, damping, objectives, limits
        As for `acceleration`; gradients of objectives that say so are filtered over time.
    """
    check_durations(duration, dt, None)
    if not callable(tasks):
        raise ArgumentError(f"tasks is {tasks!r}; expected a function of time that gives tasks")
    q, v = model.normalize(q0), np.zeros(model.nv) if v0 is None else as_vector(v0, "v0", model.nv)
    if q.ndim != 1 or v.ndim != 1:
        raise ShapeError(f"q0, v0: found shapes {q.shape} and {v.shape}, expected ({model.nq},) and ({model.nv},)")
    warn_of_gains(as_levels(tasks(0.0)), dt)
    if limits is not None:
        warn_of_limit_gain(limits, dt)

    whole = sum_of(objectives)
    fall = None if whole is None else whole.along(dt)

    def at(t: float, q: FloatArray, v: FloatArray) -> AccelerationAnswer:
        z = None if fall is None else fall(model, q)
        return acceleration(model, tasks(t), q, v, minimise=minimise, damping=damping, gradient=z, limits=limits)

    times = np.array([k * dt for k in range(round(duration / dt) + 1)])
    states, answers = [(q, v)], [at(0.0, q, v)]
    for t in times[1:]:
        vdot = answers[-1].vdot
        if np.abs(dt * v + 0.5 * dt**2 * vdot).max() > FURTHEST:
            answers[-1] = replace(answers[-1], status=DIVERGED)
            break
        q = model.integrate(q, v + 0.5 * dt * vdot, dt)
        v = v + dt * vdot
        states.append((q, v))
        answers.append(at(float(t), q, v))
    times = times[: len(states)]
    return AcceleratedPath(
        times,
        np.array([q for q, _ in states]),
        np.array([v for _, v in states]),
        np.array([answer.vdot for answer in answers]),
        np.array([answer.tau for answer in answers]),
        np.array([_error(model, tasks(float(t)), q) for t, (q, _) in zip(times, states, strict=True)]),
        np.array([answer.status for answer in answers]),
    )


def _error(model: Model, tasks: TaskLevels, q: FloatArray) -> float:
    return max(float(np.abs(task.error(model, q)).max()) for level in as_levels(tasks) for task in level)
