"""Scenarios that go through a list of stances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tarsus.contact import ContactLaw, Ground, flat
from tarsus.control.sequencing.contact_sequence import ContactSequence
from tarsus.control.sequencing.pace import Pace
from tarsus.control.stances.stance import Stance
from tarsus.control.whole_body.contact import Contact
from tarsus.scenarios.robot import FRICTION, WITHIN, Limb, Robot
from tarsus.scenarios.scenario import Scenario

AMPLE = 1.5
"""Time that a scenario is given, in parts of what is planned."""


def staged(
    name: str,
    summary: str,
    robot: Robot,
    stances: Sequence[Stance],
    holds: Mapping[str, float] | None = None,
    *,
    limbs: Sequence[Limb] | None = None,
    ground: Callable[[ContactLaw], Ground] = flat,
    pace: Pace | None = None,
) -> Scenario:
    """The scenario of a list of stances: it ends when the last one is reached.

    Parameters
    ----------
    holds : mapping of str to float, optional
        Times to stay, by the names of stances [s].
    limbs : sequence of Limb, optional
        That touch something; the feet by default.
    """

    def control() -> ContactSequence:
        return ContactSequence(robot.known, stances, holds=holds, pace=pace, weigh=True)

    first = control()
    ample = AMPLE * first.duration + first.pace.patience
    return Scenario(
        name,
        summary,
        robot.model,
        robot.known,
        stances[0].q,
        control,
        math.ceil(10.0 * ample) / 10.0,
        robot.contactors(limbs),
        ground,
        standing_on=robot.bodies(limbs),
    )


def pressed_on(stances: Sequence[Stance], limbs: Sequence[Limb]) -> list[Stance]:
    """The stances with contacts that controllers press on: patches a little inside of limbs, with less friction.

    Points and edges stay as they were planned: about them a limb rolls.
    """
    inside = {limb.frame: WITHIN * limb.corners for limb in limbs}

    def pressed(contact: Contact) -> Contact:
        points = inside[contact.frame] if contact.freedoms == 0 else np.asarray(contact.points)
        return replace(contact, points=points, friction=FRICTION)

    return [replace(stance, contacts=tuple(pressed(c) for c in stance.contacts)) for stance in stances]
