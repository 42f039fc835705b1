"""The robots of a simulation: their state, what acts on them, and calls of the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_native, to_user
from tarsus.recording.samples import Samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.audit import PARTS, WORKS, audit, begin_audit, continued_works
from tarsus.simulation.runs.contact_state import ContactState
from tarsus.simulation.runs.joint_tables import law_tables, stop_tables
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
    law : JointLaw
        What drives the joints at present.
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
        )
        self._stops = stop_tables(model, stops)
        self._integrator = INTEGRATORS[integrator or "semi-implicit-euler"]
        self._external: FloatArray | None = None
        self.set_law(JointLaw() if law is None else law)

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

    @property
    def has_stops(self) -> bool:
        """Whether any joint has a stop."""
        return self._stops["stop_q"] is not None

    # -- what acts on them ------------------------------------------------------------------------------------------

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        self._law_tables = law_tables(self.model, law, self.batch)
        self.law = law

    def set_torque(self, tau: FloatArray) -> None:
        """Apply constant torques from now on, shape (*batch, nv)."""
        self.set_law(JointLaw(tau=tau, limited=False))

    def set_external(self, wrenches: FloatArray | None) -> None:
        """Apply constant wrenches on the bodies from now on, shape (*batch, nb, 6)."""
        self._external = None if wrenches is None else np.ascontiguousarray(wrenches).reshape(self.count, -1)

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
        out, kind = self.outputs(1), _START_SAMPLE[forces]
        self._step(self.state if state is None else state, samples=1, sample_start=kind, start=time, end=time, **out)
        return self.samples_of([time], out)

    def try_step(self, state: State) -> None:
        """Take one native step from another state than the present one, at the present time; it is not counted."""
        counted = self.unsettled
        self._step(state, steps=1, start=self.time, end=self.time + self.dt, every=self.step + 2)
        self.unsettled = counted

    def take_steps(self, steps: int) -> Samples | None:
        """Take native steps from the present state; the samples on the way, if any. `step` is left to the caller."""
        times, end = self.sampling_times(steps), (self.step + steps) * self.dt
        out = self.outputs(len(times)) if times else {}
        self._step(self.state, steps=steps, samples=len(times), start=self.time, end=end, **out)
        return self.samples_of(times, out) if times else None

    def _step(self, state: State, **request: Any) -> None:
        self.call(self.world, state, self._integrator, self.threads, **request)

    def outputs(self, count: int) -> dict[str, FloatArray]:
        """Arrays that the native core fills with samples."""
        n, nv, nc = self.count, self.model.nv, len(self.world.names)
        sizes = (self.state.q.shape[1], nv, nv, 3 * nc, 3 * nc, PARTS, 3 * nc)
        return {name: np.empty((count, n, size)) for name, size in zip(_OUTPUTS, sizes, strict=True)}

    def samples_of(self, times: Sequence[float], out: dict[str, FloatArray]) -> Samples:
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

    def call(self, world: World, state: State, integrator: int, threads: int, **request: Any) -> None:
        """Run the native core on a state in a world.

        `request` holds times, numbers of steps and samples (0 by default) and arrays of results by the names that the
        native core reads.

        Raises
        ------
        StepFailure
        """
        status, robot, time, closure, unsettled = _native.run_simulation(
            self.model, world.core, self.tables(state, integrator, **request), self.single, threads
        )
        self.unsettled += unsettled
        if status != STATUS["ok"]:
            raise step_failure(self.model, status, robot, time, closure)

    def tables(self, state: State, integrator: int, **request: Any) -> dict[str, Any]:
        """What a native run reads, with `request` as in `call`."""
        return {
            **_NOTHING_ASKED,
            "integrator": integrator,
            "dt": self.dt,
            "relative": self.relative,
            "absolute": self.absolute,
            "every": self.every,
            "robots": self.count,
            "first_step": self.step,
            "external": self._external,
            **self._law_tables,
            **self._stops,
            **state.table(),
            **request,
        }
