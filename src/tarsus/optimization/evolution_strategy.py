"""Evolution strategy with covariance matrix adaptation: maxima of functions that are noisy, rough and without slope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Generation:
    """What a generation came to.

    Attributes
    ----------
    number : int
        From 0.
    value : ndarray, shape (population,)
        Values of its points.
    spread : float
        Step size after it.
    best, best_value : ndarray, shape (n,), and float
        The best point of all generations so far.
    """

    number: int
    value: FloatArray
    spread: float
    best: FloatArray
    best_value: float


def evolve(
    function: Callable[[FloatArray], FloatArray],
    start: npt.ArrayLike,
    spread: float,
    *,
    population: int,
    generations: int,
    seed: int = 0,
    on_generation: Callable[[Generation], None] | None = None,
) -> Generation:
    """Look for a maximum: (mu/mu_w, lambda)-CMA-ES of Hansen 2016, with the defaults given there.

    Parameters
    ----------
    function : callable
        Values (population,) of points (population, n); larger is better, NaN is worst.
    start : array_like, shape (n,)
        First mean; coordinates ought to have similar scales.
    spread : float
        First step size.
    population, generations : int
        Points of a generation (at least 4), and their number.
    seed : int
        The same seed gives the same points.
    on_generation : callable, optional
        Called after each generation.

    Returns
    -------
    Generation
        The last one.
    """
    mean = np.array(start, dtype=float)
    if mean.ndim != 1 or not np.isfinite(mean).all():
        raise ArgumentError(f"start has shape {mean.shape}; expected (n,) finite numbers")
    if population < 4 or generations < 1 or not spread > 0.0:
        raise ArgumentError(
            f"population, generations and spread are {population}, {generations}, {spread}; expected at least 4, at "
            "least 1 and above 0"
        )
    n, rng = len(mean), np.random.default_rng(seed)
    parents = population // 2
    weights = np.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
    weights /= weights.sum()
    mass = 1.0 / float((weights**2).sum())
    c_c = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n)
    c_s = (mass + 2.0) / (n + mass + 5.0)
    c_1 = 2.0 / ((n + 1.3) ** 2 + mass)
    c_mu = min(1.0 - c_1, 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) ** 2 + mass))
    damping = 1.0 + 2.0 * max(0.0, np.sqrt((mass - 1.0) / (n + 1.0)) - 1.0) + c_s
    expected = np.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
    path_c, path_s, covariance = np.zeros(n), np.zeros(n), np.eye(n)
    best, best_value = mean.copy(), -np.inf
    for number in range(generations):
        scale, axes = np.linalg.eigh(covariance)
        scale = np.sqrt(np.maximum(scale, 1e-20))
        steps = (rng.standard_normal((population, n)) * scale) @ axes.T
        points = mean + spread * steps
        value = np.asarray(function(points), dtype=float)
        order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
        if value[order[0]] > best_value:
            best, best_value = points[order[0]].copy(), float(value[order[0]])
        chosen = steps[order[:parents]]
        step = weights @ chosen
        mean = mean + spread * step
        path_s = (1.0 - c_s) * path_s + np.sqrt(c_s * (2.0 - c_s) * mass) * (axes @ ((axes.T @ step) / scale))
        length = float(np.linalg.norm(path_s))
        straight = length / np.sqrt(1.0 - (1.0 - c_s) ** (2 * (number + 1))) < (1.4 + 2.0 / (n + 1.0)) * expected
        path_c = (1.0 - c_c) * path_c + straight * np.sqrt(c_c * (2.0 - c_c) * mass) * step
        covariance = (
            (1.0 - c_1 - c_mu + (not straight) * c_1 * c_c * (2.0 - c_c)) * covariance
            + c_1 * np.outer(path_c, path_c)
            + c_mu * (chosen.T * weights) @ chosen
        )
        spread *= float(np.exp(c_s / damping * (length / expected - 1.0)))
        done = Generation(number, value, spread, best, best_value)
        if on_generation is not None:
            on_generation(done)
    return done
