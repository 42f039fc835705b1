"""Whether a robot that stands under whole-body control recovers from a push: a scenario for push maps."""

from __future__ import annotations

import functools

import numpy as np

from tarsus import robots
from tarsus.dynamics import center_of_mass
from tarsus.errors import UnknownNameError, nearest
from tarsus.io.load import load
from tarsus.model import Model
from tarsus.scenarios.run import run
from tarsus.scenarios.stand import stand
from tarsus.simulation.push import Push

BUILT_IN = "robot:"
"""Beginning of the names of built-in robots."""
CALM = 2.0
"""Time that the robot has to come back after a push [s]."""
BACK = 5e-3
"""Distance of the centre of mass from its reference after that [m]."""


def recovers_standing(push: Push, robot: str = "robot:hrp2") -> bool:
    """Whether a robot on all of its feet is back 2 s after a push: it has not fallen, its centre of mass within 5 mm.

    Compliant ground, the controller of `tarsus stand`, 1000 commands a second.

    Parameters
    ----------
    push : Push
        Its frame "chest" is the body from which the arms start.
    robot : str
        A built-in robot such as "robot:hrp2", or a model file.
    """
    model = named_model(robot)
    duration = round(push.start + push.duration + CALM, 3)
    found = run(stand(model, pushes=[push], duration=duration), progress=False).trajectory
    if found.reason or not found.finished:
        return False
    away = center_of_mass(found.model, found.q[-1]) - found.signals["com_reference"][-1]
    return bool(np.linalg.norm(away) <= BACK)


@functools.cache
def named_model(name: str) -> Model:
    """A built-in robot such as "robot:hrp2", or that of a model file, with a free base."""
    if not name.startswith(BUILT_IN):
        return load(name, base="free")
    make = getattr(robots, name.removeprefix(BUILT_IN), None)
    if not callable(make):
        raise UnknownNameError(f"there is no robot {name!r}{nearest(name.removeprefix(BUILT_IN), robots.__all__)}")
    model: Model = make()
    return model
