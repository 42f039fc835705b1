"""Sliders that move a model: which there are, how far they go, and the configuration they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ConstraintError, SingularityError
from tarsus.model.joint import Joint
from tarsus.model.model import Model

_FREE_TRAVEL = 1.0
"""Way of a sliding coordinate without limits, to either side [m]."""
_LIMIT_ROUNDING = 1e-9
"""Rounding allowed at a limit [rad or m]."""
_TURNS = ("turn x", "turn y", "turn z")
_NAMES: dict[str, tuple[str, ...]] = {
    "universal": ("turn 1", "turn 2"),
    "planar": ("slide 1", "slide 2", "turn"),
    "spherical": _TURNS,
    "free": ("x", "y", "z", *_TURNS),
}
"""Names of the velocities of joints with several, where they differ from those of curves."""


class Slider(NamedTuple):
    """One slider.

    Attributes
    ----------
    label : str
    low, high, value : float
        Range and start [rad or m].
    unit : {"rad", "m"}
    """

    label: str
    low: float
    high: float
    value: float
    unit: str


def sliders_of(model: Model, q: FloatArray) -> list[Slider]:
    """One slider per independent velocity, in the order of v.

    Sliders of rotations of a free or spherical joint are a rotation vector from the given configuration, in its axes;
    all others are coordinates. Limits are those of the model, where it has none +-pi, or 1 m to either side.
    """
    sliders = []
    for joint in _independent(model):
        count = joint.v_index.stop - joint.v_index.start
        lengths = joint.traits.slides
        for k in range(count):
            label = joint.name if count == 1 else f"{joint.name} {_NAMES.get(joint.kind, joint.traits.rates)[k]}"
            unit = "m" if lengths[k] else "rad"
            if _is_turned(joint, k):
                sliders.append(Slider(label, -np.pi, np.pi, 0.0, unit))
                continue
            where = joint.q_index.start + k
            value = float(q[where])
            way = _FREE_TRAVEL if lengths[k] else np.pi
            low, high = float(model.q_min[where]), float(model.q_max[where])
            middle = value if lengths[k] or abs(value) > np.pi else 0.0
            low = low if np.isfinite(low) else min(middle - way, value)
            high = high if np.isfinite(high) else max(middle + way, value)
            sliders.append(Slider(label, low, high, min(max(value, low), high), unit))
    return sliders


def configuration(model: Model, q: FloatArray, values: Sequence[float]) -> FloatArray:
    """Configuration (nq,) that slider values mean, which were made for the configuration q."""
    start, turn = np.array(q, dtype=float), np.zeros(model.nv)
    for joint in _independent(model):
        for k in range(joint.v_index.stop - joint.v_index.start):
            value = values[joint.v_index.start + k]
            if _is_turned(joint, k):
                turn[joint.v_index.start + k] = value
            else:
                start[joint.q_index.start + k] = value
    moved: FloatArray = model.integrate(start, turn, 1.0) if turn.any() else start
    return moved


def obstacle(model: Model, q: FloatArray) -> str:
    """Why a configuration cannot be taken: a loop that does not close or a joint beyond its limits; "" if it can."""
    try:
        tree = np.asarray(model.joint_positions(q))
    except (ConstraintError, SingularityError) as error:
        return str(error)
    for joint in model.joints.values():
        if joint.traits.quaternion is not None:
            continue
        first = model.coordinates.tree_q_start[joint.index]
        x = tree[first : first + len(joint.q_min)]
        if (x < joint.q_min - _LIMIT_ROUNDING).any() or (x > joint.q_max + _LIMIT_ROUNDING).any():
            return f"{joint.name} would leave its limits"
    return ""


def _independent(model: Model) -> list[Joint]:
    return [joint for joint in model.joints.values() if joint.v_index.stop > joint.v_index.start]


def _is_turned(joint: Joint, k: int) -> bool:
    """Whether velocity k of a joint turns a rotation in space, which has no three coordinates to slide."""
    return joint.traits.quaternion is not None and k >= joint.traits.quaternion
