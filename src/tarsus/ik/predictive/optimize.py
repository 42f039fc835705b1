"""The best motion of one horizon, Buschmann 2014 (5.101)-(5.129), algorithm 11."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.ik.predictive.costs import Costs
from tarsus.ik.predictive.motion import Plan
from tarsus.ik.predictive.native_horizon import Method, NativeHorizon
from tarsus.ik.predictive.task_path import Tasks, task_path
from tarsus.model import Model
from tarsus.spatial._arrays import as_array

Level = Literal["velocity", "acceleration"]
Descent = Literal["conjugate-gradient", "steepest-descent"]


def optimize(
    model: Model,
    tasks: Tasks,
    q0: npt.ArrayLike,
    *,
    dt: float,
    duration: float | None = None,
    costs: Costs | None = None,
    level: Level = "velocity",
    free_start: bool = False,
    guess: npt.ArrayLike | None = None,
    u0: npt.ArrayLike | None = None,
    bound: npt.ArrayLike | None = None,
    method: Descent = "conjugate-gradient",
    step: float | None = None,
    iterations: int = 200,
    tolerance: float = 1e-6,
) -> Plan:
    """Choose the nullspace input u of q' = J# w' + (1 - J# J) u so that the integral of the costs is least.

    Integrals are sums over steps of `dt` with constant velocities, and gradients those of the sums to round-off: the
    state forward (5.112), its adjoint backward (5.113). No result is worse than the guess.

    Parameters
    ----------
    tasks : Task, several of them, or callable
        With targets along one axis of time, one for each sample, or a function of time. Positions, orientations and
        poses of frames in the world, centres of mass, and postures; velocities are those from target to target.
        Errors decay with the gain of the tasks (5.5).
    q0 : array_like, shape (nq,)
    dt, duration : float
        Step and length of the horizon [s]; the length is needed where `tasks` is a function.
    costs : Costs, optional
        Squared joint velocities by default.
    level : {"velocity", "acceleration"}
        What is chosen: u, or its rate from `u0` on (5.120)-(5.129), which makes velocities continuous.
    free_start : bool
        Whether q0 may move along the self-motion of the tasks: the global problem (5.101)-(5.110), at whose solution
        the adjoint has no part in the nullspace at the start, N(t_b) lambda(t_b) = 0. ((5.109) prints N lambda(0).)
    guess : array_like, shape (steps, nv), optional
        First input; zeros by default.
    u0 : array_like, shape (nv,), optional
        u at the start, of the acceleration level; zeros by default.
    bound : float or array_like, shape (nv,), optional
        Largest size of the inputs, kept by projection.
    method : {"conjugate-gradient", "steepest-descent"}
        Algorithm 11 with Fletcher and Reeves 1964, or (5.119).
    step : float, optional
        A constant length of steps; backtracking with interpolation by default.
    iterations : int
        At most; 0 evaluates the guess and its gradient.
    tolerance : float
        Relative change of the cost that ends the search, once a step along the gradient itself brings no more.

    Returns
    -------
    Plan
        `status` is "converged", "iteration limit" or "no way down" (no step along the gradient brings less cost).
        `success` and `reason` tell whether tasks are followed and nothing collides.

    Raises
    ------
    ClosureError
        Where a loop of the robot does not close on the way of the guess.

    Notes
    -----
    Algorithm 11 prints a test that stops at every decrease, and returns the last input even if it is worse; here the
    change is taken by size, and the best input is returned.
    """
    path = task_path(model, tasks, dt, duration)
    horizon = NativeHorizon(model, Costs() if costs is None else costs)
    how = chosen_method(model, level, method, step, bound, tolerance, free_start)
    start = one_configuration(model, q0)
    return horizon.run(
        path, start, _guess(guess, path.steps, model.nv), how, _iterations(iterations), _input(u0, model.nv)
    )


def chosen_method(
    model: Model,
    level: str,
    method: str,
    step: float | None,
    bound: npt.ArrayLike | None,
    tolerance: float,
    free_start: bool = False,
) -> Method:
    """Names and numbers of a method, checked."""
    if level not in get_args(Level):
        raise UnknownNameError(f"level {level!r} not found{nearest(str(level), get_args(Level))}")
    if method not in get_args(Descent):
        raise UnknownNameError(f"method {method!r} not found{nearest(str(method), get_args(Descent))}")
    if step is not None and not (np.isfinite(step) and step > 0):
        raise ArgumentError(f"step is {step!r}; expected a number above 0, or None for backtracking")
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise ArgumentError(f"tolerance is {tolerance!r}; expected a number of at least 0")
    most: FloatArray | None = None
    if bound is not None:
        given = as_array(bound, "bound")
        if given.shape not in ((), (model.nv,)) or (given <= 0).any():
            raise ArgumentError(f"bound is {bound!r}; expected a number above 0, or {model.nv} of them")
        most = np.ascontiguousarray(np.broadcast_to(given, (model.nv,)))
    return Method(
        augmented=level == "acceleration",
        free_start=bool(free_start),
        steepest=method == "steepest-descent",
        step=0.0 if step is None else float(step),
        tolerance=float(tolerance),
        most=most,
    )


def one_configuration(model: Model, q0: npt.ArrayLike) -> FloatArray:
    """A configuration without batch axes."""
    q = model.normalize(q0)
    if q.ndim != 1:
        raise ShapeError(f"q0: found shape {q.shape}, expected ({model.nq},)")
    model.joint_positions(q)  # raises where a loop does not close
    return q


def _iterations(iterations: int) -> int:
    if isinstance(iterations, bool) or not isinstance(iterations, int) or not 0 <= iterations <= 1_000_000:
        raise ArgumentError(f"iterations is {iterations!r}; expected a whole number from 0 to a million")
    return iterations


def _guess(guess: npt.ArrayLike | None, steps: int, nv: int) -> FloatArray:
    if guess is None:
        return np.zeros((steps, nv))
    array = as_array(guess, "guess")
    if array.shape != (steps, nv):
        raise ShapeError(f"guess: found shape {array.shape}, expected ({steps}, {nv})")
    return array


def _input(u0: npt.ArrayLike | None, nv: int) -> FloatArray:
    array = np.zeros(nv) if u0 is None else as_array(u0, "u0")
    if array.shape != (nv,):
        raise ShapeError(f"u0: found shape {array.shape}, expected ({nv},)")
    return array
