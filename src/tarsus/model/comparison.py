"""Whether two models move alike, and what differs where they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.model import lowering

if TYPE_CHECKING:
    from tarsus.model.model import Model

_WORDS = {
    "gravity": "gravity",
    "carried": "weights that are carried",
    "armature": "armatures of joints",
    "damping": "damping of joints",
    "friction": "friction of joints",
    "stiffness": "springs of joints",
    "rest": "rest positions of springs of joints",
    "reference": "the reference pose",
    "q_min": "lower limits of joints",
    "q_max": "upper limits of joints",
    "tau_max": "torque limits of joints",
    "actuated": "joints that are actuated",
}
"""Of what a person changes most; all else is the tree and its places."""


def model_difference(here: Model, there: Model) -> str | None:
    """What the motion of one model depends on and the other has differently, for a person; None if nothing.

    Names of frames, shapes and volumes do not count.
    """
    if here is there:
        return None
    if tuple(here.bodies) != tuple(there.bodies):
        return "other bodies"
    if tuple(here.joints) != tuple(there.joints):
        return "other joints"
    for ours, theirs in zip(here.bodies.values(), there.bodies.values(), strict=True):
        a, b = lowering.inertia_row(ours), lowering.inertia_row(theirs)
        if a[0] != b[0]:
            return f"{ours.name!r} with a mass of {b[0]:g} kg, here {a[0]:g} kg"
        if a != b:
            return f"another centre of mass or moment of inertia of {ours.name!r}"
    first, second = _numbers(here), _numbers(there)
    for name in sorted(first, key=lambda name: name not in _WORDS):
        if not _same(first[name], second[name]):
            return f"other values of {_WORDS.get(name, 'joints or couplings')}"
    return None


def _numbers(model: Model) -> dict[str, Any]:
    """All that motions depend on."""
    arrays = lowering.native_arrays(
        model.description, tuple(model.bodies.values()), tuple(model.joints.values()), model.frames, model.coordinates
    )
    own = {name: getattr(model, name) for name in ("reference", "q_min", "q_max", "tau_max", "actuated")}
    kept = {name: value for name, value in arrays.items() if not name.startswith("frame_")}
    return {**own, **kept, "base": model.base, "rotation": model.rotation, "coupling_mode": model.coupling_mode}


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)
