"""The controller of a walk with torque-controlled joints: tasks and contacts of whole-body control."""

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
from tarsus.walking.stabilizer.base_poses import turned
from tarsus.walking.stabilizer.catching.catching_steps import Adapting
from tarsus.walking.stabilizer.sensing.perception import Perception
from tarsus.walking.stabilizer.walk_guide import Cycle, WalkGuide

HEIGHT, UPRIGHT, SWINGING, HOLDING, STANDING = 4.0, 6.0, 8.0, 4.0, 6.0
"""Rates at which errors decay, in w of the pendulum: height of the centre of mass, orientation of the pelvis, foot in
the air, posture, slip of feet that stand."""
BALANCE, PELVIS, FOOT, BODY, LEGS = 40.0, 8.0, 10.0, 1.0, 0.3
"""Weights of the centre of mass, the pelvis, the foot in the air, joints of the upper body, and joints of legs. The
others say all about legs of six joints, but not how a stretched knee is to be bent again."""
PRESSED = 0.95
"""Part of the length and width of a sole within which the program keeps the pressure."""
GRIP = 0.6
"""Coefficient of friction that is counted on."""
SHARED = 2.0
"""A foot carries at most so many times its planned part of the weight while the other one stands, too: what is to be
lifted is unloaded before, what has landed is loaded from nothing on."""
LOADING = 0.1
"""Time in which a foot that catches the robot may come to carry all of it [s]."""
BRAKING = 50.0
"""Gain of the limits of joints [1/s]. That of whole-body control by default, 10, keeps accelerations below ten times
the largest speed, and legs that swing need more."""
FADED = 0.03
"""Time in which torques go over to other contacts and tasks [s]."""


class TorqueController(WalkGuide):
    """A walk of torque-controlled joints: torques of one program of whole-body control are all that leaves it.

    Tasks are the acceleration of the centre of mass, the orientation of the pelvis, the pose of a foot in the air with
    its velocity and acceleration, and the posture; contacts are the soles of feet that have landed. The centre of mass
    shall move as a pendulum above a pressure p,

        x'' = w^2 (x - p - d),   z'' = -2 k z' + k^2 (z_ref - z),

    where p is the one that feet can give nearest to p_ref + 3 (xi - xi_ref), and d is what the planned motion of the
    legs adds, `WalkPlan.pivot` less the planned pressure. See `WalkGuide` for what decides about phases, footing and
    steps, and for further attributes.

    Attributes
    ----------
    command : Command, optional
        The last one; `command.wrenches` tells what the soles are expected to be pushed with.
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
        adapt: Adapting = True,
        hips: bool = False,
    ) -> None:
        super().__init__(biped, plan, dt, clearance, perception=perception, adapt=adapt, hips=hips)
        self._model, w = without_dry_friction(biped.model), plan.omega
        self._contact = [
            Contact(leg.sole, PRESSED * leg.corners, friction=GRIP, gain=STANDING * w) for leg in biped.legs
        ]
        self._stood = [np.inf, np.inf]  # for how long feet have been on the ground [s]
        posture = Posture(plan.q[0])
        self._rows = posture.columns(self._model)
        legs = np.isin(self._rows, np.concatenate([leg.v for leg in biped.legs]))
        self._posture = Posture(plan.q[0], gain=HOLDING * w, weight=np.where(legs, LEGS, BODY))
        self._stopgap = Stopgap(self._model, Pace.of(self._model, biped.q))
        self._program: Fading | None = None
        self.command: Command | None = None
        self.counts: Counter[str] = Counter()

    def _command(self, observation: Observation, cycle: Cycle) -> JointLaw:
        """Torques until the next call."""
        for foot in (0, 1):
            self._stood[foot] = self._stood[foot] + self._dt if self.phases.landed[foot] else 0.0
        most = self._most(cycle.moment)
        tasks, contacts = self._tasks(cycle, most), self._contacts(most)
        if self._program is None:
            body = WholeBody(self._model, tasks, contacts, limits=SecondOrderLimits(gain=BRAKING))
            self._program = Fading(body, FADED, self._dt)  # feet that are lifted have been unloaded before
        self._program.update(tasks=tasks, contacts=contacts)
        self.command = found = self._program.solve(observation.t, cycle.q, cycle.v)
        self._tell(observation, found)
        if found.answered:
            self._stopgap.answered(found)
            return JointLaw(tau=found.tau)
        return JointLaw(tau=self._stopgap.torques(observation.t, cycle.q, cycle.v, found))

    def _most(self, moment: Moment) -> tuple[float, float]:
        """Parts of the weight that the left and the right foot may carry; their sum is 1 at least."""
        landed, found = self.phases.landed, [0.0, 0.0]
        for foot in (0, 1):
            part = SHARED * float(moment.load[foot])
            if self.phases.adapted:  # feet that catch the robot take what comes
                part = max(part, self._stood[foot] / LOADING)
            if landed[foot]:
                found[foot] = min(part, 1.0) if landed[1 - foot] else 1.0
        return found[0], found[1]

    def _contacts(self, most: tuple[float, float]) -> list[Contact]:
        """Feet that have landed, with bounds of their forces."""
        weight = self.biped.weight
        return [
            self._contact[foot].with_force(np.inf if most[foot] >= 1.0 else most[foot] * weight)
            for foot in (0, 1)
            if self.phases.landed[foot]
        ]

    def _tasks(self, cycle: Cycle, most: tuple[float, float]) -> list[Task]:
        """What the robot shall do now; a foot in the air comes last."""
        biped, moment, w = self.biped, cycle.moment, self.plan.omega
        R, spin = self._pelvis(moment)
        tasks: list[Task] = [
            CenterOfMass(cycle.com, gain=0.0, weight=BALANCE, acceleration=self._acceleration(cycle, most)),
            Orientation(biped.pelvis, R, gain=UPRIGHT * w, weight=PELVIS, velocity=spin),
            self._posture.with_target(target=moment.q, velocity=self.phases.rate * moment.v[self._rows]),
        ]
        for foot, leg in enumerate(biped.legs):
            if self.phases.landed[foot]:
                continue
            X, phase = self._swing_pose(foot, moment), self.phases.phase
            swing, aim = self._swing[foot], self._aims[foot]
            twist, change = np.zeros(6), np.zeros(6)
            if swing is not None and aim is not None:
                twist, change = swing.motion(aim, self.phases.rate / (phase.end - phase.start))
            tasks.append(FramePose(leg.sole, X, gain=SWINGING * w, weight=FOOT, velocity=twist, acceleration=change))
        return tasks

    def _acceleration(self, cycle: Cycle, most: tuple[float, float]) -> FloatArray:
        """Of the centre of mass that is wanted, shape (3,) [m/s^2]."""
        footing, moment, w, k = self.footing, cycle.moment, self.plan.omega, HEIGHT * self.plan.omega
        pressure = self._feedback.possible(footing.X, footing.yaw, most, cycle.pressure)
        pivot = footing.point(moment.pivot) + pressure - cycle.reference
        height, rate = footing.raised(float(moment.com[2])), 0.0
        if self.steps.active:
            if self.phases.touched is not None and self.phases.adapted:
                self._height.take(height - float(cycle.com[2]), -float(cycle.speed[2]))
            planned = turned(moment.q[3:7], footing.angle)
            height -= self._height.lowered(cycle.q[:2], planned, self._places())
            rate = -self._height.rate
        up = 2.0 * k * (rate - cycle.speed[2]) + k**2 * (height - cycle.com[2])
        return np.array([*(w**2 * (cycle.com[:2] - pivot)), up])

    def _pelvis(self, moment: Moment) -> tuple[FloatArray, FloatArray]:
        """Orientation of the pelvis that is wanted, shape (3, 3), and its angular velocity, world axes, shape (3,)."""
        R = rotation_z(self.footing.angle) @ frame_pose(self._model, moment.q, self.biped.pelvis)[:3, :3]
        turning = self.phases.rate * (rotation_of(moment.q[3:7]) @ moment.v[3:6])[2]
        spin = np.array([0.0, 0.0, turning])
        if self.hips is not None and not self.hips.at_rest:
            R = rotation_matrix_from_rotation_vector([*self.hips.angle, 0.0]) @ R
            spin[:2] = self.hips.rate
        return np.asarray(R), spin

    def _tell(self, observation: Observation, found: Command) -> None:
        """Count statuses, warn of the first one of each kind, and log what is expected of the soles."""
        self.counts[found.status] += 1
        if found.status != SOLVED and self.counts[found.status] == 1:
            told = f"whole-body control at {observation.t:g} s: {found.status}, {found.reason}"
            warnings.warn(told, ControlWarning, stacklevel=4)
        signals = {f"wrench/{leg.sole}": found.wrenches.get(leg.sole, np.zeros(6)) for leg in self.biped.legs}
        observation.log(**{"whole_body/status": float(STATUSES.index(found.status)), **signals})
