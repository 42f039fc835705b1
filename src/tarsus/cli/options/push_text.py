"""Pushes as they are written on the command line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tarsus.simulation.push import Push

BRIEF = 0.1
"""How long a push lasts where nothing is said [s]."""


def push_of(text: str, start: float) -> Push:
    """A push from FRAME:X,Y,Z[:START[:DURATION]], an impulse in world axes [N s]; `start` where none is said [s]."""
    from tarsus.simulation.push import Push

    try:
        frame, impulse, *span = text.split(":")
        x, y, z = (float(number) for number in impulse.split(","))
        begin, duration = (*(float(number) for number in span), *(start, BRIEF)[len(span) :])
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no push; expected FRAME:X,Y,Z[:START[:DURATION]] or none") from None
    if not duration > 0.0:
        raise typer.BadParameter(f"{text!r} lasts {duration:g} s; expected more than 0")
    impulse_and_force = (x, y, z, x / duration, y / duration, z / duration)
    if not all(math.isfinite(number) for number in impulse_and_force):
        raise typer.BadParameter(f"{text!r} is no push; expected a finite impulse X,Y,Z [N s]")
    return Push(frame, (x / duration, y / duration, z / duration), begin, duration)
