"""Sizes of robots that have walked, and of those of which nothing is known."""

from __future__ import annotations

MASSES = 3.0, 93.0
"""Of the lightest and the heaviest robot of docs/walking.md that walks [kg]."""
LEGS = 0.22, 0.88
"""Lengths of the shortest and the longest legs of these [m]."""
SLACK = 1.2
"""Factor by which others may be smaller or larger."""


def untried(mass: float, leg: float) -> str:
    """That no robot of this mass [kg], or with legs of this length [m], was tried; empty where some were."""
    beyond = [
        text
        for value, (least, most), text in (
            (mass, MASSES, f"a mass of {mass:.3g} kg"),
            (leg, LEGS, f"legs of {leg:.3g} m"),
        )
        if not least / SLACK <= value <= most * SLACK
    ]
    if not beyond:
        return ""
    return (
        f"nothing is known of robots with {' and '.join(beyond)}: those that were tried have {MASSES[0]:g} to "
        f"{MASSES[1]:g} kg and legs of {LEGS[0]:g} to {LEGS[1]:g} m"
    )
