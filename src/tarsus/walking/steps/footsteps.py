"""Footsteps that follow a command: start, walk, sidestep, turn, climb, stop."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, PlanningError
from tarsus.simulation.argument_kinds import (
    check_finite,
    check_flag,
    check_list,
    check_not_negative,
    check_positive,
    check_whole,
    finite_vector,
)
from tarsus.spatial import pose, rotation_matrix_from_angles

Terrain = Callable[[float, float], float]
"""Height of the ground at x, y [m]."""
COMMAND = "three finite numbers (forward, left [m/s], turning left [rad/s])"
"""What errors expect of a command."""
MOST_STEPS = 1000
"""That are planned at once: more of them take minutes, and memory without end."""
TOGETHER = 1e-6
"""By which feet that are side by side may be off it [m, rad]."""


class Footstep(NamedTuple):
    """A place for a foot.

    Attributes
    ----------
    left : bool
    position : ndarray, shape (3,)
        Of the middle of the sole [m].
    yaw : float
        [rad].
    """

    left: bool
    position: FloatArray
    yaw: float

    @property
    def X_WS(self) -> FloatArray:
        """Pose of the sole, level, shape (4, 4)."""
        return pose(self.position, rotation_matrix_from_angles([0.0, 0.0, self.yaw], "roll-pitch-yaw"))


@dataclass(frozen=True)
class StepLimits:
    """What one step may be.

    Attributes
    ----------
    length, side : float
        Largest advance of the middle between the feet in a step, forward and sideways [m].
    turn : float
        [rad].
    rise : float
        Largest change of height between feet [m].
    """

    length: float
    side: float
    turn: float
    rise: float = 0.25

    def __post_init__(self) -> None:
        for name in ("length", "side", "turn", "rise"):
            check_not_negative(f"{name} of StepLimits", getattr(self, name))


def checked_steps(name: str, feet: Any) -> list[Footstep]:
    """Footsteps of alternating feet, the two of the start first, checked; `name` is what an error talks about."""
    check_list(name, feet, "Footstep")
    found = [checked_step(f"{name}[{k}]", foot) for k, foot in enumerate(feet)]
    if len(found) < 2 or any(a.left is b.left for a, b in itertools.pairwise(found)):
        sides = ["left" if foot.left else "right" for foot in found]
        raise ArgumentError(f"{name} are of {sides or 'no feet'}; expected two or more, of alternating feet")
    return found


def checked_step(name: str, foot: Any) -> Footstep:
    """A footstep of a finite place, checked."""
    if not isinstance(foot, Footstep):
        raise DtypeError(f"{name} is {foot!r}; expected a Footstep(left, position, yaw)")
    check_flag(f"left of {name}", foot.left)
    place = finite_vector(f"position of {name}", foot.position, 3, "three finite numbers [m]")
    check_finite(f"yaw of {name}", foot.yaw, "a finite number [rad]")
    return Footstep(bool(foot.left), place, float(foot.yaw))


def footsteps(
    command: npt.ArrayLike,
    step_time: float,
    count: int,
    width: float,
    limits: StepLimits,
    *,
    start: npt.ArrayLike = (0.0, 0.0, 0.0),
    first: str = "left",
    terrain: Terrain | None = None,
    stop: bool = True,
    ramp: int = 0,
) -> list[Footstep]:
    """Footsteps of a velocity command, the two on which the robot stands at first included.

    The middle between the feet moves along the arc of the command; feet are on both sides of it, half of the width
    away. To a side, the foot on that side takes the whole way of two steps, and the other one comes after it, so that
    feet never come nearer to each other; the same holds for turns. In the last step the feet are side by side again.

    Parameters
    ----------
    command : array_like, shape (3,)
        Velocity forward, to the left [m/s], and of turning to the left [rad/s].
    step_time : float
        Of each step [s].
    count : int
        Steps, without the one that brings the feet together; 1000 at most.
    width : float
        Between the middles of the feet [m].
    limits : StepLimits
    start : array_like, shape (3,)
        Middle between the feet and yaw [m, rad].
    first : {"left", "right"}
        Foot that steps first; a sidestep or turn chooses its own.
    terrain : callable, optional
        Height of the ground; level by default.
    stop : bool
        Whether to bring the feet together in the end.
    ramp : int
        Steps in which the speed forward grows at first, and falls in the end where the walk is to stop.

    Raises
    ------
    PlanningError
        Where the command needs steps beyond the limits, with the limiting quantity and the speed that is possible.
    ArgumentError
        Where numbers are none, there are more than 1000 steps, or the terrain tells no height at a footstep.
    """
    v = finite_vector("command", command, 3, COMMAND)
    at = finite_vector("start", start, 3, "three finite numbers (x, y [m], yaw [rad])")
    if first not in ("left", "right"):
        raise ArgumentError(f"first is {first!r}; expected 'left' or 'right'")
    check_whole("ramp", ramp)
    if terrain is not None and not callable(terrain):
        raise DtypeError(f"terrain is {terrain!r}; expected a function of x and y, or None")
    _check_numbers(step_time, count, width, limits)
    _check(v, step_time, limits)
    ground = terrain or (lambda x, y: 0.0)
    left = _first_left(v, first)
    found = [_foot(at, left, width, ground), _foot(at, not left, width, ground)]  # the first of them steps first
    for k in range(count):
        own = v * [_pace(k, count, ramp, stop), 1.0, 1.0]
        at = _advanced(at, _in_step(own, left, first=k == 0, last=k == count - 1), step_time)
        found.append(_foot(at, left, width, ground))
        left = not left
    if stop and count:
        found.append(_foot(at, left, width, ground))
    _check_rises(found, limits)
    return found


def footsteps_after(
    before: tuple[Footstep, Footstep],
    command: npt.ArrayLike,
    step_time: float,
    count: int,
    width: float,
    limits: StepLimits,
    *,
    stands: bool = False,
) -> list[Footstep]:
    """Footsteps of a velocity command from where two feet are, on level ground; these come first.

    As `footsteps`, but for where they begin. In the end the feet are side by side; where they already are and `count`
    is 0, there is nothing to add.

    Parameters
    ----------
    before : tuple of two Footstep
        The one that steps next, and the other one.
    stands : bool
        Whether the robot stands: then the command may choose which foot steps first.
    """
    v = finite_vector("command", command, 3, COMMAND)
    if before[0].left is before[1].left:
        raise ArgumentError("before of footsteps_after: found two footsteps of one foot; expected one of each")
    _check_numbers(step_time, count, width, limits)
    _check(v, step_time, limits)
    if stands and count and _first_left(v, "left" if before[0].left else "right") is not before[0].left:
        before = before[1], before[0]
    height = float(before[1].position[2])
    left, at = before[0].left, _middle(before[1], width)
    together = bool(np.abs(at - _middle(before[0], width)).max() < TOGETHER)
    found = [*before]
    for k in range(count):
        at = _advanced(at, _in_step(v, left, first=together and k == 0, last=k == count - 1), step_time)
        found.append(_foot(at, left, width, lambda x, y: height))
        left = not left
    if count or not together:
        found.append(_foot(at, left, width, lambda x, y: height))
    return found


def scaled_command(command: npt.ArrayLike, step_time: float, limits: StepLimits) -> FloatArray:
    """The command, or as much of it as steps within the limits can walk, in the same direction, shape (3,)."""
    v = np.asarray(command, dtype=float)
    needed = [value / most for _, value, most in _needs(v, step_time, limits) if value > 0.0]
    return v / max(1.0, *needed) if needed else v


def _check_numbers(step_time: float, count: int, width: float, limits: StepLimits) -> None:
    check_whole("count", count)
    if count > MOST_STEPS:
        raise ArgumentError(f"count is {count!r}; expected at most {MOST_STEPS} steps, as many as are planned at once")
    check_positive("step_time", step_time, "a finite number above 0 [s]")
    check_positive("width", width, "a finite number above 0 [m]")
    if not isinstance(limits, StepLimits):
        raise ArgumentError(f"limits is {limits!r}; expected StepLimits")


def _pace(k: int, count: int, ramp: int, stop: bool) -> float:
    """Part of the speed at which step k of them is taken."""
    left = count - k if stop else count
    return float(min(1.0, (k + 1) / (ramp + 1), left / (ramp + 1)))


def _first_left(v: FloatArray, first: str) -> bool:
    if v[1] != 0:
        return bool(v[1] > 0)
    if v[2] != 0:
        return bool(v[2] > 0)
    return first == "left"


def _in_step(v: FloatArray, left: bool, first: bool, last: bool) -> FloatArray:
    """Command of one step: feet that are side by side take half a step forward; sides and turns lead or follow.

    Where nobody follows, the last step leads by its own share only. Where a sidestep begins with the foot that follows
    the turn, that one turns by its own share, too: nothing was before it that it could follow.
    """
    lead = 1.0 if last else 2.0
    side, turn = (lead if (value > 0) == left else 0.0 for value in v[1:])
    return np.asarray(v * np.array([0.5 if first else 1.0, side, turn if turn or not first else 1.0]))


def _advanced(at: FloatArray, v: FloatArray, time: float) -> FloatArray:
    """Along the arc of a constant command."""
    turn = v[2] * time
    # Mean direction of the way: sin(a) / a and (1 - cos(a)) / a, without division by zero.
    c, s = np.sinc(turn / np.pi), np.sinc(turn / (2 * np.pi)) * np.sin(turn / 2)
    forward, side = time * (v[0] * c - v[1] * s), time * (v[0] * s + v[1] * c)
    yaw = at[2]
    way = [forward * np.cos(yaw) - side * np.sin(yaw), forward * np.sin(yaw) + side * np.cos(yaw), turn]
    return np.asarray(at + way)


def _foot(at: FloatArray, left: bool, width: float, ground: Terrain) -> Footstep:
    side = width / 2 if left else -width / 2
    x, y = at[0] - side * np.sin(at[2]), at[1] + side * np.cos(at[2])
    height = ground(x, y)
    check_finite(f"terrain at ({x:.3g}, {y:.3g})", height, "a finite height [m]")
    return Footstep(left, np.array([x, y, float(height)]), float(at[2]))


def _middle(foot: Footstep, width: float) -> FloatArray:
    """Middle between the feet and yaw, of a foot that is beside it, shape (3,)."""
    side = width / 2 if foot.left else -width / 2
    x, y = foot.position[0] + side * np.sin(foot.yaw), foot.position[1] - side * np.cos(foot.yaw)
    return np.array([x, y, foot.yaw])


def _needs(v: FloatArray, step_time: float, limits: StepLimits) -> tuple[tuple[str, float, float], ...]:
    """What steps of a command are, and at most may be."""
    return (
        ("forward", abs(v[0]) * step_time, limits.length),
        ("sideways", abs(v[1]) * 2 * step_time, limits.side),
        ("turning", abs(v[2]) * 2 * step_time, limits.turn),
    )


def _check(v: FloatArray, step_time: float, limits: StepLimits) -> None:
    for name, value, most in _needs(v, step_time, limits):
        if value > most * (1 + 1e-9):
            unit = "rad" if name == "turning" else "m"
            raise PlanningError(
                f"{name} needs steps of {value:.3g} {unit}, and at most {most:.3g} {unit} are possible: "
                f"{most / value:.0%} of the command"
            )


def _check_rises(feet: Sequence[Footstep], limits: StepLimits) -> None:
    for before, after in itertools.pairwise(feet):
        rise = abs(float(after.position[2] - before.position[2]))
        if rise > limits.rise:
            raise PlanningError(f"the ground rises by {rise:.3g} m in a step; at most {limits.rise:.3g} m are possible")
