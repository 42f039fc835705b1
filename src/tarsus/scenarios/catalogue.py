"""The scenarios by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tarsus.errors import UnknownNameError, nearest
from tarsus.model import Model
from tarsus.scenarios.carry_box import carry_box
from tarsus.scenarios.handstand import handstand
from tarsus.scenarios.kneeling import kneeling
from tarsus.scenarios.lifting import single_support, step_in_place
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.squat import squat
from tarsus.scenarios.stair import stair
from tarsus.scenarios.stand import stand
from tarsus.scenarios.trot import trot_in_place


@dataclass(frozen=True)
class Entry:
    """A scenario that can be asked for by its name.

    Attributes
    ----------
    make : callable
        The scenario of a model.
    robot : str
        The built-in robot that it is meant for.
    summary : str
    """

    make: Callable[[Model], Scenario]
    robot: str
    summary: str


CATALOGUE = {
    "stand": Entry(stand, "hrp2", "stands and is pushed at the chest"),
    "single-support": Entry(single_support, "hrp2", "stands on each foot in turn"),
    "squat": Entry(squat, "hrp2", "goes down and up on its feet"),
    "step-in-place": Entry(step_in_place, "hrp2", "lifts its feet in turn"),
    "carry-box": Entry(carry_box, "hrp2", "takes a box from a table, carries it and puts it down"),
    "trot-in-place": Entry(trot_in_place, "quadruped", "lifts diagonal feet in turn"),
    "stair": Entry(stair, "hrp2", "climbs a stair of 15 cm with a hand on a rail"),
    "kneeling": Entry(kneeling, "hrp2", "rises from knees and hands to its feet"),
    "handstand": Entry(handstand, "hrp2", "goes from its feet to its hands, to one hand, and back"),
}
"""In the order in which they were made to be."""


def find(name: str) -> Entry:
    """The scenario of a name; unknown ones raise with the nearest."""
    if name not in CATALOGUE:
        hint = nearest(name, CATALOGUE) or f"; there are {', '.join(CATALOGUE)}"
        raise UnknownNameError(f"scenario {name!r} not found{hint}")
    return CATALOGUE[name]
