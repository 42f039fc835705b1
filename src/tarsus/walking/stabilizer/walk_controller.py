"""The controller of a walk with position-controlled joints: set-points, gains and torques."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.single_rotation import quaternion_of, rotation_of
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.dynamics import frame_pose, jacobian
from tarsus.spatial import inverse_pose, rotation_matrix_from_rotation_vector
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.ground_wrench import ROLLED
from tarsus.walking.reference.heel_lift import on_toes
from tarsus.walking.reference.moment import Moment
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.base_poses import base_between, base_pose, inverse_base_pose, turned
from tarsus.walking.stabilizer.base_reference import BaseReference, CycleGoal
from tarsus.walking.stabilizer.catching.catching_steps import Adapting
from tarsus.walking.stabilizer.hybrid.hybrid_balance import LOST, HybridBalance
from tarsus.walking.stabilizer.joint_setpoints import JointSetpoints
from tarsus.walking.stabilizer.load_sharing import LoadSharing
from tarsus.walking.stabilizer.lone_foot import HEAVIEST, holding_torque
from tarsus.walking.stabilizer.sensing.perception import Perception
from tarsus.walking.stabilizer.standing_rates import standing_rates
from tarsus.walking.stabilizer.swing.landing import Landing, Softness
from tarsus.walking.stabilizer.swing.swing_modifier import SwingModifier
from tarsus.walking.stabilizer.swing.swing_stop import SwingStop
from tarsus.walking.stabilizer.walk_guide import Cycle, WalkGuide

ANKLE_STIFFNESS = 0.3
"""Of ankles that stand, in m g h: soft, so that torque and not position balances."""
ANKLE_DAMPING = 0.6
"""Of the same, in sqrt(m g h I), I what turns about the ankle while the foot stands."""
TIPPING = 0.5
"""Part of its damping that an ankle loses, beside its stiffness, that alone stands while the robot is caught: a body
that moves on faster than planned would tip its foot over by both, and a foot on its edge turns and slips. Its torque is
that of `lone_foot.py`."""
STANDS = 0.3
"""Planned load from which on an ankle is as soft as that while the robot rests on both feet: two stiff ones on a slope
press against each other."""

YIELDING = 0.5
"""How far the base that legs hold gives way to where it is: pressure, not stiffness, leads it back."""
STRIDING = 0.3
"""The same in long steps, whose legs reach their ends."""
NEARLY = 0.9
"""Part of a swing after which a foot that lands is nearly where it was planned, and its leg goes on with the body."""
HELD = 0.02
"""How far at most the base that legs hold is from where it is, in lengths of the leg."""


class WalkController(WalkGuide):
    """A walk of position-controlled joints: set-points of inverse kinematics, gains, and torques of soft ankles.

    With `positions_only` gains are constant and there are no torques: `HybridBalance` leads forces of the feet by their
    positions instead.

    See `WalkGuide` for its attributes.
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
        landing: Softness | None = None,
        swings: SwingModifier | None = None,
        hips: bool = False,
        reference: BaseReference | None = None,
        positions_only: bool = False,
    ) -> None:
        super().__init__(biped, plan, dt, clearance, perception=perception, adapt=adapt, swings=swings, hips=hips,
                         lost=LOST if positions_only else 0.0)  # fmt: skip
        self._setpoints = JointSetpoints(biped, dt)
        self._reference, self._wanted = reference, list(self.footing.X)
        usual: Softness = "force" if positions_only else "gains"
        self._landing_law = Landing(usual if landing is None else landing, biped.weight, biped.leg)
        self._hybrid = HybridBalance(biped, dt, self._landing_law) if positions_only else None
        self._sharing = LoadSharing(biped.leg)
        self._stops = [SwingStop(dt), SwingStop(dt)]
        pendulum = biped.weight * biped.height
        self._ankle_kp = ANKLE_STIFFNESS * pendulum
        self._ankles = [  # places in v, and their damping
            [(k, ANKLE_DAMPING * math.sqrt(pendulum * biped.inertias[1][k])) for k in leg.ankle.tolist()]
            for leg in biped.legs
        ]
        self._stiff = np.ones(biped.model.nv)
        self._base = next(iter(biped.model.bodies))
        self._last: FloatArray | None = None
        self._com, self._speed, self._loads = np.zeros(3), np.zeros(3), np.zeros(2)
        self._yielding = STRIDING if self._strides else YIELDING
        stiff = biped.q
        self._to_stiff_base = inverse_pose(frame_pose(biped.model, stiff, biped.pelvis)) @ base_pose(stiff[:7])
        self._waist_moves = bool(np.ptp(plan.q[:, biped.waist], axis=0).any()) if len(biped.waist) else False

    def _command(self, observation: Observation, cycle: Cycle) -> JointLaw:
        """Law of the joints until the next call."""
        q, moment, pressure, reference = cycle.q, cycle.moment, cycle.pressure, cycle.reference
        phases, footing = self.phases, self.footing
        self._landing_law.advance(self._dt, phases.landed, cycle.loads, moment.load)
        self._com, self._speed, self._loads = cycle.com, cycle.speed, cycle.loads
        both = all(phases.landed) and not phases.adapted and not self._strides  # feet that catch it take what there is
        change = pressure - reference
        self._sharing.advance(self._dt, both, cycle.loads, moment.load, [X[:2, 3] for X in footing.X], change)
        if self._hybrid is not None:
            felt = self._perception.wrenches(observation)
            self._hybrid.advance(q, felt, phases.landed, phases.seated, moment, footing, pressure, self.plan.omega)
        q_ref, v_ref = self._joints(q, cycle.v, moment)
        if self._hybrid is None:
            law = self._law(q, q_ref, v_ref, moment, pressure, reference)
        else:
            law = self._hybrid.law(q_ref, v_ref, moment.load * phases.landed)
            observation.log(
                force_wanted=self._hybrid.wanted, force_felt=self._hybrid.felt, force_bounded=self._hybrid.bounded
            )
        if self._reference is not None:
            observation.log(reference_restarts=self._reference.restarts)
        return law

    def _wanted_base(self, q: FloatArray, moment: Moment) -> tuple[FloatArray, FloatArray]:
        """Base that legs hold, shape (7,), and its pose, shape (4, 4)."""
        biped, footing, phases = self.biped, self.footing, self.phases
        base = np.array(moment.q[:7])
        base[:2] = footing.point(base[:2])
        base[2] = footing.raised(base[2])
        base[3:7] = turned(base[3:7], footing.angle)
        if self._reference is not None:
            base = self._reference.base(self._goal(moment, base))
        off = base[:2] - q[:2]
        most = 1.0 if self._strides or phases.rests else HELD * biped.leg / max(1e-9, math.hypot(*off))
        base[:2] = q[:2] + min(1.0 - self._yielding, most) * off
        if self.steps.active and not self._strides:
            if phases.touched is not None and phases.adapted:
                self._height.take(float(base[2] - q[2]), -float(self._speed[2]))
            base[2] -= self._height.lowered(q[:2], base[3:7], self._places())
            if self.steps.catching > 0.0:  # neither pushed off the ground nor lifted from it by legs that are stiff
                most = HELD * biped.leg / self.steps.catching
                base[2] = q[2] + min(max(base[2] - q[2], -most), most)
        X_base = base_pose(base)
        if self.hips is not None and not self.hips.at_rest:
            X_base[:3, :3] = rotation_matrix_from_rotation_vector([*self.hips.angle, 0.0]) @ X_base[:3, :3]
            base[3:7] = quaternion_of(X_base[:3, :3])
        return base, X_base

    def _joints(self, q: FloatArray, v: FloatArray, moment: Moment) -> tuple[FloatArray, FloatArray]:
        """Set-points of all joints, and their rates."""
        biped, footing, phases = self.biped, self.footing, self.phases
        base, X_base = self._wanted_base(q, moment)
        soles = []
        for foot in (0, 1):
            sole = footing.X[foot] if phases.landed[foot] else self._swing_pose(foot, moment)
            self._wanted[foot] = sole
            sole = self._stopped(foot, sole)
            if phases.landed[foot] and moment.pitch[foot] > 0.0:
                sole = on_toes(sole, moment.pitch[foot], float(biped.legs[foot].half[0]))
            raised = float(self._landing_law.way[foot] + self._sharing.way[foot]) if self._hybrid is None else 0.0
            if phases.landed[foot] and raised != 0.0:
                sole = np.array(sole)
                sole[2, 3] += raised
            # Below the base as it is, as far as the foot does not carry: it comes down where it shall, and level.
            held = min(1.0, 2.0 * self._load(foot, moment))
            if held < 1.0:
                sole = X_base @ inverse_base_pose(base_between(q[:7], base, held)) @ sole
            if self._hybrid is not None and phases.landed[foot]:
                seen = X_base @ inverse_base_pose(q[:7]) @ self.soles[foot]
                sole = self._hybrid.moved(foot, sole, seen[:3, :3])
            soles.append(sole)
        lower = biped.lower
        q_ref = np.array(moment.q)
        q_ref[lower.q] = self._setpoints.solve(soles[0], soles[1], *self._stiff_base(X_base, base, moment.q))
        v_ref = phases.rate * moment.v
        v_ref[:6] = 0.0
        for foot, leg in enumerate(biped.legs):
            if self._last is not None and not phases.landed[foot]:
                share = 0.5 + 0.5 * self.steps.firmness
                v_ref[leg.v] += share * ((q_ref[leg.q] - self._last[leg.q]) / self._dt - v_ref[leg.v])
            elif self._hybrid is not None and phases.landed[foot]:
                planned = None if phases.swinging == foot else v_ref[leg.v]
                v_ref[leg.v] = self._hybrid.rates(foot, q, v, planned, min(1.0, 2.0 * float(moment.load[foot])))
            elif phases.swinging == foot:  # it landed early, and swings no more
                v_ref[leg.v] = 0.0
                share = 1.0 if self._strides else self._going_on if phases.part > NEARLY else 0.0
                if share > 0.0:
                    v_ref[leg.v] = share * standing_rates(biped, foot, moment.q, phases.rate * moment.v)
            if phases.landed[foot] and self.steps.catching > 0.0 and not self._strides:
                rates = standing_rates(biped, foot, q, self._caught_velocity(q, moment))
                v_ref[leg.v] += self.steps.catching * (rates - v_ref[leg.v])
            if self.hips is not None and phases.landed[foot]:
                v_ref[leg.v] += self.hips.rate @ self.hips.rates[:, leg.v]
        self._last = q_ref
        return q_ref, v_ref

    def _stopped(self, foot: int, sole: FloatArray) -> FloatArray:
        """The sole of a foot that swings or stands, with the end of its swing; that of long steps ends at once."""
        if self._strides:  # Lola fell at 3.5 km/h otherwise, with masses smaller than she knows
            return sole
        stop = self._stops[foot]
        if not self.phases.landed[foot]:
            stop.swing(sole[:3, 3])
            return sole
        sole = np.array(sole)
        sole[:3, 3] = stop.stand(sole[:3, 3], self.steps.catching)
        return sole

    def _alone(self, foot: int) -> float:
        """How much a foot alone carries a robot that is being caught, from 0 to 1."""
        alone = self.phases.landed[foot] and not self.phases.landed[1 - foot]
        return self.steps.catching if alone and not self._strides else 0.0

    def _load(self, foot: int, moment: Moment) -> float:
        """Part of the weight that a foot is to carry: all of it where the next one is late to catch the robot."""
        if not self.phases.landed[foot]:
            return 0.0
        load = float(moment.load[foot])
        return load + self._alone(foot) * (1.0 - load)

    def _goal(self, moment: Moment, base: FloatArray) -> CycleGoal:
        """What `BaseReference` is told; soles are those of the cycle before."""
        footing, w = self.footing, self.plan.omega
        pressure, com = footing.point(moment.pressure), footing.point(moment.com[:2])
        rate = w * (footing.divergent(moment.divergent) + self.steps.moved(pressure) - com)
        height = footing.raised(float(moment.com[2]))
        q = moment.q if self._last is None else self._last
        catching = self.steps.catching > 0.0
        return CycleGoal(base, q, moment.v, self._wanted, self.phases.landed, pressure, com, rate, height, catching)

    def _caught_velocity(self, q: FloatArray, moment: Moment) -> FloatArray:
        """Velocity that a base shall have while steps catch it, shape (nv,).

        Along the ground between the planned one, on a clock that is not hurried, and the one that it has, as its place
        yields, too: legs that are stiff against a push kick the body up. Up and down as its height is led; without
        turning.
        """
        v, along = np.zeros(self.biped.model.nv), rotation_of(moment.q[3:7]) @ moment.v[:3]
        c, s = math.cos(self.footing.angle), math.sin(self.footing.angle)
        world = np.array([c * along[0] - s * along[1], s * along[0] + c * along[1], -self._height.rate])
        world[:2] += self._yielding * (self._speed[:2] - world[:2])
        v[:3] = rotation_of(q[3:7]).T @ world
        return v

    def _stiff_base(self, X: FloatArray, base: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The base with which a stiff waist carries the pelvis where the planned one does, and its coordinates."""
        if not self._waist_moves:
            return X, base
        model, pelvis = self.biped.model, self.biped.pelvis
        X = X @ inverse_base_pose(q[:7]) @ frame_pose(model, q, pelvis) @ self._to_stiff_base
        return X, np.array([*X[:3, 3].tolist(), *quaternion_of(X[:3, :3])])

    def _law(
        self,
        q: FloatArray,
        q_ref: FloatArray,
        v_ref: FloatArray,
        moment: Moment,
        pressure: FloatArray,
        reference: FloatArray,
    ) -> JointLaw:
        """Stiff joints, but ankles of feet that stand: these are soft, and turn by torque."""
        biped, phases = self.biped, self.phases
        loads = [self._load(foot, moment) for foot in (0, 1)]
        soft = self._stiff.copy()
        for foot, leg in enumerate(biped.legs):
            firm = self.steps.firmness if phases.swinging == foot else 0.0
            soft[leg.v] = self._landing_law.stiffness(max(loads[foot], 0.5 * firm))
        kp, kd, tau = biped.gains.kp * soft, biped.gains.kd * soft, np.array(moment.tau)
        for foot, leg in enumerate(biped.legs):
            load = loads[foot] * max(0.0, 1.0 - float(moment.pitch[foot]) / ROLLED)  # on its toes a foot has no length
            if load <= 0.0:
                continue
            felt = min(load, float(self._loads[foot]) / biped.weight)  # less load tips a foot by the same moment
            felt = load + self.steps.catching * (felt - load)
            n = self._feedback.moment(foot, self.footing.X[foot], self.footing.yaw[foot], pressure, reference, felt)
            J = jacobian(biped.model, q, leg.sole)
            about_x, about_y = J[3:5].tolist()
            yields, alone = min(1.0, load / STANDS) if phases.rests else load, self._alone(foot)
            for k, damping in self._ankles[foot]:
                tau[k] -= about_x[k] * n[0] + about_y[k] * n[1]
                kp[k] = (1.0 - alone) * (kp[k] + yields * (self._ankle_kp - kp[k]))
                kd[k] = (1.0 - TIPPING * alone) * (kd[k] + yields * (damping - kd[k]))
            if alone > 0.0:
                carried = min(float(self._loads[foot]), HEAVIEST * biped.weight)
                held = holding_torque(J, self.soles[foot], self._com, pressure, self._feedback.half[foot], carried)
                tau[leg.ankle] += alone * (held[leg.ankle] - tau[leg.ankle])
        return JointLaw(kp=kp, kd=kd, q=q_ref, v=v_ref, tau=tau)
