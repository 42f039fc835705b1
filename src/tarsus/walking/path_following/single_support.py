"""One step until the other foot lands: smooth motion on a flat foot under the law, and what may end it early."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import SimulationError
from tarsus.walking.path_following.flat_foot_limits import FlatFootLimits
from tarsus.walking.path_following.path_law import Command, PathLaw
from tarsus.walking.path_following.planar_biped import DrivenMotion, PlanarBiped

_ROUNDING = 1e-9
"""Share of the weight by which a limit may be left before that counts."""
_SLOWEST = 1e-3
"""Share of its start below which s' counts as zero."""
_LONGEST = 100.0
"""Duration of a step that has no end, by that of one with the speed of its start."""


class Instant(NamedTuple):
    """State, command and answer at one instant; q and v with the foot that stands at the origin, its leg first."""

    q: FloatArray
    v: FloatArray
    command: Command
    driven: DrivenMotion


class Swing(NamedTuple):
    """A single support.

    Attributes
    ----------
    duration : float
        [s].
    state : callable
        Of the time since the start [s]: (theta, theta', s, s'), shape (2 joints + 2,).
    reason : str
        Why it ended before s = 1; empty where it did not.
    """

    duration: float
    state: Any
    reason: str


@dataclass(frozen=True, eq=False)
class SingleSupport:
    """A robot on one flat foot under the law; parameters as of `walk_path`."""

    law: PathLaw
    robot: PlanarBiped
    limits: FlatFootLimits
    stop_at_limits: bool
    landing_gap: float
    relative: float

    def instant(self, y: FloatArray) -> Instant:
        """Everything at a state (theta, theta', s, s')."""
        n = self.robot.joints
        q = self.robot.placed(y[:n])
        v = self.robot.velocity(q, y[n : 2 * n])
        command = self.law.command(y[:n], y[n : 2 * n], float(y[-2]), float(y[-1]))
        return Instant(q, v, command, self.robot.driven(q, v, command.tau))

    def stays_flat(self, impulse: FloatArray) -> bool:
        """Whether an impulse [N s], [N m s] leaves the foot that lands flat; it need not be large."""
        margins = replace(self.limits, least_force=0.0).margins(impulse)
        return float(margins.min()) > -_ROUNDING * self.robot.weight

    def clearance(self, y: FloatArray) -> FloatArray:
        """Heights of heel and toe of the foot that swings [m], shape (2,)."""
        X_WS = frame_pose(self.robot.model, self.robot.placed(y[: self.robot.joints]), self.robot.soles[1])
        return np.asarray(X_WS[2, 3] + np.array(self.robot.sole) * X_WS[2, 0])

    def swing(self, y: FloatArray) -> Swing:
        """Motion from a state at s = 0."""
        from scipy.integrate import solve_ivp

        n, slowest = self.robot.joints, _SLOWEST * float(y[-1])

        def change(t: float, y: FloatArray) -> FloatArray:
            now = self.instant(y)
            return np.concatenate([y[n : 2 * n], now.driven.vdot[3:], [y[-1], now.command.path_acceleration]])

        def landed(t: float, y: FloatArray) -> float:
            return float(y[-2]) - 1.0

        def stalled(t: float, y: FloatArray) -> float:
            return float(y[-1]) - slowest

        def scuffed(t: float, y: FloatArray) -> float:
            return float(self.clearance(y).min()) + self.landing_gap

        def tipped(t: float, y: FloatArray) -> float:
            margins = self.limits.margins(self.instant(y).driven.wrench)
            return float(margins.min()) / self.robot.weight + _ROUNDING

        ends = [landed, stalled, scuffed, *([tipped] if self.stop_at_limits else [])]
        for end in ends:
            end.terminal = True  # type: ignore[attr-defined]
        if self.stop_at_limits and tipped(0.0, y) < 0.0:
            return Swing(0.0, lambda t: y, self._tipping(y))
        solved: Any = solve_ivp(change, (0.0, _LONGEST / float(y[-1])), y, method="DOP853", rtol=self.relative,
                                atol=0.1 * self.relative, dense_output=True, events=ends)  # fmt: skip
        if solved.status < 0:
            raise SimulationError(f"a step could not be integrated beyond {solved.t[-1]:g} s: {solved.message}")
        happened = [len(at) > 0 for at in solved.t_events]
        return Swing(float(solved.t[-1]), solved.sol, self._reason(happened, solved.y[:, -1]))

    def _reason(self, happened: list[bool], y: FloatArray) -> str:
        if happened[0]:
            return ""
        s = f"s = {y[-2]:.4g}"
        if happened[1]:
            return f"s' came to zero at {s}: the robot stalled"
        if happened[2]:
            heel, toe = self.clearance(y)
            return f"the swinging foot scuffed at {s}: heel at {heel:.3g} m, toe at {toe:.3g} m"
        return self._tipping(y) if len(happened) > 3 and happened[3] else f"no landing by {s}"

    def _tipping(self, y: FloatArray) -> str:
        now = self.instant(y)
        margins = self.limits.margins(now.driven.wrench)
        left = FlatFootLimits.NAMES[int(np.argmin(margins))]
        fx, fz, ny = now.driven.wrench
        return (
            f"the foot did not stay flat at s = {y[-2]:.4g} ({left}): pressure at {-ny / fz:.4g} m of "
            f"{self.limits.heel:g} to {self.limits.toe:g} m, forces {fx:.4g} N forward, {fz:.4g} N up"
        )
