"""Robots that are stepped from outside: observations, resets and snapshots in between."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray, read_only_copy
from tarsus.contact import Contactor, Ground
from tarsus.contact.pairs import Pairs, overlap_problem, pairs_of
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import NO_READINGS, Observation
from tarsus.devices.sensors.motion import Contacts
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, SimulationWarning
from tarsus.simulation.argument_kinds import real_numbers
from tarsus.simulation.arguments import check_model, check_threads, check_time, ignored_problems
from tarsus.simulation.constraints import HeldConstraints
from tarsus.simulation.fingerprint import fingerprint
from tarsus.simulation.runs.contact_switches import switch_contacts
from tarsus.simulation.runs.differences import Differences
from tarsus.simulation.runs.native_steps import NativeSteps
from tarsus.simulation.runs.plain_run import PlainRun
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
from tarsus.simulation.spring import Spring, check_springs
from tarsus.simulation.starts.massless_base import massless_problem
from tarsus.simulation.starts.start import start_state, with_batch
from tarsus.simulation.starts.start_check import check_start
from tarsus.simulation.stepping.body_inertias import body_inertias, checked_inertias
from tarsus.simulation.stepping.command_queue import CommandQueue
from tarsus.simulation.stepping.delayed_robots import DelayedRobots
from tarsus.simulation.stepping.ground_of_robots import worlds_of
from tarsus.simulation.stepping.numbers_of_robots import coefficients_of_robots, steps_of_robots
from tarsus.simulation.stepping.snapshot import Snapshot
from tarsus.simulation.stepping.state_history import StateHistory
from tarsus.simulation.stepping.trust import Trust, distrust_of

if TYPE_CHECKING:
    from tarsus.model import Model


_RESETS_LOOKED_AT = 256
"""Robots that were reset, until which their bodies are looked at for overlaps: resets should stay cheap."""
_LONG_AGO = 2**40
"""Steps; no delay is as long."""
_STATUS_NAMES = {number: name for name, number in STATUS.items()}


@final
class Simulation:
    """Robots on a ground, stepped by whoever calls.

    Steps are those of `simulate` with its default integrator, bit by bit. A robot whose motion grows without bound, or
    whose step has no solution, is marked in `failed` and stays as it was before that call; the others go on.

    Parameters
    ----------
    model : Model
    q0, v0 : array_like, shape (*batch, nq), (*batch, nv), optional
        Start; the model's reference pose at rest by default.
    ground, contacts, pairs
        As for `simulate`; not the law `Rigid`. A list holds the ground of each robot: neighbours on the same one are
        stepped together, eight at a time.
    batch : int or tuple of int, optional
        Number of robots, where q0 and v0 are those of all.
    dt : float
        Step [s].
    stops : bool
        Position limits of joints are stiff springs.
    threads : int
        Cores that a batch may use.
    constraints, project_start, springs
        As for `simulate`; resets are projected, too, where starts are. Velocities are projected with the masses of the
        model, whatever `inertias` are.
    inertias : array_like, shape (*batch, nb, 10), optional
        Mass properties of the bodies of each robot, as `body_inertias` makes them; the model's by default.
    friction : array_like, shape (*batch,), optional
        Coefficient of friction of each robot, in place of that of all surfaces and of bodies that touch each other.
    command_delay, observation_delay : array_like of int, shape (*batch,), optional
        Steps until a command acts, and until a state is observed; 0 by default. The first command after the start or a
        reset acts at once. `q`, `v` and `energy` are never delayed.
    """

    def __init__(
        self,
        model: Model,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        ground: Ground | Sequence[Ground] | None = None,
        contacts: Iterable[Contactor] | None = None,
        pairs: Pairs | str | Iterable[str | tuple[str, str]] | None = None,
        batch: int | tuple[int, ...] | None = None,
        dt: float = 1e-3,
        stops: bool = True,
        threads: int = 1,
        constraints: Iterable[Constraint] = (),
        project_start: bool = False,
        springs: Sequence[Spring] = (),
        inertias: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        command_delay: npt.ArrayLike | None = None,
        observation_delay: npt.ArrayLike | None = None,
    ) -> None:
        check_model(model)
        check_time("dt", dt)
        check_threads(threads)
        contacts = None if contacts is None else tuple(contacts)
        q, v = with_batch(model, batch, *start_state(model, q0, v0, None))
        world, worlds = worlds_of(model, ground, contacts, int(np.prod(q.shape[:-1], dtype=int)), pairs_of(pairs))
        ignored = ignored_problems(
            world, contacts=bool(contacts), pairs=pairs is not None, friction=friction is not None
        )
        for told in (world.pairs.problem(), overlap_problem(model, world.pairs, q), *ignored):
            if told is not None:
                warnings.warn(told, SimulationWarning, stacklevel=2)
        springs = check_springs(springs, rigid=False)
        held = HeldConstraints(model, constraints)
        self._held = held if held.rows else None
        self._project = project_start
        if self._held is not None:
            if self._held.locks:
                raise ArgumentError("a Lock engages at an event, which a Simulation has not; use ts.simulate")
            q, v = self._held.start(q, v, 0.0, project=project_start)
        massless = massless_problem(model, q, float(dt))
        if massless is not None:
            raise ArgumentError(massless)
        self._robots = Robots(model, world, q, v, integrator="semi-implicit-euler", dt=float(dt), every=1,
                              relative=1e-8, absolute=1e-9, stops=stops, threads=threads,
                              constraints=self._held, springs=springs)  # fmt: skip
        self._fingerprint = fingerprint(model, self._held, springs, stops)
        self._touched = ground if ground is None or isinstance(ground, Ground) else tuple(ground)
        self._contactors = contacts
        self._run = PlainRun(self._robots, NativeSteps(self._robots, "semi-implicit-euler"))
        self._failed = np.zeros(self._robots.count, dtype=np.int32)
        self._failed_time = np.zeros(self._robots.count)
        self._fresh = np.ones(
            self._robots.count, dtype=bool
        )  # got no command since their reset; of no use with a queue
        self._differences = Differences(worlds=worlds)
        self._commands: CommandQueue | None = None
        self._history: StateHistory | None = None
        self._trust = Trust()
        self._looked_at = self._moment = 0
        self.vary(inertias=inertias, friction=friction, command_delay=command_delay,
                  observation_delay=observation_delay)  # fmt: skip
        self._robots.set_differences(self._differences)
        self._check_start(self._robots, q, np.arange(self._robots.count))
        self._robots.begin_audit()

    # -- where the robots are ---------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """Of all robots."""
        return self._robots.model

    @property
    def batch(self) -> tuple[int, ...]:
        """Axes of the robots; () for one."""
        return self._robots.batch

    @property
    def time(self) -> float:
        """Steps so far, times dt [s]; a reset does not change it."""
        return self._robots.time

    @property
    def dt(self) -> float:
        """Step [s]."""
        return self._robots.dt

    @property
    def q(self) -> FloatArray:
        """Configurations, shape (*batch, nq); a copy that cannot be written to."""
        return read_only_copy(self._robots.configuration)

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (*batch, nv); a copy that cannot be written to."""
        return read_only_copy(self._robots.velocity)

    @property
    def failed(self) -> BoolArray:
        """Robots that could not be stepped and wait for a reset, shape (*batch,)."""
        return np.array(self._failed != STATUS["ok"]).reshape(self.batch)

    def failures(self) -> dict[tuple[int, ...], str]:
        """Why robots failed, with the time, by their place in the batch."""
        found = {}
        for i in np.flatnonzero(self._failed != STATUS["ok"]):
            status = int(self._failed[i])
            reason = StepFailure.REASONS.get(status, f"a kinematic loop cannot be followed ({_STATUS_NAMES[status]})")
            place = tuple(int(k) for k in np.unravel_index(i, self.batch))
            found[place] = f"failed at {self._failed_time[i]:g} s: {reason}"
        return found

    def energy(self) -> dict[str, FloatArray]:
        """Energy audit since the start or the last reset, by part, each of shape (*batch,) [J]."""
        energy = self._robots.sample(self._robots.time).energy
        return {name: part.reshape(self.batch) for name, part in energy.items()}

    @property
    def unsettled(self) -> int:
        """Steps so far, of all robots together, whose contact impulses did not settle (law `LeastConstraint`)."""
        return self._robots.unsettled

    def distrust(self) -> FloatArray:
        """How many times more energy than it may the integrator added to each robot since its reset, shape (*batch,).

        Above 1 the motion is not to be trusted: more than 1 % of the energy that was exchanged and m g 0.01 m came from
        nothing, or more than 10 % of it got lost. Robots are looked at every 1000 steps, and the first time that one is
        above 1 a `SimulationWarning` tells so; with `reset` it begins anew.
        """
        return distrust_of(self.energy(), self._weight())

    def _weight(self) -> FloatArray:
        """Of each robot, m g [N], shape (*batch,)."""
        own, model = self._differences.inertias, self.model
        masses = np.full(self._robots.count, model.total_mass) if own is None else own[..., 0].sum(axis=-1)
        return np.asarray(masses * np.linalg.norm(model.gravity)).reshape(self.batch)

    def observe(self) -> Observation:
        """The present moment: state, last torques and contact forces; without sensors.

        Of robots with an `observation_delay` it is the moment that many steps ago, or the earliest since their reset.
        """
        robots = self._robots
        if self._history is None:
            return Observation(self, robots.time, self.q, self.v, NO_READINGS)
        seen = DelayedRobots(robots, self._history.observed(robots.step, robots.state))
        return Observation(seen, robots.time, seen.q, seen.v, NO_READINGS)

    @property
    def constraint_force(self) -> FloatArray:
        """Multipliers of the constraints in the last step, shape (*batch, rows)."""
        return read_only_copy(self._robots.state.constraint_force.reshape(*self.batch, -1))

    # -- what an observation asks for (control.observation.Observed) ------------------------------------------------

    @property
    def bodies_of_contacts(self) -> tuple[str, ...]:
        """Body that each contact is on."""
        return self._robots.world.bodies

    @property
    def moment(self) -> int:
        """Changes so far: calls of `step`, `reset`, `restore`, `vary` and `switch`."""
        return self._moment

    def contacts(self) -> Contacts:
        """Contact forces of the last step; those that the start causes before the first."""
        return self._run.contacts()

    def torque(self) -> FloatArray:
        """Torques of the joints in the last step, shape (*batch, nv)."""
        return read_only_copy(self._robots.state.tau.reshape(*self.batch, -1))

    def log(self, signals: Mapping[str, Any]) -> NoReturn:
        """Refused: there is no trajectory."""
        raise ArgumentError("a Simulation that is stepped keeps no signals: keep them where it is stepped")

    def stop(self, reason: str) -> NoReturn:
        """Refused: nobody runs it."""
        raise ArgumentError("a Simulation that is stepped has no end: leave off stepping it")

    # -- what moves them --------------------------------------------------------------------------------------------

    def step(
        self,
        command: npt.ArrayLike | JointLaw | None = None,
        *,
        external: npt.ArrayLike | None = None,
        steps: int = 1,
    ) -> None:
        """Take steps of dt.

        Parameters
        ----------
        command : array_like, shape (*batch, nv), or JointLaw, optional
            Torques, or a law, from now on; what it was before by default, nothing at first. Times of a law are `time`.
        external : array_like, shape (*batch, nb, 6), optional
            Wrenches on the bodies at their origins, world axes [N, N m], during these steps; `ts.body_wrenches` makes
            them from wrenches at frames.
        steps : int

        Raises
        ------
        ArgumentError
            Where the command does not fit; nothing has happened then.
        """
        if not isinstance(steps, int | np.integer) or steps < 0:
            raise ArgumentError(f"steps is {steps!r}; expected a whole number, not negative")
        wrenches = None if external is None else self._wrenches(external)
        if command is not None:
            self._command(command)
        robots = self._robots
        self._moment += 1
        robots.set_external(wrenches)
        try:
            if self._commands is None and self._history is None:
                robots.step_tolerantly(int(steps), self._failed, self._failed_time)
                robots.step += int(steps)
            else:
                self._step_with_delays(int(steps))
        finally:
            robots.set_external(None)
        self._tell()

    def _tell(self) -> None:
        """Warn of what cannot be trusted, once each."""
        robots = self._robots
        self._trust.tell_unsettled(robots.unsettled, robots.count * robots.step)
        if self._trust.is_due(robots.step):
            self._trust.tell_energy(self.energy(), self._weight(), robots.time, robots.dt)

    def _step_with_delays(self, steps: int) -> None:
        """Take steps from one moment to the next at which a command arrives or a state will be observed."""
        robots, before, failed = self._robots, self.snapshot(), self._failed != STATUS["ok"]
        start, end = robots.step, robots.step + steps
        moments = {start, end}
        if self._commands is not None:
            moments.update(self._commands.changes(start, steps))
        if self._history is not None:
            moments.update(range(max(start, end - self._history.longest), end))
        try:
            for now, then in pairwise(sorted(moments)):
                if self._commands is not None and (tables := self._commands.acting(now)) is not None:
                    robots.set_tables(tables)
                if self._history is not None and now >= end - self._history.longest:
                    self._history.add(now, robots.state)
                robots.step_tolerantly(then - now, self._failed, self._failed_time)
                robots.step = then
        except BaseException:
            self.restore(before)
            raise
        lost = np.flatnonzero((self._failed != STATUS["ok"]) & ~failed)
        robots.state.put(lost, before.state.part(lost))

    def _command(self, command: npt.ArrayLike | JointLaw) -> None:
        robots = self._robots
        if isinstance(command, JointLaw):
            if self._commands is None:
                self._fresh[:] = False
                robots.set_law(command.copy())  # snapshots hold it, whatever becomes of the caller's arrays
            else:
                self._commands.give(robots.step, robots.tables_of(command))
            return
        tau = real_numbers("command", command, "torques or a JointLaw")
        _check_numbers("torques", tau, (*robots.batch, robots.model.nv))
        if self._commands is None:
            robots.set_torque(tau)
            self._fresh[:] = False
        else:
            self._commands.give(robots.step, robots.tables_of(JointLaw(tau=tau, limited=False)))

    def _wrenches(self, external: npt.ArrayLike) -> FloatArray:
        wrenches = real_numbers("external", external, "wrenches")
        _check_numbers("external", wrenches, (*self.batch, len(self.model.bodies), 6))
        return wrenches

    # -- what they are ----------------------------------------------------------------------------------------------

    @property
    def inertias(self) -> FloatArray:
        """Mass properties of the bodies of each robot, shape (*batch, nb, 10): see `body_inertias`; a copy."""
        own = self._differences.inertias
        nb = len(self.model.bodies)
        if own is None:
            return np.broadcast_to(body_inertias(self.model), (*self.batch, nb, 10)).copy()
        return own.reshape(*self.batch, nb, 10).copy()

    @property
    def friction(self) -> FloatArray | None:
        """Coefficient of friction of each robot, shape (*batch,); None where the surfaces tell. A copy."""
        own = self._differences.friction
        return None if own is None else own.reshape(self.batch).copy()

    def vary(
        self,
        *,
        inertias: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        command_delay: npt.ArrayLike | None = None,
        observation_delay: npt.ArrayLike | None = None,
        where: npt.ArrayLike | None = None,
    ) -> None:
        """Change what differs from robot to robot, from now on; what is left out stays as it is.

        Change it where robots are reset: the energy audit of a robot that goes on counts what the change makes.

        Parameters
        ----------
        inertias, friction, command_delay, observation_delay
            As of the constructor, of all robots or of those of `where`.
        where : array_like of bool, shape (*batch,), optional
            Robots to change; all by default.
        """
        robots, chosen = self._robots, self._chosen(where)
        new = Differences(
            None if inertias is None else checked_inertias(self.model, inertias, self.batch),
            None if friction is None else coefficients_of_robots("friction", friction, self.batch),
        )
        if new.friction is not None and self._differences.friction is None and not chosen.all():
            raise ArgumentError("friction was that of the surfaces so far: give that of all robots, without `where`")
        commands, observations = (
            None if value is None else steps_of_robots(name, value, self.batch)
            for name, value in (("command_delay", command_delay), ("observation_delay", observation_delay))
        )
        self._moment += 1
        if new.inertias is not None or new.friction is not None:
            self._differences = self._differences.changed(new, chosen, self.inertias.reshape(robots.count, -1, 10))
            robots.set_differences(self._differences)
        if commands is not None:
            self._commands = self._commands or self._queue()
            self._commands.delay[chosen] = commands[chosen]
        if observations is not None:
            self._history = self._history or StateHistory(np.zeros(robots.count, dtype=np.int64))
            self._history.delay[chosen] = observations[chosen]

    def _queue(self) -> CommandQueue:
        """A queue in which the command that acts arrived long ago, at robots that got one since their reset."""
        queue = CommandQueue.starting(self._robots.count)
        if not self._fresh.all():
            queue.give(-_LONG_AGO, self._robots.tables_of(self._robots.law))
            queue.fresh[:] = self._fresh
        return queue

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """Let contacts touch the ground from now on, or nothing at all.

        Parameters
        ----------
        contacts : str or iterable of str
            Names of contacts, or of bodies for all that are on them.
        on : bool or array_like of bool, shape (*batch,)
        """
        self._moment += 1
        switch_contacts(self._robots, contacts, on)

    # -- where they are put -----------------------------------------------------------------------------------------

    def reset(
        self, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None, *, where: npt.ArrayLike | None = None
    ) -> None:
        """Put robots somewhere, with contacts at rest, a new audit and no failure; time goes on.

        Parameters
        ----------
        q, v : array_like, shape (*batch, nq), (*batch, nv) or without the batch, optional
            The model's reference pose at rest by default.
        where : array_like of bool, shape (*batch,), optional
            Robots to put there; all by default.
        """
        robots, mask = self._robots, self._chosen(where).reshape(self.batch)
        q, v = self._of_chosen(q, self.model.reference, mask), self._of_chosen(v, np.zeros(self.model.nv), mask)
        new_q, new_v = start_state(self.model, q, v, None, names=("q", "v"))
        try:
            new_q = np.broadcast_to(new_q, (*self.batch, new_q.shape[-1])).reshape(robots.count, -1)
            new_v = np.broadcast_to(new_v, (*self.batch, new_v.shape[-1])).reshape(robots.count, -1)
        except ValueError:
            raise ShapeError(f"q and v have batch axes {new_q.shape[:-1]}; expected {self.batch}") from None
        chosen = np.flatnonzero(mask)
        if not len(chosen):
            return
        new_q, new_v = new_q[chosen], new_v[chosen]
        if self._held is not None:
            new_q, new_v = self._held.start(new_q, new_v, robots.time, project=self._project)
        self._moment += 1
        robots.put(chosen, new_q, new_v, lambda fresh: self._check_start(fresh, new_q, chosen))
        self._tell_overlaps(new_q)
        self._failed[chosen], self._failed_time[chosen] = STATUS["ok"], 0.0
        self._fresh[chosen] = True
        if self._commands is not None:
            self._commands.renew(chosen)
        if self._history is not None:
            self._history.renew(chosen, robots.state)

    def _of_chosen(self, value: npt.ArrayLike | None, other: FloatArray, mask: BoolArray) -> npt.ArrayLike | None:
        """The value with `other` in rows of robots that are not chosen, where it has a row for each robot."""
        if value is None or mask.all():
            return value
        array = np.asarray(value)
        if array.shape[:-1] != self.batch or array.shape[-1:] != other.shape or array.dtype.kind not in "biuf":
            return value
        return np.where(mask[..., None], array, other)

    def _check_start(self, robots: Robots, q: FloatArray, chosen: npt.NDArray[np.intp]) -> None:
        """Refuse places from which stops or the ground throw robots, of these numbers."""
        place, ground = q.reshape(*robots.batch, -1), self._touched
        own = tuple(ground[i] for i in chosen) if isinstance(ground, tuple) else ground
        check_start(robots, place, own, self._contactors, stops=robots.has_stops)

    def _tell_overlaps(self, q: FloatArray) -> None:
        """Warn once of bodies that a reset puts into each other; the first `_RESETS_LOOKED_AT` robots are looked at."""
        pairs = self._robots.world.pairs
        if not pairs.pairs or self._looked_at >= _RESETS_LOOKED_AT:
            return
        self._looked_at += len(q)
        self._trust.tell("overlap", overlap_problem(self.model, pairs, q))

    def _chosen(self, where: npt.ArrayLike | None) -> BoolArray:
        """Robots of a mask, shape (count,)."""
        if where is None:
            return np.ones(self._robots.count, dtype=bool)
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != self.batch:
            raise ShapeError(f"where is {mask.dtype} of shape {mask.shape}; expected bool of shape {self.batch}")
        return mask.reshape(-1)

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            "a Simulation cannot be pickled or copied: make another one with the same arguments, and put its robots "
            "where they are with reset(sim.q, sim.v)"
        )

    def snapshot(self) -> Snapshot:
        """The present moment, to go back to."""
        robots = self._robots
        return Snapshot(
            robots.step, robots.dt, robots.world, robots.state.copy(), self._failed.copy(), self._failed_time.copy(),
            robots.law, self._differences, self._commands and self._commands.copy(),
            self._history and self._history.copy(), None if robots.off is None else robots.off.copy(),
            self.model, self._fingerprint, self._given_motions(robots.step), self._fresh.copy(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this simulation, or of one like it: what follows is the same bit by bit.

        Raises
        ------
        DtypeError, ArgumentError
            With what differs: model, batch, dt, contacts, laws or places of surfaces, constraints, springs, stops.
            What `vary` gives, bodies and friction of each robot, comes back with the snapshot.
        """
        robots = self._robots
        if not isinstance(snapshot, Snapshot):
            raise DtypeError(f"snapshot is {snapshot!r}; expected what Simulation.snapshot returned")
        problem = snapshot.problem(
            robots.dt, robots.state, robots.world, self._differences.worlds, self.model, self._fingerprint
        )
        if problem is None:
            problem = snapshot.motion_problem(self._given_motions(snapshot.step))
        if problem is not None:
            raise ArgumentError(f"the snapshot is of another simulation: {problem}")
        self._moment += 1
        robots.set_law(snapshot.law)
        self._differences = snapshot.differences
        robots.set_differences(snapshot.differences)
        self._commands = snapshot.commands and snapshot.commands.copy()
        self._history = snapshot.history and snapshot.history.copy()
        robots.switch_off(snapshot.off)
        robots.state.assign(snapshot.state)
        robots.step = snapshot.step
        self._failed[:], self._failed_time[:] = snapshot.failed, snapshot.failed_time
        self._fresh[:] = snapshot.fresh

    def _given_motions(self, step: int) -> FloatArray | None:
        """What constraints that follow functions of time ask for at a step; None without any."""
        return None if self._held is None else self._held.motions(step * self.dt, 1, self.dt)


def _check_numbers(name: str, array: FloatArray, expected: tuple[int, ...]) -> None:
    """Raise where an array has another shape, or numbers that are not finite."""
    if array.shape != expected:
        raise ShapeError(f"{name} have shape {array.shape}; expected {expected}")
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        raise NonFiniteError(f"{name} are {array[tuple(place)]} at entry {place}; expected finite numbers")
