"""The option --q: a configuration of a model."""

from __future__ import annotations

import warnings

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ModelWarning, ShapeError, nearest
from tarsus.model.model import Model
from tarsus.recording.curves import coordinate_names


def configuration_of(model: Model, text: str | None) -> FloatArray:
    """Configuration from text: all numbers, or some joints by name on top of the reference."""
    q = np.array(model.reference)
    if text is None:
        return q
    entries = [entry for entry in text.replace(",", " ").replace(" = ", "=").split() if entry]
    if not any("=" in entry for entry in entries):
        if len(entries) != model.nq:
            raise ShapeError(f"--q has {len(entries)} numbers, expected {model.nq} for {model.name!r}")
        q = np.array([_number(entry) for entry in entries])
        _warn_beyond_limits(model, q)
        return q
    for entry in entries:
        name, _, value = entry.rpartition("=")
        if name not in model.joints:
            moving = [joint.name for joint in model.joints.values() if joint.q_index.stop - joint.q_index.start == 1]
            raise ArgumentError(f"--q: no joint {name!r}{nearest(name, moving)}")
        where = model.joints[name].q_index
        if where.stop - where.start != 1:
            raise ArgumentError(
                f"--q: joint {name!r} has {where.stop - where.start} coordinates of its own, expected 1"
            )
        q[where] = _number(value)
    _warn_beyond_limits(model, q)
    return q


def _warn_beyond_limits(model: Model, q: FloatArray) -> None:
    """Tell joints that are shown where they cannot be."""
    for k, (name, value) in enumerate(zip(coordinate_names(model, "q"), q, strict=True)):
        if not model.q_min[k] <= value <= model.q_max[k]:
            limits = f"{model.q_min[k]:g} to {model.q_max[k]:g}"
            warnings.warn(f"{name} = {value:g} is beyond its limits, {limits}", ModelWarning, stacklevel=2)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"--q: {text!r} is not a number") from None
