"""MuJoCo as the plant of a walk: its dynamics, contacts and integrator in place of those of `tarsus.simulate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt
import pytest

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.sensor import Sensor
from tarsus.dynamics import frame_pose
from tarsus.io.interop import MujocoLayout
from tarsus.model import Model
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.push import Push
from tarsus.walking import Walker, WalkOutcome
from tarsus.walking.biped.biped import Biped
from tarsus.walking.walker import simulated_walk

SIGNAL = "signal "
"""What names of signals begin with among the columns of samples."""


class FootForces(NamedTuple):
    """Forces on the feet: of each one the sum, at its centre of pressure; the frame of the sole where nothing presses.

    What the ground turns a foot about the vertical with is left out: no walk reads it.
    """

    names: tuple[str, ...]
    position: FloatArray
    force: FloatArray


class MujocoPlant:
    """A robot in MuJoCo, told to and observed as one in `tarsus.simulate`.

    A joint law is carried out by MuJoCo's actuators: ctrl = tau + kp q_ref + kd v_ref for as long as the law holds, and
    a bias of -kp q - kd v at every step, within the limits of torque. MuJoCo's integrator "discrete" takes damping and
    stiffness implicitly, and finds forces of contacts with both; "implicitfast" takes the damping implicitly, and finds
    forces of contacts without it.

    Parameters
    ----------
    biped : Biped
    mj_model : mujoco.MjModel
        With joints of the same names, and an actuator of the joint's name for every joint that is driven.
    substep : float
        Longest step of MuJoCo [s].
    integrator : str
        Of `mujoco.mjtIntegrator`, without "mjINT_".
    """

    def __init__(
        self, biped: Biped, mj_model: mujoco.MjModel, substep: float = 1e-3, integrator: str = "discrete"
    ) -> None:
        self.biped, self.mj_model, self.data, self._longest = biped, mj_model, mujoco.MjData(mj_model), substep
        mj_model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        joints = [biped.model.joints[mj_model.actuator(i).name] for i in range(mj_model.nu)]
        self._q = np.array([joint.q_index.start for joint in joints])
        self._v = np.array([joint.v_index.start for joint in joints])
        self._foot = [self._foot_of(int(body)) for body in mj_model.geom_bodyid]
        self._fixed = mj_model.body_weldid[mj_model.geom_bodyid] == 0  # geoms that are part of the world
        self.layout = MujocoLayout(biped.model, mj_model)
        self.bodies_of_contacts = tuple(leg.foot for leg in biped.legs)
        self.model: Model = biped.model
        self.moment, self.reason = 0, ""
        self.signals: dict[str, FloatArray] = {}

    def _foot_of(self, body: int) -> int | None:
        """Number of the foot that a body is, or is carried by."""
        feet = [self.mj_model.body(leg.foot).id for leg in self.biped.legs]
        while body not in feet and body != 0:
            body = int(self.mj_model.body_parentid[body])
        return feet.index(body) if body in feet else None

    # What an observation asks for

    def contacts(self) -> FootForces:
        """Forces of the floor on the feet in the step that ended last."""
        force, weighed = np.zeros((2, 3)), np.zeros((2, 3))
        local = np.zeros(6)
        for k, contact in enumerate(self.data.contact):
            first, second = contact.geom
            foot, sign = (self._foot[second], 1.0) if self._fixed[first] else (self._foot[first], -1.0)
            if foot is None or not (self._fixed[first] or self._fixed[second]):  # the robot touches itself
                continue
            mujoco.mj_contactForce(self.mj_model, self.data, k, local)
            f = sign * local[:3] @ contact.frame.reshape(3, 3)  # on the second geom; its x axis leads there
            force[foot] += f
            weighed[foot] += f[2] * contact.pos
        place = np.array([frame_pose(self.model, self.state()[0], leg.sole)[:3, 3] for leg in self.biped.legs])
        pressed = force[:, 2] > 0.0
        place[pressed] = weighed[pressed] / force[pressed, 2:]
        return FootForces(tuple(leg.side for leg in self.biped.legs), place, force)

    def torque(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (nv,)."""
        tau = np.zeros(self.model.nv)
        tau[self._v] = self.data.actuator_force
        return tau

    def log(self, signals: Mapping[str, Any]) -> None:
        """Keep these values for the next sample."""
        self.signals.update({name: np.array(value, dtype=float) for name, value in signals.items()})

    def stop(self, reason: str) -> None:
        """End the run."""
        self.reason = reason

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """No walk switches contacts."""
        raise NotImplementedError

    # What a run does

    def state(self) -> tuple[FloatArray, FloatArray]:
        """q and v as tarsus has them."""
        q = self.layout.from_q(self.data.qpos)
        return q, self.layout.from_v(self.data.qvel, q)

    def command(self, law: JointLaw) -> None:
        """Gains and set-points of the actuators until the next law."""
        assert law.times is None and not law.gravity and not isinstance(law.kp, Mapping)
        nv, mj = self.model.nv, self.mj_model
        kp, kd, v, tau = (
            np.broadcast_to(np.asarray(0.0 if part is None else part, dtype=float), nv)[self._v]
            for part in (law.kp, law.kd, law.v, law.tau)
        )
        q = np.asarray(self.model.reference if law.q is None else law.q)[self._q]
        mj.actuator_gainprm[:, 0] = 1.0
        mj.actuator_biasprm[:, 1], mj.actuator_biasprm[:, 2] = -kp, -kd
        self.data.ctrl = tau + kp * q + kd * v

    def advance(self, step: int, dt: float, pushes: Sequence[Push]) -> None:
        """One step of MuJoCo, the step-th from the start on."""
        self.data.qfrc_applied = 0.0
        for push in pushes:
            if share := push.share(step, dt):
                place = frame_pose(self.model, self.state()[0], push.frame)[:3, 3]
                body = self.mj_model.body(self.model.frames[push.frame].body).id
                force, moment = share * push.wrench[:3], share * push.wrench[3:]
                mujoco.mj_applyFT(self.mj_model, self.data, force, moment, place, body, self.data.qfrc_applied)
        mujoco.mj_step(self.mj_model, self.data)
        self.moment += 1

    def simulate(
        self, model: Model, q0: FloatArray, *, duration: float, controller: Callable[[Observation], JointLaw],
        control_dt: float, sample_dt: float, pushes: Sequence[Push], sensors: Sequence[Sensor], seed: int,
        metadata: dict[str, Any], **_: Any,
    ) -> Trajectory:  # fmt: skip
        """A run from rest, with the arguments and the result of `tarsus.simulate` as far as walks use them."""
        assert np.isclose(model.total_mass, self.mj_model.body_mass.sum()), "MuJoCo has another robot"
        self.model, self.layout = model, MujocoLayout(model, self.mj_model)
        substeps = int(np.ceil(control_dt / self._longest - 1e-9))
        dt = self.mj_model.opt.timestep = control_dt / substeps
        mujoco.mj_resetData(self.mj_model, self.data)
        self.data.qpos, self.signals, self.reason = self.layout.q(q0), {}, ""
        mujoco.mj_forward(self.mj_model, self.data)
        told = SensorReadings(model, sensors, control_dt, seed)
        samples: list[dict[str, Any]] = []
        for cycle in range(round(duration / control_dt) + 1):
            t, (q, v) = cycle * control_dt, self.state()
            observation = Observation(self, t, q, v, told.read(t, q, v, self))
            law = controller(observation)
            if cycle % round(sample_dt / control_dt) == 0 or self.reason:
                forces = self.contacts()
                sample = {"time": t, "q": q, "v": v, "tau": self.torque()}
                sample |= {"contact_position": forces.position, "contact_force": forces.force}
                samples.append(sample | {SIGNAL + name: value for name, value in self.signals.items()})
            if self.reason:
                break
            self.command(law)
            for k in range(substeps):
                self.advance(cycle * substeps + k, dt, pushes)
        columns = {name: np.array([sample[name] for sample in samples]) for name in samples[0]}
        signals = {name.removeprefix(SIGNAL): columns.pop(name) for name in list(columns) if name.startswith(SIGNAL)}
        names = tuple(leg.side for leg in self.biped.legs)
        return Trajectory(model, contacts=names, signals=signals, metadata=metadata, reason=self.reason, **columns)


class SensorReadings:
    """What sensors of tarsus, errors included, tell of the states of MuJoCo, once in every cycle of the controller."""

    def __init__(self, model: Model, sensors: Sequence[Sensor], cycle: float, seed: int) -> None:
        assert all(abs(sensor.rate * cycle - 1.0) < 1e-9 and sensor.delay == 0.0 for sensor in sensors)
        self._model, self._sensors, self._cycle, self._seed = model, sensors, cycle, seed
        self._runs: list[Callable[[FloatArray], FloatArray]] = []
        self._before: FloatArray | None = None

    def read(self, t: float, q: FloatArray, v: FloatArray, plant: MujocoPlant) -> dict[str, FloatArray]:
        """Readings by the names of the sensors."""
        if not self._sensors:
            return {}
        vdot = np.zeros_like(v) if self._before is None else (v - self._before) / self._cycle
        self._before = v
        contacts = Contacts(*plant.contacts(), plant.bodies_of_contacts)
        truths = [sensor.truth(Motion(self._model, q, v, vdot, contacts, t)) for sensor in self._sensors]
        if not self._runs:
            self._runs = [
                sensor.fitted(self._model).begin(truth.shape, sensor.generator(self._seed))
                for sensor, truth in zip(self._sensors, truths, strict=True)
            ]
        return {s.name: run(x) for s, run, x in zip(self._sensors, self._runs, truths, strict=True)}


def walk_in_mujoco(walker: Walker, plant: MujocoPlant, **keywords: Any) -> WalkOutcome:
    """`walker.walk`, with this plant in place of `tarsus.simulate`: the same controller, and the same verdict."""
    assert not {"ground", "drives", "simulated", "record"} & set(keywords), "the plant has none of these"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated_walk, "simulate", plant.simulate)
        return walker.walk(**keywords)
