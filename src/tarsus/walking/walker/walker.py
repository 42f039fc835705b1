"""`Walker`: from a velocity command to a walk, for any biped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.devices.actuators.driven_joints import Drives
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError, ControlWarning, PlanningError, UnknownNameError, nearest
from tarsus.model import Model
from tarsus.simulation.argument_kinds import check_positive
from tarsus.simulation.push import Push
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.cycle_reference import CycleReference
from tarsus.walking.kineto_dynamics.kineto_walk_plan import IKD, METHODS
from tarsus.walking.reference.receding_plan import RecedingPlan
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.catching.catching_steps import Adapting
from tarsus.walking.stabilizer.sensing.perception import SensedState
from tarsus.walking.stabilizer.swing.landing import Softness
from tarsus.walking.stabilizer.swing.swing_modifier import SwingModifier
from tarsus.walking.stabilizer.torque_controller import TorqueController
from tarsus.walking.stabilizer.walk_controller import WalkController
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.steps.footsteps import MOST_STEPS, Footstep
from tarsus.walking.walker.command_schedule import CommandSchedule, CommandSource
from tarsus.walking.walker.commanded_walk import CommandedWalk
from tarsus.walking.walker.gait.gait_choice import (
    CLIK,
    LENGTH,
    GaitChoice,
    GaitHints,
    check_step_time,
    choose_gait,
    demand_of,
    planned,
    step_limits,
    step_time_of,
)
from tarsus.walking.walker.gait.gait_of_commands import gait_of_commands
from tarsus.walking.walker.gait.possible_speed import (
    MUCH,
    hold_to_limits,
    lacks,
    refused,
    refused_plan,
    told,
    too_fast,
    too_weak,
    top_speed,
)
from tarsus.walking.walker.held_command import HeldCommand
from tarsus.walking.walker.joint_control import (
    CYCLE,
    FORCE,
    POSITION,
    TORQUE,
    Control,
    require_control,
    require_torques,
)
from tarsus.walking.walker.simulated_walk import SimulatedWalk
from tarsus.walking.walker.verdict.fall_watch import Goal
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
from tarsus.walking.walker.walk_request import (
    check_drives,
    check_extent,
    check_manner,
    check_walked,
    checked_command,
    checked_footsteps,
    checked_velocity,
    pushes_within,
    simulated_model,
)

SLOWEST = 0.02
"""Longest cycle of a controller that is taken [s]: legs fall within some tenths of a second."""
BRIEFEST = 0.1
"""Shortest step time that is planned, at knots of 5 ms [s]."""
AHEAD = 100
"""Steps up to which a walk is planned before it begins; longer ones are planned while they are walked."""
MOST_AHEAD = MOST_STEPS
"""The same of long steps, which are always planned before."""
ENDING = 6
"""Steps within which a robot that is told to stop stands: what is left of one, slower ones, feet together, rest."""


class Walker:
    """A biped that walks: ``ts.walking.Walker(model).walk(speed=0.3)``.

    Everything that it needs to know is found from the model, `print(walker.biped)` tells what. Joints are
    position-controlled, with gains by rules from inertia, weight and torque limits, or torque-controlled.

    Parameters
    ----------
    model : Model
        With a free base, two legs of six joints or more, and feet with soles.
    feet : sequence of two str, optional
        Bodies of the feet, in any order, where those that reach lowest are not meant: the last ones of both legs.
    forward : sequence of two float, optional
        Where it looks, in axes of its base; by default where bent knees point to. Feet stand side by side: it looks
        square to the line between them, to the side that is given; a direction that is more than 45 degrees off both
        sides is refused, and a note of `biped` tells a smaller difference.
    step_time : float, optional
        Of a step, 12 sqrt(leg / g) at most [s]; 2.6 sqrt(leg / g), or less where the command needs it, by default.
    clearance : float, optional
        Of swinging feet above the ground [m]; 6 % of the leg, or less where joints are slow, by default. Both feet
        stand more briefly before it is less.
    control_dt : float, optional
        Cycle of the controller [s]; 5 ms, or 2 ms where it commands torques, by default. The simulation takes equal
        steps of at most 1 ms in it.
    method : {"clik", "ikd", "ikd-planning", "ikd-moment", "error-compensation", "preview", "three-mass"}
        How joints of the planned walk are found: by inverse kinematics, or by inverse kineto-dynamics and what it is
        compared with (docs/inverse-kineto-dynamics.md). "ikd" acts in each cycle, too, where the upper body is stiff.
    control : {"position", "force", "torque"}
        What joints are told: set-points with gains that change and torques of the ankles; positions and rates alone,
        with constant gains, which lead the forces of the feet (`HybridBalance`); or torques of whole-body control
        (`TorqueController`). All follow the same plan.

    Attributes
    ----------
    biped : Biped
        What was found.

    Raises
    ------
    ArgumentError
        Where the model is no biped that can walk, with the reason.
    """

    def __init__(
        self,
        model: Model,
        *,
        feet: Sequence[str] | None = None,
        forward: Sequence[float] | None = None,
        step_time: float | None = None,
        clearance: float | None = None,
        control_dt: float | None = None,
        method: str = CLIK,
        control: Control = POSITION,
    ) -> None:
        if not isinstance(method, str) or (method != CLIK and method not in METHODS):
            names = (CLIK, *METHODS)
            raise UnknownNameError(
                f"method {method!r} of Walker not found{nearest(str(method), names)}; there are {names}"
            )
        require_control(control, method)
        self._method, self._control = method, control
        for name, value in (("step_time", step_time), ("clearance", clearance), ("control_dt", control_dt)):
            if value is not None:
                check_positive(f"{name} of Walker", value)
        if control_dt is not None and control_dt > SLOWEST:
            raise ArgumentError(f"control_dt of Walker is {control_dt!r}; expected at most {SLOWEST} s")
        if step_time is not None and step_time < BRIEFEST:
            raise ArgumentError(f"step_time of Walker is {step_time!r}; expected at least {BRIEFEST} s")
        self.biped = Biped.of(model, feet=feet, forward=forward)
        if step_time is not None:
            check_step_time(self.biped, step_time)
        self._hints = GaitHints(step_time, clearance)
        self._control_dt = CYCLE[control] if control_dt is None else control_dt

    def choose(self, command: FloatArray) -> GaitChoice:
        """How to walk at a velocity (forward, left [m/s], turning left [rad/s]).

        Warns where joints would have to be faster or stronger than their limits for a moment.

        Raises
        ------
        PlanningError
            Where steps are out of reach, or the plan needs torques that joints do not have, for longer than a robot
            stays up without them, or twice their speed; with the fastest walk in this direction that is possible.
        """
        biped, command = self.biped, checked_velocity(command)
        try:
            choice, demand = choose_gait(biped, command, self._hints.choice(biped, command))
        except PlanningError as error:
            raise refused(biped, command, self._hints, str(error)) from None
        doing = f"walk at {told(command)}"
        if lacks(biped, demand):
            raise refused(biped, command, self._hints, too_weak(biped, doing, demand))
        if demand.speed > MUCH:
            raise refused(biped, command, self._hints, too_fast(biped, doing, demand))
        if demand.speed > 1.0 or demand.torque > 1.0:
            warnings.warn(
                f"{biped.model.name!r} walks beyond its limits: {demand.beyond}",
                ControlWarning,
                stacklevel=3,
            )
        return choice

    def gait_of_footsteps(self) -> GaitChoice:
        """How to walk where footsteps are given: as told, or as at rest."""
        return self._hints.usual(self.biped, np.zeros(3))

    @property
    def step_time(self) -> float | None:
        """That was told [s]."""
        return self._hints.step_time

    @property
    def method(self) -> str:
        """How joints of the planned walk are found."""
        return self._method

    @property
    def control(self) -> Control:
        """How joints are controlled."""
        return self._control

    @property
    def control_dt(self) -> float:
        """Cycle of the controller [s]."""
        return self._control_dt

    @cached_property
    def top_speed(self) -> float:
        """Fastest walk straight ahead that joints can follow within their limits of speed and torque [m/s].

        With the step time and the clearance that were told, where some were.
        """
        return top_speed(self.biped, self._hints)

    def plan(
        self, speed: float = 0.3, side: float = 0.0, turn: float = 0.0, *, steps: int | None = None,
        duration: float | None = None, footsteps: Sequence[Footstep] | None = None,
    ) -> tuple[WalkPlan, GaitChoice]:  # fmt: skip
        """The plan of a walk, whole; see `walk`.

        Raises
        ------
        ArgumentError
            Where it would have more than 1000 steps.
        PlanningError
            Where the command needs steps that are not possible, with the limiting quantity.
        """
        command = checked_command(speed, side, turn)
        asked, _ = self._asked(command, steps, duration)
        if footsteps is None and asked > MOST_AHEAD:
            raise ArgumentError(
                f"a plan of {asked:.10g} steps is asked for; expected {MOST_AHEAD} at most, as many as are planned at "
                "once: `walk` walks further, by a plan that grows on the way"
            )
        if footsteps is not None:
            given = self.gait_of_footsteps()
            plan = planned(self.biped, command, 0, given, self._method, checked_footsteps(footsteps, self.biped.leg))
            hold_to_limits(self.biped, demand_of(self.biped, plan), "step where it is told", 2)
            return plan, given
        choice = self.choose(command)
        count = int(steps if steps is not None else round((10.0 if duration is None else duration) / choice.step_time))
        try:
            return planned(self.biped, command, count, choice, self._method), choice
        except PlanningError as error:
            raise refused_plan(self.biped, command, count, self._hints, self._method, str(error)) from None

    def _asked(self, command: FloatArray, steps: int | None, duration: float | None) -> tuple[float, float]:
        """About how many steps are asked for, and the time of one [s]; refuses what is no extent."""
        check_extent(steps, duration)
        time = self._hints.step_time or step_time_of(self.biped, command)
        return steps if steps is not None else (duration or 0.0) / time, time

    def _is_long(self, speed: float, side: float, turn: float, steps: int | None, duration: float | None) -> bool:
        """Whether a walk has more steps than are planned before it begins."""
        command = checked_command(speed, side, turn)
        count, time = self._asked(command, steps, duration)
        if count <= AHEAD:
            return False
        short = command.any() and abs(command[0]) * time <= LENGTH * self.biped.leg * (1 + 1e-9)
        if self._method in (CLIK, IKD) and short:
            return True
        if count > MOST_AHEAD:
            raise ArgumentError(
                f"a walk of {count:.4g} steps of {abs(command[0]) * time:.2f} m by {self._method!r} is asked for; "
                f"steps on the spot, those beyond {LENGTH} legs, and all that are not by {CLIK!r} or {IKD!r}, are "
                f"planned before the walk begins, {MOST_AHEAD} at most"
            )
        return False

    def _commanded(
        self,
        constant: tuple[float, float, float],
        command: Sequence[Sequence[float]] | CommandSource | None,
        steps: int | None,
        duration: float | None,
    ) -> tuple[WalkPlan, GaitChoice, CommandedWalk]:
        """The first plan of a walk that is planned step by step, how it walks, and what extends it."""
        speed = checked_command(*constant)
        check_extent(steps, duration)
        schedule: CommandSource
        if command is None:
            schedule = CommandSchedule.of([(0.0, *speed)])
        elif callable(command):
            schedule = command
        else:
            schedule = CommandSchedule.of(command)
        if self._method not in (CLIK, IKD):
            raise ArgumentError(
                f"a command that changes on the way is walked by {CLIK!r} or {IKD!r}, not by {self._method!r}"
            )
        if command is not None and steps is not None:
            raise ArgumentError(f"steps is {steps!r} with a command; expected duration in place of it")
        asked = [(0.0, speed)]
        if isinstance(schedule, CommandSchedule):
            asked = list(zip(schedule.times, schedule.values, strict=True))
        choice = gait_of_commands(self.biped, self.choose, asked, callable(command))
        if steps is not None:
            until = np.inf
        elif duration is not None:
            until = duration
        elif isinstance(schedule, CommandSchedule) and command is not None:
            until = schedule.times[-1] + (10.0 if schedule.values[-1].any() else 0.0)
        else:
            until = 10.0
        plan = RecedingPlan(self.biped, choice.gait(self.biped), choice.clearance, step_limits(self.biped))
        held = None if isinstance(schedule, CommandSchedule) else HeldCommand(self.biped, choice, speed)
        return plan.window, choice, CommandedWalk(plan, schedule, until, steps, held)

    def walk(
        self,
        speed: float = 0.3,
        side: float = 0.0,
        turn: float = 0.0,
        *,
        command: Sequence[Sequence[float]] | CommandSource | None = None,
        steps: int | None = None,
        duration: float | None = None,
        footsteps: Sequence[Footstep] | None = None,
        ground: Ground | None = None,
        pushes: Sequence[Push] = (),
        adapt: Adapting = True,
        hips: bool = False,
        sensed: bool | Sequence[Sensor] = False,
        simulated: Model | None = None,
        drives: Drives | None = None,
        landing: Softness | None = None,
        seed: int = 0,
        record: str | os.PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> WalkOutcome:
        """Stand, walk, stop and stand again, in a simulation.

        Parameters
        ----------
        speed, side, turn : float
            Forward, to the left [m/s], turning to the left [rad/s].
        command : sequence of (time, speed, side, turn), or callable, optional
            A command that changes on the way. Entries hold from their times on; ``command(observation)`` returns
            (speed, side, turn) and is asked in every cycle. Steps that have begun end as they were planned; the next
            ones follow the command, and 0 stops. Then `speed`, `side` and `turn` tell, for a callable, for which
            command step time and clearance are chosen; what joints cannot follow with them is scaled down, with a
            warning and a note of the outcome.
        steps : int, optional
            Of the walk, without the one that brings the feet together.
        duration : float, optional
            In place of `steps`: how long to walk [s]; 10 by default. With `command`, when the robot is told to stop: 10
            after the last entry by default, at once where that is 0.
        footsteps : sequence of Footstep, optional
            In place of all of these: where feet shall go, the two on which the robot stands at first included. Each
            turns by less than half a turn from the one before: yaws that differ by whole turns are the same.
        ground : Ground, optional
            Level by default. The walker is not told: it feels it.
        pushes : sequence of Push
            Forces from outside; "pelvis" is a frame, too.
        adapt : bool or {"capture", "periodic"}
            Whether steps may be placed and timed otherwise than planned, to catch the robot: relative to the capture
            point, which True means, too (`StepAdaptation`), or so that the present step ends with the velocity of the
            walk (`PeriodicReplanning`).
        hips : bool
            Whether the upper body is turned where the pressure is at the edge of a sole.
        sensed : bool or sequence of Sensor
            Whether the controller knows only what sensors tell: encoders, an inertial unit in the base and force
            sensors in the feet, with errors of ordinary parts; it knows the true state by default. Or sensors of your
            own, as `tarsus.sensors.proprioception` makes them, with force sensors "walk/left" and "walk/right". Where
            one of them cannot be believed, the outcome tells it.
        simulated : Model, optional
            The robot in place of the one that the walker knows, such as a heavier one; made of ``walker.biped.model``.
        drives : mapping, optional
            Drives of joints, as `tarsus.actuators.servo_drives` makes them, with the position loops inside; joints
            have the torques that they are told to by default.
        landing : {"gains", "force", "none"}, optional
            How feet of position-controlled joints land: with soft joints, with control of the vertical force, or with
            neither; see `Landing`. Soft joints by default, control of the force where `control` is "force".
        seed : int
            Of the errors of sensors.
        record : path-like, optional
            Recording to write.
        progress : bool, optional
            Of `tarsus.simulate`.

        Returns
        -------
        WalkOutcome
            A fall ends it early, with time and reason.

        Raises
        ------
        PlanningError
            Where the command needs steps that are not possible, with the limiting quantity.
        """
        if footsteps is not None and command is not None:
            raise ArgumentError("footsteps and command are given; expected one of them")
        planned_before = footsteps is not None or not self._is_long(speed, side, turn, steps, duration)
        if command is not None or not planned_before:
            plan, choice, commanded = self._commanded((speed, side, turn), command, steps, duration)
            walked = commanded.until if steps is None else steps * choice.step_time
            lasts = walked + ENDING * choice.step_time + plan.duration
        else:
            plan, choice = self.plan(speed, side, turn, steps=steps, duration=duration, footsteps=footsteps)
            commanded, lasts = None, plan.duration
        asked = float(np.hypot(speed, side)) if commanded is None and footsteps is None else 0.0
        return self.follow(plan, choice, commanded=commanded, lasts=lasts, asked=asked, ground=ground, pushes=pushes,
                           adapt=adapt, hips=hips, sensed=sensed, simulated=simulated, drives=drives, landing=landing,
                           seed=seed, record=record, progress=progress)  # fmt: skip

    def _reference(self, plan: WalkPlan) -> CycleReference | None:
        """What finds the base in each cycle by inverse kineto-dynamics; long steps, whose upper body moves, do not."""
        if self._method != IKD or plan.feet.pitch.any():
            return None
        return CycleReference(plan.biped, plan.q[0], self._control_dt)

    def follow(
        self,
        plan: WalkPlan,
        choice: GaitChoice,
        *,
        swings: SwingModifier | None = None,
        commanded: CommandedWalk | None = None,
        lasts: float | None = None,
        goal: Goal | None = None,
        asked: float = 0.0,
        ground: Ground | None = None,
        pushes: Sequence[Push] = (),
        adapt: Adapting = True,
        hips: bool = False,
        sensed: bool | Sequence[Sensor] = False,
        simulated: Model | None = None,
        drives: Drives | None = None,
        landing: Softness | None = None,
        seed: int = 0,
        record: str | os.PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> WalkOutcome:
        """Walk as planned, in a simulation; see `walk`.

        Parameters
        ----------
        plan : WalkPlan
        choice : GaitChoice
            With the clearance of swinging feet.
        swings : SwingModifier, optional
            What leads feet elsewhere while they swing, as past obstacles.
        commanded : CommandedWalk, optional
            What extends the plan on the way.
        lasts : float, optional
            How long it is to last [s]; as long as the plan by default. Where the plan waits for feet it lasts longer,
            twice as long at most.
        goal : callable, optional
            Why soles, by their poses in the end, are not where they were to come; empty where they are.
        asked : float
            Speed that the plan was made for, which the outcome compares it with [m/s]; 0 for none.
        """
        check_walked(plan, choice, commanded, lasts, goal, swings)
        check_manner(adapt, hips, sensed, seed)
        biped, lasts = plan.biped, plan.duration if lasts is None else lasts
        told = None
        if not isinstance(sensed, Sequence):
            told = SensedState(biped, plan.q[0], self._control_dt) if sensed else None
        else:
            told = SensedState(biped, plan.q[0], self._control_dt, sensed)
        control: WalkGuide
        if self._control == TORQUE:
            require_torques(plan, swings, drives, landing)
            control = TorqueController(biped, plan, self._control_dt, choice.clearance, perception=told, adapt=adapt,
                                       hips=hips)  # fmt: skip
        else:
            control = WalkController(biped, plan, self._control_dt, choice.clearance, perception=told, adapt=adapt,
                                     hips=hips, landing=landing, swings=swings,
                                     reference=self._reference(plan),
                                     positions_only=self._control == FORCE)  # fmt: skip
        check_drives(drives)
        walk = SimulatedWalk(control, choice, self._control_dt, lasts, simulated_model(biped, simulated),
                             pushes_within(pushes, biped, lasts), commanded, goal, asked)  # fmt: skip
        return walk.run(ground, drives, told, seed, record, progress)
