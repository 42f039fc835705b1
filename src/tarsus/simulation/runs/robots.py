"""The robots of a simulation: their state, what acts on them, and calls of the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_native, to_user
from tarsus.recording.samples import Samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.audit import PARTS, WORK_INITIAL, WORKS, audit, begin_audit, continued_works
from tarsus.simulation.runs.contact_state import ContactState
from tarsus.simulation.runs.joint_tables import LawTables, stop_tables
from tarsus.simulation.runs.loop_failure import step_failure
from tarsus.simulation.runs.state import State
from tarsus.simulation.runs.step_failure import STATUS
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

_NATIVE = _native.integrators()
INTEGRATORS = {name: number for name, (number, _) in _NATIVE.items()}
"""Native integrators."""
CHOOSING_STEPS = frozenset(name for name, (_, adaptive) in _NATIVE.items() if adaptive)
"""Native integrators that choose their steps."""
_OUTPUTS = ("out_q", "out_v", "out_tau", "out_position", "out_force", "out_energy", "out_displacement")
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

    Attributes
    ----------
    state : State
        The present state.
    step : int
        Number of the present step.
    unsettled : int
        Steps, of all robots together, after which solved impulses still changed by more than 1e-3 of the largest one.
    has_stops : bool
        Whether any joint has a stop.
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
    ) -> None:
        self.model, self.world = model, world
        self.batch = q.shape[:-1]
        self.count = int(np.prod(self.batch, dtype=int))
        self.single = self.batch == ()
        self.dt, self.every, self.threads = dt, every, threads
        self.relative, self.absolute = relative, absolute
        self.resumable = resumable
        self.step = self.unsettled = 0
        self.state = State(
            q=np.ascontiguousarray(to_native(model, q)).reshape(self.count, -1).copy(),
            v=np.ascontiguousarray(v).reshape(self.count, -1).copy(),
            contact=ContactState.at_rest(self.count, len(world.names)),
            work=np.zeros((self.count, WORKS)),
            step_size=np.zeros(self.count),
            tau=np.zeros((self.count, model.nv)),
        )
        self._settings = {"dt": dt, "relative": relative, "absolute": absolute, "every": every, "robots": self.count,
                          "single": int(self.single), "threads": threads, **stop_tables(model, stops)}  # fmt: skip
        self.has_stops = self._settings["stop_q"] is not None
        self._integrator = INTEGRATORS[integrator or "semi-implicit-euler"]
        self._external: FloatArray | None = None
        self._cores: dict[tuple[World, int], _native.SimulatorCore] = {}
        self._tables = LawTables(model, self.batch)
        self._torque: FloatArray | None = None
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
        tables = self._tables.of(law)
        for core in self._cores.values():
            core.set_law(tables)
        self._law_tables, self._torque, self._law = tables, None, law

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
        state = self.state
        state.contact.resume(resumed)
        ended = {name: values[-1] for name, values in resumed.energy.items()}
        state.work[:] = continued_works(resumed.signals["work"][-1].reshape(self.count, -1), ended)
        self.step = round(float(resumed.time[-1]) / self.dt)
        if abs(self.step * self.dt - resumed.time[-1]) > 1e-9 * max(1.0, abs(resumed.time[-1])):
            raise ArgumentError(f"the trajectory ends at {resumed.time[-1]} s, which is no multiple of dt = {self.dt}")

    def begin_audit(self) -> None:
        """Count energy from the present state on."""
        begin_audit(self.state.work, self.sample(self.time).energy)

    def begin_audit_of(self, chosen: BoolArray, energy: FloatArray) -> None:
        """Count energy of some robots, mask (count,), from the present one on, shape (count,) [J]."""
        self.state.work[chosen] = 0.0
        self.state.work[chosen, WORK_INITIAL] = energy[chosen]

    def sampling_times(self, steps: int) -> list[float]:
        """Times of the samples within that many steps from now [s]."""
        before = self.step // self.every
        count = (self.step + steps) // self.every - before
        return [(before + 1 + k) * (self.every * self.dt) for k in range(count)]

    # -- calls of the native core -----------------------------------------------------------------------------------

    def sample(self, time: float, state: State | None = None, *, forces: str = "caused") -> Samples:
        """One sample of a state, the present one by default, at a time [s].

        Contact forces are those that the state causes, or with "acted" those of the step that led to it, where the
        integrator keeps them; torques are then left out.
        """
        out, kind = self._outputs(1), _START_SAMPLE[forces]
        self._step(state, samples=1, sample_start=kind, start=time, end=time, **out)
        return self._samples([time], out)

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
            self._told(self._core.step(self.step, steps))
            return None
        out = self._outputs(len(times))
        self._step(None, steps=steps, samples=len(times), start=self.time, end=(self.step + steps) * self.dt, **out)
        return self._samples(times, out)

    def step_tolerantly(self, steps: int, failed: npt.NDArray[np.int32], failed_time: FloatArray) -> None:
        """Take native steps; robots that fail are marked with status and time, and stay as they are from then on.

        Where something else ends the steps, Ctrl-C or a lack of memory, all robots stay as they were.
        """
        before = self.state.copy(), failed.copy(), failed_time.copy()
        try:
            self._told(self._core.step(self.step, steps, failed, failed_time))
        except BaseException:
            self.state.assign(before[0])
            failed[:], failed_time[:] = before[1:]
            raise

    def _step(self, state: State | None, **request: Any) -> None:
        self.call(self.world, state, self._integrator, **request)

    def _outputs(self, count: int) -> dict[str, FloatArray]:
        """Arrays that the native core fills with samples."""
        n, nv, nc = self.count, self.model.nv, len(self.world.names)
        sizes = (self.state.q.shape[1], nv, nv, 3 * nc, 3 * nc, PARTS, 3 * nc)
        return {name: np.empty((count, n, size)) for name, size in zip(_OUTPUTS, sizes, strict=True)}

    def _samples(self, times: Sequence[float], out: dict[str, FloatArray]) -> Samples:
        """Samples of the arrays that the native core filled."""
        model, lead, nc = self.model, (len(times), *self.batch), len(self.world.names)
        raw = out["out_energy"].reshape(*lead, PARTS)
        signals = {}
        if self.resumable:
            signals = {"contact_state": out["out_displacement"].reshape(*lead, nc, 3), "work": raw[..., -WORKS:]}
        return Samples(
            time=np.array(times, dtype=float),
            q=to_user(model, out["out_q"]).reshape(*lead, model.nq),
            v=out["out_v"].reshape(*lead, model.nv),
            tau=out["out_tau"].reshape(*lead, model.nv),
            contact_position=out["out_position"].reshape(*lead, nc, 3),
            contact_force=out["out_force"].reshape(*lead, nc, 3),
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
        self._told(self._core_of(world, integrator).run(table))

    def _told(self, outcome: tuple[int, int, float, int, int]) -> None:
        """Note what a native run told."""
        status, robot, time, closure, unsettled = outcome
        self.unsettled += unsettled
        if status != STATUS["ok"]:
            raise step_failure(self.model, status, robot, time, closure)

    def _core_of(self, world: World, integrator: int) -> _native.SimulatorCore:
        """The native simulator of these robots in a world, made when it is first asked for."""
        core = self._cores.get((world, integrator))
        if core is None:
            core = _native.SimulatorCore(self.model, world.core, {**self._settings, "integrator": integrator})
            if world is self.world:
                core.bind(self.state.table())
            core.set_law(self._law_tables)
            if self._torque is not None:
                core.set_torque(self._torque)
            core.set_external(self._external)
            self._cores[world, integrator] = core
        return core
