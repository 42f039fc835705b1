"""What contact laws have in common: checks of their numbers."""

from __future__ import annotations

import math

from tarsus.errors import ArgumentError


def require(law: object, *, positive: tuple[str, ...] = (), not_negative: tuple[str, ...] = ()) -> None:
    """Refuse parameters of a law that are not finite, or below what they may be, by name."""
    for name in (*positive, *not_negative):
        value = getattr(law, name)
        least = "more than 0" if name in positive else "0 or more"
        finite = isinstance(value, int | float) and math.isfinite(value)
        if not finite or value < 0 or (value == 0 and name in positive):
            raise ArgumentError(f"{name} of {type(law).__name__} is {value!r}; expected a finite number, {least}")
