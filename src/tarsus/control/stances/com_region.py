"""Where the centre of mass of a robot at rest may be, seen along gravity (Bretl and Lall 2008)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.stances.balance import Balance, balance
from tarsus.control.whole_body.contact import Contact
from tarsus.errors import ArgumentError, ControlWarning
from tarsus.model import Model
from tarsus.optimization.linear_program import linear_minimum

TOLERANCE = 1e-4
"""By how much the region may reach beyond an edge that is told [m]."""
MOST_CORNERS = 200
FAR = 1e3
"""Distance [m] within which the centre of mass is looked for: contacts on two walls may leave a direction unbounded."""


def com_region(model: Model, contacts: Sequence[Contact], *, tolerance: float = TOLERANCE) -> FloatArray:
    """Corners of the region in which the centre of mass can rest, forces within their cones; torques may be any.

    From inside: every corner is such a place, and no place outside is further than `tolerance` from the edges. Where
    contacts leave the region unbounded, as two hands between walls may, it ends 1000 m from the origin, and a
    `ControlWarning` tells that; bounds `max_force` of the contacts bound the region.

    Parameters
    ----------
    contacts : sequence of Contact
        With poses; gravity points down, along -z.
    tolerance : float
        [m].

    Returns
    -------
    corners : ndarray, shape (n, 2)
        x and y [m], counter-clockwise; none where no forces carry the robot, one or two where the region is a point or
        a line.
    """
    g = np.asarray(model.gravity)
    if abs(g[0]) + abs(g[1]) > 1e-12 * abs(g[2]) or not g[2] < 0:
        raise ArgumentError(f"gravity of {model.name!r} is {g}; expected it to point along -z")
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ArgumentError(f"tolerance is {tolerance!r}; expected a number above 0 [m]")
    problem = balance(model, contacts)
    corners = [_furthest(problem, np.array([np.cos(a), np.sin(a)])) for a in 2 * np.pi * np.arange(3) / 3]
    if any(corner is None for corner in corners):
        return np.zeros((0, 2))
    found = _without_repeats([corner for corner in corners if corner is not None], tolerance)
    region = np.array(_refined(problem, found, tolerance))
    if np.abs(region).max() > (1.0 - 1e-9) * FAR:
        frames = ", ".join(dict.fromkeys(contact.frame for contact in contacts))
        warnings.warn(
            f"the region of the centre of mass has no end on contacts {frames}: it is cut off {FAR:g} m from the "
            "origin; bounds of their normal forces (max_force) would bound it",
            ControlWarning,
            stacklevel=2,
        )
    return region


def region_width(corners: FloatArray) -> float:
    """Smallest width of a convex region [m]: zero of a point or a line, and where there is none."""
    if len(corners) < 3:
        return 0.0
    edges = np.roll(corners, -1, axis=0) - corners
    across = np.stack([-edges[:, 1], edges[:, 0]], axis=-1) / np.linalg.norm(edges, axis=1, keepdims=True)
    heights = np.einsum("kij,kj->ki", corners[None] - corners[:, None], across)
    return float(heights.max(axis=1).min())


def _refined(problem: Balance, corners: list[FloatArray], tolerance: float) -> list[FloatArray]:
    """Corners are put in until nothing sticks out beyond an edge."""
    k = 0
    while k < len(corners) and len(corners) < MOST_CORNERS:
        a, b = corners[k], corners[(k + 1) % len(corners)]
        along = b - a
        if len(corners) == 1:
            return corners
        out = np.array([along[1], -along[0]]) / max(float(np.linalg.norm(along)), 1e-300)
        further = _furthest(problem, out)
        if further is None or out @ (further - a) <= tolerance:
            k += 1
        else:
            corners.insert(k + 1, further)
    return corners


def _furthest(problem: Balance, direction: FloatArray) -> FloatArray | None:
    """The place of the centre of mass that is furthest in a direction, or None where nothing carries the robot."""
    count, forces = problem.A.shape[1], problem.forces
    rows = np.vstack([np.hstack([forces.A, np.zeros((len(forces.A), 2))]), np.hstack([problem.A, problem.B[:, :2]])])
    lower, upper = (np.append(bound / problem.weight, -problem.b) for bound in (forces.lower, forces.upper))
    far = np.append(np.full(count, np.inf), [FAR, FAR])
    cost = np.append(np.zeros(count), -direction)
    found = linear_minimum(cost, rows, lower, upper, x_min=-far, x_max=far)
    return None if found is None else found[-2:]


def _without_repeats(corners: list[FloatArray], tolerance: float) -> list[FloatArray]:
    kept: list[FloatArray] = []
    for corner in corners:
        if all(np.linalg.norm(corner - other) > tolerance for other in kept):
            kept.append(corner)
    return kept
