"""Runs of mechanisms with loops through dead points of the joints that lead them: others lead from there on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError, LoopError, SimulationError
from tarsus.recording.energies import ENERGY_SIGNS, total_energy
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.leaders.led_mechanism import LedMechanism, mechanism_of
from tarsus.simulation.plan import Plan
from tarsus.simulation.simulate import simulate
from tarsus.simulation.starts.start import start_state

if TYPE_CHECKING:
    from tarsus.model import Model

Torques = Callable[[float, FloatArray, FloatArray], npt.ArrayLike]
"""controller(t, q, v) -> tau, all over the coordinates of all joints."""

WAY = 0.05
"""How far the fastest joint may go between two looks at the slopes [rad or m]: from a slope of 3 it is some 0.3 to a
dead point."""
_PRESENT = ("kinetic", "potential", "ground_stored", "joint_stored")
"""Energies of a state; all others are sums since the start."""


def simulate_past_dead_points(
    model: Model,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    duration: float,
    controller: Torques | None = None,
    integrator: str | None = None,
    dt: float = 1e-3,
    sample_dt: float | None = None,
    relative: float = 1e-8,
    absolute: float = 1e-9,
    stops: bool = True,
) -> Trajectory:
    """Motion of a mechanism with loops, led by whichever joints move fast enough.

    The coordinate of a leading joint does not tell beyond its dead point where the loop is. So the slopes G of the
    followers are looked at on the way, at least every 0.05 rad of the fastest joint: where the largest is above 3 times
    that with the best leaders, these lead from there on, on the branch where the loop is. In between it is a run of
    `simulate` with minimal coordinates: the energy is kept as the integrator keeps it, and loops are closed to
    round-off. The same arguments give the same run, bit by bit.

    Parameters
    ----------
    model : Model
        A mechanism with loops.
    q0, v0 : array_like, shape (nq,) and (nv,), optional
        Start, in the coordinates of `model`: of its leading joints, or with ``couplings="cut"`` of all joints. By
        default the reference pose at rest.
    duration : float
        [s], a multiple of the time between samples.
    controller : callable, optional
        ``controller(t, q, v)`` with coordinates and velocities of all joints, every `dt`, returns the torques of all
        joints. A torque T of a follower acts on the leaders as G^T T; that of a drive at its own dead point moves
        nothing, as in reality.
    integrator, dt, sample_dt, relative, absolute, stops
        As for `simulate`. Adaptive integrators begin anew with every look.

    Returns
    -------
    Trajectory
        Over all joints: its `model` is the mechanism with ``couplings="cut"``. ``metadata["leaders"]`` tells since when
        which joints lead.

    Raises
    ------
    ArgumentError
        For models without loops, batches, and starts that do not close the loops.
    SimulationError
        As `simulate` does; also where no joint leads on, because a step ends too near to where two branches meet (a
        kite that is folded). Its `trajectory` is over all joints, too.
    """
    if controller is not None and not callable(controller):
        raise ArgumentError(f"controller is {controller!r}; expected a function of t, q and v, or None")
    mechanism = mechanism_of(model)
    q, v = start_state(model, q0, v0, None)
    if q.ndim > 1:
        raise ArgumentError(f"q0, v0 have batch axes {q.shape[:-1]}; expected one mechanism at a time")
    if model is mechanism.led:
        q, v = mechanism.all_joints(q, v)
    else:
        mechanism = mechanism.on_branch(q)
        mechanism.require_closed(q, v)
    plan = Plan(duration, dt, None, sample_dt)
    if plan.steps % plan.every:
        raise ArgumentError(f"duration is {duration!r}; expected a multiple of sample_dt = {plan.every * dt:g} s")
    options: dict[str, Any] = {"integrator": integrator, "dt": dt, "relative": relative, "absolute": absolute,
                               "stops": stops, "progress": False}  # fmt: skip
    return _SegmentedRun(mechanism, q, v, plan, controller, options).run()


class _SegmentedRun:
    """A run in segments, each with leaders of its own, which are runs in parts."""

    def __init__(
        self,
        mechanism: LedMechanism,
        q: FloatArray,
        v: FloatArray,
        plan: Plan,
        controller: Torques | None,
        options: dict[str, Any],
    ) -> None:
        self._mechanism, self._plan, self._controller, self._options = mechanism, plan, controller, options
        self._tau = np.zeros(mechanism.whole.nv)  # of all joints, held
        self._first_tau: FloatArray | None = None
        self._part: Trajectory | None = None  # the last one of this segment
        self._begin = 0  # step at which the segment began
        self._step = 0
        self._q, self._v = q, v  # of all joints, at the beginning of the segment
        self._spent = dict.fromkeys(ENERGY_SIGNS, 0.0)  # in former segments [J]
        self._samples: list[tuple[float, FloatArray, FloatArray, FloatArray, dict[str, float]]] = []
        self._leaders: list[dict[str, Any]] = []

    def run(self) -> Trajectory:
        self._lead_better()
        self._tell_leaders()
        try:
            while self._step < self._plan.steps:
                self._advance()
                if self._lead_better():
                    self._tell_leaders()
        except (SimulationError, LoopError) as error:
            reason = (
                f"the run of {self._mechanism.whole.name!r} ended after {self._step * self._plan.dt:g} s. Led by "
                f"{', '.join(map(repr, self._mechanism.leaders))}, and counted from {self._begin * self._plan.dt:g} s: "
                f"{error}"
            )
            raise SimulationError(reason, self._trajectory(reason) if self._samples else None) from None
        return self._trajectory()

    def _advance(self) -> None:
        """One part of the segment, and its sample where one is due."""
        steps = self._steps()
        led, options = self._mechanism.led, dict(self._options)
        if self._part is None:
            options["q0"], options["v0"] = self._mechanism.minimal(self._q, self._v)
        else:
            options["resume"] = self._part
        law = None if self._controller is None else self._torques
        dt = self._plan.dt  # samples are counted from the start of the segment: one a step is always at the end, too
        part = simulate(led, duration=steps * dt, sample_dt=dt, controller=law, resumable=True, **options)
        if not self._samples:
            self._keep(part, 0)
        self._part, self._step = part, self._step + steps
        if self._step % self._plan.every == 0:
            self._keep(part, -1)

    def _steps(self) -> int:
        """Steps until the slopes are looked at again: a divisor of those between samples."""
        _, v = self._state()
        speed = float(np.abs(v).max(initial=0.0))
        most = max(1, min(self._plan.every, int(WAY / max(speed * self._plan.dt, 1e-12))))
        left = self._plan.every - self._step % self._plan.every
        return next(n for n in range(min(most, left), 0, -1) if left % n == 0)

    def _state(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates and velocities of all joints, now."""
        if self._part is None:
            return self._q, self._v
        return self._mechanism.all_joints(self._part.q[-1], self._part.v[-1])

    def _lead_better(self) -> bool:
        """Let others lead where those that do are near a dead point; whether that changed them."""
        q, v = self._state()
        minimal, led = self._mechanism.minimal(q, v)[0], self._mechanism.led
        if self._options["stops"] and np.any((minimal < led.q_min) | (minimal > led.q_max)):
            return False  # a stop is a spring at the leading joint: it must have given back what it holds
        leaders = self._mechanism.better_leaders(minimal)
        if leaders == self._mechanism.leaders:
            return False
        self._mechanism = self._mechanism.led_by(leaders, q)
        self._q, self._v = q, v
        if self._part is not None:
            for name, value in self._part.energy.items():
                if name not in _PRESENT:
                    self._spent[name] += float(value[-1])
        self._part, self._begin = None, self._step
        return True

    def _tell_leaders(self) -> None:
        self._leaders.append({"time": self._step * self._plan.dt, "joints": list(self._mechanism.leaders)})

    def _torques(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Torques of the leading joints, from those of all joints."""
        assert self._controller is not None
        every, rates = self._mechanism.all_joints(np.asarray(q), np.asarray(v))
        now = self._begin * self._plan.dt + t
        tau = np.asarray(self._controller(now, read_only_copy(every), read_only_copy(rates)), dtype=float)
        if tau.shape != self._tau.shape:
            raise ArgumentError(
                f"controller returned shape {tau.shape}; expected {self._tau.shape}, one for each joint"
            )
        self._tau = tau
        if self._first_tau is None:
            self._first_tau = tau
        return np.asarray(self._mechanism.slopes(np.asarray(q)).T @ tau)

    def _keep(self, part: Trajectory, k: int) -> None:
        """Keep a sample of a part, over all joints."""
        q, v = self._mechanism.all_joints(part.q[k], part.v[k])
        energy = {name: float(value[k]) + self._spent[name] for name, value in part.energy.items()}
        first = not self._samples
        tau = self._first_tau if first and self._first_tau is not None else self._tau
        self._samples.append((0.0 if first else self._step * self._plan.dt, q, v, tau, energy))

    def _trajectory(self, reason: str = "") -> Trajectory:
        time, q, v, tau, energies = zip(*self._samples, strict=True)
        energy = {name: np.array([at[name] for at in energies]) for name in energies[0]}
        total = total_energy(energy)
        energy["integration"] = total - total[0]
        metadata = {**self._options, "duration": self._plan.steps * self._plan.dt, "leaders": self._leaders}
        return Trajectory(
            self._mechanism.whole, np.array(time), np.array(q), np.array(v), np.array(tau),
            energy=energy, metadata=metadata, finished=not reason, reason=reason,
        )  # fmt: skip
