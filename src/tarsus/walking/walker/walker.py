"""`Walker`: from a velocity command to a walk, for any biped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground, flat
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.errors import ArgumentError, ControlWarning, SimulationError
from tarsus.model import Model
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.push import Push
from tarsus.simulation.simulate import simulate
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.perception import SensedState
from tarsus.walking.stabilizer.walk_controller import WalkController
from tarsus.walking.walker.fall_watch import FallWatch
from tarsus.walking.walker.gait_choice import (
    CLEARANCES,
    DOUBLE_SUPPORT,
    GaitChoice,
    choose_gait,
    planned,
    step_time_of,
    top_speed,
)
from tarsus.walking.walker.walk_outcome import WalkOutcome

DT = 1e-3
"""Step of the simulation [s]."""
CONTROL_DT = 5e-3
"""Cycle of the controller [s]."""
BRIEFEST = 0.1
"""Shortest step time that is planned, at knots of 5 ms [s]."""
LASTING = 0.3
"""How long a robot that has fallen is still shown [s]."""


class Walker:
    """A biped that walks: ``ts.walking.Walker(model).walk(speed=0.3)``.

    Everything that it needs to know is found from the model, `print(walker.biped)` tells what. Joints are
    position-controlled, with gains by rules from inertia, weight and torque limits.

    Parameters
    ----------
    model : Model
        With a free base, two legs of six joints or more, and feet with soles.
    feet : sequence of two str, optional
        Bodies of the feet, where those that reach lowest are not meant.
    forward : sequence of two float, optional
        Where it looks, in axes of its base; by default where bent knees point to.
    step_time : float, optional
        Of a step [s]; 2.6 sqrt(leg / g), or less where the command needs it, by default.
    clearance : float, optional
        Of swinging feet above the ground [m]; 6 % of the leg, or less where joints are slow, by default.
    control_dt : float
        Cycle of the controller, a multiple of 1 ms [s].

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
        control_dt: float = CONTROL_DT,
    ) -> None:
        for name, value in (("step_time", step_time), ("clearance", clearance), ("control_dt", control_dt)):
            if value is not None and not (np.isfinite(value) and value > 0):
                raise ArgumentError(f"{name} of Walker is {value!r}; expected a number above 0")
        if step_time is not None and step_time < BRIEFEST:
            raise ArgumentError(f"step_time of Walker is {step_time!r}; expected at least {BRIEFEST} s")
        self.biped = Biped.of(model, feet=feet, forward=forward)
        self._step_time, self._clearance, self._control_dt = step_time, clearance, control_dt

    def choose(self, command: FloatArray) -> GaitChoice:
        """How to walk at a velocity (forward, left [m/s], turning left [rad/s]).

        Warns where joints would have to be faster or stronger than their limits.
        """
        biped, given = self.biped, None
        if self._step_time is not None or self._clearance is not None:
            given = GaitChoice(self._step_time or step_time_of(biped, command), DOUBLE_SUPPORT,
                               self._clearance or CLEARANCES[0] * biped.leg)  # fmt: skip
        choice, demand = choose_gait(biped, command, given)
        if demand.speed > 1.0 or demand.torque > 1.0:
            warnings.warn(
                f"{biped.model.name!r} walks beyond its limits: {demand.fastest!r} would need {demand.speed:.0%} of "
                f"its speed, {demand.strongest!r} {demand.torque:.0%} of its torque",
                ControlWarning,
                stacklevel=3,
            )
        return choice

    @property
    def top_speed(self) -> float:
        """Fastest walk straight ahead that joints can follow within their limits of speed and torque [m/s]."""
        return top_speed(self.biped)

    def plan(
        self, speed: float = 0.3, side: float = 0.0, turn: float = 0.0, *, steps: int | None = None,
        duration: float | None = None,
    ) -> tuple[WalkPlan, GaitChoice]:  # fmt: skip
        """The plan of a walk; see `walk`."""
        try:
            command = np.array([float(speed), float(side), float(turn)])
        except (TypeError, ValueError):
            raise ArgumentError(f"speed, side, turn are {speed!r}, {side!r}, {turn!r}; expected numbers") from None
        if command.shape != (3,) or not np.isfinite(command).all():
            raise ArgumentError(f"speed, side, turn are {speed!r}, {side!r}, {turn!r}; expected finite numbers")
        if steps is not None and duration is not None:
            raise ArgumentError(f"steps is {steps!r} and duration {duration!r}; expected one of them")
        if duration is not None and not (np.isfinite(duration) and duration > 0):
            raise ArgumentError(f"duration is {duration!r}; expected a number above 0 [s]")
        if steps is not None and not (isinstance(steps, int | np.integer) and steps >= 0):
            raise ArgumentError(f"steps is {steps!r}; expected a whole number of at least 0")
        choice = self.choose(command)
        count = steps if steps is not None else round((10.0 if duration is None else duration) / choice.step_time)
        return planned(self.biped, command, int(count), choice), choice

    def walk(
        self,
        speed: float = 0.3,
        side: float = 0.0,
        turn: float = 0.0,
        *,
        steps: int | None = None,
        duration: float | None = None,
        ground: Ground | None = None,
        pushes: Sequence[Push] = (),
        adapt: bool = True,
        hips: bool = False,
        sensed: bool = False,
        simulated: Model | None = None,
        seed: int = 0,
        record: str | os.PathLike[str] | None = None,
        progress: bool | None = None,
    ) -> WalkOutcome:
        """Stand, walk, stop and stand again, in a simulation.

        Parameters
        ----------
        speed, side, turn : float
            Forward, to the left [m/s], turning to the left [rad/s].
        steps : int, optional
            Of the walk, without the one that brings the feet together.
        duration : float, optional
            In place of `steps`: how long to walk [s]; 10 by default.
        ground : Ground, optional
            Level by default. The walker is not told: it feels it.
        pushes : sequence of Push
            Forces from outside; "pelvis" is a frame, too.
        adapt : bool
            Whether steps may be placed and timed otherwise than planned, to catch the robot.
        hips : bool
            Whether the upper body is turned where the pressure is at the edge of a sole.
        sensed : bool
            Whether the controller knows only what sensors tell: encoders, an inertial unit in the base and force
            sensors in the feet, with errors of ordinary parts; it knows the true state by default.
        simulated : Model, optional
            The robot in place of the one that the walker knows, such as a heavier one.
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
        plan, choice = self.plan(speed, side, turn, steps=steps, duration=duration)
        biped = plan.biped
        told = SensedState(biped, plan.q[0], self._control_dt) if sensed else None
        control = WalkController(biped, plan, self._control_dt, choice.clearance, perception=told, adapt=adapt,
                                 hips=hips)  # fmt: skip
        driven = _Driven(biped, control)
        cycles = int(np.ceil(plan.duration / self._control_dt - 1e-9))
        model = biped.model if simulated is None else simulated
        given = [_at_pelvis(biped, push) for push in pushes]
        _check_pushes(given, plan.duration)
        try:
            run = simulate(
                model, plan.q[0], duration=round(cycles * self._control_dt, 9), controller=driven, dt=DT,
                control_dt=self._control_dt, ground=flat() if ground is None else ground, contacts=biped.soles,
                pushes=given, seed=seed, sensors=[] if told is None else told.sensors, record=record, progress=progress,
            )  # fmt: skip
        except SimulationError as error:
            if not isinstance(error.trajectory, Trajectory):
                raise
            run, driven.watch.fallen = error.trajectory, driven.watch.fallen or str(error)
        watch, end = driven.watch, float(run.time[-1])
        if run.finished and not watch.fallen and not run.reason:
            watch.fallen = watch.stands(control.error)
        passed = not watch.fallen and run.finished
        time = end if driven.fell is None else driven.fell
        return WalkOutcome(biped, plan, run, passed, watch.fallen or ("" if passed else run.reason), time,
                           watch.first, driven.steps)  # fmt: skip


class _Driven:
    """The controller as `simulate` calls it, watched."""

    def __init__(self, biped: Biped, control: WalkController) -> None:
        self.control, self.watch = control, FallWatch(biped)
        self.fell: float | None = None
        self.steps = 0

    def __call__(self, observation: Observation) -> JointLaw:
        law = self.control(observation)
        self.steps = self.control.phases.steps
        if self.fell is None:
            self.watch.look(observation.t, observation.q, self.control.soles, self.control.error)
            if self.watch.fallen:
                self.fell = observation.t
        elif observation.t > self.fell + LASTING:
            observation.stop(f"fell: {self.watch.fallen}")
        return law


def _check_pushes(pushes: Sequence[Push], duration: float) -> None:
    """Refuse pushes that a walk of this duration [s] would not feel."""
    for push in pushes:
        if push.start < 0.0 or push.start + push.duration > duration:
            raise ArgumentError(
                f"a push from {push.start:g} to {push.start + push.duration:g} s is not within the walk, which lasts "
                f"{duration:.3g} s"
            )


def _at_pelvis(biped: Biped, push: Push) -> Push:
    """The push, with the body that was found where it says "pelvis" and the model has none of that name."""
    if push.frame != "pelvis" or "pelvis" in biped.model.frames:
        _ = biped.model.frames[push.frame]  # unknown names raise
        return push
    return Push(biped.pelvis, push.force, push.start, push.duration, push.moment)
