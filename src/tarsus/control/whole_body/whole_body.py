"""Whole-body control: accelerations, torques and contact forces at a state, by a quadratic program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.whole_body.answer import (
    HELD,
    HOLDS,
    LIMITS_MISSED,
    SOLVED,
    STATUSES,
    Command,
    Commands,
    limits_reason,
)
from tarsus.control.whole_body.batch import solve_batch
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.contact_forces import contact_places, force_rows, frame_wrenches
from tarsus.control.whole_body.contact_place import turned_over
from tarsus.control.whole_body.elimination import ContradictionError, eliminated_rows
from tarsus.control.whole_body.formulation import Unknowns, force_unit
from tarsus.control.whole_body.limits import chosen_limits, limit_rows
from tarsus.control.whole_body.names import task_names
from tarsus.control.whole_body.native_step import Fixed, NativeStep
from tarsus.control.whole_body.parameters import eliminated, multiplier, three_parameters
from tarsus.control.whole_body.program import (
    Rows,
    TorqueLimits,
    inequality_rows,
    regularisation,
    strict_levels,
    weighted_program,
)
from tarsus.control.whole_body.reduced import reduced
from tarsus.control.whole_body.terms import Terms, terms_at
from tarsus.dynamics.gauss.system import gauss_system
from tarsus.errors import ArgumentError, ShapeError, SingularityError, UnknownNameError, nearest
from tarsus.ik.acceleration.demand import Levels, as_levels
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.velocity.joint_limits import rate_names
from tarsus.model import Model
from tarsus.optimization.hierarchy import Hierarchy
from tarsus.optimization.solution import INACCURATE
from tarsus.tasks import Task

Method = Literal["reduced", "three-parameters", "eliminated", "multiplier"]

_FORMULATIONS = {"three-parameters": three_parameters, "eliminated": eliminated, "multiplier": multiplier}


class WholeBody:
    """Multi-contact whole-body control (Bouyarmane and Kheddar 2012, V).

    Tasks ask for accelerations J vdot + Jdot v = acceleration + 2 gain (velocity - J v) + gain^2 error; contacts stay
    where they are and push within their cones; torques stay within their limits; the equations of motion hold. So do
    limits of joints and distances, as long as cones and torques allow; where they do not, limits are missed by as
    little as possible, at the cost of all tasks, and the status is "limits-missed".

    Parameters
    ----------
    model : Model
    tasks : sequence of Task, or sequence of sequences of Task
        One objective by their weights; or levels of strict priority, the most important first.
    contacts : sequence of Contact
    method : {"reduced", "three-parameters", "eliminated", "multiplier"}
        How the equations of motion enter: with equality rows and torques eliminated, or in parameters of the base by
        (36), (37), (38).
    rotation : str, optional
        Parametrisation of a free base for the last three; quaternions by default, roll-pitch-yaw by (36).
    torque_limits : bool or array_like, shape (nv,)
        `model.tau_max`, none, or others.
    limits : bool or SecondOrderLimits
        Positions and velocities of joints stay within those of the model, by rows of accelerations with gain 10 1/s:
        the way h to a position limit keeps h'' >= -2 gain h' - gain^2 h, a velocity |v + vdot / gain| <= v_max. Another
        gain, or limits of accelerations: `tarsus.ik.SecondOrderLimits(gain=...)`.
    collision : CollisionModel, optional
        Whose pairs stay apart by `margin` [m], by the same law.
    margin : float
    acceleration_weight, force_weight : float
        Of all accelerations, and of contact forces over the largest generalised force at rest: small, for what tasks
        leave open.
    native : bool
        "reduced" as one native call (`tarsus.control.whole_body.native_step`) where all tasks are known to the native
        core and weighted; False for the same program in Python, to compare with.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task] | Sequence[Sequence[Task]],
        contacts: Sequence[Contact] = (),
        *,
        method: Method = "reduced",
        rotation: str | None = None,
        torque_limits: bool | npt.ArrayLike = True,
        limits: bool | SecondOrderLimits = True,
        collision: CollisionModel | None = None,
        margin: float = 0.0,
        acceleration_weight: float = 1e-2,
        force_weight: float = 1e-2,
        native: bool = True,
    ) -> None:
        if method not in get_args(Method):
            raise UnknownNameError(f"method {method!r} of WholeBody not found{nearest(method, get_args(Method))}")
        if method == "reduced" and rotation is not None:
            raise ArgumentError("rotation belongs to the methods with parameters; found it with 'reduced'")
        if model.nv == 0:
            raise ArgumentError(f"{model.name!r} has no joints that could move")
        self.model, self.method = model, method
        self._driven: BoolArray = np.array(model.actuated)
        chosen = rotation or ("roll-pitch-yaw" if method == "three-parameters" else None)
        self._system = None if method == "reduced" else gauss_system(model, chosen if _free(model) else None)
        self._weights = _positive("acceleration_weight", acceleration_weight), _positive("force_weight", force_weight)
        names = np.array(rate_names(model), dtype=object)[self._driven]
        self._torques = TorqueLimits(_torque_limits(model, torque_limits)[self._driven], tuple(names))
        self._limits = chosen_limits(limits, collision, margin)
        self._options: dict[str, Any] = {
            "method": method,
            "rotation": rotation,
            "torque_limits": torque_limits,
            "limits": limits,
            "collision": collision,
            "margin": margin,
            "acceleration_weight": acceleration_weight,
            "force_weight": force_weight,
            "native": native,
        }
        self._native = native and method == "reduced"
        self.step: NativeStep | None = None
        self.levels: Levels = ()
        self.contacts: tuple[Contact, ...] = ()
        self.update(tasks=tasks, contacts=contacts)

    def update(
        self,
        *,
        tasks: Sequence[Task] | Sequence[Sequence[Task]] | None = None,
        contacts: Sequence[Contact] | None = None,
    ) -> None:
        """Take other tasks or contacts from now on, as where targets move and feet are lifted; all of them or none."""
        levels = self.levels if tasks is None else checked_levels(self.model, tasks, self.tasks)
        chosen = self.contacts if contacts is None else checked_contacts(self.model, contacts)
        before = self.levels, self.contacts
        try:
            self._take(levels, chosen)
        except Exception:  # numbers that were written half stay in no step
            self.step = None
            if before[0]:
                self._take(*before)
            raise

    def _take(self, levels: Levels, contacts: tuple[Contact, ...]) -> None:
        self.levels, self.contacts = levels, contacts
        self._batched = any(task.batch_shape() for task in self.tasks)
        self._renew_step()

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: all but the native step, which each of them makes for itself."""
        return {**self.__dict__, "step": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._renew_step()

    def _renew_step(self) -> None:
        """The native step of these tasks and contacts; None where they are not for it."""
        if not self._native or len(self.levels) > 1:
            self.step = None
        elif self.step is None or not self.step.take(self.tasks, self.contacts):
            tau_max = np.full(self.model.nv, np.inf)
            tau_max[self._driven] = self._torques.size
            fixed = Fixed(self._driven, tau_max, *self._weights, self._limits)
            self.step = NativeStep.of(self.model, self.tasks, self.contacts, fixed)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Of all levels."""
        return tuple(task for level in self.levels for task in level)

    def alike(
        self, tasks: Sequence[Task] | Sequence[Sequence[Task]] | None = None, contacts: Sequence[Contact] | None = None
    ) -> WholeBody:
        """Another controller of the same robot with the same options, and other tasks or contacts."""
        return WholeBody(
            self.model,
            self.levels if tasks is None else tasks,
            self.contacts if contacts is None else contacts,
            **self._options,
        )

    def weaker(self, part: float) -> WholeBody:
        """Another controller that is the same but for torque limits, which are divided by a part."""
        limits = _torque_limits(self.model, self._options["torque_limits"]) / _positive("part", part)
        return WholeBody(self.model, self.levels, self.contacts, **{**self._options, "torque_limits": limits})

    def solve(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Command:
        """Command at a state.

        Parameters
        ----------
        q : array_like, shape (nq,)
        v : array_like, shape (nv,)

        Returns
        -------
        Command
            With status and reason; torques are finite and within their limits whatever the status.
        """
        if self._batched:
            raise ShapeError("tasks have targets of many robots; solve takes one of each, solve_batch takes them")
        if self.step is not None and (found := self.step.command(q, v)) is not None:
            return found
        begin = perf_counter()
        command = self.solve_in_python(q, v)
        return replace(command, solve_time=perf_counter() - begin)

    def solve_in_python(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Command:
        """The same without the native step, which leaves to it what it does not solve."""
        q, v = self.model.normalize(q), np.asarray(v, dtype=float)
        if q.ndim != 1 or v.shape != (self.model.nv,):
            raise ShapeError(
                f"q, v: found shapes {q.shape}, {v.shape}; expected ({self.model.nq},), ({self.model.nv},)"
            )
        terms, places = (
            terms_at(self.model, self.tasks, self.contacts, q, v),
            contact_places(self.model, q, self.contacts),
        )
        if over := turned_over(self.contacts, places):
            return self._failed(terms, "contradictory", over)
        try:
            unknowns = self._unknowns(terms)
        except SingularityError as error:
            return self._failed(terms, "singular", str(error))
        except ContradictionError:
            return self._failed(terms, "contradictory", self._contradiction())
        limits = limit_rows(self.model, self._limits, terms)
        rows = inequality_rows(unknowns, force_rows(self.contacts, places), self._torques, limits, force_unit(terms))
        return self._strict(terms, unknowns, rows) if len(self.levels) > 1 else self._weighted(terms, unknowns, rows)

    def solve_batch(self, q: npt.ArrayLike, v: npt.ArrayLike, *, threads: int = 1) -> Commands:
        """Commands of many robots in one call.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        v : array_like, shape (..., nv)
            Batch axes broadcast, also against those of the targets of tasks; contacts are those of all robots.
        threads : int
            Results do not depend on it.
        """
        return solve_batch(self, q, v, threads)

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Torques (nv,) at a state, for `tarsus.simulate`."""
        return self.solve(q, v).tau

    def _unknowns(self, terms: Terms) -> Unknowns:
        if self._system is None:
            return eliminated_rows(reduced(terms, self._driven))
        return eliminated_rows(_FORMULATIONS[self.method](terms, self._driven, self._system))

    def _weighted(self, terms: Terms, unknowns: Unknowns, rows: Rows) -> Command:
        solution = weighted_program(terms, unknowns, rows, *self._weights).solve("native")
        if not solution.success and rows.yielding.any():
            solution = weighted_program(terms, unknowns, rows, *self._weights, soft=True).solve("native")
        if not solution.success:
            names = ", ".join(dict.fromkeys(solution.conflict or ()))
            status, reason = _told(solution.status), solution.reason
            if status != solution.status:
                reason = f"the solver took the program for {solution.status}, which none can be: numbers are too large"
            return self._failed(terms, status, f"{reason}{': ' if names else ''}{names}")
        return self._command(terms, unknowns, rows, solution.x, solution.iterations)

    def _strict(self, terms: Terms, unknowns: Unknowns, rows: Rows) -> Command:
        small = regularisation(unknowns, force_unit(terms), *self._weights)
        sizes = [sum(task.rows(self.model) for task in level) for level in self.levels]
        solution = Hierarchy(strict_levels(terms, unknowns, rows, sizes, small)).solve()
        if solution.failed == 0:
            return self._failed(terms, _told(solution.status), "cones and torques were not solved")
        missed = np.abs(solution.slacks[0])
        if missed.max(initial=0.0) > HELD:
            hard = [name for name, soft in zip(rows.names, rows.yielding, strict=True) if not soft]
            return self._failed(terms, "infeasible", f"rows contradict each other: {hard[int(missed.argmax())]}")
        found = self._command(terms, unknowns, rows, solution.x, solution.iterations)
        if solution.success or not found.success:
            return found
        return replace(
            found, status=_told(solution.status), reason=f"tasks from level {solution.failed} on were not solved"
        )

    def _command(self, terms: Terms, unknowns: Unknowns, rows: Rows, z: FloatArray, iterations: int) -> Command:
        vdot, driven, y = (A @ z + b for A, b in (unknowns.vdot, unknowns.tau, unknowns.y))
        allowed = HELD * (1.0 + np.abs(driven).max(initial=0.0) / force_unit(terms))
        beyond = rows.missed(z)
        hard = np.where(rows.yielding, -np.inf, beyond)
        if hard.max(initial=-np.inf) > allowed:
            worst = rows.names[int(hard.argmax())]
            return self._failed(terms, INACCURATE, f"the solver left {worst} missed by {hard.max():.3g}")
        tau = np.zeros(self.model.nv)
        tau[self._driven] = np.clip(driven, -self._torques.size, self._torques.size)
        found = None if unknowns.multiplier is None else unknowns.multiplier[0] @ z + unknowns.multiplier[1]
        wrenches = frame_wrenches(self.model, terms.q, self.contacts, y)
        missed = {rows.names[k]: float(beyond[k]) for k in np.flatnonzero(rows.yielding & (beyond > allowed))}
        status, reason = (LIMITS_MISSED, limits_reason(missed)) if missed else (SOLVED, HOLDS)
        return Command(tau, vdot, wrenches, status, reason, self._errors(terms, vdot), found, iterations, missed)

    def _failed(self, terms: Terms, status: str, reason: str) -> Command:
        """Torques that hold the robot at rest without contact forces, as far as limits allow."""
        tau = np.zeros(self.model.nv)
        tau[self._driven] = np.clip(terms.h[self._driven], -self._torques.size, self._torques.size)
        frames = [frame for contact in self.contacts for frame in (contact.frame, contact.other) if frame is not None]
        nothing = {frame: np.zeros(6) for frame in frames}
        return Command(tau, np.zeros(self.model.nv), nothing, status, reason)

    def _errors(self, terms: Terms, vdot: FloatArray) -> dict[str, FloatArray]:
        ends = np.cumsum([task.rows(self.model) for task in self.tasks])[:-1]
        return dict(zip(task_names(self.tasks), np.split(terms.a - terms.J @ vdot, ends), strict=True))

    def _contradiction(self) -> str:
        """Contacts, which alone can contradict each other: masses let all equations of motion hold."""
        return f"contacts cannot stay together: {', '.join(dict.fromkeys(contact.frame for contact in self.contacts))}"


def checked_levels(
    model: Model, tasks: Sequence[Task] | Sequence[Sequence[Task]], known: Sequence[Task] = ()
) -> Levels:
    """Levels of tasks of a robot; what is not there is refused by name. Those that are `known` were checked before."""
    levels = as_levels(tasks)
    for level in levels:
        for task in level:
            if any(task is old for old in known):
                continue
            task.rows(model)
            frame = getattr(task, "frame", None)
            if isinstance(frame, str) and frame not in model.frames:
                kind = type(task).__name__
                raise UnknownNameError(f"frame {frame!r} of {kind} not found{nearest(frame, list(model.frames))}")
    return levels


def checked_contacts(model: Model, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    """Contacts of a robot; what is not there is refused by name."""
    if not isinstance(contacts, Iterable):
        raise ArgumentError(f"contacts is {contacts!r}; expected a sequence of contacts of tarsus.control")
    for contact in contacts:
        if not isinstance(contact, Contact):
            raise ArgumentError(f"contacts holds {contact!r}; expected contacts of tarsus.control")
        for frame in (contact.frame, contact.other):
            if frame is not None and frame not in model.frames:
                raise UnknownNameError(f"frame {frame!r} of a contact not found{nearest(frame, list(model.frames))}")
        if contact.other is not None and model.frames[contact.other].body == model.frames[contact.frame].body:
            raise ArgumentError(f"frames {contact.frame!r} and {contact.other!r} of a contact are on one body")
    return tuple(contacts)


def _told(status: str) -> str:
    """Status of a solver as one of a command: small weights of all accelerations bound every program from below."""
    return status if status in STATUSES else INACCURATE


def _free(model: Model) -> bool:
    return model.joints["base"].kind == "free" if "base" in model.joints else False


def _positive(name: str, value: float) -> float:
    if not (isinstance(value, float | int | np.number) and np.isfinite(value) and value > 0):
        raise ArgumentError(f"{name} is {value!r}; expected a number above 0")
    return float(value)


def _torque_limits(model: Model, limits: bool | npt.ArrayLike) -> FloatArray:
    if isinstance(limits, bool):
        return np.array(model.tau_max) if limits else np.full(model.nv, np.inf)
    given = np.asarray(limits, dtype=float)
    if given.shape != (model.nv,):
        raise ShapeError(f"torque_limits: found shape {given.shape}, expected ({model.nv},)")
    if not (given >= 0).all():
        worst = int(np.flatnonzero(~(given >= 0))[0])
        raise ArgumentError(f"torque_limits: found {given[worst]:g} at index {worst}, expected numbers of at least 0")
    return given
