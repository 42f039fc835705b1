"""Mass properties of all bodies of a model as one array, which robots of a batch may have of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.model.lowering import inertia_row

if TYPE_CHECKING:
    from tarsus.model import Model

_MASSES = [0, 4, 5, 6, 7, 8, 9]
"""Entries that are proportional to the density."""
_LEAST_MOMENT = -1e-9
"""Smallest moment about an axis, as a part of the largest, that rounding explains."""


def body_inertias(
    model: Model, scale: npt.ArrayLike = 1.0, payloads: Mapping[str, npt.ArrayLike] | None = None
) -> FloatArray:
    """Mass properties of all bodies, scaled and loaded: for robots that differ from each other.

    Parameters
    ----------
    model : Model
    scale : array_like, shape (*batch, nb) or (*batch, 1)
        Factors of masses and moments, above 0; the centres of mass stay.
    payloads : mapping of str to array_like, shape (*batch,)
        Point masses at the origins of frames, 0 or more [kg].

    Returns
    -------
    ndarray, shape (*batch, nb, 10)
        Mass [kg], centre of mass [m], moments about it xx, yy, zz, xy, xz, yz [kg m^2], in the frames of the bodies.

    Raises
    ------
    ShapeError, DtypeError, NonFiniteError, ArgumentError
        With what cannot be a factor or a mass.
    """
    own = np.array([inertia_row(body) for body in model.bodies.values()])
    factor = _numbers("scale", scale, least=0.0, above=True)
    if factor.ndim and factor.shape[-1] not in (1, len(own)):
        raise ShapeError(f"scale has shape {factor.shape}; expected (..., {len(own)}), one for each body, or (..., 1)")
    loads = {name: _numbers(f"payload of {name!r}", mass, least=0.0) for name, mass in (payloads or {}).items()}
    shapes = [factor.shape[:-1], *(mass.shape for mass in loads.values())]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"scale and payloads have batch axes {shapes}; expected the same") from None
    inertias = np.broadcast_to(own, (*batch, *own.shape)).copy()
    inertias[..., _MASSES] *= np.broadcast_to(factor, (*batch, len(own)))[..., None]
    for name, mass in loads.items():
        frame = model.frames[name]
        _add_point(inertias[..., model.bodies[frame.body].index, :], mass, frame.pose[:3, 3])
    return inertias


def _numbers(name: str, value: npt.ArrayLike, *, least: float, above: bool = False) -> FloatArray:
    """Finite numbers of at least this, or above it."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"{name} is {type(value).__name__}; expected numbers") from None
    if not np.isfinite(array).all():
        raise NonFiniteError(f"{name} has {array[~np.isfinite(array)][0]}; expected finite numbers")
    bad = array <= least if above else array < least
    if bad.any():
        raise ArgumentError(f"{name} is {array[bad][0]:g}; expected {'more than' if above else 'at least'} {least:g}")
    return array


def _add_point(body: FloatArray, mass: FloatArray, place: FloatArray) -> None:
    """Add a point mass at a place of a body, (*batch, 10), in place (parallel axes theorem)."""
    total = body[..., 0] + mass
    arm = place - body[..., 1:4]
    share = mass / total
    reduced = body[..., 0] * share
    x, y, z = arm[..., 0], arm[..., 1], arm[..., 2]
    square = x * x + y * y + z * z
    for k, moment in enumerate((square - x * x, square - y * y, square - z * z, -x * y, -x * z, -y * z)):
        body[..., 4 + k] += reduced * moment
    body[..., 1:4] += share[..., None] * arm
    body[..., 0] = total


def checked_inertias(model: Model, value: npt.ArrayLike, batch: tuple[int, ...]) -> FloatArray:
    """Mass properties of the robots of a batch, shape (n, nb, 10).

    Raises
    ------
    ShapeError, DtypeError, NonFiniteError, ArgumentError
        With the robot and the body that cannot be.
    """
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise DtypeError(f"inertias is {type(value).__name__}; expected numbers, as body_inertias returns") from None
    names = tuple(model.bodies)
    expected = (*batch, len(names), 10)
    try:
        array = np.broadcast_to(given, expected).reshape(-1, len(names), 10)
    except ValueError:
        raise ShapeError(f"inertias has shape {given.shape}; expected {expected}") from None
    J = array[..., [[4, 7, 8], [7, 5, 9], [8, 9, 6]]]

    def refuse(bad: npt.NDArray[np.bool_], error: type[Exception], text: str) -> None:
        if bad.any():
            robot, body = (int(k) for k in np.argwhere(bad)[0])
            place = list(map(int, np.unravel_index(robot, batch)))
            numbers = ", ".join(f"{x:g}" for x in array[robot, body])
            raise error(f"inertias of body {names[body]!r} of robot {place} are ({numbers}); expected {text}")

    refuse(~np.isfinite(array).all(axis=-1), NonFiniteError, "finite numbers")
    had = np.array([body.inertia.mass > 0.0 for body in model.bodies.values()])
    refuse((array[..., 0] < 0.0) | (had & (array[..., 0] == 0.0)), ArgumentError, "a mass above 0")
    moments = np.linalg.eigvalsh(J)
    refuse(moments[..., 0] < _LEAST_MOMENT * moments[..., 2], ArgumentError, "moments about every axis of 0 or more")
    return np.array(array)
