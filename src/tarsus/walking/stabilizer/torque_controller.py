"""The controller of a walk with torque-controlled joints: tasks and contacts of a whole-body program."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.dry_friction import without_dry_friction
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.stopgap import Stopgap
from tarsus.control.whole_body.answer import SOLVED, STATUSES, Command
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.fading import Fading
from tarsus.control.whole_body.whole_body import WholeBody
from tarsus.dynamics import frame_pose
from tarsus.errors import ControlWarning
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.spatial import rotation_matrix_from_rotation_vector, rotation_z
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Posture, Task
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.moment import Moment
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.perception import Perception
from tarsus.walking.stabilizer.walk_guide import Cycle, WalkGuide

HEIGHT, UPRIGHT, SWINGING, HOLDING, STANDING = 4.0, 6.0, 8.0, 4.0, 6.0
"""Rates at which errors decay, in w of the pendulum: height of the centre of mass, orientation of the pelvis, foot in
the air, posture of the upper body, slip of feet that stand."""
BALANCE, PELVIS, FOOT, BODY, LEGS = 10.0, 3.0, 10.0, 1.0, 0.01
"""Weights of centre of mass [1/m], pelvis [1/rad], foot in the air, joints of the upper body, joints of legs."""
SHARED = 2.0
"""A foot carries at most so many times its planned part of the weight, while another one stands, too."""
LOADING = 0.1
"""Time in which a foot that catches the robot may carry all of it [s]."""
GRIP = 0.6
"""Friction that is counted on."""
BRAKING = 50.0
"""Gain of the limits of joints [1/s]: a slower one would bound accelerations of legs that swing to a tenth of what they
need."""
FADED = 0.03
"""Time in which torques go over to other contacts [s]."""


class TorqueController(WalkGuide):
    """A walk of torque-controlled joints: one program of whole-body control a cycle, whose torques are all that leaves.

    Tasks are the acceleration of the centre of mass above the wanted pressure p, x'' = w^2 (x - p), its height, the
    orientation of the pelvis, the foot in the air with its velocity and acceleration, and the posture; contacts are
    the soles of feet that have landed. See `WalkGuide` for what decides about them, and for attributes.

    Attributes
    ----------
    command : Command, optional
        The last one.
    counts : Counter
        Of the statuses of all commands.
    """

    def __init__(
        self,
        biped: Biped,
        plan: WalkPlan,
        dt: float,
        clearance: float,
        *,
        perception: Perception | None = None,
        adapt: bool = True,
        hips: bool = False,
    ) -> None:
        super().__init__(biped, plan, dt, clearance, perception=perception, adapt=adapt, hips=hips)
        self._model = model = without_dry_friction(biped.model)
        w = plan.omega
        self._soles = [
            Contact(leg.sole, leg.corners * [0.95, 0.95, 1.0], friction=GRIP, gain=STANDING * w) for leg in biped.legs
        ]
        self._since = [np.inf, np.inf]
        legs = np.isin(np.arange(6, model.nv), np.concatenate([leg.v for leg in biped.legs]))
        self._posture = Posture(plan.q[0], gain=HOLDING * w, weight=np.where(legs, LEGS, BODY), velocity=np.zeros(model.nv - 6))
        self._upright = frame_pose(model, biped.q, biped.pelvis)[:3, :3]
        self._stopgap = Stopgap(model, Pace.of(model, biped.q))
        self.command: Command | None = None
        self.counts: Counter[str] = Counter()
        self._program: Fading | None = None

    def _command(self, observation: Observation, cycle: Cycle) -> JointLaw:
        """Torques until the next call."""
        self._since = [
            since + self._dt if landed else 0.0 for since, landed in zip(self._since, self.phases.landed, strict=True)
        ]
        tasks, contacts = self._tasks(cycle), self._contacts(cycle.moment)
        if self._program is None:
            self._program = Fading(WholeBody(self._model, tasks, contacts, limits=SecondOrderLimits(gain=BRAKING)), FADED, 1e-3)
        self._program.update(tasks=tasks, contacts=contacts)
        self.command = found = self._program.solve(observation.t, cycle.q, cycle.v)
        self._tell(observation, found)
        if found.answered:
            self._stopgap.answered(found)
            return JointLaw(tau=found.tau)
        return JointLaw(tau=self._stopgap.torques(observation.t, cycle.q, cycle.v, found))

    def _tasks(self, cycle: Cycle) -> list[Task]:
        biped, moment, w = self.biped, cycle.moment, self.plan.omega
        target, velocity, acceleration = self._mass(cycle)
        tasks: list[Task] = [
            CenterOfMass(target, gain=0.0, weight=BALANCE, velocity=velocity, acceleration=acceleration),
            Orientation(biped.pelvis, self._pelvis(moment), gain=UPRIGHT * w, weight=PELVIS, velocity=self._spin(moment)),
            self._posture.with_target(target=moment.q, velocity=self.phases.rate * moment.v[6:]),
        ]
        for foot, leg in enumerate(biped.legs):
            if self.phases.landed[foot]:
                continue
            X = self._swing_pose(foot, moment)
            swing, aim = self._swing[foot], self._aims[foot]
            assert swing is not None and aim is not None
            phase = self.phases.phase
            twist, change = swing.motion(aim, self.phases.rate / (phase.end - phase.start))
            tasks.append(FramePose(leg.sole, X, gain=SWINGING * w, weight=FOOT, velocity=twist, acceleration=change))
        return tasks

    def _mass(self, cycle: Cycle) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place, velocity and acceleration of the centre of mass that are wanted."""
        footing, moment, w = self.footing, cycle.moment, self.plan.omega
        left, right = self._most(moment)
        pressure = self._feedback.possible(footing.X, footing.yaw, (left, right), cycle.pressure)
        pivot = footing.point(moment.pivot) + pressure - cycle.reference
        g = HEIGHT * w
        z = footing.raised(float(moment.com[2]))
        rate = 0.0
        if self.steps.active:
            z -= self._height.lowered(cycle.q[:2], footing.angle, self._places())
            rate = -self._height.rate
        acceleration = np.array([*(w**2 * (cycle.com[:2] - pivot)), 2 * g * (rate - cycle.speed[2]) + g**2 * (z - cycle.com[2])])
        return np.array([*footing.point(moment.com[:2]), z]), np.array([0.0, 0.0, rate]), acceleration

    def _most(self, moment: Moment) -> tuple[float, float]:
        """Parts of the weight that the left and the right foot may carry at most; one that is alone carries all."""
        landed, found = self.phases.landed, []
        for foot in (0, 1):
            part = SHARED * float(moment.load[foot])
            if self.phases.adapted:
                part = max(part, self._since[foot] / LOADING)
            alone = not landed[1 - foot]
            found.append(0.0 if not landed[foot] else 1.0 if alone else min(part, 1.0))
        return found[0], found[1]

    def _pelvis(self, moment: Moment) -> FloatArray:
        """Orientation of the pelvis that is wanted, shape (3, 3)."""
        R = rotation_z(self.footing.angle) @ frame_pose(self.biped.model, moment.q, self.biped.pelvis)[:3, :3]
        if self.hips is not None and not self.hips.at_rest:
            R = rotation_matrix_from_rotation_vector([*self.hips.angle, 0.0]) @ R
        return np.asarray(R)

    def _spin(self, moment: Moment) -> FloatArray:
        """Angular velocity of the pelvis that is wanted, world axes, shape (3,)."""
        spin = self.phases.rate * (rotation_of(moment.q[3:7]) @ moment.v[3:6])
        spin[:2] = 0.0
        if self.hips is not None:
            spin[:2] += self.hips.rate
        return np.asarray(spin)

    def _contacts(self, moment: Moment) -> list[Contact]:
        """Feet that have landed, with bounds of their forces."""
        most = self._most(moment)
        return [
            self._soles[foot].with_force(np.inf if most[foot] >= 1.0 else most[foot] * self.biped.weight)
            for foot in (0, 1)
            if self.phases.landed[foot]
        ]

    def _tell(self, observation: Observation, found: Command) -> None:
        self.counts[found.status] += 1
        if found.status != SOLVED and self.counts[found.status] == 1:
            warnings.warn(
                f"whole-body control at {observation.t:g} s: {found.status}, {found.reason}", ControlWarning, stacklevel=4
            )
        observation.log(**{"whole_body/status": float(STATUSES.index(found.status))},
                        **{f"wrench/{leg.sole}": found.wrenches.get(leg.sole, np.zeros(6)) for leg in self.biped.legs})
