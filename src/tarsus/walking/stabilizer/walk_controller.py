"""The controller of a walk: plan and state in, set-points, gains and torques of position-controlled joints out."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.dynamics import center_of_mass, frame_pose, jacobian, momentum
from tarsus.spatial import (
    inverse_pose,
    quaternion_from_rotation_matrix,
    rotation_matrix_from_rotation_vector,
)
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.ground_wrench import ROLLED
from tarsus.walking.reference.heel_lift import on_toes
from tarsus.walking.reference.moment import Moment, MomentTable
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.base_height import BaseHeight
from tarsus.walking.stabilizer.base_reference import BaseReference, CycleGoal
from tarsus.walking.stabilizer.catching_steps import CatchingSteps
from tarsus.walking.stabilizer.footing import Footing
from tarsus.walking.stabilizer.hip_strategy import HipStrategy
from tarsus.walking.stabilizer.hybrid.hybrid_balance import LOST, Balance, HybridBalance, as_balance
from tarsus.walking.stabilizer.joint_setpoints import JointSetpoints
from tarsus.walking.stabilizer.landing import Landing, Softness
from tarsus.walking.stabilizer.load_sharing import LoadSharing
from tarsus.walking.stabilizer.perception import Perception, TrueState
from tarsus.walking.stabilizer.pressure_feedback import WITHIN, PressureFeedback
from tarsus.walking.stabilizer.standing_rates import standing_rates
from tarsus.walking.stabilizer.swing_leg import SwingLeg, ground_normal, height_on
from tarsus.walking.stabilizer.swing_modifier import SwingModifier
from tarsus.walking.stabilizer.walk_phases import WalkPhases

ANKLE_STIFFNESS = 0.3
"""Of ankles that stand, in m g h: soft, so that torque and not position balances."""
ANKLE_DAMPING = 0.6
"""Of the same, in sqrt(m g h I), I what turns about the ankle while the foot stands."""
STANDS = 0.3
"""Planned load from which on an ankle is as soft as that while the robot rests on both feet: two stiff ones on a slope
press against each other."""
SEATED = 0.45
"""Load up to which a foot that has landed settles on the ground, and its place is taken anew."""

YIELDING = 0.5
"""How far the base that legs hold gives way to where it is: pressure, not stiffness, leads it back."""
STRIDING = 0.3
"""The same in long steps, whose legs reach their ends."""
NEARLY = 0.9
"""Part of a swing after which a foot that lands is nearly where it was planned, and its leg goes on with the body."""
EXPECTED = 0.01
"""Error of the height of a landing up to which the ground is what was expected, in lengths of the leg."""
GOING_ON = 0.5
"""How much a leg goes on where it is not: one that holds still brakes the body on slopes, one that goes on fully kicks
it off a kerb. Legs of long steps always go on."""
HELD = 0.02
"""How far at most the base that legs hold is from where it is, in lengths of the leg."""
CALM = 0.5
"""Error of the divergent component up to which the tilt of a foot is that of the ground, in half widths of a sole: a
foot that is about to tip over tells nothing of it."""


class WalkController:
    """Follows a plan on the feet that it finds, called by `tarsus.simulate` every `dt`.

    Attributes
    ----------
    biped : Biped
    plan : WalkPlan
    phases : WalkPhases
    footing : Footing
    soles : list of ndarray, shape (4, 4)
        Where the soles were in the last cycle.
    steps : CatchingSteps
    hips : HipStrategy, optional
    error : ndarray, shape (2,)
        Of the divergent component then, beside the plan with its step as it is taken [m].
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
        landing: Softness | None = None,
        swings: SwingModifier | None = None,
        hips: bool = False,
        reference: BaseReference | None = None,
        balance: Balance = "torque",
    ) -> None:
        self._swings, self._now = swings, (0.0, plan.q[0])
        self.biped, self._dt, self._clearance = biped, dt, clearance
        self._perception = TrueState(biped) if perception is None else perception
        self.plan, self._table = plan, MomentTable(plan)
        self.phases = WalkPhases(plan, biped.weight, 0.0 if balance == "torque" else LOST)
        first = self._table.at(0.0)
        self.footing = Footing([frame_pose(biped.model, first.q, leg.sole) for leg in biped.legs])
        self._feedback = PressureFeedback((WITHIN * biped.legs[0].half, WITHIN * biped.legs[1].half), biped.weight)
        self._setpoints = JointSetpoints(biped, dt)
        self.soles, self.error = list(self.footing.X), np.zeros(2)
        self._reference, self._wanted = reference, list(self.footing.X)
        self._swing: list[SwingLeg | None] = [None, None]
        usual: Softness = "gains" if as_balance(balance) == "torque" else "force"
        self._landing_law = Landing(landing or usual, biped.weight, biped.leg)
        self._sharing = LoadSharing(biped.leg)
        pendulum = biped.weight * biped.height
        self._ankle_kp = ANKLE_STIFFNESS * pendulum
        self._ankle_kd = [ANKLE_DAMPING * np.sqrt(pendulum * biped.inertias[1][leg.ankle]) for leg in biped.legs]
        self._base = next(iter(biped.model.bodies))
        self._last: FloatArray | None = None
        self._going_on, self._rising = 1.0, 0.0
        self._normal, self._sole = np.array([0.0, 0.0, 1.0]), float(biped.legs[0].half.min())
        self.steps = CatchingSteps(biped, plan, self.phases, self.footing, dt, active=adapt)
        self._height = BaseHeight(biped, dt)
        self._hybrid = HybridBalance(biped, dt, self._landing_law) if balance == "force" else None
        self.hips = HipStrategy(biped, plan.omega, dt) if hips else None
        self._strides = bool(plan.feet.pitch.any())
        self._yielding = STRIDING if self._strides else YIELDING
        stiff = biped.q
        self._to_stiff_base = inverse_pose(frame_pose(biped.model, stiff, biped.pelvis)) @ _pose(stiff[:7])
        self._waist_moves = bool(np.ptp(plan.q[:, biped.waist], axis=0).any()) if len(biped.waist) else False

    def follow(self, plan: WalkPlan) -> None:
        """Go on by another plan, which continues the one until now: see `RecedingPlan`."""
        self.plan, self._table = plan, MomentTable(plan)
        self.phases.follow(plan)
        self.steps.follow(plan)

    def __call__(self, observation: Observation) -> JointLaw:
        """Law of the joints until the next call."""
        q, v, loads = self._perception.look(observation)
        self._now = observation.t, q
        biped, model, phases, footing = self.biped, self.biped.model, self.phases, self.footing
        soles = [frame_pose(model, q, leg.sole) for leg in biped.legs]
        if observation.t > 0.0:
            phases.advance(self._dt, loads)
        self._follow_events(soles)
        moment = self._table.at(phases.time)
        self._seat(moment, soles)
        footing.carry(moment, self._dt)
        self._landing_law.advance(self._dt, phases.landed, loads, moment.load)

        # The divergent component, and the pressure that leads it back.
        com, speed = center_of_mass(model, q), momentum(model, q, v)[:3] / model.total_mass
        xi = com[:2] + speed[:2] / self.plan.omega
        self._rising = float(speed[2])
        reference = footing.point(moment.pressure)
        self.soles = soles
        self.steps.adapt(xi, self._places())
        self.error = error = xi - footing.divergent(moment.divergent) - self.steps.moved(reference)
        pressure = self._feedback.wanted(error, reference)
        both = all(phases.landed) and not phases.adapted and not self._strides  # feet that catch it take what there is
        change = pressure - reference
        self._sharing.advance(self._dt, both, loads, moment.load, [X[:2, 3] for X in footing.X], change)
        if self.hips is not None:
            alone = [foot for foot in (0, 1) if phases.landed[foot] and not phases.landed[1 - foot]]
            missing = [self._feedback.beyond(foot, footing.X[foot], footing.yaw[foot], pressure) for foot in alone]
            self.hips.turn(missing[0] if missing else np.zeros(2))
        if self._hybrid is not None:
            felt = self._perception.wrenches(observation)
            self._hybrid.advance(q, felt, phases.landed, phases.seated, moment, footing, pressure, self.plan.omega)
        q_ref, v_ref = self._joints(q, v, moment)
        if self._hybrid is None:
            law = self._law(q, q_ref, v_ref, moment, pressure, reference)
        else:
            law = self._hybrid.law(q_ref, v_ref, moment.load * phases.landed)
            observation.log(
                force_wanted=self._hybrid.wanted, force_felt=self._hybrid.felt, force_bounded=self._hybrid.bounded
            )
        observation.log(
            divergent_error=error, pressure_wanted=pressure, plan_time=phases.time, loads=loads,
            step_shift=self.steps.shift, pressure_reference=reference,
            phase=0 if phases.swinging is None else 1 + phases.swinging,
            com_reference=np.array([*footing.point(moment.com[:2]), footing.raised(float(moment.com[2]))]),
        )  # fmt: skip
        if self._reference is not None:
            observation.log(reference_restarts=self._reference.restarts)
        return law

    def _places(self) -> list[FloatArray]:
        """Where the feet are by now, seen from above, shape (2,) each [m]."""
        swings = [None if landed else swing for landed, swing in zip(self.phases.landed, self._swing, strict=True)]
        return [X[:2, 3] if swing is None else swing.place for X, swing in zip(self.footing.X, swings, strict=True)]

    def _follow_events(self, soles: list[FloatArray]) -> None:
        """Feet that have left the ground or come down."""
        lifted, touched = self.phases.lifted, self.phases.touched
        if lifted is not None:
            self.steps.lift()
            pitch = self._table.at(self.phases.time).pitch[lifted]  # the heel goes on rising and falls as planned
            level = on_toes(soles[lifted], -pitch, float(self.biped.legs[lifted].half[0]))
            self._swing[lifted] = SwingLeg(level, self._clearance, self.biped.leg)
        if touched is not None:
            off = abs(float(soles[touched][2, 3] - self.footing.X[touched][2, 3]))
            self._going_on = 1.0 if off < EXPECTED * self.biped.leg else GOING_ON
            self.footing.stand(touched, soles[touched])
            if self.phases.adapted:  # the other one may have tipped over: an ankle that puts it flat again kicks
                self.footing.stand(1 - touched, soles[1 - touched])

    def _seat(self, moment: Moment, soles: list[FloatArray]) -> None:
        """A foot that has landed may turn and slip a little before it carries."""
        for foot in (0, 1):
            if not self.phases.seated[foot] and self.phases.landed[foot]:
                self.footing.stand(foot, soles[foot])
                if self.phases.swinging != foot and moment.load[foot] > SEATED:
                    self.phases.seated[foot] = True

    def _wanted_base(self, q: FloatArray, moment: Moment) -> tuple[FloatArray, FloatArray]:
        """Base that legs hold, shape (7,), and its pose, shape (4, 4)."""
        biped, footing, phases = self.biped, self.footing, self.phases
        base = np.array(moment.q[:7])
        base[:2] = footing.point(base[:2])
        base[2] = footing.raised(base[2])
        base[3:7] = _turned(base[3:7], footing.angle)
        if self._reference is not None:
            base = self._reference.base(self._goal(moment, base))
        off = base[:2] - q[:2]
        most = 1.0 if self._strides or phases.rests else HELD * biped.leg / max(1e-9, math.hypot(*off))
        base[:2] = q[:2] + min(1.0 - self._yielding, most) * off
        if self.steps.active and not self._strides:
            if phases.touched is not None and phases.adapted:
                self._height.take(float(base[2] - q[2]), -self._rising)
            base[2] -= self._height.lowered(q[:2], footing.angle, self._places())
            if self.steps.catching > 0.0:  # neither pushed off the ground nor lifted from it by legs that are stiff
                most = HELD * biped.leg / self.steps.catching
                base[2] = q[2] + min(max(base[2] - q[2], -most), most)
        X_base = _pose(base)
        if self.hips is not None and not self.hips.at_rest:
            X_base[:3, :3] = rotation_matrix_from_rotation_vector([*self.hips.angle, 0.0]) @ X_base[:3, :3]
            base[3:7] = quaternion_from_rotation_matrix(X_base[:3, :3])
        return base, X_base

    def _joints(self, q: FloatArray, v: FloatArray, moment: Moment) -> tuple[FloatArray, FloatArray]:
        """Set-points of all joints, and their rates."""
        biped, footing, phases = self.biped, self.footing, self.phases
        base, X_base = self._wanted_base(q, moment)
        soles = []
        for foot in (0, 1):
            sole = footing.X[foot] if phases.landed[foot] else self._swing_pose(foot, moment)
            self._wanted[foot] = sole
            if phases.landed[foot] and moment.pitch[foot] > 0.0:
                sole = on_toes(sole, moment.pitch[foot], float(biped.legs[foot].half[0]))
            raised = float(self._landing_law.way[foot] + self._sharing.way[foot]) if self._hybrid is None else 0.0
            if phases.landed[foot] and raised != 0.0:
                sole = np.array(sole)
                sole[2, 3] += raised
            # Below the base as it is, as far as the foot does not carry: it comes down where it shall, and level.
            held = min(1.0, 2.0 * float(moment.load[foot])) if phases.landed[foot] else 0.0
            if held < 1.0:
                sole = _below(X_base, _between(q[:7], base, held), sole)
            if self._hybrid is not None and phases.landed[foot]:
                sole = self._hybrid.moved(foot, sole, _below(X_base, q[:7], self.soles[foot])[:3, :3])
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

        Along the ground as planned, on a clock that is not hurried; up and down as its height is led; without turning.
        """
        v, along = np.zeros(self.biped.model.nv), rotation_of(moment.q[3:7]) @ moment.v[:3]
        c, s = math.cos(self.footing.angle), math.sin(self.footing.angle)
        world = np.array([c * along[0] - s * along[1], s * along[0] + c * along[1], -self._height.rate])
        v[:3] = rotation_of(q[3:7]).T @ world
        return v

    def _stiff_base(self, X: FloatArray, base: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The base with which a stiff waist carries the pelvis where the planned one does, and its coordinates."""
        if not self._waist_moves:
            return X, base
        model, pelvis = self.biped.model, self.biped.pelvis
        carried = inverse_pose(_pose(q[:7])) @ frame_pose(model, q, pelvis)
        X = X @ carried @ self._to_stiff_base
        return X, np.concatenate([X[:3, 3], quaternion_from_rotation_matrix(X[:3, :3])])

    def _swing_pose(self, foot: int, moment: Moment) -> FloatArray:
        """Where the foot in the air shall be, in the world."""
        swing, phases = self._swing[foot], self.phases
        if swing is None:
            return self.footing.X[foot]
        part = phases.part if phases.swinging == foot else 1.0
        end = self._landing(foot)
        stance = self.footing.X[1 - foot]
        if math.hypot(*self.error) < CALM * self._sole:
            self._normal = ground_normal(stance)
        normal = self._normal
        place = np.array([end[0], end[1], height_on(stance, normal, end)])
        yaw = (
            float(moment.place[foot, 3] if phases.swinging != foot else self._planned_end(foot)[3]) + self.footing.angle
        )
        if phases.swinging == foot:
            swing.go_on(place, (phases.phase.end - phases.time) / phases.rate, self._dt)
        X = swing.pose(place, yaw, normal, part, phases.missing[foot])
        if phases.swinging != foot:
            return X
        self.footing.X[foot] = swing.pose(place, yaw, normal, 1.0, 0.0)  # where it is expected
        self.footing.yaw[foot] = yaw
        if moment.pitch[foot] > 0.0:
            X = on_toes(X, moment.pitch[foot], float(self.biped.legs[foot].half[0]))
        if self._swings is None:
            return X
        left_over = (phases.phase.end - phases.time) / phases.rate
        return self._swings.modified(foot, phases.number, part, left_over, X, *self._now, self.footing.angle)

    def _landing(self, foot: int) -> FloatArray:
        """Where the foot in the air shall land, seen from above, shape (2,)."""
        if self.phases.swinging != foot:
            return np.asarray(self.footing.X[foot][:2, 3])
        return self.footing.point(self._planned_end(foot)[:2]) + self.steps.shift

    def _planned_end(self, foot: int) -> FloatArray:
        swing = self.phases.phase.swing
        assert swing is not None
        return np.array([*swing[1].position, swing[1].yaw])

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
        biped, model = self.biped, self.biped.model
        kp, kd = biped.gains.kp.copy(), biped.gains.kd.copy()
        tau = np.array(moment.tau)
        for foot, leg in enumerate(biped.legs):
            load = float(moment.load[foot]) if self.phases.landed[foot] else 0.0
            firm = self.steps.firmness if self.phases.swinging == foot else 0.0
            soft = self._landing_law.stiffness(max(load, 0.5 * firm))
            kp[leg.v] *= soft
            kd[leg.v] *= soft
            load *= max(0.0, 1.0 - float(moment.pitch[foot]) / ROLLED)  # on its toes a foot has no length
            if load <= 0.0:
                continue
            ankle = leg.ankle
            n = self._feedback.moment(foot, self.footing.X[foot], self.footing.yaw[foot], pressure, reference, load)
            J = jacobian(model, q, leg.sole)
            tau[ankle] -= J[3, ankle] * n[0] + J[4, ankle] * n[1]
            yields = min(1.0, load / STANDS) if self.phases.rests else load
            kp[ankle] += yields * (self._ankle_kp - kp[ankle])
            kd[ankle] += yields * (self._ankle_kd[foot] - kd[ankle])
        return JointLaw(kp=kp, kd=kd, q=q_ref, v=v_ref, tau=tau)


def _pose(base: FloatArray) -> FloatArray:
    """Pose of base coordinates, shape (4, 4)."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotation_of(base[3:7]), base[:3]
    return X


def _below(X_base: FloatArray, seen: FloatArray, sole: FloatArray) -> FloatArray:
    """A sole as it would be below a base, where it is seen below another one, shape (4, 4)."""
    R = X_base[:3, :3] @ rotation_of(seen[3:7]).T
    X = np.eye(4)
    X[:3, :3] = R @ sole[:3, :3]
    X[:3, 3] = X_base[:3, 3] + R @ (sole[:3, 3] - seen[:3])
    return X


def _between(first: FloatArray, second: FloatArray, share: float) -> FloatArray:
    """Base coordinates between two that are near each other, shape (7,)."""
    if first[3:7] @ second[3:7] < 0.0:
        first = np.concatenate([first[:3], -first[3:7]])
    found = (1.0 - share) * first + share * second
    found[3:7] /= math.sqrt(found[3:7] @ found[3:7])
    return np.asarray(found)


def _turned(quaternion: FloatArray, angle: float) -> FloatArray:
    """A quaternion turned about the vertical."""
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    w, x, y, z = quaternion
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])
