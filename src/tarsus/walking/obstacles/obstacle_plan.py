"""A walk past obstacles before it is walked: situations, footsteps, swings, postures, distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.standing_pose import BENT
from tarsus.walking.obstacles.avoiding_postures import AvoidingPostures
from tarsus.walking.obstacles.bounding_volume import standing_height
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.obstruction import Obstruction
from tarsus.walking.obstacles.passing_limits import PassingLimits
from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings
from tarsus.walking.obstacles.situation import Situation, situation
from tarsus.walking.obstacles.step_positions import step_positions
from tarsus.walking.obstacles.swing_detour import swing_detour
from tarsus.walking.obstacles.true_distances import Nearest, true_distances
from tarsus.walking.reference.foot_paths import SwingPath, plain_swing
from tarsus.walking.reference.rest import rest_time
from tarsus.walking.reference.walk_plan import WalkPlan, walk_plan
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Phase
from tarsus.walking.walker.gait.gait_choice import LENGTH, LOWER_LEVEL, GaitChoice

DT = 0.002
"""Between knots [s], as in the experiments of Buschmann 2014, 5.4.3."""
MOST = 200
"""Steps that are planned at once."""
ROUNDS = 4
"""Times that the passing of moving obstacles is foreseen again."""


Window = tuple[float, float]
"""Two times [s]."""


@dataclass(frozen=True, eq=False)
class ObstaclePlan:
    """A walk past obstacles.

    Attributes
    ----------
    walk : WalkPlan
        Its feet are on w_d0, the paths that heuristics give; its configurations follow w_d1.
    obstructions : tuple of Obstruction
    situations : tuple of Situation
        How each is passed.
    deviation : ndarray, shape (n, 2, 6)
        W_d1 - w_d0 of the feet: what the reactive layer adds, translation and rotation vector [m, rad].
    distance : ndarray, shape (n,)
        Of the volumes of the robot to the true shapes [m].
    nearest : Nearest
    plain : ndarray, shape (n, 2, 4)
        (x, y, z, yaw) of the soles on the same footsteps with nothing in the way.
    """

    walk: WalkPlan
    obstructions: tuple[Obstruction, ...]
    situations: tuple[Situation, ...]
    deviation: FloatArray
    distance: FloatArray
    nearest: Nearest
    plain: FloatArray

    @property
    def moved(self) -> FloatArray:
        """(x, y, z) of the soles with everything, shape (n, 2, 3) [m]."""
        return np.asarray(self.walk.feet.place[..., :3] + self.deviation[..., :3])

    @property
    def shifts(self) -> FloatArray:
        """Largest shift to a side of the left and the right foot from a plain swing, shape (2,) [m]."""
        return np.asarray(np.abs(self.moved[..., 1] - self.plain[..., 1]).max(axis=0))

    @property
    def raises(self) -> FloatArray:
        """Largest height of the left and the right foot, shape (2,) [m]."""
        return np.asarray(self.moved[..., 2].max(axis=0))

    @property
    def missed(self) -> float:
        """Largest deviation of a foot from its reference where it stands [m, rad]."""
        standing = self.walk.feet.standing
        return float(np.abs(self.deviation[standing]).max(initial=0.0))

    def __str__(self) -> str:
        """In words."""
        left, right = 100 * self.shifts
        up = 100 * self.raises
        met = {one.name for one in self.situations}
        return "\n".join(
            [
                *(str(one) for one in self.situations),
                *(f"{one.name}: the walk does not come to it" for one in self.obstructions if one.name not in met),
                f"  feet      shifted by {left:.1f} cm (left) and {right:.1f} cm (right) at most, "
                f"raised to {up[0]:.1f} cm and {up[1]:.1f} cm",
                f"  nearest   {self.nearest}",
            ]
        )


def plan_past_obstacles(
    biped: Biped,
    obstructions: Sequence[Obstruction],
    speed: float,
    steps: int,
    choice: GaitChoice,
    *,
    limits: PassingLimits | None = None,
    settings: AvoidanceSettings | None = None,
    dt: float = DT,
) -> ObstaclePlan:
    """Plan a straight walk along x past obstacles.

    First obstacles are classified by their boxes, and footsteps are set before, behind or beside them. Then swings are
    raised or shifted, and the centre of mass is planned with what the legs do on them. While postures are found the
    reactive layer pushes feet off volumes. At last the distance to the true shapes is taken at every knot.

    Parameters
    ----------
    biped : Biped
        With collision volumes.
    obstructions : sequence of Obstruction
    speed : float
        Forward, above 0 [m/s].
    steps : int
        That would be taken with nothing in the way.
    choice : GaitChoice
        Step time, double support and clearance.
    limits : PassingLimits, optional
        What the robot can step over.
    settings : AvoidanceSettings, optional
        Of the reactive layer.
    dt : float
        Between knots [s].

    Raises
    ------
    PlanningError
        Where an obstacle is too large, stands on the start, or would be touched; with the reason.
    """
    check_request(obstructions, speed, steps)
    if not (np.isfinite(dt) and dt > 0):
        raise ArgumentError(f"dt is {dt!r}; expected a number above 0 [s]")
    feet, limits = FootExtent.of(biped), PassingLimits.of(biped) if limits is None else limits
    step = speed * choice.step_time
    if step > min(LENGTH * biped.leg, limits.longest) + 1e-9:
        raise PlanningError(
            f"ordinary steps of {step:.2f} m are too long to go among obstacles: at most {LENGTH * biped.leg:.2f} m"
        )
    _check_start(obstructions, biped, feet)
    situations, xs = _foreseen(biped, obstructions, feet, limits, choice, step, steps)
    footsteps = _footsteps(xs, biped.width)
    low = _lowered(biped, xs)
    gait = choice.gait(low)

    def swings(number: int, phase: Phase, clearance: float, leg: float) -> SwingPath:
        return swing_detour(plain_swing(number, phase, clearance, math.inf), situations, feet, limits.margin, biped.leg)

    postures = AvoidingPostures(obstructions, settings)
    walk = walk_plan(low, footsteps, gait, choice.clearance, postures=postures.path, swings=swings, level=True, dt=dt)
    distance, nearest = true_distances(low.model, walk.q, walk.times, obstructions)
    if not nearest.distance > 0.0:
        raise PlanningError(f"obstacles would be touched: {nearest}")
    return ObstaclePlan(
        walk, tuple(obstructions), situations, postures.deviation, distance, nearest, _plain(walk, choice)
    )


def check_request(obstructions: Sequence[Obstruction], speed: float, steps: int) -> None:
    """Refuse by name what no walk can be planned from."""
    if not isinstance(obstructions, Sequence) or isinstance(obstructions, str):
        raise ArgumentError(f"obstructions is {obstructions!r}; expected a sequence of Obstruction objects")
    for one in obstructions:
        if not isinstance(one, Obstruction):
            raise ArgumentError(f"obstructions holds {one!r}; expected Obstruction objects")
    names = [one.name for one in obstructions]
    if len(set(names)) < len(names):
        raise ArgumentError(f"obstructions are called {names}; expected different names")
    if not (isinstance(speed, int | float | np.number) and np.isfinite(speed) and speed > 0):
        raise ArgumentError(f"speed is {speed!r}; obstacles are passed on straight walks forward, above 0 m/s")
    if not (isinstance(steps, int | np.integer) and steps >= 1):
        raise ArgumentError(f"steps is {steps!r}; expected a whole number of at least 1")
    if steps > MOST:
        raise ArgumentError(f"{steps} steps are asked for; walks past obstacles are planned at once, {MOST} at most")


def _check_start(obstructions: Sequence[Obstruction], biped: Biped, feet: FootExtent) -> None:
    """Refuse obstacles that the robot would touch where it starts."""
    _, nearest = true_distances(biped.model, biped.q[None], np.zeros(1), obstructions)
    if not nearest.distance > 0.0:
        raise PlanningError(
            f"obstacle {nearest.obstacle!r} is where the robot starts: {nearest.segment} is "
            f"{-100 * nearest.distance:.1f} cm inside of it"
        )
    for one in obstructions:
        low, high = one.box()
        wide = biped.width / 2 + feet.outside
        if low[0] < feet.front and high[0] > -feet.back and low[1] < wide and high[1] > -wide and high[2] > 0.0:
            raise PlanningError(
                f"obstacle {one.name!r} stands between the feet where the robot starts: its box begins at "
                f"x = {low[0]:.2f} m, and toes end at {feet.front:.2f} m"
            )


def _foreseen(
    biped: Biped,
    obstructions: Sequence[Obstruction],
    feet: FootExtent,
    limits: PassingLimits,
    choice: GaitChoice,
    step: float,
    steps: int,
) -> tuple[tuple[Situation, ...], FloatArray]:
    """Situations and positions of footsteps; where obstacles move, at the time when they are passed."""
    way = (steps - 0.5) * step
    xs = step_positions(way, step, limits.longest, ([], []))
    situations: tuple[Situation, ...] = ()
    top = standing_height(biped)
    for _ in range(ROUNDS):
        windows = [_window(one, xs, biped, choice, feet) if one.moving else (0.0, 0.0) for one in obstructions]
        boxes = [(one, one.box(window)) for one, window in zip(obstructions, windows, strict=True) if window]
        ahead = [(one, box) for one, box in boxes if box[1][0] > -feet.back and box[0][0] < way + step + feet.front]
        situations = tuple(_situation(one, box, biped, limits, choice.clearance, step, top) for one, box in ahead)
        forbidden = tuple(
            [span for one in situations if (span := one.forbidden(left, feet, limits.margin)) is not None]
            for left in (True, False)
        )
        xs = step_positions(way, step, limits.longest, (forbidden[0], forbidden[1]))
        if not any(one.moving for one in obstructions):
            break
    return situations, xs


def _situation(
    one: Obstruction, box: tuple[FloatArray, FloatArray], biped: Biped, limits: PassingLimits, clearance: float,
    step: float, top: float,
) -> Situation:  # fmt: skip
    """Of one obstacle in its box [m]; where it is too large because it moves, the reason says so."""
    feet = FootExtent.of(biped, float(box[1][2]))
    try:
        return situation(one.name, box, biped.width, feet, limits, clearance, step, height=top)
    except PlanningError as error:
        if not one.moving:
            raise
        low, high = one.box()
        grown = float(np.linalg.norm((box[1] - box[0]) - (high - low)))
        raise PlanningError(f"{error}; its box has the way of {grown:.3g} m that it moves while feet pass it") from None


def first_lift(biped: Biped, choice: GaitChoice, dt: float = DT) -> float:
    """When the first foot is lifted in a walk past obstacles [s]."""
    return rest_time(math.sqrt(biped.gravity / biped.height), dt) + choice.gait(biped).settling


def _window(one: Obstruction, xs: FloatArray, biped: Biped, choice: GaitChoice, feet: FootExtent) -> Window | None:
    """Times between which an obstacle that moves is near feet, of steps whole; None where it never is [s]."""
    places = np.concatenate([[0.0, 0.0], xs, xs[-1:]])
    begin = first_lift(biped, choice)
    near: list[Window] = []
    for k in range(len(places) - 2):
        span = begin + k * choice.step_time, begin + (k + 1) * choice.step_time
        low, high = one.box(span)
        own = places[k : k + 3]  # from where, beside which, and to where a foot swings
        if high[0] > own.min() - feet.back and low[0] < own.max() + feet.front:
            near.append(span)
    return (near[0][0], near[-1][1]) if near else None


def _footsteps(xs: FloatArray, width: float) -> list[Footstep]:
    def foot(left: bool, x: float) -> Footstep:
        return Footstep(left, np.array([x, width / 2 if left else -width / 2, 0.0]), 0.0)

    found = [foot(True, 0.0), foot(False, 0.0)]
    found += [foot(k % 2 == 0, float(x)) for k, x in enumerate(xs)]
    return [*found, foot(len(xs) % 2 == 0, float(xs[-1]))]


def _lowered(biped: Biped, xs: FloatArray) -> Biped:
    """The robot as low as its longest step needs."""
    longest = float(np.diff(np.append(0.0, xs)).max())
    beyond = longest / biped.leg - LENGTH
    return biped if beyond <= 1e-9 else biped.bent(BENT + LOWER_LEVEL * beyond)


def _plain(walk: WalkPlan, choice: GaitChoice) -> FloatArray:
    """Soles on the same footsteps with nothing in the way, shape (n, 2, 4)."""
    place = np.array(walk.feet.place)
    for number, phase in enumerate(walk.phases):
        if phase.swing is None:
            continue
        swing = plain_swing(number, phase, choice.clearance, math.inf)
        own = np.flatnonzero(walk.feet.phase == number)
        place[own, int(not phase.swing[1].left)] = [swing.at(float(walk.times[k] - phase.start))[0] for k in own]
    return place
