"""Simulation of robots in contact: one call for one robot or for thousands."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, Ground, LeastConstraint, Rigid
from tarsus.contact.ground_document import ground_to_document
from tarsus.contact.rigid.touch_points import TouchPoints
from tarsus.control.joint_law import JointLaw
from tarsus.dynamics import body_wrenches
from tarsus.errors import ArgumentError, RecordingError, SimulationError, UnknownNameError, nearest
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.arguments import check_arguments, check_resumed, start_array, start_batch
from tarsus.simulation.progress import progress_bar
from tarsus.simulation.push import Push
from tarsus.simulation.rigid.event_driven import EventDrivenRun
from tarsus.simulation.runs.adaptive import ADAPTIVE, AdaptiveRun, Event
from tarsus.simulation.runs.robots import INTEGRATORS, NativeRun, Samples, StepFailure, joined
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

Controller = Callable[[float, FloatArray, FloatArray], "npt.ArrayLike | JointLaw"]
"""controller(t, q, v): torques (*batch, nv), or a `JointLaw` for the next interval."""

_SAMPLE_DT = 0.01
"""Time between samples by default [s]."""
_ADAPTIVE_CHUNK = 0.1
"""A chunk of an adaptive integrator [s]."""
_MOST_STEPS = 10**15
"""Times of later steps could not be told apart."""
_WALL = 0.2
"""A chunk of steps takes about so long [s]: Ctrl-C and the progress bar wait for its end."""


def simulate(
    model: Model,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    duration: float,
    controller: Controller | JointLaw | None = None,
    ground: Ground | None = None,
    contacts: Iterable[Contactor] | None = None,
    integrator: str | None = None,
    dt: float = 1e-3,
    control_dt: float | None = None,
    sample_dt: float | None = None,
    relative: float = 1e-8,
    absolute: float = 1e-9,
    pushes: Sequence[Push] = (),
    stops: bool = True,
    threads: int = 1,
    record: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    resume: Trajectory | None = None,
    resumable: bool = False,
    events: Sequence[Event] = (),
) -> Trajectory:
    """Motion of a robot, or of many, under control, gravity, joint forces and contact.

    Parameters
    ----------
    q0, v0 : array_like, shape (*batch, nq) and (*batch, nv), optional
        Start; the model's reference pose at rest by default. Batch axes simulate many robots at once.
    duration : float
        [s], a multiple of `dt`.
    controller : callable or JointLaw, optional
        ``controller(t, q, v)`` is called every `control_dt` with the states of all robots, and returns torques of shape
        (*batch, nv), held until the next call, or a `JointLaw`. A `JointLaw` given here runs natively all the way.
    ground : Ground, optional
        What can be touched; nothing by default.
    contacts : iterable of ContactPoint, ContactEdge, Sole, optional
        What the robot touches with; found from its collision shapes by default.
    integrator : str, optional
        "semi-implicit-euler" (default; stiff forces are taken implicitly), "runge-kutta-4", "dormand-prince"
        (adaptive), "implicit-midpoint" (long runs without drift of energy), "radau", "bdf", "cvode" (adaptive, stiff),
        "least-constraint" and "event-driven" (for grounds of those laws, and their default). "event-driven" lists
        touch-downs, lift-offs, slips, sticks and impacts in ``metadata["events"]``, takes two samples at each impact
        and keeps the degrees of freedom that are left in the signal "dof".
    dt : float
        Step of fixed-step integrators [s].
    control_dt, sample_dt : float, optional
        Between calls of the controller (default `dt`) and between samples (default 0.01), multiples of `dt` [s].
    relative, absolute : float
        Tolerances of adaptive integrators.
    pushes : sequence of Push
        Forces from outside.
    stops : bool
        Position limits of joints are stiff springs; otherwise they are ignored.
    threads : int
        Cores that a batch may use; results do not depend on it.
    record : path-like, optional
        Write a recording while the simulation runs.
    progress : bool, optional
        Show a progress bar; by default where a terminal is there and the run takes long.
    resume : Trajectory, optional
        Continue where a trajectory made with ``resumable=True`` ended, instead of from q0, v0: with fixed steps bit by
        bit as if it had never stopped.
    resumable : bool
        Keep what `resume` needs in the signals "contact_state" and "work".
    events : sequence of callable
        ``event(t, q, v)`` returns a number whose change of sign is the event; adaptive integrators locate it to 1e-9 s.
        An attribute `direction` (+1, -1) asks for rising or falling ones only, `terminal = True` ends the run. Every
        event adds a sample, marked with its number + 1 in the signal "event", and an entry to ``metadata["events"]``.

    Returns
    -------
    Trajectory
        Ctrl-C ends a run early: what was computed until then is returned, `finished` is False.

    Raises
    ------
    SimulationError
        If the controller raises or returns something unusable, or the motion grows without bound; its `trajectory`
        holds what was computed until then.
    RecordingError
        If `record` cannot be written: at once, or with what was computed until then in its `trajectory`.
    """
    check_arguments(model, dict(duration=duration, controller=controller, ground=ground, contacts=contacts, dt=dt,
                                control_dt=control_dt, sample_dt=sample_dt, relative=relative, absolute=absolute,
                                pushes=pushes, stops=stops, threads=threads, record=record, progress=progress,
                                resume=resume, resumable=resumable, events=events))  # fmt: skip
    name = _choose_integrator(integrator, ground)
    plan = _Plan(duration, dt, control_dt, sample_dt)
    q, v = _start(model, q0, v0, resume)
    if events and name not in (*ADAPTIVE, "dormand-prince"):
        raise ArgumentError(
            f"events need an adaptive integrator ('dormand-prince', 'radau', 'bdf', 'cvode'), not {name!r}"
        )
    world = World(model, ground, contacts, all_nodes=bool(pushes))
    options: dict[str, Any] = {"dt": dt, "every": plan.every, "relative": relative, "absolute": absolute,
                               "stops": stops, "threads": threads,
                               "law": controller if isinstance(controller, JointLaw) else None}  # fmt: skip
    run: NativeRun
    if name == "event-driven":
        points = TouchPoints(model, ground, contacts)
        run = EventDrivenRun(model, world, q, v, points=points, **options)
    elif name in ADAPTIVE or events:
        run = AdaptiveRun(model, world, q, v, integrator=name, events=events, **options)
    else:
        run = NativeRun(model, world, q, v, integrator=name, **options)
    metadata: dict[str, Any] = {"integrator": name, "dt": dt, "duration": duration, "relative": relative,
                                "absolute": absolute}  # fmt: skip
    if ground is not None:
        metadata["ground"] = ground_to_document(ground)
    if events or name == "event-driven":
        metadata["events"] = []
    if resume is not None:
        _restore(run, resume)
        if callable(controller) and run.step % plan.control != 0:
            raise ArgumentError(
                f"the trajectory ends at {run.time:g} s, between two calls of the controller; "
                f"expected a multiple of control_dt = {plan.control * dt:g}"
            )
    collector = _Collector(run, record, metadata, resumable)
    with collector, progress_bar(progress, duration, f"simulating {model.name}") as bar:
        return _Driver(run, plan, controller, pushes, collector, bar).drive()


class _Plan:
    """Numbers of steps: of the whole run, between calls of the controller, and between samples."""

    def __init__(self, duration: float, dt: float, control_dt: float | None, sample_dt: float | None) -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt is {dt!r}; expected a time above 0 [s]")
        if not (np.isfinite(duration) and duration >= 0):
            raise ArgumentError(f"duration is {duration!r}; expected a time [s]")
        self.dt = dt
        self.steps = _multiple("duration", duration, dt, least=0)
        self.control = _multiple("control_dt", dt if control_dt is None else control_dt, dt)
        self.every = self._default_spacing() if sample_dt is None else _multiple("sample_dt", sample_dt, dt)

    def _default_spacing(self) -> int:
        """Steps between samples: about `_SAMPLE_DT`, and where possible so that the last one is the end of the run."""
        wanted = max(1, round(_SAMPLE_DT / self.dt))
        return next((k for k in range(wanted, wanted // 2, -1) if self.steps % k == 0), wanted)


def _multiple(name: str, value: float, dt: float, least: int = 1) -> int:
    count = round(value / dt) if np.isfinite(value) else -1
    if count < least or abs(count * dt - value) > 1e-9 * max(1.0, abs(value)):
        raise ArgumentError(f"{name} is {value!r}; expected a multiple of dt = {dt!r}, at least {least * dt:g}")
    if count > _MOST_STEPS:
        raise ArgumentError(f"{name} is {value!r}; expected at most {_MOST_STEPS:.0e} steps of dt = {dt!r}")
    return count


def _choose_integrator(integrator: str | None, ground: Ground | None) -> str:
    laws = {type(surface.law) for surface in ground.surfaces} if ground is not None else set()
    needed = "event-driven" if Rigid in laws else "least-constraint" if LeastConstraint in laws else None
    if integrator is None:
        return needed or "semi-implicit-euler"
    known = (*INTEGRATORS, *ADAPTIVE, "event-driven")
    if integrator not in known:
        raise UnknownNameError(
            f"integrator {integrator!r} not found{nearest(integrator, known)}; there are {', '.join(known)}"
        )
    if needed is not None and integrator != needed:
        law = "Rigid" if needed == "event-driven" else "LeastConstraint"
        raise ArgumentError(f"a ground with the law {law} needs the integrator {needed!r}, not {integrator!r}")
    return integrator


def _start(
    model: Model, q0: npt.ArrayLike | None, v0: npt.ArrayLike | None, resume: Trajectory | None
) -> tuple[FloatArray, FloatArray]:
    """Configurations and velocities at the start, of one batch shape."""
    if resume is not None:
        if q0 is not None or v0 is not None:
            raise ArgumentError("resume goes on from the end of a trajectory: leave q0 and v0 out")
        check_resumed(model, resume)
        return np.array(resume.q[-1]), np.array(resume.v[-1])
    q = start_array("q0", model.reference if q0 is None else q0, model.nq)
    v = start_array("v0", np.zeros(model.nv) if v0 is None else v0, model.nv)
    batch = start_batch(q, v)
    q = model.normalize(np.ascontiguousarray(np.broadcast_to(q, (*batch, model.nq))))
    return q, np.array(np.broadcast_to(v, (*batch, model.nv)))


def _restore(run: NativeRun, resume: Trajectory) -> None:
    missing = [name for name in ("contact_state", "work") if name not in resume.signals]
    if missing:
        raise ArgumentError(
            f"the trajectory has no signal {missing[0]!r}: simulate it with resumable=True to go on from it"
        )
    if resume.contacts != run.world.names:
        raise ArgumentError("the trajectory has other contacts than this simulation")
    run.z[:] = resume.signals["contact_state"][-1].reshape(run.z.shape)
    run.work[:] = resume.signals["work"][-1].reshape(run.work.shape)
    run.step = round(float(resume.time[-1]) / run.dt)
    if abs(run.step * run.dt - resume.time[-1]) > 1e-9 * max(1.0, abs(resume.time[-1])):
        raise ArgumentError(f"the trajectory ends at {resume.time[-1]} s, which is no multiple of dt = {run.dt}")


class _Collector:
    """Samples in memory, and on disk where a recording is asked for."""

    def __init__(
        self, run: NativeRun, record: str | os.PathLike[str] | None, metadata: dict[str, Any], resumable: bool
    ) -> None:
        self.run, self.metadata, self.resumable = run, metadata, resumable
        self.parts: list[Samples] = []
        self.recorder = None
        if record is not None:
            from tarsus.recording.recorder import Recorder

            self.recorder = Recorder(record, run.model, contacts=run.world.names, metadata=metadata)

    def __enter__(self) -> _Collector:
        if self.recorder is not None:
            self.recorder.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if isinstance(error[1], RecordingError):
            error[1].trajectory = self.trajectory(str(error[1]))
        if self.recorder is None:
            return
        try:
            self.recorder.__exit__(*error)
        except RecordingError as failure:
            failure.trajectory = self.trajectory(str(failure))
            raise

    def add(self, samples: Samples) -> None:
        """Keep these samples."""
        if samples.count == 0:
            return
        self.metadata.get("events", []).extend(self.run.take_events())
        self.parts.append(samples)
        if self.recorder is not None:
            self.recorder.metadata = dict(self.metadata)
            self.recorder.append(time=samples.time, q=samples.q, v=samples.v, tau=samples.tau,
                                 contact_position=samples.position, contact_force=samples.force,
                                 energy=samples.energy, signals=self._signals(samples))  # fmt: skip

    def _signals(self, samples: Samples) -> dict[str, npt.NDArray[Any]]:
        if self.resumable:
            return {**samples.signals, "contact_state": samples.contact_state, "work": samples.work}
        return samples.signals

    def interrupted(self, reason: str) -> Trajectory:
        """Everything until the user ended the run; the recording is closed with the reason, too."""
        if self.recorder is not None:
            self.recorder.close(finished=False, reason=reason)
        return self.trajectory(reason)

    def trajectory(self, reason: str = "") -> Trajectory:
        """Everything so far; `reason` tells what stopped the run early."""
        every = joined(self.parts or [self.run.present()])
        return Trajectory(model=self.run.model, time=every.time, q=every.q, v=every.v, tau=every.tau,
                          contacts=self.run.world.names, contact_position=every.position, contact_force=every.force,
                          energy=every.energy, signals=self._signals(every), metadata=self.metadata,
                          finished=not reason, reason=reason)  # fmt: skip


class _Driver:
    """Calls the native run chunk by chunk, and the controller in between."""

    def __init__(
        self,
        run: NativeRun,
        plan: _Plan,
        controller: Controller | JointLaw | None,
        pushes: Sequence[Push],
        collector: _Collector,
        bar: Callable[[float], None],
    ) -> None:
        self.run, self.plan, self.controller, self.pushes = run, plan, controller, pushes
        self.collector, self.bar = collector, bar
        self.end = run.step + plan.steps
        # Steps of adaptive integrators end with the chunk: its length must not depend on the clock.
        self.chunk = max(1.0, _ADAPTIVE_CHUNK / run.dt) if run.adaptive else 64.0

    def drive(self) -> Trajectory:
        """The whole run."""
        run = self.run
        try:
            fresh = run.step == 0
            while (fresh or run.step < self.end) and not self._ended():
                if callable(self.controller) and run.step % self.plan.control == 0:
                    self._control()
                self._push()
                if fresh:
                    self.collector.add(run.start())
                    fresh = False
                if run.step < self.end:
                    self._advance()
        except KeyboardInterrupt:
            return self.collector.interrupted(f"interrupted at {run.time:g} s")
        except StepFailure as failure:
            if failure.samples is not None:
                self.collector.add(failure.samples)
            robot = "" if run.single else f" of robot {tuple(map(int, np.unravel_index(failure.robot, run.batch)))}"
            raise self._error(f"simulation{robot} failed at {failure.time:g} s: {failure}") from None
        return self.collector.trajectory()

    def _ended(self) -> bool:
        return isinstance(self.run, AdaptiveRun) and self.run.ended is not None

    def _advance(self) -> None:
        run = self.run
        steps = min(self.end - run.step, self._free_steps())
        begin = clock.perf_counter()
        self.collector.add(run.advance(steps))
        spent = clock.perf_counter() - begin
        if not run.adaptive:
            self.chunk = min(max(steps * _WALL / max(spent, 1e-6), 1.0), 4 * self.chunk)
        self.bar(run.time)

    def _free_steps(self) -> int:
        """Steps that can be taken at once: up to the next call of the controller or change of a push."""
        run, most = self.run, max(1, int(self.chunk))
        if run.run["integrator"] == INTEGRATORS["dormand-prince"]:
            most = self.plan.every  # chunks of an adaptive run must not depend on the clock
        if callable(self.controller):
            most = min(most, self.plan.control - run.step % self.plan.control)
        for push in self.pushes:
            first, last = round(push.start / run.dt), round((push.start + push.duration) / run.dt)
            if first <= run.step < last:
                return 1  # the moment of a force changes while the body turns
            if run.step < first:
                most = min(most, first - run.step)
        return most

    def _control(self) -> None:
        run = self.run
        assert callable(self.controller)
        try:
            answer = self.controller(run.time, run.configuration, run.velocity)
        except Exception as error:
            raise self._error(f"the controller failed at {run.time:g} s: {type(error).__name__}: {error}") from error
        if isinstance(answer, JointLaw):
            try:
                run.set_law(answer)
            except ArgumentError as error:
                raise self._error(
                    f"the controller returned a law that does not fit at {run.time:g} s: {error}"
                ) from None
            return
        try:
            tau = np.asarray(answer, dtype=float)
        except (TypeError, ValueError):
            raise self._error(
                f"the controller returned {type(answer).__name__} at {run.time:g} s, not torques"
            ) from None
        expected = (*run.batch, run.model.nv)
        if tau.shape != expected:
            raise self._error(
                f"the controller returned torques of shape {tau.shape} at {run.time:g} s; expected {expected}"
            )
        if not np.all(np.isfinite(tau)):
            where = np.argwhere(~np.isfinite(tau))[0].tolist()
            raise self._error(f"the controller returned {tau[tuple(where)]} at {run.time:g} s, entry {where}")
        run.set_torque(tau)

    def _push(self) -> None:
        run = self.run
        acting = [
            p for p in self.pushes if round(p.start / run.dt) <= run.step < round((p.start + p.duration) / run.dt)
        ]
        if not acting:
            run.set_external(None)
            return
        q = run.configuration
        total = sum(body_wrenches(run.model, q, {p.frame: np.broadcast_to(p.wrench, (*run.batch, 6))}) for p in acting)
        run.set_external(np.asarray(total))

    def _error(self, message: str) -> SimulationError:
        if not self.collector.parts and self.run.step == 0:
            self.collector.add(self.run.present())
        return SimulationError(message, self.collector.trajectory(message))
