"""Yaw of the waist over its rate through all steps, figures 5 and 6 of Feng et al. 2015, and measures of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.robots.feng18 import Side
from tarsus.walking.feng.walk import FengWalk

_YAW = 9
"""Joint 10."""
_PHASES = 50
"""Moments of a step at which steps are compared."""


def phase_cloud(walk: FengWalk, support: Side) -> FloatArray:
    """(q10, q10') of all samples while a leg supports, shape (N, 2) [rad], [rad/s]."""
    if support not in ("right", "left"):
        raise ArgumentError(f"support is {support!r}; expected right or left")
    found = [step.run for step in walk.steps if step.support == support and not step.reason]
    if not found:
        raise ArgumentError(f"the walk has no whole step on the {support} leg; expected at least one")
    return np.concatenate([np.stack([run.q[:, _YAW], run.v[:, _YAW]], axis=-1) for run in found])


def mirrored_cloud(cloud: FloatArray) -> FloatArray:
    """The cloud of the mirror image: yaw turns the other way."""
    return -cloud


def cloud_distance(one: FloatArray, other: FloatArray) -> float:
    """Hausdorff distance of two clouds, (N, 2) and (M, 2), in parts of the size of the first.

    Both coordinates are divided by their ranges in the first cloud, whose size so is 1.
    """
    size = np.ptp(one, axis=0)
    trees = cKDTree(one / size), cKDTree(other / size)
    there, back = (np.max(a.query(b.data)[0]) for a, b in (trees, trees[::-1]))
    return float(max(there, back))


@dataclass(frozen=True, eq=False)
class Band:
    """How steps on one leg differ from one another.

    Attributes
    ----------
    width : float
        Largest range of (q10, q10') over all steps at the same part of a step, as a part of the size of the cloud: 0
        for a limit cycle.
    frequency : ndarray, shape (F,)
        Of the spectrum [1/step], from 0 to 0.5 of the steps on this leg.
    amplitude : ndarray, shape (F,)
        Of the deviations of q10 in the middle of a step from their mean [rad].
    """

    width: float
    frequency: FloatArray
    amplitude: FloatArray


def band(walk: FengWalk, support: Side, steps: int = 500) -> Band:
    """Band of the last steps, both legs counted, of a walk."""
    if not isinstance(steps, int | np.integer) or steps < 1:
        raise ArgumentError(f"steps is {steps!r}; expected a whole number above 0")
    last = [step for step in walk.steps if not step.reason][-steps:]
    chosen = [step for step in last if step.support == support]
    if len(chosen) < 2:
        raise ArgumentError(f"the last {steps} steps have {len(chosen)} on the {support} leg; expected at least 2")
    phases = np.linspace(0.0, 1.0, _PHASES)
    curves = np.array([
        [np.interp(phases * step.run.time[-1], step.run.time, x[:, _YAW]) for x in (step.run.q, step.run.v)]
        for step in chosen
    ])  # fmt: skip
    size = np.ptp(curves, axis=(0, 2))
    middle = curves[:, 0, _PHASES // 2]
    amplitude = np.abs(np.fft.rfft(middle - middle.mean())) * 2.0 / len(middle)
    return Band(
        float((np.ptp(curves, axis=0).max(axis=-1) / size).max()),
        np.asarray(np.fft.rfftfreq(len(middle)), dtype=float),
        amplitude,
    )
