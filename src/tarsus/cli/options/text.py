"""Text for terminals: names and values of model files without control characters."""

from __future__ import annotations

import math
from collections.abc import Iterable


def printable(text: str) -> str:
    """Write everything that could move the cursor or change colours as an escape sequence."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def counted(count: int, noun: str) -> str:
    """Put a number before a noun: "1 error", "3 errors", "2 bodies"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def finite(values: Iterable[float]) -> list[float | None]:
    """Numbers as JSON can say them: None where there is no limit."""
    return [float(x) if math.isfinite(x) else None for x in values]
