"""Preview control without cost of the input, and footsteps that make it easy (Urata et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError
from tarsus.optimization import QP
from tarsus.simulation.argument_kinds import check_not_negative, check_positive, finite_vector
from tarsus.spatial._arrays import as_vector
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState, check_pendulum
from tarsus.walking.planning.analytic import Analytic
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, checked_state, start_state
from tarsus.walking.planning.pressure_path import PressurePath


@dataclass(frozen=True)
class SingularPreview(Planner):
    """The limit of preview control in which only the error of the pressure costs.

    Of all motions from a start that do not diverge, the one with the least integral of |p - p_ref|^2. With
    d = xi - xi_ref, d' = w (d - e) for the error e = p - p_ref, and the optimum is e = 2 d: the unstable pole is
    mirrored, so that d and e decay by e^(-w t). In closed form, with no gain to choose; the largest error is 2 |d(0)|.
    At the end of a path that lasts T, d(0) e^(-w T) is left: xi is by that much beside its wanted end.
    """

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`."""
        begin = start_state(reference, start)
        w = self.pendulum.omega
        own = Analytic(self.pendulum, self.dt).plan(reference, begin.position, divergent_end)
        d = self.pendulum.divergent(*begin) - own.divergent[0]
        since = (own.times - reference.start)[:, None]
        # xi = xi_ref + d e^(-w t), and x' = w (xi - x) brings x = x_ref + d w t e^(-w t).
        decay = np.exp(-w * since)
        position = own.position + d * w * since * decay
        velocity = w * (own.divergent + d * decay - position)
        pressure = own.pressure + 2 * d * decay
        return Pattern(own.times, position, velocity, self.pendulum.acceleration(position, pressure), pressure, w)


class AdaptedSteps(NamedTuple):
    """Footsteps for a start.

    Attributes
    ----------
    steps : ndarray, shape (n, 2)
        [m].
    error : ndarray, shape (2,)
        Largest error of the pressure, 2 d(0) [m].
    """

    steps: FloatArray
    error: FloatArray


def adapted_steps(
    pendulum: LinearInvertedPendulum,
    support: npt.ArrayLike,
    steps: npt.ArrayLike,
    remaining: float,
    step_time: float,
    start: MassState,
    *,
    error: npt.ArrayLike,
    reach: npt.ArrayLike,
    step_weight: float = 1.0,
    error_weight: float = 10.0,
) -> AdaptedSteps:
    """Footsteps with which `SingularPreview` needs little of the sole.

    Pressure rests on each foot in turn. xi_ref(0) is linear in the footsteps, and so is the error 2 d(0): a quadratic
    program moves footsteps as little as possible with the error within its bounds.

    Parameters
    ----------
    support : array_like, shape (2,)
        Foot that stands [m].
    steps : array_like, shape (n, 2)
        Wanted next footsteps; the robot comes to rest above the last [m].
    remaining, step_time : float
        Time until the first of them is loaded, and on each [s].
    start : MassState
        Now.
    error : array_like, shape (2,)
        Bound of |p - p_ref|: half of the sole, less a margin [m].
    reach : array_like, shape (2,)
        By how much a footstep may move from the wanted one [m].

    Raises
    ------
    PlanningError
        Where no footsteps within reach catch the fall; the message tells by how much.
    """
    check_pendulum("pendulum", pendulum)
    wanted = as_vector(steps, "steps", 2).reshape(-1, 2)
    if not len(wanted):
        raise ArgumentError("steps is empty; expected at least one footstep")
    foot, begin = finite_vector("support", support, 2, "two finite numbers [m]"), checked_state("start", start)
    room, far = _bounds("error", error), _bounds("reach", reach)
    check_positive("remaining", remaining, "a finite number above 0 [s]")
    check_positive("step_time", step_time, "a finite number above 0 [s]")
    check_not_negative("step_weight", step_weight)
    check_not_negative("error_weight", error_weight)
    w = pendulum.omega
    # xi_ref(0) = foot (1 - a) + sum_k steps_k c_k, by the backward recursion over constant pieces.
    leave = np.exp(-w * (remaining + step_time * np.arange(len(wanted))))
    c = leave - np.append(leave[1:], 0.0)
    xi = pendulum.divergent(*begin)
    found = np.empty_like(wanted)
    for axis in range(2):
        d = float(xi[axis] - foot[axis] * (1 - leave[0]) - c @ wanted[:, axis])
        # Variables: changes of the steps. Error 2 (d - c . change) within the room.
        H = step_weight * np.eye(len(wanted)) + 4 * error_weight * np.outer(c, c)
        g = -4 * error_weight * d * c
        A = 2 * c[None, :]
        solution = QP(H, g, A, [2 * d - room[axis]], [2 * d + room[axis]], x_min=np.full(len(c), -far[axis]),
                      x_max=np.full(len(c), far[axis])).solve("native")  # fmt: skip
        if not solution.success:
            missing = abs(2 * d) - room[axis] - 2 * far[axis] * c.sum()
            raise PlanningError(
                f"no footsteps within {far[axis]:.3g} m of the wanted ones catch the fall along {'xy'[axis]}: the "
                f"pressure would be {missing:.3g} m beyond its room"
            )
        found[:, axis] = wanted[:, axis] + solution.x
    left = 2 * (xi - foot * (1 - leave[0]) - c @ found)
    return AdaptedSteps(found, left)


def _bounds(name: str, value: npt.ArrayLike) -> FloatArray:
    """Bounds along x and y, checked, shape (2,)."""
    expected = "two finite numbers of at least 0 [m]"
    found = finite_vector(name, value, 2, expected)
    if (found < 0).any():
        raise ArgumentError(f"{name} is {value!r}; expected {expected}")
    return found
