"""What a robot that walks shall do now: plan and state in, phases, footing, balance and steps out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.dynamics import center_of_mass, frame_pose, momentum
from tarsus.errors import ArgumentError, DtypeError
from tarsus.simulation.argument_kinds import check_positive
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.foot_paths import apex_of
from tarsus.walking.reference.heel_lift import on_toes
from tarsus.walking.reference.moment import Moment, MomentTable
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.base_height import BaseHeight
from tarsus.walking.stabilizer.catching.catching_steps import Adapting, CatchingSteps
from tarsus.walking.stabilizer.catching.hip_strategy import HipStrategy, undone_within
from tarsus.walking.stabilizer.footing import Footing
from tarsus.walking.stabilizer.pressure_feedback import WITHIN, PressureFeedback
from tarsus.walking.stabilizer.sensing.perception import Perception, TrueState
from tarsus.walking.stabilizer.swing.swing_leg import SwingAim, SwingLeg, ground_normal, height_on
from tarsus.walking.stabilizer.swing.swing_modifier import SwingModifier
from tarsus.walking.stabilizer.walk_phases import WalkPhases
from tarsus.walking.steps.gait import Phase

SEATED = 0.45
"""Load up to which a foot that has landed settles on the ground, and its place is taken anew."""
EXPECTED = 0.01
"""Error of the height of a landing up to which the ground is what was expected, in lengths of the leg."""
GOING_ON = 0.5
"""How much a leg goes on where it is not: one that holds still brakes the body on slopes, one that goes on fully kicks
it off a kerb. Legs of long steps always go on."""
REPLACED = 0.05
"""How far a landing is led back to where it was planned in the world, in lengths of the leg, on stairs."""
STRAIGHT, STEERED = 0.02, 0.03
"""How far a robot may be turned from the heading that was planned, and how far a landing is turned back, at most [rad]:
feet that follow every little turn lean the body."""
CALM = 0.5
"""Error of the divergent component up to which the tilt of a foot is that of the ground, in half widths of a sole: a
foot that is about to tip over tells nothing of it."""
ASTRAY = 0.1
"""How far from the start of its plan a robot may stand at first, in lengths of the leg, and be turned [rad]: the plan
is carried to its feet."""
TILTED, LIFTED = 0.02, 0.005
"""How far it may be tilted [rad] and how much higher or lower it may be, in lengths of the leg: HRP-2, Talos and Lola
fell from twice that."""


class Cycle(NamedTuple):
    """What a cycle has found before joints are told anything.

    Attributes
    ----------
    q, v : ndarray, shape (nq,), (nv,)
        State as it is perceived.
    loads : ndarray, shape (2,)
        Vertical forces on the left and the right foot [N].
    moment : Moment
        Of the plan.
    com, speed : ndarray, shape (3,)
        Centre of mass [m] and its velocity [m/s].
    pressure, reference : ndarray, shape (2,)
        Where the pressure shall be, wherever feet are, and where it is planned on these feet [m].
    """

    q: FloatArray
    v: FloatArray
    loads: FloatArray
    moment: Moment
    com: FloatArray
    speed: FloatArray
    pressure: FloatArray
    reference: FloatArray


class WalkGuide(ABC):
    """Follows a plan on the feet that it finds, called by `tarsus.simulate` every `dt`.

    What joints do about it is left to `_command`. The plan is carried along with the feet as they stand; landings are
    turned back to the heading that was planned, and on stairs led back to where they were planned in the world.

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
        adapt: Adapting = True,
        swings: SwingModifier | None = None,
        hips: bool = False,
        lost: float = 0.0,
    ) -> None:
        _check(type(self).__name__, biped, plan, dt, clearance)
        self._called: float | None = None
        self._climbs = plan.climbs
        self._swings, self._now = swings, (0.0, plan.q[0])
        self.biped, self._dt, self._clearance = biped, dt, clearance
        self._perception = TrueState(biped) if perception is None else perception
        self.plan, self._table = plan, MomentTable(plan)
        self.phases = WalkPhases(plan, biped.weight, lost)
        first = self._table.at(0.0)
        self.footing = Footing([frame_pose(biped.model, first.q, leg.sole) for leg in biped.legs])
        self._feedback = PressureFeedback((WITHIN * biped.legs[0].half, WITHIN * biped.legs[1].half), biped.weight)
        self.soles, self.error = list(self.footing.X), np.zeros(2)
        self._swing: list[SwingLeg | None] = [None, None]
        self._caught = [False, False]  # whether the foot that landed last on each side caught the robot
        self._rise = [0.0, 0.0]  # of the landing above the foot that stands, as planned
        self._aims: list[SwingAim | None] = [None, None]
        self._going_on = 1.0
        self._normal, self._sole = np.array([0.0, 0.0, 1.0]), float(biped.legs[0].half.min())
        self.steps = CatchingSteps(biped, plan, self.phases, self.footing, dt, adapt=adapt)
        self._height = BaseHeight(biped, dt)
        self.hips = HipStrategy(biped, plan.omega, dt) if hips else None
        self._strides = bool(plan.feet.pitch.any())

    def follow(self, plan: WalkPlan) -> None:
        """Go on by another plan, which continues the one until now: see `RecedingPlan`."""
        self.plan, self._table = plan, MomentTable(plan)
        self.phases.follow(plan)
        self.steps.follow(plan)

    def __call__(self, observation: Observation) -> JointLaw:
        """Law of the joints until the next call."""
        begins = self._called is None
        if observation.q.ndim != 1:
            raise ArgumentError(f"{type(self).__name__} walks one robot; q has shape {observation.q.shape}")
        self._require_cycle(observation.t)
        q, v, loads = self._perception.look(observation)
        if begins:
            self._require_start(q)
        self._now = observation.t, q
        biped, model, phases, footing = self.biped, self.biped.model, self.phases, self.footing
        soles = [frame_pose(model, q, leg.sole) for leg in biped.legs]
        if begins:  # the robot need not stand where its plan begins
            for foot in (0, 1):
                footing.stand(foot, soles[foot])
        if observation.t > 0.0:
            phases.advance(self._dt, loads, self._is_late())
        self._follow_events(soles)
        moment = self._table.at(phases.time)
        self._seat(moment, soles)
        footing.carry(moment, self._dt)

        # The divergent component, and the pressure that leads it back.
        com, speed = center_of_mass(model, q), momentum(model, q, v)[:3] / model.total_mass
        xi = com[:2] + speed[:2] / self.plan.omega
        reference = footing.point(moment.pressure)
        self.soles = soles
        owed = 0.0 if self.hips is None else self.hips.debt  # steps leave room for an upper body that comes back
        self.steps.adapt(xi + owed, com[:2], moment, self._places())
        self.error = error = xi - footing.divergent(moment.divergent) - self.steps.moved(reference)
        pressure = self._feedback.wanted(error, reference)
        if self.hips is not None:
            self._turn_hips(self.hips, pressure)
        law = self._command(observation, Cycle(q, v, loads, moment, com, speed, pressure, reference))
        observation.log(
            divergent_error=error, pressure_wanted=pressure, plan_time=phases.time, loads=loads,
            step_shift=self.steps.shift, pressure_reference=reference,
            phase=0.0 if phases.swinging is None else 1.0 + phases.swinging,
            com_reference=np.array([*footing.point(moment.com[:2]).tolist(), footing.raised(float(moment.com[2]))]),
        )  # fmt: skip
        return law

    def _require_cycle(self, t: float) -> None:
        """Refuse to be called at another pace than the one that it was made for, or anew: its clock would be wrong."""
        if self._called is not None and t < self._called:
            raise ArgumentError(
                f"{type(self).__name__} is called at {t:g} s after {self._called:g} s, and has walked its plan until "
                "then; make a new one for every run"
            )
        if self._called is not None and t > self._called and abs(t - self._called - self._dt) > 1e-6:
            raise ArgumentError(
                f"{type(self).__name__} was made for a cycle of {self._dt:g} s, and is called {t - self._called:g} s "
                "after the last time; give the same control_dt to the simulation"
            )
        self._called = t

    def _require_start(self, q: FloatArray) -> None:
        """Refuse to begin elsewhere than the plan does, or so tilted or so high that the robot would fall."""
        planned = self.plan.q[0]
        off = float(np.linalg.norm(q[:3] - planned[:3]))
        turned = 2.0 * math.acos(min(1.0, abs(float(q[3:7] @ planned[3:7]))))
        tilted = float(np.linalg.norm(rotation_of(q[3:7])[2] - rotation_of(planned[3:7])[2]))  # of the vertical
        lifted = abs(float(q[2] - planned[2]))
        far = off > ASTRAY * self.biped.leg or turned > ASTRAY
        if far or tilted > TILTED or lifted > LIFTED * self.biped.leg:
            found, expected = (f"({x:.3g}, {y:.3g}, {z:.3g}) m" for x, y, z in (q[:3].tolist(), planned[:3].tolist()))
            most = "" if far else (
                f"; it may be tilted by {math.degrees(TILTED):.2g} degrees from there, and higher or lower by "
                f"{1e3 * LIFTED * self.biped.leg:.2g} mm: this one is by {math.degrees(tilted):.2g} degrees and "
                f"{1e3 * lifted:.2g} mm"
            )  # fmt: skip
            raise ArgumentError(
                f"the base is at {found} when {type(self).__name__} is called first, {off:.2g} m and "
                f"{math.degrees(turned):.2g} degrees from where the plan begins, {expected}; begin at plan.q[0]{most}"
            )

    @abstractmethod
    def _command(self, observation: Observation, cycle: Cycle) -> JointLaw:
        """Law of the joints for what this cycle has found."""

    def _is_late(self) -> bool:
        """Whether the divergent component is behind the plan on its way off the foot that is lifted next."""
        foot = None if self._strides else self.phases.leaving  # feet of long steps carry while they roll off
        return foot is not None and float(self.error @ (self.footing.X[1 - foot] - self.footing.X[foot])[:2, 3]) < 0.0

    def _turn_hips(self, hips: HipStrategy, pressure: FloatArray) -> None:
        """By what is missing under the only foot that stands, as far as the next one can hold what comes back.

        Not where the step is changed already: then that does it.
        """
        footing, landed = self.footing, self.phases.landed
        missing, room = np.zeros(2), np.zeros(2)
        if landed[0] != landed[1]:
            foot = 0 if landed[0] else 1
            missing = self._feedback.beyond(foot, footing.X[foot], footing.yaw[foot], pressure)
            half, yaw = self._feedback.half[1 - foot], footing.yaw[1 - foot]
            room = undone_within(half, yaw, self.plan.omega, self.steps.next_step_time)
            room *= 1.0 - self.steps.catching  # a step that is changed does the rest
        hips.turn(missing, room)

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
            climb, self._rise[lifted] = _rises(self.phases.phase)
            apex = apex_of(self.phases.phase, self.biped.leg)
            self._swing[lifted] = SwingLeg(level, self._clearance, self.biped.leg, climb, apex)
        if touched is not None:
            off = abs(float(soles[touched][2, 3] - self.footing.X[touched][2, 3]))
            self._going_on = 1.0 if off < EXPECTED * self.biped.leg else GOING_ON
            self.footing.stand(touched, soles[touched])
            self._caught[touched] = self.phases.adapted
            if self.phases.adapted:  # the other one may have tipped over: an ankle that puts it flat again kicks
                self.footing.stand(1 - touched, soles[1 - touched])

    def _seat(self, moment: Moment, soles: list[FloatArray]) -> None:
        """A foot that has landed may turn and slip a little before it carries."""
        for foot in (0, 1):
            if not self.phases.seated[foot] and self.phases.landed[foot]:
                self.footing.stand(foot, soles[foot])
                if self.phases.swinging != foot and moment.load[foot] > SEATED:
                    self.phases.seated[foot] = True

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
            if self._caught[1 - foot]:  # it landed tilted and lies flat later, or lay flat and tips over
                lies = ground_normal(self.soles[1 - foot])
                self._normal = max(self._normal, lies, key=lambda normal: float(normal[2]))
        normal = self._normal
        place = np.array([end[0], end[1], height_on(stance, normal, end) + self._rise[foot]])
        yaw = float(moment.place[foot, 3] if phases.swinging != foot else self._planned_end(foot)[3])
        yaw += self.footing.angle - self._steered()
        if phases.swinging == foot:
            swing.go_on(place, (phases.phase.end - phases.time) / phases.rate, self._dt)
        self._aims[foot] = aim = SwingAim(place, yaw, normal, part, phases.missing[foot])
        X = swing.pose(aim)
        if phases.swinging != foot:
            return X
        self.footing.X[foot] = swing.landed(place, yaw, normal)  # where it is expected
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
        planned = self._planned_end(foot)[:2]
        end = self.footing.point(planned)
        if self._climbs:
            off = planned - end
            end = end + min(1.0, REPLACED * self.biped.leg / max(1e-9, math.hypot(*off))) * off
        return np.asarray(end + self.steps.shift)

    def _steered(self) -> float:
        """By how much a landing turns the robot back to the heading that was planned [rad]."""
        angle = self.footing.angle
        return math.copysign(min(max(abs(angle) - STRAIGHT, 0.0), STEERED), angle)

    def _planned_end(self, foot: int) -> FloatArray:
        swing = self.phases.phase.swing
        assert swing is not None
        return np.array([*swing[1].position, swing[1].yaw])


def _check(name: str, biped: Biped, plan: WalkPlan, dt: float, clearance: float) -> None:
    """Raise where an argument of the controller of this name is none."""
    for word, value, kind in (("biped", biped, Biped), ("plan", plan, WalkPlan)):
        if not isinstance(value, kind):
            raise DtypeError(f"{word} of {name} is {value!r}; expected a {kind.__name__}, as Walker has and makes it")
    if plan.q.shape[1] != biped.model.nq:
        raise ArgumentError(
            f"plan of {name} is one of {plan.biped.model.name!r}, with {plan.q.shape[1]} coordinates; biped is "
            f"{biped.model.name!r}, with {biped.model.nq}"
        )
    check_positive(f"dt of {name}", dt)
    check_positive(f"clearance of {name}", clearance)
    if clearance > biped.leg:
        raise ArgumentError(f"clearance of {name} is {clearance!r} m; expected less than its legs, {biped.leg:.2f} m")


def _rises(phase: Phase) -> tuple[float, float]:
    """Planned height of a landing above where the foot was lifted, and above the foot that stands [m]."""
    assert phase.swing is not None
    before, after = phase.swing
    height = float(after.position[2])
    return height - float(before.position[2]), height - float(phase.standing[0].position[2])
