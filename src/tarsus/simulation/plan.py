"""Numbers of steps: of the whole run, between calls of the controller, and between samples."""

from __future__ import annotations

from typing import final

import numpy as np

from tarsus.errors import ArgumentError

_SAMPLE_DT = 0.01
"""Time between samples by default [s]."""
_MOST_STEPS = 10**15
"""Times of later steps could not be told apart."""


@final
class Plan:
    """Numbers of steps: of the whole run, between calls of the controller, and between samples.

    Attributes
    ----------
    dt : float
        Length of a step [s].
    steps, control, every : int
        Steps of the whole run, between calls of the controller, and between samples.
    """

    def __init__(self, duration: float, dt: float, control_dt: float | None, sample_dt: float | None) -> None:
        if not (np.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt is {dt!r}; expected a time above 0 [s]")
        if not (np.isfinite(duration) and duration >= 0):
            raise ArgumentError(f"duration is {duration!r}; expected a time [s]")
        self.dt = dt
        self.steps = _multiple("duration", duration, dt, least=0)
        self.control = _multiple("control_dt", dt if control_dt is None else control_dt, dt)
        self.every = self._default_spacing() if sample_dt is None else _multiple("sample_dt", sample_dt, dt)

    def _default_spacing(self) -> int:
        """Steps between samples: about `_SAMPLE_DT`, and where possible so that the last one is the end of the run."""
        wanted = max(1, round(_SAMPLE_DT / self.dt))
        return next((k for k in range(wanted, wanted // 2, -1) if self.steps % k == 0), wanted)


def _multiple(name: str, value: float, dt: float, least: int = 1) -> int:
    """Number of steps of dt in a time, refused where it is not a whole one."""
    count = round(value / dt) if np.isfinite(value) else -1
    if count < least or abs(count * dt - value) > 1e-9 * max(1.0, abs(value)):
        raise ArgumentError(f"{name} is {value!r}; expected a multiple of dt = {dt!r}, at least {least * dt:g}")
    if count > _MOST_STEPS:
        raise ArgumentError(f"{name} is {value!r}; expected at most {_MOST_STEPS:.0e} steps of dt = {dt!r}")
    return count
