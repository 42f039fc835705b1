"""The walk of Feng et al. 2015, section 6: a thousand steps of the 18-joint humanoid, from exchange to exchange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.robots.feng18 import Side
from tarsus.walking.feng.camera import Camera, Sight
from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START
from tarsus.walking.feng.support_exchange import exchanged, mirrored, other
from tarsus.walking.feng.walk_law import WalkLaw
from tarsus.walking.feng.walk_step import Means, WalkStep, take_step

_SIDES = ("right", "left")


@dataclass(frozen=True, eq=False)
class FengWalk:
    """Steps one after another.

    Attributes
    ----------
    first : {"right", "left"}
        Foot that steps first.
    steps : tuple of WalkStep
        The last one is the one in which the walk ended, where it did.
    law : WalkLaw
    means : Means
    """

    first: Side
    steps: tuple[WalkStep, ...]
    law: WalkLaw
    means: Means

    @property
    def walked(self) -> int:
        """Steps that ended with an exchange of supports."""
        return sum(not step.reason for step in self.steps)

    @property
    def fallen(self) -> str:
        """What ended the walk before all of its steps; empty where nothing did."""
        return self.steps[-1].reason if self.steps else ""

    @property
    def duration(self) -> float:
        """[s]."""
        return self.steps[-1].begin + self.steps[-1].duration if self.steps else 0.0

    @property
    def distance(self) -> float:
        """Way of the feet [m]."""
        return sum(step.length for step in self.steps)


def feng_walk(
    steps: int = 1000,
    *,
    first: Side = "right",
    law: WalkLaw = FENG_LAW,
    camera: Camera | None = None,
    means: Means | None = None,
    start: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    on_step: Callable[[WalkStep], None] | None = None,
) -> FengWalk:
    """Walk of `tarsus.robots.feng18` on rigid ground under visual lifting and periodic torques.

    Between events the motion is that of (34) with constraints of heel and toe, whose number changes; the native solver
    of `Rigid` finds what sticks, slips and opens. Where the contacting foot rests flat and ahead, the supports are
    exchanged: the same state is told from its toe (`exchanged`), and t2 of the periodic torques begins anew.

    Parameters
    ----------
    steps : int
        The walk ends after so many, or where the robot falls.
    first : {"right", "left"}
        Foot that steps first; the starts are mirror images.
    law : WalkLaw
        Torques.
    camera : Camera, optional
        Errors of what is known of the head; none by default.
    means : Means, optional
        Friction, times between torques and samples, tolerances.
    start : tuple of 2 array_like, shape (18,), optional
        q and v of ``support_model("right")`` with the left foot stepping first, mirrored where the right one does; a
        stance with the supporting foot ahead and a push forward by default.
    on_step : callable, optional
        Called with each step.

    Returns
    -------
    FengWalk
    """
    if first not in _SIDES:
        raise UnknownNameError(f"first {first!r} not found{nearest(str(first), _SIDES)}; expected right or left")
    if not isinstance(steps, int | np.integer) or steps < 1:
        raise ArgumentError(f"steps is {steps!r}; expected a whole number above 0")
    q, v = _start(FENG_START if start is None else start)
    support: Side = other(first)
    if support == "left":
        q, v = mirrored(q), mirrored(v)
    means = means or Means()
    sight = None if camera is None else Sight(camera)
    walked: list[WalkStep] = []
    begin = origin = 0.0
    for _ in range(steps):
        step = take_step(law, support, q, v, begin=begin, origin=origin, means=means, sight=sight)
        walked.append(step)
        if on_step is not None:
            on_step(step)
        if step.reason:
            break
        support, begin, origin = other(support), begin + step.duration, origin + step.length
        q, v = exchanged(step.end_q), exchanged(step.end_v)
    return FengWalk(first, tuple(walked), law, means)


def _start(start: tuple[npt.ArrayLike, npt.ArrayLike]) -> tuple[FloatArray, FloatArray]:
    q, v = (np.asarray(x, dtype=float) for x in start)
    if q.shape != (18,) or v.shape != (18,):
        raise ShapeError(f"start has shapes {q.shape} and {v.shape}; expected (18,) and (18,)")
    return q, v
