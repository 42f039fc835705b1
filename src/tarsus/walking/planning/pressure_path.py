"""Where the centre of pressure shall be: straight pieces in time, with the room that the feet leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.spatial._arrays import as_array, as_numbers, first_index


@dataclass(frozen=True, eq=False)
class PressurePath:
    """Centre of pressure p(t), linear between knots; two knots at one time are a jump.

    The moment of the contact about a point of the ground is the vertical force times the way from there to p.

    Attributes
    ----------
    times : array_like, shape (n,)
        Of the knots, never falling [s].
    points : array_like, shape (n, 2)
        x and y [m].
    lower, upper : array_like, shape (n, 2), optional
        Between which p may be, linear between knots, too: a box inside the sole, or between both [m]. As much as one
        likes by default.
    """

    times: npt.ArrayLike
    points: npt.ArrayLike
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        times, points = as_array(self.times, "times"), as_array(self.points, "points")
        if times.ndim != 1 or len(times) < 2 or points.shape != (len(times), 2):
            raise ShapeError(
                f"times, points of PressurePath: found shapes {times.shape}, {points.shape}; expected (n,), (n, 2)"
            )
        if (np.diff(times) < 0).any() or not times[-1] > times[0]:
            raise ArgumentError("times of PressurePath fall, or last no time; expected them to grow")
        object.__setattr__(self, "times", read_only_copy(times))
        object.__setattr__(self, "points", read_only_copy(points))
        for name in ("lower", "upper"):
            value = getattr(self, name)
            if value is not None:
                bound = as_numbers(value, f"{name} of PressurePath")
                if bound.shape != points.shape:
                    raise ShapeError(f"{name} of PressurePath: found shape {bound.shape}, expected {points.shape}")
                if np.isnan(bound).any():
                    where = first_index(np.isnan(bound))
                    raise NonFiniteError(f"{name} of PressurePath: found nan at index {where}, expected numbers or inf")
                object.__setattr__(self, name, read_only_copy(bound))
        low, high = self._bound("lower", -np.inf), self._bound("upper", np.inf)
        if (low > high).any():
            raise ArgumentError("lower of PressurePath is above upper; expected room between them")

    @property
    def start(self) -> float:
        """First time [s]."""
        return float(np.asarray(self.times)[0])

    @property
    def end(self) -> float:
        """Last time [s]."""
        return float(np.asarray(self.times)[-1])

    def at(self, t: npt.ArrayLike) -> FloatArray:
        """P at times, shape (..., 2): behind a jump at its time; the ends go on beyond them."""
        return self._between(np.asarray(self.points), t)

    def bounds(self, t: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bound at times, shape (..., 2) each."""
        return self._between(self._bound("lower", -np.inf), t), self._between(self._bound("upper", np.inf), t)

    def pieces(self) -> list[tuple[float, float, FloatArray, FloatArray]]:
        """(duration [s], start [s], p at its beginning, rate of p) of every piece that lasts some time."""
        times, points = np.asarray(self.times), np.asarray(self.points)
        found = []
        for k in range(len(times) - 1):
            lasts = float(times[k + 1] - times[k])
            if lasts > 0:
                found.append((lasts, float(times[k]), points[k], (points[k + 1] - points[k]) / lasts))
        return found

    def moved(self, change: npt.ArrayLike) -> PressurePath:
        """With other points: those of the knots plus `change`, shape (n, 2) [m]."""
        points, by = np.asarray(self.points), as_array(change, "change")
        if by.shape not in ((), (2,), (1, 2), (len(points), 1), points.shape):  # one change of all points, too
            raise ShapeError(f"change of PressurePath.moved: found shape {by.shape}, expected {points.shape}")
        return PressurePath(self.times, points + by, self.lower, self.upper)

    def _bound(self, name: str, none: float) -> FloatArray:
        value = getattr(self, name)
        return np.full(np.shape(self.points), none) if value is None else np.asarray(value)

    def _between(self, values: FloatArray, t: npt.ArrayLike) -> FloatArray:
        times, t = np.asarray(self.times), as_numbers(t, "t")
        k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
        lasts = times[k + 1] - times[k]
        share = np.clip((t - times[k]) / np.where(lasts > 0, lasts, 1.0), 0.0, 1.0)[..., None]
        share = np.where((lasts > 0)[..., None], share, 1.0)
        first, second = values[k], values[k + 1]
        with np.errstate(invalid="ignore"):  # infinite bounds stay what they are
            mixed = first + share * (second - first)
        return np.where(np.isfinite(first) & np.isfinite(second), mixed, first)
