"""Values as plain JSON and back, one codec for each kind of value; nothing that was read is trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tarsus.errors import ModelError, Problem

_LARGEST_LINE = 2**31


class Codec(NamedTuple):
    """How a value becomes JSON, and how it is read back: `decode(value, place)` raises `ModelError` at bad values."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any, str], Any]


def refused(place: str, value: object, expected: str) -> ModelError:
    """Error that tells what stands at a place of the document and what should."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return ModelError([Problem("error", "model-document", f"{place} is {shown}, expected {expected}", place)])


def _encode_number(value: Any) -> float | str:
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _decode_number(value: Any, place: str) -> float:
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(place, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise refused(place, value, "a number") from None


def typed(kind: type, expected: str) -> Codec:
    """Values of exactly one Python type."""

    def decode(value: Any, place: str) -> Any:
        if type(value) is not kind:
            raise refused(place, value, expected)
        return value

    return Codec(kind, decode)


def one_of(names: Sequence[str]) -> Codec:
    """One of a few texts."""

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, str) or value not in names:
            raise refused(place, value, f"one of {', '.join(names)}")
        return value

    return Codec(str, decode)


def list_of(item: Codec) -> Codec:
    """Any number of equal items, read back as a tuple."""

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, list):
            raise refused(place, value, "a list")
        return tuple(item.decode(x, f"{place}[{i}]") for i, x in enumerate(value))

    return Codec(lambda values: [item.encode(x) for x in values], decode)


def optional(item: Codec) -> Codec:
    """An item or None."""
    return Codec(
        lambda value: None if value is None else item.encode(value),
        lambda value, place: None if value is None else item.decode(value, place),
    )


def row(*items: Codec) -> Codec:
    """A tuple with one codec for each entry."""

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, list) or len(value) != len(items):
            raise refused(place, value, f"a list of {len(items)}")
        return tuple(item.decode(x, f"{place}[{i}]") for i, (item, x) in enumerate(zip(items, value, strict=True)))

    return Codec(lambda values: [item.encode(x) for item, x in zip(items, values, strict=True)], decode)


def mapping_of(item: Codec) -> Codec:
    """Equal items by name."""

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            raise refused(place, value, "an object")
        return {key: item.decode(x, f"{place}.{key}") for key, x in value.items()}

    return Codec(lambda values: {str(key): item.encode(x) for key, x in values.items()}, decode)


def matrix(rows: int, columns: int) -> Codec:
    """Numbers, shape (rows, columns), read back as an array."""
    table = row(*[vector(columns)] * rows)
    return Codec(table.encode, lambda value, place: np.array(table.decode(value, place), dtype=float))


def _encode_values(value: Any) -> Any:
    return _encode_number(value) if np.ndim(value) == 0 else [_encode_number(x) for x in np.ravel(value)]


def _decode_values(value: Any, place: str) -> Any:
    return NUMBERS.decode(value, place) if isinstance(value, list) else _decode_number(value, place)


def record(kind: type, added: Sequence[str] = (), /, **fields: Codec) -> Codec:
    """An object with exactly these fields; those `added` to the kind since may be missing in older documents."""

    def encode(value: Any) -> dict[str, Any]:
        return {name: codec.encode(getattr(value, name)) for name, codec in fields.items()}

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, dict) or value.keys() | set(added) != fields.keys():
            raise refused(place, value, f"an object with {', '.join(fields)}")
        return kind(**{k: codec.decode(value[k], f"{place}.{k}") for k, codec in fields.items() if k in value})

    return Codec(encode, decode)


def either(what: str, kinds: Mapping[str, tuple[type, Codec]]) -> Codec:
    """An object with one entry, whose name tells of which type the value is."""

    def encode(value: Any) -> dict[str, Any]:
        name = next(name for name, (kind, _) in kinds.items() if type(value) is kind)
        return {name: kinds[name][1].encode(value)}

    def decode(value: Any, place: str) -> Any:
        if not isinstance(value, dict) or len(value) != 1:
            raise refused(place, value, f"an object with one {what}")
        ((name, inner),) = value.items()
        if name not in kinds:
            raise refused(place, name, f"one of {', '.join(kinds)}")
        return kinds[name][1].decode(inner, f"{place}.{name}")

    return Codec(encode, decode)


NUMBER = Codec(_encode_number, _decode_number)
NUMBERS = list_of(NUMBER)
VALUES = Codec(_encode_values, _decode_values)
TEXT = typed(str, "text")
FLAG = typed(bool, "true or false")
TEXTS = list_of(TEXT)


def vector(count: int) -> Codec:
    """A tuple of `count` numbers."""
    return row(*[NUMBER] * count)


POSE = matrix(4, 4)


def _decode_line(value: Any, place: str) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST_LINE:
        raise refused(place, value, "the number of a line")
    return value


LINE = Codec(int, _decode_line)
