"""Robots that are stepped from outside: observations, resets and snapshots in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray, read_only_copy
from tarsus.contact import Contactor, Ground, Rigid
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import NO_READINGS, Observation
from tarsus.devices.sensors.motion import Contacts
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.recording.energies import total_energy
from tarsus.simulation.arguments import check_model, check_threads, check_time
from tarsus.simulation.runs.native_steps import NativeSteps
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.run import Run
from tarsus.simulation.runs.state import State
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
from tarsus.simulation.start import start_state
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model


_STATUS_NAMES = {number: name for name, number in STATUS.items()}


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that the next steps of a simulation depend on, to be given back to `Simulation.restore`."""

    step: int
    state: State
    failed: npt.NDArray[np.int32]
    failed_time: FloatArray
    law: JointLaw


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
    ground, contacts
        As for `simulate`; not the law `Rigid`.
    batch : int or tuple of int, optional
        Number of robots, where q0 and v0 are those of all.
    dt : float
        Step [s].
    stops : bool
        Position limits of joints are stiff springs.
    threads : int
        Cores that a batch may use.
    """

    def __init__(
        self,
        model: Model,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        ground: Ground | None = None,
        contacts: Iterable[Contactor] | None = None,
        batch: int | tuple[int, ...] | None = None,
        dt: float = 1e-3,
        stops: bool = True,
        threads: int = 1,
    ) -> None:
        check_model(model)
        check_time("dt", dt)
        check_threads(threads)
        if ground is not None and any(isinstance(surface.law, Rigid) for surface in ground.surfaces):
            raise ArgumentError("ground of the law Rigid cannot be stepped: it is integrated from event to event")
        q, v = _with_batch(model, batch, *start_state(model, q0, v0, None))
        world = World(model, ground, contacts, all_nodes=True)
        self._robots = Robots(model, world, q, v, integrator="semi-implicit-euler", dt=float(dt), every=1,
                              relative=1e-8, absolute=1e-9, stops=stops, threads=threads)  # fmt: skip
        self._run = Run(self._robots, NativeSteps(self._robots, "semi-implicit-euler"))
        self._failed = np.zeros(self._robots.count, dtype=np.int32)
        self._failed_time = np.zeros(self._robots.count)
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

    def observe(self) -> Observation:
        """The present moment: state, last torques and contact forces; without sensors."""
        robots = self._robots
        return Observation(self, robots.time, self.q, self.v, NO_READINGS)

    # -- what an observation asks for (control.observation.Observed) ------------------------------------------------

    @property
    def bodies_of_contacts(self) -> tuple[str, ...]:
        """Body that each contact is on."""
        return self._robots.world.bodies

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

    def step(self, command: npt.ArrayLike | JointLaw | None = None, *, steps: int = 1) -> None:
        """Take steps of dt.

        Parameters
        ----------
        command : array_like, shape (*batch, nv), or JointLaw, optional
            Torques, or a law, from now on; what it was before by default, nothing at first. Times of a law are `time`.
        steps : int

        Raises
        ------
        ArgumentError
            Where the command does not fit; nothing has happened then.
        """
        if not isinstance(steps, int | np.integer) or steps < 0:
            raise ArgumentError(f"steps is {steps!r}; expected a whole number, not negative")
        if command is not None:
            self._command(command)
        robots = self._robots
        robots.step_tolerantly(int(steps), self._failed, self._failed_time)
        robots.step += int(steps)

    def _command(self, command: npt.ArrayLike | JointLaw) -> None:
        robots = self._robots
        if isinstance(command, JointLaw):
            robots.set_law(command)
            return
        try:
            tau = np.asarray(command, dtype=float)
        except (TypeError, ValueError):
            raise DtypeError(f"command is {type(command).__name__}; expected torques or a JointLaw") from None
        expected = (*robots.batch, robots.model.nv)
        if tau.shape != expected:
            raise ShapeError(f"torques have shape {tau.shape}; expected {expected}")
        place = robots.set_torque(tau)
        if place is not None:
            where = tuple(map(int, np.unravel_index(place, tau.shape)))
            raise NonFiniteError(f"torques are {tau[where]} at entry {list(where)}; expected finite numbers")

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
        robots = self._robots
        new_q, new_v = start_state(self.model, q, v, None)
        try:
            new_q = np.broadcast_to(new_q, (*self.batch, new_q.shape[-1]))
            new_v = np.broadcast_to(new_v, (*self.batch, new_v.shape[-1]))
        except ValueError:
            raise ShapeError(f"q and v have batch axes {new_q.shape[:-1]}; expected {self.batch}") from None
        chosen = self._chosen(where)
        fresh = Robots(self.model, robots.world, new_q, new_v, integrator="semi-implicit-euler", dt=robots.dt, every=1,
                       relative=1e-8, absolute=1e-9, stops=robots.has_stops, threads=1)  # fmt: skip
        robots.state.assign(fresh.state, chosen)
        energy = {name: part.ravel() for name, part in robots.sample(robots.time).energy.items()}
        robots.begin_audit_of(chosen, total_energy({k: x for k, x in energy.items() if k != "integration"}))
        self._failed[chosen], self._failed_time[chosen] = STATUS["ok"], 0.0

    def _chosen(self, where: npt.ArrayLike | None) -> BoolArray:
        """Robots of a mask, shape (count,)."""
        if where is None:
            return np.ones(self._robots.count, dtype=bool)
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != self.batch:
            raise ShapeError(f"where is {mask.dtype} of shape {mask.shape}; expected bool of shape {self.batch}")
        return mask.reshape(-1)

    def snapshot(self) -> Snapshot:
        """The present moment, to go back to."""
        robots = self._robots
        return Snapshot(robots.step, robots.state.copy(), self._failed.copy(), self._failed_time.copy(), robots.law)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this simulation, or of one like it: what follows is the same bit by bit."""
        robots = self._robots
        if snapshot.state.q.shape != robots.state.q.shape or snapshot.state.contact.force.shape != (
            robots.state.contact.force.shape
        ):
            raise ArgumentError("the snapshot is of another simulation: model, batch or contacts differ")
        robots.set_law(snapshot.law)
        robots.state.assign(snapshot.state)
        robots.step = snapshot.step
        self._failed[:], self._failed_time[:] = snapshot.failed, snapshot.failed_time


def _with_batch(
    model: Model, batch: int | tuple[int, ...] | None, q: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The start for so many robots."""
    if batch is None:
        return q, v
    axes = (batch,) if isinstance(batch, int | np.integer) else tuple(batch)
    if not axes or not all(isinstance(n, int | np.integer) and n > 0 for n in axes):
        raise ArgumentError(f"batch is {batch!r}; expected a number of robots, or a tuple of them")
    try:
        return np.broadcast_to(q, (*axes, model.nq)).copy(), np.broadcast_to(v, (*axes, model.nv)).copy()
    except ValueError:
        raise ShapeError(f"q0, v0 have batch axes {q.shape[:-1]}, which do not fit batch = {axes}") from None
