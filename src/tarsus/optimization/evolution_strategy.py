"""Evolution strategy with covariance matrix adaptation: maxima of functions that are noisy, rough and without slope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

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
    strategy, rng = _Strategy(mean, float(spread), population), np.random.default_rng(seed)
    best, best_value = mean.copy(), -np.inf
    for number in range(generations):
        points = strategy.points(rng)
        value = np.asarray(function(points), dtype=float)
        order = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")
        if value[order[0]] > best_value:
            best, best_value = points[order[0]].copy(), float(value[order[0]])
        strategy.learn(points[order])
        done = Generation(number, value, strategy.spread, best, best_value)
        if on_generation is not None:
            on_generation(done)
    return done


@final
class _Strategy:
    """Mean, step size and covariance of the points of a generation, and their paths; names as in Hansen 2016."""

    def __init__(self, mean: FloatArray, spread: float, population: int) -> None:
        n = len(mean)
        self.mean, self.spread, self.population, self.generation = mean, spread, population, 0
        weights = np.log(population // 2 + 0.5) - np.log(np.arange(1, population // 2 + 1))
        self.weights = weights / weights.sum()
        mass = self.mass = 1.0 / float((self.weights**2).sum())
        self.c_c = (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n)
        self.c_s = (mass + 2.0) / (n + mass + 5.0)
        self.c_1 = 2.0 / ((n + 1.3) ** 2 + mass)
        self.c_mu = min(1.0 - self.c_1, 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) ** 2 + mass))
        self.damping = 1.0 + 2.0 * max(0.0, float(np.sqrt((mass - 1.0) / (n + 1.0))) - 1.0) + self.c_s
        self.expected = float(np.sqrt(n)) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
        self.path_c, self.path_s, self.covariance = np.zeros(n), np.zeros(n), np.eye(n)
        self.scale, self.axes = np.ones(n), np.eye(n)

    def points(self, rng: np.random.Generator) -> FloatArray:
        """Points of a generation, shape (population, n)."""
        square, self.axes = np.linalg.eigh(self.covariance)
        self.scale = np.sqrt(np.maximum(square, 1e-20))
        steps = (rng.standard_normal((self.population, len(self.mean))) * self.scale) @ self.axes.T
        return np.asarray(self.mean + self.spread * steps)

    def learn(self, points: FloatArray) -> None:
        """Adapt to the points of a generation, the best first."""
        n, c_s, c_c = len(self.mean), self.c_s, self.c_c
        chosen = (points[: len(self.weights)] - self.mean) / self.spread
        step = self.weights @ chosen
        self.mean = self.mean + self.spread * step
        white = self.axes @ ((self.axes.T @ step) / self.scale)
        self.path_s = (1.0 - c_s) * self.path_s + np.sqrt(c_s * (2.0 - c_s) * self.mass) * white
        self.generation += 1
        length = float(np.linalg.norm(self.path_s))
        usual = np.sqrt(1.0 - (1.0 - c_s) ** (2 * self.generation)) * (1.4 + 2.0 / (n + 1.0)) * self.expected
        straight = bool(length < usual)
        self.path_c = (1.0 - c_c) * self.path_c + straight * np.sqrt(c_c * (2.0 - c_c) * self.mass) * step
        kept = 1.0 - self.c_1 - self.c_mu + (not straight) * self.c_1 * c_c * (2.0 - c_c)
        self.covariance = (
            kept * self.covariance
            + self.c_1 * np.outer(self.path_c, self.path_c)
            + self.c_mu * (chosen.T * self.weights) @ chosen
        )
        self.spread *= float(np.exp(c_s / self.damping * (length / self.expected - 1.0)))
