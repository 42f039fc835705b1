"""Values as JSON text, and back with the same bits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tarsus.errors import ArgumentError

ARRAY = "ndarray"
"""Key of the objects that stand for arrays."""
_KINDS = "biuf"
_MOST_BYTES = 8
"""Of an entry; longer floats have no text that gives the same bits back."""


def to_text(value: Any, name: str = "value") -> str:
    """JSON text of a value, which `from_text` reads with the same bits.

    Parameters
    ----------
    value : object
        None, bool, int, float, str, NumPy numbers, arrays of numbers, and lists, tuples and dictionaries with str keys
        of them. Tuples come back as lists, NumPy numbers as those of Python.
    name : str
        What the value is called in an error.

    Raises
    ------
    ArgumentError
        If something else is in it.
    """
    return compact(_plain(value, name))


def compact(value: Any, *, sort: bool = False) -> str:
    """JSON without spaces, in ASCII: no character of it ends a line."""
    return json.dumps(value, separators=(",", ":"), sort_keys=sort)


def from_text(text: str) -> Any:
    """The value of a text that `to_text` made."""
    return restored(json.loads(text))


def restored(value: Any) -> Any:
    """What JSON holds, with arrays where `to_text` was given arrays.

    Raises
    ------
    ArgumentError
        If an array cannot be made of what stands for it.
    """
    if isinstance(value, list):
        return [restored(part) for part in value]
    if not isinstance(value, dict):
        return value
    if ARRAY not in value:
        return {key: restored(part) for key, part in value.items()}
    try:
        dtype = np.dtype(value["dtype"])
        if dtype.kind not in _KINDS:
            raise TypeError(f"dtype {dtype}")
        return np.array(value[ARRAY], dtype=dtype).reshape(value["shape"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"an array cannot be read: {error}") from None


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray):
        return _plain_array(value, name)
    if isinstance(value, np.generic) and value.dtype.kind in _KINDS and value.dtype.itemsize <= _MOST_BYTES:
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(part, f"{name}[{place}]") for place, part in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or key == ARRAY:
                raise ArgumentError(f"{name} has the key {key!r}, expected keys of type str other than {ARRAY!r}")
        return {key: _plain(part, f"{name}[{key!r}]") for key, part in value.items()}
    raise ArgumentError(
        f"{name} is of type {type(value).__name__}, expected numbers, text, arrays, or lists and dictionaries of them"
    )


def _plain_array(value: np.ndarray[Any, Any], name: str) -> dict[str, Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{name} is a masked array, expected a plain one")
    if value.dtype.kind not in _KINDS or value.dtype.itemsize > _MOST_BYTES:
        raise ArgumentError(f"{name} is an array of {value.dtype}, expected bool, int or float of up to 64 bits")
    return {ARRAY: value.ravel().tolist(), "shape": list(value.shape), "dtype": value.dtype.name}
