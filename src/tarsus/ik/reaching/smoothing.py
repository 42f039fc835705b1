"""Corners of a way rounded: a cubic B-spline of its places, divided until it is free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.reaching.extension import Extension
from tarsus.ik.reaching.spline_path import SplinePath
from tarsus.ik.reaching.task_solver import TaskSolver

DIVISIONS = 6
"""How often the places of a way are doubled before it is given up."""
PER_PLACE = 12
"""Places of the B-spline between two control points at which its length is measured."""
SPACING, KEPT_SPACING = 0.05, 0.015
"""Largest motion of a freedom between knots of the path [rad, m], without and with tasks to keep."""
MOST_KNOTS = 6000
KEPT = 5e-7
"""Largest error of tasks that are kept, between knots [m, rad, ...]."""


def smoothed(extension: Extension, way: FloatArray, v_max: FloatArray) -> SplinePath | None:
    """A path with the ends of a way (n, nq), free all along, within the limits, with the tasks kept; None if none is.

    A cubic B-spline stays in the hull of its control points, so that it does not overshoot, and comes nearer to
    straight lines between them the denser they are. On rotations it is the cumulative form of Kim, Kim and Shin 1995.

    Parameters
    ----------
    v_max : ndarray, shape (nv,)
        The length of the path is measured in units of these.
    """
    places = way
    for _ in range(DIVISIONS):
        for finer in (1, 2, 4) if extension.keep is not None else (1,):
            path = _path(extension, places, v_max, finer)
            if path is None or _kept(extension, path):
                break
        if path is not None and _fits(extension, path):
            return path
        places = _divided(extension, places)
    return None


def _fits(extension: Extension, path: SplinePath) -> bool:
    model = extension.space.model
    if not path.within(model.q_min - 1e-12, model.q_max + 1e-12):
        return False
    if not model.coordinates.independent.all():
        fine = path.at(np.linspace(0.0, path.length, 4 * len(path.s)))
        if not extension.space.inside(extension.space.clipped(fine)).all():
            return False
    return _kept(extension, path) and bool(extension.clearance.parts_free(len(path.s) - 1, path.part).all())


def _kept(extension: Extension, path: SplinePath) -> bool:
    if extension.keep is None:
        return True
    between = (path.s[1:] + path.s[:-1]) / 2
    return bool(extension.keep.missed(path.at(between)).max() <= KEPT)


def _divided(extension: Extension, places: FloatArray) -> FloatArray:
    """The places with others in the middle between them."""
    space = extension.space
    middle = space.model.integrate(places[:-1], space.way(places[:-1], places[1:]), 0.5)
    if extension.keep is not None:
        found, solved = extension.keep.solve(middle)
        middle = np.where(solved[:, None], found, middle)
    result = np.empty((len(places) + len(middle), places.shape[1]))
    result[::2], result[1::2] = places, middle
    return result


def _path(extension: Extension, places: FloatArray, v_max: FloatArray, finer: int) -> SplinePath | None:
    """Knots on the B-spline at equal distances, brought to the tasks that are kept."""
    space = extension.space
    control = np.concatenate([places[:1], places[:1], places, places[-1:], places[-1:]])
    ways = space.way(control[:-1], control[1:])
    u = np.linspace(0.0, len(control) - 3.0, PER_PLACE * (len(control) - 3) + 1)
    rough = _b_spline(extension, control, ways, u)
    steps = space.way(rough[:-1], rough[1:])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(steps / v_max, axis=-1))])
    furthest = float(np.abs(steps).sum(axis=0).max())
    spacing = (SPACING if extension.keep is None else KEPT_SPACING) / finer
    count = int(np.clip(np.ceil(furthest / spacing), 8, MOST_KNOTS))
    q = _b_spline(extension, control, ways, np.interp(np.linspace(0.0, along[-1], count + 1), along, u))
    q[0], q[-1] = places[0], places[-1]
    if extension.keep is not None:
        model = space.model
        wide = replace(space, lower=np.minimum(space.lower, model.q_min), upper=np.maximum(space.upper, model.q_max))
        wide = replace(wide, lower=np.where(space.lower == space.upper, space.lower, wide.lower),
                       upper=np.where(space.lower == space.upper, space.upper, wide.upper))  # fmt: skip
        found, solved = TaskSolver(wide, extension.keep.asked).solve(q[1:-1])
        if not solved.all():
            return None
        q[1:-1] = found
    measured = np.concatenate([[0.0], np.cumsum(np.linalg.norm(space.way(q[:-1], q[1:]) / v_max, axis=-1))])
    if (np.diff(measured) <= 0).any():
        return None
    return SplinePath(space.model, measured, q)


def _b_spline(extension: Extension, control: FloatArray, ways: FloatArray, u: FloatArray) -> FloatArray:
    """Places of the uniform cubic B-spline in its cumulative form, shape (n, nq)."""
    i = np.minimum(u.astype(int), len(control) - 4)
    x = (u - i)[:, None]
    integrate = extension.space.model.integrate
    q = integrate(control[i], ways[i] * (5 + 3 * x - 3 * x**2 + x**3) / 6)
    q = integrate(q, ways[i + 1] * (1 + 3 * x + 3 * x**2 - 2 * x**3) / 6)
    return integrate(q, ways[i + 2] * x**3 / 6)
