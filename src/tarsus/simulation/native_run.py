"""Robots on their way through a native simulation: state arrays, tables of the run, and chunks of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw, gains, knot_times, references
from tarsus.errors import ArgumentError
from tarsus.model.lowering import to_native, to_user
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

INTEGRATORS = _native.enumeration("Integrator")
FLOW = INTEGRATORS.pop("flow")
"""Rates of the state instead of steps."""
OUTPUTS = ("out_q", "out_v", "out_tau", "out_position", "out_force", "out_energy", "out_z")
"""Arrays of results of a native run."""
_PARTS = tuple(_native.enumeration("EnergyPart"))
_WORKS = _PARTS[_PARTS.index("ground_work") :]
"""Sums over time that belong to the state."""
WORKS = len(_WORKS)
_STATUS = _native.enumeration("RunStatus")

_STOP_STIFFNESS = 1.0e4
_STOP_DAMPING = 1.0e2
"""Of the stops at joint limits [N m/rad, N m s/rad or N/m, N s/m]."""


@dataclass
class Samples:
    """What was recorded in one chunk; the sample axis first, then the batch."""

    time: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    position: FloatArray
    force: FloatArray
    energy: dict[str, FloatArray]
    contact_state: FloatArray
    work: FloatArray
    signals: dict[str, npt.NDArray[Any]]

    @property
    def count(self) -> int:
        """Number of samples."""
        return len(self.time)


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples one after the other."""
    arrays = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Samples)
        if field.name not in ("energy", "signals")
    }
    energy = {name: np.concatenate([part.energy[name] for part in parts]) for name in parts[0].energy}
    signals = {name: np.concatenate([part.signals[name] for part in parts]) for name in parts[0].signals}
    return Samples(**arrays, energy=energy, signals=signals)


class NativeRun:
    """A batch of robots with their contact states, advanced by the native integrators."""

    def __init__(
        self,
        model: Model,
        world: World,
        q: FloatArray,
        v: FloatArray,
        *,
        integrator: str,
        dt: float,
        every: int,
        relative: float,
        absolute: float,
        stops: bool,
        threads: int,
        law: JointLaw | None = None,
    ) -> None:
        if not np.all(model.coordinates.independent) and integrator == "least-constraint":
            raise ArgumentError(
                f"integrator {integrator!r} is not for models with dependent joints (gears, loops, mimic) as yet; "
                "use a compliant law"
            )
        self.model, self.world = model, world
        self.batch = q.shape[:-1]
        self.robots = int(np.prod(self.batch, dtype=int))
        self.single = self.batch == ()
        self.dt, self.every, self.threads = dt, every, threads
        self.step = 0
        self.adaptive = integrator in ("flow", "dormand-prince")
        self.q = np.ascontiguousarray(to_native(model, q)).reshape(self.robots, -1).copy()
        self.v = np.ascontiguousarray(v).reshape(self.robots, -1).copy()
        self.z = np.zeros((self.robots, 3 * len(world.names)))
        self.work = np.zeros((self.robots, WORKS))
        self.run: dict[str, Any] = {
            "integrator": FLOW if integrator == "flow" else INTEGRATORS[integrator],
            "dt": dt,
            "relative": relative,
            "absolute": absolute,
            "every": every,
            "robots": self.robots,
            "q": self.q,
            "v": self.v,
            "z": self.z,
            "work": self.work,
            "step_size": np.zeros(self.robots),
            "external": None,
            "out_rate": None,
            **_stop_tables(model, stops),
        }
        self.set_law(JointLaw() if law is None else law)

    @property
    def time(self) -> float:
        """Of the present state [s]."""
        return self.step * self.dt

    @property
    def configuration(self) -> FloatArray:
        """Of all robots in the user's layout, shape (*batch, nq)."""
        return to_user(self.model, self.q).reshape(*self.batch, -1)

    @property
    def velocity(self) -> FloatArray:
        """Of all robots, shape (*batch, nv)."""
        return self.v.reshape(*self.batch, -1).copy()

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        model = self.model
        knots, first, spacing = knot_times(law)
        q_given = model.reference if law.q is None else law.q
        nq, nv = model.nq, model.nv
        q, own_q = references("q", q_given, nq, knots, self.batch)
        v, own_v = references("v", np.zeros(nv) if law.v is None else law.v, nv, knots, self.batch)
        tau, own_tau = references("tau", np.zeros(nv) if law.tau is None else law.tau, nv, knots, self.batch)
        own = own_q or own_v or own_tau

        def table(array: FloatArray) -> FloatArray:
            return np.ascontiguousarray(np.broadcast_to(array, (self.robots, *array.shape[1:])) if own else array)

        kp = gains(model, "kp", law.kp)
        _refuse_turning(model, kp)
        self.run.update(
            kp=kp,
            kd=gains(model, "kd", law.kd),
            limit=np.minimum(model.tau_max, 1e300) if law.limited else np.full(nv, 1e300),
            gravity=int(bool(law.gravity)),
            actuated=np.ascontiguousarray(model.actuated, dtype=np.int32),
            knots=knots,
            knots_first=first,
            knots_spacing=spacing,
            own_references=int(own),
            reference_q=table(to_native(model, q)),
            reference_v=table(v),
            reference_tau=table(tau),
        )
        self.run["limit"][~model.actuated] = 1e300

    def set_torque(self, tau: FloatArray) -> None:
        """Constant torques from now on, shape (*batch, nv)."""
        self.set_law(JointLaw(tau=tau, limited=False))

    def set_external(self, wrenches: FloatArray | None) -> None:
        """Constant wrenches on the bodies from now on, shape (*batch, nb, 6)."""
        self.run["external"] = None if wrenches is None else np.ascontiguousarray(wrenches).reshape(self.robots, -1)

    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call, for the metadata; plain JSON values."""
        return []

    def start(self) -> Samples:
        """The present state as one sample. Energy that springs hold already counts as work done on them."""
        samples = self.present()
        self.work[:, _WORKS.index("ground_work")] = samples.energy["ground_stored"].ravel()
        self.work[:, _WORKS.index("joint_work")] = samples.energy["joint_stored"].ravel()
        return self.present()

    def present(self) -> Samples:
        """The present state as one sample."""
        return self._call(0, 1, sample_start=True)

    def advance(self, steps: int) -> Samples:
        """Take steps; returns the samples on the way.

        Where a robot fails, all robots are brought to the step before, and the failure carries the samples until then.
        """
        state = [array.copy() for array in (self.q, self.v, self.z, self.work, self.run["step_size"])]
        failure: StepFailure | None = None
        while True:
            count = (self.step + steps) // self.every - self.step // self.every
            try:
                samples = self._call(steps, count, sample_start=False)
            except StepFailure as error:
                for array, before in zip(
                    (self.q, self.v, self.z, self.work, self.run["step_size"]), state, strict=True
                ):
                    array[:] = before
                failure, steps = error, min(round(error.time / self.dt) - self.step, steps - 1)
                if steps > 0:
                    continue
                raise
            self.step += steps
            if failure is not None:
                failure.samples = samples
                raise failure
            return samples

    def _call(self, steps: int, count: int, *, sample_start: bool, at: float | None = None) -> Samples:
        model, n, nc = self.model, self.robots, len(self.world.names)
        out = {
            "out_q": np.empty((count, n, self.q.shape[1])),
            "out_v": np.empty((count, n, model.nv)),
            "out_tau": np.empty((count, n, model.nv)),
            "out_position": np.empty((count, n, 3 * nc)),
            "out_force": np.empty((count, n, 3 * nc)),
            "out_energy": np.empty((count, n, len(_PARTS))),
            "out_z": np.empty((count, n, 3 * nc)),
        }
        run = self.run
        run.update(out, steps=steps, first_step=self.step, samples=count, sample_start=int(sample_start))
        run.update(start=self.time if at is None else at, end=(self.step + steps) * self.dt)
        status, robot, step = _native.run_simulation(model, self.world.core, run, self.single, self.threads)
        if status != _STATUS["ok"]:
            raise StepFailure(status, robot, step * self.dt)
        first = self.step // self.every
        time = np.array([run["start"]]) if sample_start else (first + 1 + np.arange(count)) * (self.every * self.dt)
        raw = out["out_energy"].reshape(count, *self.batch, len(_PARTS))
        return Samples(
            time=np.asarray(time, dtype=float),
            q=to_user(model, out["out_q"]).reshape(count, *self.batch, model.nq),
            v=out["out_v"].reshape(count, *self.batch, model.nv),
            tau=out["out_tau"].reshape(count, *self.batch, model.nv),
            position=out["out_position"].reshape(count, *self.batch, nc, 3),
            force=out["out_force"].reshape(count, *self.batch, nc, 3),
            energy=_audit(raw),
            contact_state=out["out_z"].reshape(count, *self.batch, nc, 3),
            work=raw[..., -WORKS:],
            signals={},
        )


class StepFailure(ArithmeticError):
    """A native step failed: why, for which robot of the batch, at which time."""

    REASONS: ClassVar[dict[int, str]] = {
        _STATUS[
            "non-finite"
        ]: "the state is not finite any more: motion grew without bound; try a smaller dt or a stiff integrator",
        _STATUS[
            "step-too-small"
        ]: "the step size fell to nothing: this integrator is not for ground so stiff; try 'semi-implicit-euler'",
        _STATUS["out-of-memory"]: "not enough memory",
        _STATUS["loop-open"]: "a kinematic loop cannot be closed there",
    }

    def __init__(self, status: int | str, robot: int, time: float) -> None:
        super().__init__(self.REASONS.get(status, f"status {status}") if isinstance(status, int) else status)
        self.robot, self.time = robot, time
        self.samples: Samples | None = None


def _audit(raw: FloatArray) -> dict[str, FloatArray]:
    """Parts of the energy audit by name: what was done on springs and ground is stored there or dissipated."""
    part = {name: raw[..., i] for i, name in enumerate(_PARTS)}
    return {
        "kinetic": part["kinetic"],
        "potential": part["potential"],
        "ground_stored": part["ground_stored"],
        "ground_dissipated": part["ground_work"] - part["ground_stored"],
        "joint_stored": part["joint_stored"],
        "joint_dissipated": part["joint_work"] - part["joint_stored"],
        "impact": part["impact"],
        "actuator": part["actuator"],
        "external": part["external"],
    }


def _refuse_turning(model: Model, kp: FloatArray) -> None:
    for joint in model.joints.values():
        if not joint.traits.flat and np.any(kp[joint.v_index] > 0):
            raise ArgumentError(
                f"kp of joint {joint.name!r} must be 0: a {joint.kind} joint has no difference of angles"
            )


def _stop_tables(model: Model, stops: bool) -> dict[str, Any]:
    """Stops at the limits of one-axis joints, dependent ones included, over the degrees of freedom of the tree."""
    none = dict.fromkeys(("stop_q", "lower", "upper", "stop_stiffness", "stop_damping"))
    if not stops:
        return none
    coordinates = model.coordinates
    n = len(coordinates.leader_v)
    stop_q = np.full(n, -1, dtype=np.int32)
    lower, upper = np.full(n, -1e300), np.full(n, 1e300)
    for joint in model.joints.values():
        if not joint.traits.one_axis or joint.traits.unlimited:
            continue
        low, high = float(joint.q_min[0]), float(joint.q_max[0])
        if np.isfinite(low) or np.isfinite(high):
            k = coordinates.tree_v_start[joint.index]
            stop_q[k] = coordinates.tree_q_start[joint.index]
            lower[k], upper[k] = max(low, -1e300), min(high, 1e300)
    if np.all(stop_q < 0):
        return none
    return {
        "stop_q": stop_q,
        "lower": lower,
        "upper": upper,
        "stop_stiffness": np.full(n, _STOP_STIFFNESS),
        "stop_damping": np.full(n, _STOP_DAMPING),
    }
