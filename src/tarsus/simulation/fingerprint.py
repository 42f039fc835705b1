"""What motions depend on beside model and state, in short texts that can be kept and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.comparison import model_difference
from tarsus.simulation.constraints import HeldConstraints
from tarsus.simulation.spring import Spring, spring_tables

if TYPE_CHECKING:
    from tarsus.model import Model

FINGERPRINT = "resumable"
"""Of a run that can be resumed, in its metadata."""

Fingerprint = dict[str, Any]
"""Texts, and lists of lengths [m], by what they are of: two that differ are of different things."""

_SAME_LENGTH = 1e-9
"""Mixed lengths [m] nearer than this are the same."""
_MIXTURES = 4
"""Sums that many lengths are kept as; that a change of 1 mm is not seen in any of them has a chance of 1e-8."""


def digest(*values: Any) -> str:
    """A short text that is another one for other values: texts, numbers, arrays, and sequences and mappings of them."""
    found = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            found.update(f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
        elif isinstance(value, Mapping):
            found.update(digest(*(part for item in sorted(value.items()) for part in item)).encode())
        elif isinstance(value, list | tuple):
            found.update(digest(len(value), *value).encode())
        else:
            found.update(f"{type(value).__name__} {value!r};".encode())
    return found.hexdigest()[:16]


def mixed_lengths(lengths: FloatArray) -> list[float]:
    """A few sums of lengths (n,) [m], each with random weights that are always the same."""
    weights = np.random.default_rng(0).standard_normal((_MIXTURES, lengths.size))
    return [float(x) for x in weights @ lengths]


def fingerprint(model: Model, held: HeldConstraints | None, springs: Sequence[Spring], stops: bool) -> Fingerprint:
    """Of constraints, springs and stops; functions of time and state that constraints hold cannot be compared."""
    table = None if held is None or not held.rows else held.table
    kinds = () if table is None else tuple(type(c).__name__ for c in table.constraints)
    return {
        "constraints": digest(kinds, () if table is None else table.arrays),
        "springs": digest(spring_tables(model, springs)),
        "stops": str(bool(stops)),
    }


def motion_difference(here: Model, there: Model, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """What differs between two motions that one fingerprint each is of, for a person; None if nothing."""
    differs = model_difference(here, there)
    if differs is not None:
        return f"the model is another one: it has {differs}"
    names = [name for name, value in ours.items() if not _same(value, theirs.get(name, value))]
    if not names:
        return None
    if names[0] == "stops":
        return f"stops is {theirs['stops']} there, here {ours['stops']}"
    return f"{names[0]} differ" if names[0] != "ground" else "the ground has another law, place or form"


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and bool(np.allclose(a, b, rtol=0.0, atol=_SAME_LENGTH))
    return bool(a == b)
