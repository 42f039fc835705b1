"""The walk of Feng et al. 2015, section 6: a thousand steps of the 18-joint humanoid, from exchange to exchange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError, SimulationError, UnknownNameError, nearest
from tarsus.robots.feng18 import Side
from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START
from tarsus.walking.feng.support_exchange import exchanged, mirrored, other
from tarsus.walking.feng.torques.camera import Camera, Sight
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk_step import Means, WalkStep, take_step

_SIDES = ("right", "left")
_INTERRUPTED = "interrupted"


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
    ended : str
        What ended the walk where that step is not kept: Ctrl-C between steps, or a simulation that failed.
    """

    first: Side
    steps: tuple[WalkStep, ...]
    law: WalkLaw
    means: Means
    ended: str = ""

    @property
    def walked(self) -> int:
        """Steps that ended with an exchange of supports."""
        return sum(not step.reason for step in self.steps)

    @property
    def fallen(self) -> str:
        """What ended the walk before all of its steps; empty where nothing did."""
        return self.ended or (self.steps[-1].reason if self.steps else "")

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it: neither walked to its end nor fallen."""
        return self.ended == _INTERRUPTED or (bool(self.steps) and not self.steps[-1].run.finished)

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
        The walk ends after so many, where the robot falls, where a later step than the first cannot be computed, or
        with Ctrl-C; what was walked until then is kept.
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
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise ArgumentError(f"steps is {steps!r}; expected a whole number above 0")
    q, v = _start(FENG_START if start is None else start)
    support: Side = other(first)
    if support == "left":
        q, v = mirrored(q), mirrored(v)
    means = means or Means()
    sight = None if camera is None else Sight(camera)
    walked: list[WalkStep] = []
    begin = origin = 0.0
    ended = ""
    for _ in range(steps):
        try:
            step = take_step(law, support, q, v, begin=begin, origin=origin, means=means, sight=sight)
        except (KeyboardInterrupt, SimulationError) as error:
            if not walked:
                raise
            ended = str(error) if isinstance(error, SimulationError) else _INTERRUPTED
            break
        walked.append(step)
        if on_step is not None:
            on_step(step)
        if step.reason:
            break
        support, begin, origin = other(support), begin + step.duration, origin + step.length
        q, v = exchanged(step.end_q), exchanged(step.end_v)
    return FengWalk(first, tuple(walked), law, means, ended)


def _start(start: tuple[npt.ArrayLike, npt.ArrayLike]) -> tuple[FloatArray, FloatArray]:
    try:
        q, v = (np.array(x, dtype=float) for x in start)
    except (TypeError, ValueError):
        kind = f"{type(start).__name__} of {len(start)}" if isinstance(start, tuple | list) else repr(start)
        raise ArgumentError(f"start is {kind} that holds no q and v; expected two arrays of 18 numbers") from None
    if q.shape != (18,) or v.shape != (18,):
        raise ShapeError(f"start has shapes {q.shape} and {v.shape}; expected (18,) and (18,)")
    return q, v
