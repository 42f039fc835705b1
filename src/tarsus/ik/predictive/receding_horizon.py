"""A horizon that moves along with the robot, Buschmann 2014 algorithm 12."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import ArgumentError, ClosureError
from tarsus.ik.predictive.costs import Costs
from tarsus.ik.predictive.motion import Motion, Plan
from tarsus.ik.predictive.native_horizon import Method, NativeHorizon
from tarsus.ik.predictive.optimize import Descent, Level, chosen_method, one_configuration
from tarsus.ik.predictive.task_path import TaskPath, Tasks, task_path, whole_steps
from tarsus.model import Model

FOLLOWED, STOPPED = "followed", "stopped"


@dataclass(frozen=True, eq=False)
class PredictiveMotion(Motion):
    """A motion made of the first steps of one horizon after the other.

    Attributes
    ----------
    plans : tuple of Plan
        Every horizon, where `keep` asked for them.
    iterations : ndarray of int, shape (cycles,)
        Of each cycle.
    """

    plans: tuple[Plan, ...]
    iterations: IntArray

    def _complaints(self) -> list[str]:
        end = [f"a loop of the robot does not close on the way after t = {self.t[-1]:.3g} s"] * (self.status == STOPPED)
        return end + super()._complaints()


class RecedingHorizon:
    """Optimises horizon after horizon, each beginning with what is left of the one before.

    For a robot on its way: `cycle` is called once in every control cycle with the state in which the cycle begins and
    the targets from there on; the first steps of the plan are carried out.

    Parameters
    ----------
    costs, level, bound, method, step, tolerance
        As for `optimize`.
    iterations : int
        Of every cycle.
    """

    def __init__(
        self,
        model: Model,
        costs: Costs | None = None,
        *,
        level: Level = "velocity",
        iterations: int = 5,
        bound: npt.ArrayLike | None = None,
        method: Descent = "conjugate-gradient",
        step: float | None = None,
        tolerance: float = 1e-6,
    ) -> None:
        if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
            raise ArgumentError(f"iterations is {iterations!r}; expected a whole number from 1 on")
        self.model, self.iterations = model, iterations
        self._horizon = NativeHorizon(model, Costs() if costs is None else costs)
        self._method = chosen_method(model, level, method, step, bound, tolerance)
        self._input = np.zeros((0, model.nv))
        self._u = np.zeros(model.nv)
        self._step = 0.0

    @property
    def u(self) -> FloatArray:
        """U at the start of the next cycle (of the acceleration level), shape (nv,)."""
        return self._u

    def cycle(self, path: TaskPath, q: FloatArray, *, applied: int = 1, t0: float = 0.0) -> Plan:
        """The plan of one cycle.

        Parameters
        ----------
        path : TaskPath
            Targets of the horizon, from `task_path`; its first is that of the present.
        q : ndarray, shape (nq,)
            Configuration at the start of the horizon.
        applied : int
            Steps that will be carried out before the next call.
        """
        if not 1 <= applied <= path.steps:
            raise ArgumentError(f"applied is {applied!r}; expected a number of steps from 1 to {path.steps}")
        guess = np.zeros((path.steps, self.model.nv))  # no input at the end, as lambda(t_e) = 0 asks for
        known = min(len(self._input), path.steps)
        guess[:known] = self._input[:known]
        plan = self._horizon.run(path, q, guess, self._method, self.iterations, self._u, self._step, t0)
        self._input = plan.input[applied:]
        if self._method.augmented:
            self._u = plan.u[applied - 1] + path.dt * plan.input[applied - 1]
        self._step = plan.step
        return plan

    def evaluate(self, path: TaskPath, q: FloatArray, u: FloatArray) -> Plan:
        """The motion for a given u, shape (steps, nv)."""
        return self._horizon.run(path, q, u, Method(), 0)


def follow(
    model: Model,
    tasks: Tasks,
    q0: npt.ArrayLike,
    *,
    dt: float,
    horizon: float,
    duration: float | None = None,
    costs: Costs | None = None,
    level: Level = "velocity",
    cycle: float | None = None,
    iterations: int = 5,
    first_iterations: int | None = None,
    bound: npt.ArrayLike | None = None,
    method: Descent = "conjugate-gradient",
    step: float | None = None,
    keep: bool = False,
) -> PredictiveMotion:
    """Follow tasks, in every cycle with the best motion of a horizon ahead.

    A cycle begins at t_k with the state q(t_k): the problem over [t_k, t_k + horizon] is improved by `iterations` from
    what was left of the last cycle, and its first steps are taken. Near the end of the path horizons end with it.
    (Algorithm 12 prints t_b = t_k + dt_mpc, which plans one cycle ahead while the last plan is being carried out; that
    is the same with the state predicted for t_k + dt_mpc given as q(t_k), and u*(t_start) means u*(t_b).)

    Parameters
    ----------
    tasks, q0, dt, duration, costs, level, bound, method, step
        As for `optimize`.
    horizon : float
        T_horizon [s], a multiple of `dt`.
    cycle : float, optional
        Time from plan to plan [s], a multiple of `dt`; `dt` by default.
    iterations : int
        Of every cycle.
    first_iterations : int, optional
        Of the first cycle, before the robot moves; `iterations` by default.
    keep : bool
        Whether all plans are kept.

    Returns
    -------
    PredictiveMotion
        `status` is "followed", or "stopped" where a loop of the robot did not close; then the motion ends there.
    """
    path = task_path(model, tasks, dt, duration)
    ahead = whole_steps("horizon", horizon, dt)
    taken = 1 if cycle is None else whole_steps("cycle", cycle, dt)
    if taken > ahead:
        raise ArgumentError(f"cycle is {cycle!r} s, longer than the horizon of {horizon!r} s")
    if first_iterations is not None and (not isinstance(first_iterations, int) or first_iterations < 1):
        raise ArgumentError(f"first_iterations is {first_iterations!r}; expected a whole number from 1 on")
    receding = RecedingHorizon(model, costs, level=level, iterations=iterations, bound=bound, method=method, step=step)
    start = one_configuration(model, q0)
    q, rows, plans, counts, status = start, [], [], [], FOLLOWED
    for k in range(0, path.steps, taken):
        window = path.window(k, min(ahead, path.steps - k))
        applied = min(taken, window.steps)
        receding.iterations = first_iterations if k == 0 and first_iterations else iterations
        try:
            plan = receding.cycle(window, q, applied=applied, t0=k * dt)
        except ClosureError:
            status = STOPPED
            break
        rows.append(plan.u[:applied])
        counts.append(plan.iterations)
        if keep:
            plans.append(plan)
        q = plan.q[applied]
    if not rows:
        raise ClosureError("the first horizon cannot be evaluated: a loop does not close on its way")
    u = np.concatenate(rows)
    whole = receding.evaluate(path.window(0, len(u)), start, u)
    return PredictiveMotion(
        model,
        whole.scene,
        whole.t,
        whole.q,
        whole.v,
        whole.u,
        whole.cost,
        whole.parts,
        whole.task_error,
        whole.damping,
        status,
        tuple(plans),
        np.array(counts, dtype=np.int_),
    )
