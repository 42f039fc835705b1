"""Where and when to put the next foot, so that the divergent component stays bounded (Khadiv et al. 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, PlanningError
from tarsus.optimization import QP
from tarsus.simulation.argument_kinds import check_finite, check_flag, check_not_negative, check_positive, finite_vector
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, check_pendulum

PAIR = "two finite numbers [m]"
"""What errors expect of places and ways."""
LONGEST = 700.0
"""w T up to which e^(w T) is a number."""
BRIEFEST = 1e-6
"""w T from which on falls grow within a step by more than rounding: e^(w T) - 1 divides."""
ROUNDING = 1e-12
"""Of places that may be at the end of what is possible [m]."""


class NextStep(NamedTuple):
    """The step that is to come.

    Attributes
    ----------
    foothold : ndarray, shape (2,)
        [m].
    time : float
        Of the whole step, from the last touch-down [s].
    offset : ndarray, shape (2,)
        Divergent component minus the foothold at touch-down [m].
    """

    foothold: FloatArray
    time: float
    offset: FloatArray


@dataclass(frozen=True)
class StepTiming:
    """Adapts place and time of a step, above a pressure that stays at the foot that stands.

    At touch-down xi = u_0 + (xi_now - u_0) e^(-w t) s with s = e^(w T), which is linear in s: variables are the
    foothold u, s, and the offset b = xi - u. A quadratic program keeps them near the wanted ones, within bounds of
    reach and time, with u + b - (xi_now - u_0) e^(-w t) s = u_0. The offset is within `viable`: beyond it no further
    steps within the same reach and time bring it back.

    Attributes
    ----------
    pendulum : LinearInvertedPendulum
    shortest, longest : float
        T [s].
    reach_min, reach_max : array_like, shape (2,)
        Bounds of u - u_0 for a step of the left foot; mirrored in y for the right one [m].
    step_weight, time_weight, offset_weight : float
        Of u, of s, of b.
    """

    pendulum: LinearInvertedPendulum
    shortest: float
    longest: float
    reach_min: npt.ArrayLike
    reach_max: npt.ArrayLike
    step_weight: float = 1.0
    time_weight: float = 5.0
    offset_weight: float = 1000.0

    def __post_init__(self) -> None:
        check_pendulum("pendulum of StepTiming", self.pendulum)
        for name in ("shortest", "longest"):
            self._check_time(f"{name} of StepTiming", getattr(self, name))
        if not self.shortest <= self.longest:
            raise ArgumentError(
                f"times of StepTiming are {self.shortest!r}, {self.longest!r}; expected 0 < shortest <= longest"
            )
        for name in ("step_weight", "time_weight", "offset_weight"):
            check_not_negative(f"{name} of StepTiming", getattr(self, name))
        low, high = (
            finite_vector(f"{name} of StepTiming", getattr(self, name), 2, PAIR) for name in ("reach_min", "reach_max")
        )
        if (low > high).any():
            raise ArgumentError(f"reach_min of StepTiming is {low}; expected no more than reach_max, {high}")

    def _check_time(self, name: str, time: Any) -> None:
        """Refuse what is no time, and those in which a fall grows beyond numbers, or not at all within rounding."""
        check_positive(name, time, "a finite number above 0 [s]")
        w = self.pendulum.omega
        if w * time > LONGEST:
            raise ArgumentError(f"{name} is {time!r}; expected at most {LONGEST / w:.3g} s")
        if w * time < BRIEFEST:
            raise ArgumentError(f"{name} is {time!r}; expected at least {BRIEFEST / w:.3g} s")

    def viable(self, left: bool) -> tuple[FloatArray, FloatArray]:
        """Least and largest offset from which steps can go on for ever, shape (2,) each [m] (Khadiv et al. 2020).

        The next offset is b s - u for a step u of the other foot, with s from e^(w shortest) to e^(w longest). Wanted
        is the largest set from which some step leads into it again, mirrored in y from foot to foot. Its ends lead to
        its ends, by the furthest step as soon as possible, as b_x = l_x / (s - 1) forward; or, where even the nearest
        foothold is too far, as late as possible. The directions are taken one by one; they share the time of a step,
        so that from near the ends of both at once there may be none.

        Parameters
        ----------
        left : bool
            Whether it is the left foot that came down.
        """
        check_flag("left", left)
        soon, late = (math.exp(self.pendulum.omega * time) for time in (self.shortest, self.longest))
        (l_x, l_y), (h_x, h_y) = np.asarray(self.reach_min, dtype=float), np.asarray(self.reach_max, dtype=float)
        # x: s b = b + reach. y, after the left foot: s_low b_low = -b_high - h_y, s_high b_high = -b_low - l_y.
        low_x = l_x / ((soon if l_x <= 0 else late) - 1)
        high_x = h_x / ((soon if h_x >= 0 else late) - 1)
        s_high = soon if h_y >= soon * l_y else late
        s_low = soon if l_y <= soon * h_y else late
        low_y, high_y = np.array([l_y - s_high * h_y, h_y - s_low * l_y]) / (s_low * s_high - 1)
        if not left:
            low_y, high_y = -high_y, -low_y
        return np.array([low_x, low_y]), np.array([high_x, high_y])

    def periodic(self, step: npt.ArrayLike, time: float, width: float, left: bool) -> NextStep:
        """The step of a periodic gait, from the foot that stands: what is wanted.

        b_x = l_x / (e^(w T) - 1), b_y = +- width / (1 + e^(w T)) + l_y / (e^(w T) - 1), the left foot stepping first.

        Parameters
        ----------
        step : array_like, shape (2,)
            By which the robot advances in a step [m].
        time : float
            T [s].
        width : float
            Between the feet [m].
        left : bool
            Whether the left foot steps.
        """
        advance, side = finite_vector("step", step, 2, PAIR), 1.0 if left else -1.0
        self._check_time("time", time)
        check_finite("width", width, "a finite number [m]")
        check_flag("left", left)
        s = math.exp(self.pendulum.omega * time)
        foothold = advance + np.array([0.0, side * width])
        # At touch-down xi lies behind the new foot, towards the old one.
        offset = np.array([advance[0] / (s - 1), -side * width / (1 + s) + advance[1] / (s - 1)])
        return NextStep(foothold, time, offset)

    def _checked(self, wanted: Any) -> NextStep:
        """A step that is wanted, refused where it is none."""
        if not isinstance(wanted, NextStep):
            raise DtypeError(f"wanted is {wanted!r}; expected a NextStep, as StepTiming.periodic returns")
        foothold = finite_vector("foothold of wanted", wanted.foothold, 2, PAIR)
        self._check_time("time of wanted", wanted.time)
        return NextStep(foothold, float(wanted.time), finite_vector("offset of wanted", wanted.offset, 2, PAIR))

    def adapted(
        self, divergent: npt.ArrayLike, support: npt.ArrayLike, since: float, wanted: NextStep, left: bool
    ) -> NextStep:
        """The step for the divergent component that is measured.

        Parameters
        ----------
        divergent : array_like, shape (2,)
            xi now [m].
        support : array_like, shape (2,)
            u_0, the foot that stands, under which the pressure is [m].
        since : float
            Time since it came down, at least 0 [s].
        wanted : NextStep
            With the foothold relative to `support`.
        left : bool
            Whether the left foot steps.

        Raises
        ------
        PlanningError
            Where no step within reach and time leads to an offset from which further ones could go on; the message
            tells by how much.
        """
        w = self.pendulum.omega
        xi, u0 = finite_vector("divergent", divergent, 2, PAIR), finite_vector("support", support, 2, PAIR)
        check_not_negative("since", since, "a finite number of at least 0 [s]")
        check_flag("left", left)
        wanted = self._checked(wanted)
        grown = (xi - u0) * math.exp(-w * since)
        s_wanted = math.exp(w * wanted.time)
        # Variables (u_x, u_y, s, b_x, b_y), footholds relative to u_0.
        target = np.concatenate([wanted.foothold, [s_wanted], wanted.offset])
        weights = np.array([self.step_weight] * 2 + [self.time_weight] + [self.offset_weight] * 2)
        E = np.array([[1, 0, -grown[0], 1, 0], [0, 1, -grown[1], 0, 1]], dtype=float)
        low, high = np.asarray(self.reach_min, dtype=float), np.asarray(self.reach_max, dtype=float)
        if not left:
            low, high = np.array([low[0], -high[1]]), np.array([high[0], -low[1]])
        soonest = max(self.shortest, since)
        if soonest > self.longest:
            raise PlanningError(f"the step has taken {since:.3g} s already, and may take {self.longest:.3g} s")
        s_min, s_max = math.exp(w * soonest), math.exp(w * self.longest)
        b_min, b_max = self.viable(left)
        _refuse_fall(grown * s_min, grown * s_max, low + b_min, high + b_max)
        x_min, x_max = np.concatenate([low, [s_min], b_min]), np.concatenate([high, [s_max], b_max])
        solution = QP(np.diag(weights), -weights * target, E=E, e=np.zeros(2), x_min=x_min, x_max=x_max).solve("native")
        if not solution.success:
            raise PlanningError(
                f"no step within reach and time follows from here: times that suit x do not suit y ({solution.reason})"
            )
        u, s, b = solution.x[:2], solution.x[2], solution.x[3:]
        return NextStep(u0 + u, math.log(s) / w, b)


def _refuse_fall(soonest: FloatArray, latest: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Raise where xi at touch-down, between two places, shape (2,), is beyond places from which steps go on."""
    first, last = np.minimum(soonest, latest), np.maximum(soonest, latest)
    beyond = np.maximum(low - last, first - high)
    if (beyond > ROUNDING).any():
        axis = int(np.argmax(beyond))
        raise PlanningError(
            f"no step within reach and time follows from here: along {'xy'[axis]} the divergent component would come "
            f"down {beyond[axis]:.3g} m beyond where further steps could bring it back"
        )
