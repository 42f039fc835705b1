"""Sizes of robots that have walked, their gravity, and those of which nothing is known."""

from __future__ import annotations

MASSES = 3.0, 93.0
"""Of the lightest and the heaviest robot of docs/walking.md that walks [kg]."""
LEGS = 0.22, 0.88
"""Lengths of the shortest and the longest legs of these [m]."""
GRAVITY = 9.81, 9.81
"""In which they walked [m/s^2]."""
SLACK = 1.2
"""Factor by which others may be smaller or larger."""


def untried(mass: float, leg: float, gravity: float) -> str:
    """That no robot of this mass [kg], with legs of this length [m], or in this gravity [m/s^2] was tried.

    Empty where some were.
    """
    beyond = [
        text
        for value, (least, most), text in (
            (mass, MASSES, f"a mass of {mass:.3g} kg"),
            (leg, LEGS, f"legs of {leg:.3g} m"),
            (gravity, GRAVITY, f"a gravity of {gravity:.3g} m/s^2"),
        )
        if not least / SLACK <= value <= most * SLACK
    ]
    if not beyond:
        return ""
    return (
        f"nothing is known of robots with {' and '.join(beyond)}: those that were tried have {MASSES[0]:g} to "
        f"{MASSES[1]:g} kg and legs of {LEGS[0]:g} to {LEGS[1]:g} m, in a gravity of {GRAVITY[0]:g} m/s^2"
    )
