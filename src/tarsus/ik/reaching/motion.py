"""A motion that a robot can make: configurations, velocities and accelerations over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.reaching.spline_path import SplinePath
from tarsus.ik.reaching.time_law import TimeLaw
from tarsus.model import Model

Status = Literal["arrived", "blocked"]


class MotionSample(NamedTuple):
    """A motion at times of shape (...).

    Attributes
    ----------
    q : ndarray, shape (..., nq)
    v, vdot : ndarray, shape (..., nv)
    """

    q: FloatArray
    v: FloatArray
    vdot: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A motion from rest to rest, with continuous velocity and acceleration.

    Attributes
    ----------
    model : Model
    status : {"arrived", "blocked"}
        "blocked": none was found, and the robot stays where it is.
    reason : str
        The outcome in a sentence; of what is blocked the pair or the task that is in the way.
    t : ndarray, shape (K,)
        Times of the samples [s], from zero to the duration.
    q : ndarray, shape (K, nq)
    v, vdot : ndarray, shape (K, nv)
        [rad/s, m/s] and [rad/s^2, m/s^2].
    v_max, vdot_max : ndarray, shape (nv,)
        Limits that were kept.
    assumed : tuple of str
        Joints without a limit of velocity, for which one was assumed.
    goals, iterations, looked : int
        Goals that were found, growths of random trees (0: a straight way was free), configurations whose distances were
        computed.
    """

    model: Model
    status: Status
    reason: str
    t: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    v_max: FloatArray
    vdot_max: FloatArray
    assumed: tuple[str, ...] = ()
    goals: int = 0
    iterations: int = 0
    looked: int = 0
    _path: SplinePath | None = field(default=None, repr=False)
    _law: TimeLaw | None = field(default=None, repr=False)

    @property
    def success(self) -> bool:
        """Whether it arrives."""
        return self.status == "arrived"

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.t[-1])

    def sample(self, t: npt.ArrayLike) -> MotionSample:
        """The motion at any times; before and after it the robot rests.

        Parameters
        ----------
        t : array_like, shape (...)
            [s].
        """
        times = np.asarray(t, dtype=float)
        if not np.isfinite(times).all():
            raise ArgumentError("t of sample holds numbers that are not finite; expected times [s]")
        q, v, vdot = _evaluated(self.model, self._path, self._law, times.ravel(), self.q[0])
        return MotionSample(*(x.reshape(*times.shape, x.shape[-1]) for x in (q, v, vdot)))

    def __repr__(self) -> str:
        return f"<Motion of {self.model.name!r}: {self.status}, {self.duration:.3g} s, {len(self.t)} samples>"


def timed(path: SplinePath, law: TimeLaw, dt: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Samples t (K,), q, v, vdot of a path, at most dt apart, the end included."""
    t = np.linspace(0.0, law.duration, max(1, int(np.ceil(law.duration / dt - 1e-9))) + 1)
    return (t, *_evaluated(path.model, path, law, t, path.at(np.zeros(1))[0]))


def _evaluated(
    model: Model, path: SplinePath | None, law: TimeLaw | None, t: FloatArray, rest: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    if path is None or law is None:
        still = np.zeros((len(t), model.nv))
        return np.broadcast_to(rest, (len(t), model.nq)).copy(), still, still.copy()
    s, rate, change = law.at(t)
    first, second = path.rates(s)
    return path.at(s), first * rate[:, None], second * rate[:, None] ** 2 + first * change[:, None]
