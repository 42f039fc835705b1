"""The robots of a simulation: their state, what acts on them, and calls of the native core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_native, to_user
from tarsus.recording.samples import Samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.audit import PARTS, WORK_EXTERNAL, WORKS, audit, begin_audit, continued_works
from tarsus.simulation.constraints import LOCK_ENGAGED, HeldConstraints
from tarsus.simulation.runs.contact_state import ContactState
from tarsus.simulation.runs.differences import Differences
from tarsus.simulation.runs.joint_tables import LawTables, stop_tables
from tarsus.simulation.runs.loop_failure import step_failure
from tarsus.simulation.runs.state import State
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
from tarsus.simulation.spring import Spring, spring_tables
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

_NATIVE = _native.integrators()
INTEGRATORS = {name: number for name, (number, _) in _NATIVE.items()}
"""Native integrators."""
CHOOSING_STEPS = frozenset(name for name, (_, adaptive) in _NATIVE.items() if adaptive)
"""Native integrators that choose their steps."""
_OUTPUTS = (
    "out_q", "out_v", "out_tau", "out_position", "out_force", "out_energy", "out_displacement", "out_constraint"
)  # fmt: skip
"""Arrays of samples that a native run fills."""
_START_SAMPLE = _native.enumeration("StartSample")
_NOTHING_ASKED = {**dict.fromkeys(_OUTPUTS), "out_rate": None, "steps": 0, "samples": 0, "sample_start": 0}
"""What a native run does unless it is asked for more."""


@final
class Robots:
    """A batch of robots with their contact states, in a world.

    Parameters
    ----------
    q, v : ndarray, shape (*batch, nq) and (*batch, nv)
    integrator : str, optional
        Native integrator; left out where something else takes the steps, and asks for native rates and samples only.
    dt : float
        Length of a step [s].
    every : int
        Steps between samples.
    relative, absolute : float
        Tolerances of adaptive integrators.
    stops : bool
        Whether joints have stops at their limits.
    resumable : bool
        Whether samples hold contact states and works as signals, too.
    constraints : HeldConstraints, optional
        What the robots keep; samples have their multipliers as the signal "constraint_force".
    springs : sequence of Spring
        Between points; the world must know all nodes then.

    Attributes
    ----------
    state : State
        The present state.
    step : int
        Number of the present step.
    unsettled : int
        Steps, of all robots together, after which solved impulses still changed by more than 1e-3 of the largest one.
    steps_natively : bool
        Whether an integrator of the native core takes the steps.
    has_stops : bool
        Whether any joint has a stop.
    engaged : ndarray of int32, shape (count, rows)
        Rows of constraints that act; all but those of locks always do.
    """

    def __init__(
        self,
        model: Model,
        world: World,
        q: FloatArray,
        v: FloatArray,
        *,
        integrator: str | None,
        dt: float,
        every: int,
        relative: float,
        absolute: float,
        stops: bool,
        threads: int,
        law: JointLaw | None = None,
        resumable: bool = False,
        constraints: HeldConstraints | None = None,
        springs: Sequence[Spring] = (),
    ) -> None:
        self.model, self.world = model, world
        self.batch = q.shape[:-1]
        self.count = int(np.prod(self.batch, dtype=int))
        self.single = self.batch == ()
        self.dt, self.every, self.threads = dt, every, threads
        self.relative, self.absolute = relative, absolute
        self.resumable, self.constraints, self._springs = resumable, constraints, tuple(springs)
        self._rows = 0 if constraints is None else constraints.rows
        self.step = self.unsettled = 0
        self.state = State(
            q=np.ascontiguousarray(to_native(model, q)).reshape(self.count, -1).copy(),
            v=np.ascontiguousarray(v).reshape(self.count, -1).copy(),
            contact=ContactState.at_rest(self.count, world.count),
            work=np.zeros((self.count, WORKS)),
            step_size=np.zeros(self.count),
            tau=np.zeros((self.count, model.nv)),
            constraint_force=np.zeros((self.count, self._rows)),
        )
        self._tables = LawTables(model, self.batch)
        self._settings = {"dt": dt, "relative": relative, "absolute": absolute, "every": every, "robots": self.count,
                          "single": int(self.single), "threads": threads,
                          "sets": int(integrator == "semi-implicit-euler"), **stop_tables(model, stops),
                          "constraints": None if constraints is None else constraints.table,
                          **spring_tables(model, springs), **self._tables.constants}  # fmt: skip
        self.has_stops = self._settings["stop_q"] is not None
        self.steps_natively = integrator is not None
        self._integrator = INTEGRATORS[integrator or "semi-implicit-euler"]
        self.engaged = np.ones((self.count, self._rows), dtype=np.int32)
        if constraints is not None:
            self.engaged[:] = constraints.at_start()
        self._external: FloatArray | None = None
        self._differences = Differences()
        self._off: FloatArray | None = None
        self._cores: dict[tuple[World, int], _native.SimulatorCore] = {}
        self._native_layout = model.base != "free" or model.rotation == "quaternion"
        self._torque: FloatArray | None = None
        self._law_tables: dict[str, Any] | None = None
        self.set_law(JointLaw() if law is None else law)
        self._core = self._core_of(world, self._integrator)

    @property
    def time(self) -> float:
        """Time of the present state [s]."""
        return self.step * self.dt

    @property
    def configuration(self) -> FloatArray:
        """Configurations of all robots in the user's layout, shape (*batch, nq); perhaps a view of the state."""
        return to_user(self.model, self.state.q).reshape(*self.batch, -1)

    @property
    def velocity(self) -> FloatArray:
        """Velocities of all robots, shape (*batch, nv); a view of the state."""
        return self.state.v.reshape(*self.batch, -1)

    # -- what acts on them ------------------------------------------------------------------------------------------

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        if not self._set_constant_law(law):
            tables = self._tables.of(law)
            for core in self._cores.values():
                core.set_law(tables)
        self._law_tables, self._torque, self._law = None, None, law

    def _set_constant_law(self, law: JointLaw) -> bool:
        """The short way of a law without knots; False where it takes tables."""
        if law.times is not None or not self._native_layout:
            return False
        if isinstance(law.kp, Mapping) or isinstance(law.kd, Mapping):
            return False
        given = (law.kp, law.kd, law.q, law.v, law.tau, bool(law.gravity), bool(law.limited))
        return all(core.set_constant_law(*given) for core in self._cores.values()) and bool(self._cores)

    @property
    def law(self) -> JointLaw:
        """What drives the joints at present."""
        return self._law if self._torque is None else JointLaw(tau=self._torque, limited=False)

    def set_torque(self, tau: FloatArray) -> int | None:
        """Apply constant torques from now on, shape (*batch, nv).

        Returns the place of the first number that is not finite, in which case nothing changes, or None.
        """
        tau = np.array(tau, order="C")
        for core in self._cores.values():
            place = core.set_torque(tau)
            if place is not None:
                return place
        self._torque = tau
        return None

    def set_external(self, wrenches: FloatArray | None) -> None:
        """Apply constant wrenches on the bodies from now on, shape (*batch, nb, 6)."""
        if wrenches is None and self._external is None:
            return
        self._external = None if wrenches is None else np.ascontiguousarray(wrenches).reshape(self.count, -1)
        for core in self._cores.values():
            core.set_external(self._external)

    def is_engaged(self, constraint: int) -> bool:
        """Whether a constraint acts, by its place; of a single robot."""
        assert self.constraints is not None
        return bool(self.engaged[0, self.constraints.table.first[constraint]])

    def set_engaged(self, constraint: int, engaged: bool) -> None:
        """Let a constraint act from now on, or not; the native cores read the same array."""
        assert self.constraints is not None
        first = self.constraints.table.first
        self.engaged[:, first[constraint] : first[constraint + 1]] = engaged

    def set_differences(self, differences: Differences) -> None:
        """Let robots have bodies and friction of their own from now on."""
        self._differences = differences
        for core in self._cores.values():
            differences.set_in(core)

    def set_tables(self, tables: dict[str, Any]) -> None:
        """Use a joint law that is given by its tables from now on."""
        for core in self._cores.values():
            core.set_law(tables)
        self._law_tables, self._torque = tables, None

    def tables_of(self, law: JointLaw) -> dict[str, Any]:
        """Tables of a joint law of these robots."""
        return self._tables.of(law)

    @property
    def off(self) -> FloatArray | None:
        """Contacts that are switched off, shape (count, contacts), not 0 where they are; None where none is."""
        return self._off

    def switch_off(self, off: FloatArray | None) -> None:
        """Contacts that touch nothing from now on, shape (count, contacts), not 0 where they are off; None for none.

        What springs of the ground hold more or less by it counts as work from outside.
        """
        held = self.sample(self.time).energy["ground_stored"].ravel()
        self._off = None if off is None or not off.any() else np.array(off, dtype=float, order="C")
        if self._off is not None:
            forgotten = np.repeat(self._off != 0.0, 3, axis=1)
            self.state.contact.displacement[forgotten] = self.state.contact.force[forgotten] = 0.0
        for (world, _), core in self._cores.items():
            if world is self.world:
                core.switch_off(self._off)
        self.state.work[:, WORK_EXTERNAL] += self.sample(self.time).energy["ground_stored"].ravel() - held

    # -- where they are ---------------------------------------------------------------------------------------------

    def restore(self, resumed: Trajectory) -> None:
        """Take over contact states, works and time from the end of a trajectory that was made resumable."""
        missing = [name for name in ("contact_state", "work") if name not in resumed.signals]
        if missing:
            raise ArgumentError(
                f"the trajectory has no signal {missing[0]!r}: simulate it with resumable=True to go on from it"
            )
        if resumed.contacts != self.world.names:
            raise ArgumentError("the trajectory has other contacts than this simulation")
        if "contact_off" in resumed.signals:
            self.switch_off(resumed.signals["contact_off"][-1].reshape(self.count, -1))
        if self.constraints is not None:
            self.engaged[:] = self.constraints.resumed(resumed)
        state = self.state
        state.contact.resume(resumed)
        ended = {name: values[-1] for name, values in resumed.energy.items()}
        state.work[:] = continued_works(resumed.signals["work"][-1].reshape(self.count, -1), ended)
        self.step = round(float(resumed.time[-1]) / self.dt)
        if abs(self.step * self.dt - resumed.time[-1]) > 1e-9 * max(1.0, abs(resumed.time[-1])):
            raise ArgumentError(f"the trajectory ends at {resumed.time[-1]} s, which is no multiple of dt = {self.dt}")

    def take_over(self, other: Robots) -> None:
        """Go on in time where other robots are, the same ones in other coordinates: all but q, v and the joint law."""
        self.step, self.unsettled = other.step, other.unsettled
        state, before = self.state, other.state
        state.contact.displacement[:], state.contact.force[:] = before.contact.displacement, before.contact.force
        state.work[:], state.step_size[:] = before.work, before.step_size
        self.set_external(other._external)
        if other._off is not None:
            self._off = other._off.copy()
            self._core.switch_off(self._off)

    def begin_audit(self) -> None:
        """Count energy from the present state on."""
        begin_audit(self.state.work, self.sample(self.time).energy)

    def put(self, chosen: npt.NDArray[np.intp], q: FloatArray, v: FloatArray, check: Callable[[Robots], None]) -> None:
        """Put some robots, by their numbers, at q (n, nq) and v (n, nv), with contacts at rest and a new audit.

        `check` is shown these robots alone, and raises where they cannot be put there.
        """
        fresh = Robots(
            self.model, self.world, q[0] if self.single else q, v[0] if self.single else v, integrator=None,
            dt=self.dt, every=1, relative=self.relative, absolute=self.absolute, stops=self.has_stops, threads=1,
            constraints=self.constraints, springs=self._springs,
        )  # fmt: skip
        fresh.step = self.step
        fresh.set_differences(self._differences.of(chosen))
        if self._off is not None:
            fresh._off = np.ascontiguousarray(self._off[chosen])
            fresh._core.switch_off(fresh._off)
        check(fresh)
        fresh.begin_audit()
        self.state.put(chosen, fresh.state)

    def sampling_times(self, steps: int, first: int | None = None) -> list[float]:
        """Times of the samples within that many steps from the present one, or from another one, on [s]."""
        step = self.step if first is None else first
        before = step // self.every
        count = (step + steps) // self.every - before
        return [(before + 1 + k) * (self.every * self.dt) for k in range(count)]

    # -- calls of the native core -----------------------------------------------------------------------------------

    def sample(self, time: float, state: State | None = None, *, forces: str = "caused") -> Samples:
        """One sample of a state, the present one by default, at a time [s].

        Contact forces are those that the state causes, or with "acted" those of the step that led to it, where the
        integrator keeps them; torques are then left out.
        """
        out, kind = self.outputs(1), _START_SAMPLE[forces]
        self._step(state, samples=1, sample_start=kind, start=time, end=time, **out)
        return self.samples_of([time], out)

    def acted_contacts(self) -> tuple[FloatArray, FloatArray]:
        """Places [m] of all contacts, and forces [N] of the step that led to the present state, (*batch, nc, 3)."""
        world = self.world
        shape = (*self.batch, world.count, 3)
        position, force = np.empty(shape), np.empty(shape)
        self._told(self._core.contacts(self.time, position, force))
        return world.recorded(position, 1.0), world.recorded(force, -1.0)

    def try_step(self, state: State) -> None:
        """Take one native step from another state than the present one, at the present time; it is not counted."""
        counted = self.unsettled
        self._step(state, steps=1, samples=1, start=self.time, end=self.time + self.dt)
        self.unsettled = counted

    def take_steps(self, steps: int) -> Samples | None:
        """Take native steps from the present state; the samples on the way, if any. `step` is left to the caller.

        The state of a single robot is left as it was where they fail.
        """
        times = self.sampling_times(steps)
        if not times:
            self._give_motions(self._core, self.time, (self.step + steps) * self.dt)
            self._told(self._core.step(self.step, steps))
            return None
        out = self.outputs(len(times))
        self._step(None, steps=steps, samples=len(times), start=self.time, end=(self.step + steps) * self.dt, **out)
        return self.samples_of(times, out)

    def step_tolerantly(self, steps: int, failed: npt.NDArray[np.int32], failed_time: FloatArray) -> None:
        """Take native steps; robots that fail are marked with status and time, and stay as they are from then on.

        Where something else ends the steps, Ctrl-C or a lack of memory, all robots stay as they were.
        """
        before = self.state.copy(), failed.copy(), failed_time.copy()
        self._give_motions(self._core, self.time, (self.step + steps) * self.dt)
        try:
            self._told(self._core.step(self.step, steps, failed, failed_time))
        except BaseException:
            self.state.assign(before[0])
            failed[:], failed_time[:] = before[1:]
            raise

    def _step(self, state: State | None, **request: Any) -> None:
        self.call(self.world, state, self._integrator, **request)

    def outputs(self, count: int) -> dict[str, FloatArray]:
        """Arrays that the native core fills with samples."""
        n, nv, nc = self.count, self.model.nv, self.world.count
        sizes = (self.state.q.shape[1], nv, nv, 3 * nc, 3 * nc, PARTS, 3 * nc, self._rows)
        return {name: np.empty((count, n, size)) for name, size in zip(_OUTPUTS, sizes, strict=True)}

    def samples_of(self, times: Sequence[float], out: dict[str, FloatArray]) -> Samples:
        """Samples of the arrays that the native core filled."""
        model, world, lead, nc = self.model, self.world, (len(times), *self.batch), self.world.count
        raw = out["out_energy"].reshape(*lead, PARTS)
        signals = {}
        if self.resumable:
            off = np.zeros((self.count, nc)) if self._off is None else self._off
            signals = {"contact_state": out["out_displacement"].reshape(*lead, nc, 3), "work": raw[..., -WORKS:],
                       "contact_off": np.broadcast_to(off.reshape(*self.batch, nc), (*lead, nc))}  # fmt: skip
            if self.constraints is not None and self.constraints.locks:
                engaged = self.constraints.lock_states(self.engaged).reshape(*self.batch, -1)
                signals[LOCK_ENGAGED] = np.tile(engaged, (len(times), *(1,) * engaged.ndim))
        if self._rows:
            signals["constraint_force"] = out["out_constraint"].reshape(*lead, self._rows)
        return Samples(
            time=np.array(times, dtype=float),
            q=to_user(model, out["out_q"]).reshape(*lead, model.nq),
            v=out["out_v"].reshape(*lead, model.nv),
            tau=out["out_tau"].reshape(*lead, model.nv),
            contact_position=world.recorded(out["out_position"].reshape(*lead, nc, 3), 1.0),
            contact_force=world.recorded(out["out_force"].reshape(*lead, nc, 3), -1.0),
            energy=audit(raw),
            signals=signals,
        )

    def call(self, world: World, state: State | None, integrator: int, **request: Any) -> None:
        """Run the native core on a state, the present one for None, in a world.

        `request` holds times, numbers of steps and samples (0 by default) and arrays of results by the names that the
        native core reads.

        Raises
        ------
        StepFailure
        """
        table = {**_NOTHING_ASKED, "first_step": self.step, **({} if state is None else state.table()), **request}
        core = self._core_of(world, integrator)
        self._give_motions(core, table["start"], table["end"])
        self._told(core.run(table))

    def _give_motions(self, core: _native.SimulatorCore, start: float, end: float) -> None:
        """Tell the motions that constraints follow from one time to another [s]."""
        if self.constraints is None or not self.constraints.table.driven:
            return
        knots = int(np.ceil((end - start) / self.dt - 1e-6)) + 1 if end > start else 1
        motions = self.constraints.motions(start, knots, self.dt)
        core.set_given(motions, start, self.dt)

    def run_rigid(self, state: State | None, **request: Any) -> Any:
        """Run the native core by events on a state, the present one for None; what it tells, as it is."""
        table = {**_NOTHING_ASKED, "first_step": self.step, **({} if state is None else state.table()), **request}
        return self._core.run_rigid(table)

    def _told(self, outcome: tuple[int, int, float, int, int]) -> None:
        """Note what a native run told."""
        status, robot, time, closure, unsettled = outcome
        self.unsettled += unsettled
        if status == STATUS["constraint-open"] and self.constraints is not None:
            reason = f"{self.constraints.label_of(closure)} cannot be closed any more: it contradicts the others"
            raise StepFailure(reason, robot, time)
        if status != STATUS["ok"]:
            raise step_failure(self.model, status, robot, time, closure)

    def _core_of(self, world: World, integrator: int) -> _native.SimulatorCore:
        """The native simulator of these robots in a world, made when it is first asked for."""
        core = self._cores.get((world, integrator))
        if core is None:
            core = _native.SimulatorCore(self.model, world.core, {**self._settings, "integrator": integrator})
            if world is self.world:
                core.bind(self.state.table())
            core.set_law(self._tables.of(self._law) if self._law_tables is None else self._law_tables)
            if self._torque is not None:
                core.set_torque(self._torque)
            core.set_external(self._external)
            if self.constraints is not None and self.constraints.locks:
                core.set_engaged(self.engaged)
            self._differences.set_in(core)
            if world is self.world:
                core.switch_off(self._off)
            self._cores[world, integrator] = core
        return core
