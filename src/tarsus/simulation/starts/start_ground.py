"""Starts inside the ground: what it holds throws the robot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, Ground, ViscoElasticSole
from tarsus.contact.on_ground import contact_gaps
from tarsus.simulation.starts.start_stops import MOST_STORED

if TYPE_CHECKING:
    from tarsus.model import Model

MOST_DEPTH = 0.03
"""Depth of a start in ground that has no springs [m]."""
_TOUCHING = 1e-3
"""Depth up to which a robot stands on the ground and is not inside of it [m]."""
_GRAVITY = 9.81


def ground_problem(
    model: Model,
    q: FloatArray,
    stored: FloatArray,
    ground: Ground,
    contacts: Iterable[Contactor] | None,
    robots: npt.NDArray[np.intp] | None = None,
) -> str | None:
    """What to tell about a start inside the ground; of a batch, about the worst robot.

    Parameters
    ----------
    q : ndarray, shape (*batch, nq)
    stored : ndarray, shape (*batch,)
        Energy that springs of the ground hold [J]: more than m g 0.1 m is too much.
    ground, contacts
        As for `simulate`. Ground without springs may be entered by 3 cm.
    robots : ndarray of int, shape (*batch,), optional
        Numbers by which the robots are told; their places in the batch by default.
    """
    springs = all(surface.law.method is None for surface in ground.surfaces)
    soles = [surface.law.stiffness for surface in ground.surfaces if isinstance(surface.law, ViscoElasticSole)]
    limit = model.total_mass * _GRAVITY * MOST_STORED
    if springs and not soles and not np.max(stored) > limit:
        return None
    names, gap = contact_gaps(model, q, ground, contacts)
    if not names:
        return None
    depth = -gap.min(axis=-1)
    if soles:  # their layers are not compressed yet, and will be at once: they may be entered by 3 cm, too
        stored = np.maximum(stored, 0.5 * max(soles) * np.sum(np.minimum(gap, 0.0) ** 2, axis=-1))
        if springs and not np.max(np.where(depth > MOST_DEPTH, stored, 0.0)) > limit:
            return None
    if not springs and not np.max(depth) > MOST_DEPTH:
        return None
    robot = tuple(map(int, np.unravel_index(np.argmax(stored if springs else depth), depth.shape)))
    if springs and depth[robot] < _TOUCHING:
        return None  # what is held is between bodies of the model
    told = robot if robots is None else (int(robots[robot]),)
    whose = f" of robot {told}" if robot else ""
    held = f", which holds {float(stored[robot]):.3g} J and will throw it" if springs else ""
    helps = (
        "leave that body out of contacts=, or give a lower ground"
        if model.base == "fixed"
        else "ts.contact.on_ground(model, q, ground) puts it on the ground"
    )
    return (
        f"the start{whose} is {float(depth[robot]):.3g} m inside the ground at {names[int(np.argmin(gap[robot]))]!r}"
        f"{held}; {helps}"
    )
