"""What model files leave out that a walk needs: shapes that touch, and which way is up."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarsus.contact import contactors
from tarsus.errors import ArgumentError
from tarsus.ik.feet import Foot, find_feet
from tarsus.ik.stance import stretched
from tarsus.model import Model
from tarsus.spatial import quaternion_from_rotation_vector
from tarsus.walking.biped.leg import common_carrier, leg_joints

QUARTER = math.pi / 2
TURNS = {
    "y": (QUARTER, 0.0, 0.0),
    "-y": (-QUARTER, 0.0, 0.0),
    "-x": (0.0, QUARTER, 0.0),
    "x": (0.0, -QUARTER, 0.0),
    "-z": (2 * QUARTER, 0.0, 0.0),
}
"""Rotations that bring an axis of the base upwards."""


def with_shapes(model: Model, notes: list[str]) -> Model:
    """The model, with what is drawn of it in place of collision shapes where it has none.

    Raises
    ------
    ArgumentError
        Where nothing is drawn of it, either.
    """
    if contactors(model):
        return model
    drawn = model.with_visuals_as_collisions()
    if not contactors(drawn):
        raise ArgumentError(
            f"{model.name!r} has neither collision shapes nor visual ones: a walk needs feet that can touch the ground"
        )
    notes.append("what is drawn of it touches the ground: it has no collision shapes")
    return drawn


def upright(model: Model, notes: list[str], named: Sequence[str] | None) -> Model:
    """The model, turned so that it stands on two soles, where its file does not say how it stands and that one does.

    A file that turns the base is taken at its word, and so are feet that somebody names, and two feet or more that
    reach lowest as it is.
    """
    q = np.array(model.reference)
    if named is not None or abs(q[3]) < 1.0 - 1e-9 or len(find_feet(model, stretched(model))) > 1:
        return model
    for axis, turn in TURNS.items():
        q[3:7] = quaternion_from_rotation_vector(turn)
        turned = model.with_reference(q)
        if _on_legs(turned, find_feet(turned, stretched(turned))):
            notes.append(f"its {axis} axis points upwards: the file does not say how it stands")
            return turned
    return model


def _on_legs(model: Model, feet: Sequence[Foot]) -> bool:
    """Whether these are two soles, each at the end of a leg."""
    if len(feet) != 2 or not all(foot.flat for foot in feet):
        return False
    pelvis = common_carrier(model, [foot.body for foot in feet])
    try:
        return all(leg_joints(model, pelvis, foot.body) for foot in feet)
    except ArgumentError:
        return False
