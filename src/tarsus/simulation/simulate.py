"""Simulation of robots in contact: one call for one robot or for thousands."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from tarsus.contact import Contactor, Ground, Rigid
from tarsus.contact.ground_document import ground_to_document
from tarsus.contact.laws import LAWS
from tarsus.contact.pairs import Pairs, overlap_problem, pairs_of
from tarsus.control.joint_law import JointLaw
from tarsus.devices.sensors.sensor import Sensor
from tarsus.devices.sensors.suite import SensorSuite
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.errors import ArgumentError, SimulationWarning, UnknownNameError, nearest
from tarsus.recording.samples import plain_json
from tarsus.recording.trajectory import CONTACT_BODIES, Trajectory
from tarsus.simulation.arguments import check_arguments, ignored_problems
from tarsus.simulation.collector import Collector
from tarsus.simulation.constraints import HeldConstraints, check_integrator, check_rigid
from tarsus.simulation.driver import Controller, Driver
from tarsus.simulation.fingerprint import FINGERPRINT, fingerprint, motion_difference
from tarsus.simulation.leaders.led_run import LEADERS, LedRun
from tarsus.simulation.leaders.led_start import changing_mechanism, led_run
from tarsus.simulation.plan import Plan
from tarsus.simulation.progress import progress_bar
from tarsus.simulation.push import Push
from tarsus.simulation.runs.adaptive import ADAPTIVE
from tarsus.simulation.runs.robots import CHOOSING_STEPS, INTEGRATORS
from tarsus.simulation.runs.run import Run
from tarsus.simulation.runs.user_events import Event
from tarsus.simulation.scene import Scene
from tarsus.simulation.sensed_forces import check_sensed_forces, unconnected_problem
from tarsus.simulation.spring import Spring, check_springs
from tarsus.simulation.starts.massless_base import massless_problem
from tarsus.simulation.starts.start import named_start, start_state
from tarsus.simulation.starts.start_check import check_start

if TYPE_CHECKING:
    from tarsus.model import Model

_TOLERANCES = (1e-8, 1e-9)
"""Relative and absolute, of adaptive integrators by default."""
_SENSORS_BEGIN_ANEW = (
    "sensors begin anew where a run is resumed: their random numbers and drifts start again, readings on their way are "
    "lost, and their first accelerations are zero; the run is not the one that was never interrupted"
)


def simulate(
    model: Model,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    duration: float,
    controller: Controller | JointLaw | None = None,
    ground: Ground | None = None,
    contacts: Iterable[Contactor] | None = None,
    pairs: Pairs | str | Iterable[str | tuple[str, str]] | None = None,
    integrator: str | None = None,
    dt: float = 1e-3,
    control_dt: float | None = None,
    sample_dt: float | None = None,
    relative: float = _TOLERANCES[0],
    absolute: float = _TOLERANCES[1],
    pushes: Sequence[Push] = (),
    stops: bool = True,
    threads: int = 1,
    record: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    resume: Trajectory | None = None,
    resumable: bool = False,
    events: Sequence[Event] = (),
    sensors: Sequence[Sensor] = (),
    seed: int = 0,
    constraints: Iterable[Constraint] = (),
    project_start: bool = False,
    springs: Sequence[Spring] = (),
    start: str | None = None,
    leaders: str = "fixed",
    metadata: Mapping[str, Any] | None = None,
) -> Trajectory:
    """Motion of a robot, or of many, under control, gravity, joint forces and contact.

    Parameters
    ----------
    q0, v0 : array_like, shape (*batch, nq) and (*batch, nv), optional
        Start; the model's reference pose at rest by default. Batch axes simulate many robots at once.
    duration : float
        [s], a multiple of `dt`.
    controller : callable or JointLaw, optional
        ``controller(observation)`` is called every `control_dt` with an `Observation` of all robots, or
        ``controller(t, q, v)`` with their states (copies that cannot be written to), and returns torques of shape
        (*batch, nv), held until the next call, or a `JointLaw`. A `JointLaw` given here runs natively all the way.
    ground : Ground, optional
        What can be touched; nothing by default.
    contacts : iterable of ContactPoint, ContactEdge, Sole, optional
        What the robot touches with; found from its collision shapes by default.
    pairs : "all", Pairs, or iterable of names and pairs of names, optional
        Bodies of the model that touch each other; none by default. A name stands for that body and all others.
    integrator : str, optional
        "semi-implicit-euler" (default; stiff forces are taken implicitly), "runge-kutta-4", "dormand-prince"
        (adaptive), "implicit-midpoint" (long runs without drift of energy), "radau", "bdf", "cvode" (adaptive, stiff).
        The laws `Rigid` and `LeastConstraint` of grounds and pairs have methods of their own, for which it is left
        out. That of `Rigid` lists touch-downs, lift-offs, slips, sticks and impacts in ``metadata["events"]``, takes
        two samples at each impact and keeps the degrees of freedom that are left in the signal "dof".
    dt : float
        Step of fixed-step integrators [s].
    control_dt, sample_dt : float, optional
        Times between calls of the controller (default `dt`) and between samples (default 0.01), multiples of `dt` [s].
    relative, absolute : float
        Tolerances of adaptive integrators.
    pushes : sequence of Push
        Forces from outside.
    stops : bool
        Position limits of joints, of leading ones as their loops narrow them, are stiff springs; otherwise they are
        ignored.
    threads : int
        Cores that a batch may use; results do not depend on it.
    record : path-like, optional
        Write a recording while the simulation runs.
    progress : bool, optional
        Show a progress bar; by default where a terminal is there and the run takes long.
    resume : Trajectory, optional
        Continue where a trajectory made with ``resumable=True`` ended, instead of from q0, v0: with fixed steps bit by
        bit as if it had never stopped. Model, ground, contacts, pairs, constraints, springs and stops must be those of
        the trajectory; controller, pushes, sensors, integrator, dt and tolerances may be others.
    resumable : bool
        Keep what `resume` needs in the signals "contact_state", "contact_off" and "work" (and "leaders", where they
        change, and "lock_engaged", where there are locks), and the end of the run as a sample, where none is due.
    events : sequence of callable
        ``event(t, q, v)`` returns a number whose change of sign is the event; adaptive integrators locate it to 1e-9 s.
        An attribute `direction` (+1, -1) asks for rising or falling ones only, `terminal = True` ends the run. Every
        event adds a sample, marked with its number + 1 in the signal "event", and an entry to ``metadata["events"]``.
        On ground of the law `Rigid` an attribute `state_map`, a callable (t, q, v) -> (q, v), relabels the state there.
    sensors : sequence of Sensor
        They measure every `control_dt`, and begin anew where a run is resumed, with a warning. Readings that have
        arrived are in ``observation.sensors`` and in the signals of the trajectory, by the names of the sensors (NaN
        before the first).
    seed : int
        Of the errors of sensors.
    constraints : iterable of Constraint
        What the motion keeps, from `ts.constraints`: loops, rods, gears, given motions, rolling. Their multipliers are
        the signal "constraint_force", one entry for each row; ``metadata["constraints"]`` tells which rows are whose.
        Ground of the law `Rigid` keeps locks of single joints only (`Lock.of_joint`).
    project_start : bool
        Bring the start to the constraints, as little as possible, instead of refusing one that violates them.
    springs : sequence of Spring
        Springs, dampers and cables between two points, implicit in the default step.
    start : str, optional
        Name of a pose of `model.poses` to start from, instead of q0. "standing", where there is none of that name, is
        looked for by `ts.ik.standing` and put on the ground.
    leaders : {"fixed", "change"}
        Whether the joints that lead kinematic loops change on the way, instead of ending the run at their dead points:
        where the slope of a follower is above 3 times that with the best leaders, these lead from there on. One robot;
        q0, v0 are coordinates of `model`, all else is over all joints: the trajectory, whose model has
        ``couplings="cut"``, what controller, events and sensors are told, and the torques that a controller, a function
        and no `JointLaw`, returns. ``metadata["leaders"]`` tells since when which joints lead.
    metadata : mapping, optional
        Further entries of the metadata of trajectory and recording, plain JSON values. Lists and dictionaries in them
        may be filled by the controller while it runs.

    Returns
    -------
    Trajectory
        Ctrl-C ends a run early: what was computed until then is returned, `finished` is False.

    Raises
    ------
    ArgumentError
        Where something does not fit; also for starts inside the ground or far beyond the limits of joints, whose
        springs would throw the robot by more than 0.1 m.
    SimulationError
        If the controller raises or returns something unusable, the motion grows without bound, or a kinematic loop
        comes to a dead point of the joint that leads it (with leaders="change", where its branches meet); its
        `trajectory` holds what was computed until then.
    RecordingError
        If `record` cannot be written: at once, or with what was computed until then in its `trajectory`.
    """
    check_arguments(model, dict(duration=duration, controller=controller, ground=ground, contacts=contacts, dt=dt,
                                control_dt=control_dt, sample_dt=sample_dt, relative=relative, absolute=absolute,
                                pushes=pushes, stops=stops, threads=threads, record=record, progress=progress,
                                resume=resume, resumable=resumable, events=events,
                                sensors=sensors, leaders=leaders))  # fmt: skip
    between = pairs_of(pairs)
    name = _choose_method(integrator, ground, between)
    plan = Plan(duration, dt, control_dt, sample_dt)
    contacts = None if contacts is None else tuple(contacts)
    mechanism = None
    if leaders == "change":
        mechanism = changing_mechanism(model, controller, constraints, sensors)
    told = model if mechanism is None or resume is None else mechanism.whole
    q, v = start_state(told, named_start(model, start, q0, resume, ground, contacts), v0, resume)
    if events and name not in (*ADAPTIVE, "dormand-prince", Rigid.method):
        raise ArgumentError(
            "events need an adaptive integrator ('dormand-prince', 'radau', 'bdf', 'cvode') or the law Rigid, not "
            f"{name!r}"
        )
    springs = check_springs(springs, rigid=name == Rigid.method)
    held = HeldConstraints(model, constraints)
    if held.rows:
        if name == Rigid.method:
            check_rigid(model, held.table.constraints)
        else:
            check_integrator(name)
        if held.locks and name not in ("dormand-prince", Rigid.method):
            raise ArgumentError(
                "locks engage at events, which need integrator='dormand-prince' or ground of the law Rigid, not "
                f"{name!r}"
            )
        if resume is None:
            q, v = held.start(q, v, 0.0, project=project_start)
        else:
            q, v = held.start(q, v, float(resume.time[-1]), project=project_start, engaged=held.resumed(resume))
    check_sensed_forces(model, sensors, pushes, springs, held)
    scene = Scene(name, ground, contacts, between, bool(pushes), springs,
                  controller if isinstance(controller, JointLaw) else None, held if held.rows else None, dt, plan.every,
                  relative, absolute, stops, threads, resumable)  # fmt: skip
    run: Run
    if mechanism is None:
        run = scene.run(model, q, v, events)
    else:
        run = led_run(mechanism, q, v, scene, events, resume)
    robots, world = run.robots, run.robots.world
    prints = (
        {**fingerprint(model, held, springs, stops), **world.fingerprint()} if resumable or resume is not None else {}
    )
    for problem in (
        world.pairs.problem(),
        None if resume is not None else overlap_problem(robots.model, world.pairs, robots.configuration),
        *ignored_problems(
            world,
            contacts=bool(contacts),
            pairs=between is not None,
            tolerances="" if (relative, absolute) == _TOLERANCES or _is_adaptive(name) else name,
        ),
        unconnected_problem(run.model, sensors, world.bodies),
        None if resume is None or not sensors else _SENSORS_BEGIN_ANEW,
    ):
        if problem is not None:
            warnings.warn(problem, SimulationWarning, stacklevel=2)
    if resume is None:
        massless = massless_problem(robots.model, robots.configuration, dt)
        if massless is not None:
            raise ArgumentError(massless)
        check_start(robots, robots.configuration, ground, contacts, stops=stops)
    else:
        run.resume(resume)
        differs = motion_difference(told, resume.model, prints, resume.metadata.get(FINGERPRINT, {}))
        if differs is not None:
            raise ArgumentError(
                f"resume is a trajectory of another simulation: {differs}; where that is meant, start from its last q "
                "and v, with q0 and v0"
            )
        if callable(controller) and run.robots.step % plan.control != 0:
            raise ArgumentError(
                f"the trajectory ends at {run.robots.time:g} s, between two calls of the controller; "
                f"expected a multiple of control_dt = {plan.control * dt:g}"
            )
    kept: dict[str, Any] = {"integrator": name, "dt": dt, "duration": duration, "relative": relative,
                            "absolute": absolute}  # fmt: skip
    if ground is not None:
        kept["ground"] = ground_to_document(ground)
    if world.names:
        kept[CONTACT_BODIES] = list(world.bodies)
    if held.rows:
        kept["constraints"] = held.described()
    if pushes:
        kept["pushes"] = [push.described() for push in pushes]
    if events or held.locks or name == Rigid.method:
        kept["events"] = []
    if resumable:
        kept[FINGERPRINT] = prints
    if isinstance(run, LedRun):
        kept[LEADERS] = run.leaders
    _add_metadata(kept, metadata)
    suite = SensorSuite(run.model, sensors, seed, record=False) if sensors else None
    collector = Collector(run, record, kept)
    with collector, progress_bar(progress, duration, f"simulating {model.name}") as bar:
        return Driver(run, plan, controller, pushes, collector, bar, suite).drive()


def _add_metadata(kept: dict[str, Any], given: Mapping[str, Any] | None) -> None:
    """Add what somebody gives to the metadata of a run, where it takes nobody's name and can be written."""
    for name, value in plain_json({} if given is None else given).items():
        if name in (*kept, "ground", "pushes", "events", "constraints", CONTACT_BODIES, LEADERS):
            raise ArgumentError(f"metadata has an entry {name!r}, found {value!r}; expected names of your own")
    kept.update(given or {})


def _is_adaptive(name: str) -> bool:
    """Whether a method chooses its steps by tolerances."""
    return name in ADAPTIVE or name in CHOOSING_STEPS or name == Rigid.method


def _choose_method(integrator: str | None, ground: Ground | None, pairs: Pairs | None) -> str:
    """The integrator, or the method of a law: how the run is computed, for its metadata, too."""
    below = {type(surface.law) for surface in ground.surfaces} if ground is not None else set()
    laws = below | ({type(pairs.law)} if pairs is not None and pairs.law is not None else set())
    law = next((law for law in LAWS if law in laws and law.method is not None), None)
    if integrator is None:
        return "semi-implicit-euler" if law is None or law.method is None else law.method
    for other in LAWS:
        if integrator == other.method:
            raise ArgumentError(
                f"integrator {integrator!r} is not an integrator: give the ground the law {other.__name__}() and "
                "leave integrator out"
            )
    known = (*INTEGRATORS, *ADAPTIVE)
    if integrator not in known:
        raise UnknownNameError(
            f"integrator {integrator!r} not found{nearest(integrator, known)}; there are {', '.join(known)}"
        )
    if law is not None:
        raise ArgumentError(
            f"{'a ground with' if law in below else 'pairs of'} the law {law.__name__} is not for the integrator "
            f"{integrator!r}: it has a method of its own, leave integrator out"
        )
    return integrator
