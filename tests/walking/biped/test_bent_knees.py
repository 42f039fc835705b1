"""Legs that are never quite stretched."""

from dataclasses import replace

import numpy as np
import pytest
from walking.biped.altered import altered

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.biped.bent_knees import ANGLES, LEAST, stretched_at, with_bent_knees

KNEES = ("LLEG_JOINT3", "RLEG_JOINT3")


@pytest.mark.parametrize("limited", [True, False])
def test_knees_stay_bent_with_and_without_limits_of_their_own(limited):
    """Between limits that are infinite no angle was found, and long steps of such robots ended in NaN."""
    biped = Biped.of(ts.robots.hrp2())
    model = biped.model
    if not limited:
        free = {"q_min": -np.inf, "q_max": np.inf}
        model = altered(model, joint=lambda joint: replace(joint, **free) if "LEG_JOINT" in joint.name else joint)
    bent = with_bent_knees(model, biped.legs, biped.q)
    for leg, knee in zip(biped.legs, KNEES, strict=True):
        name, angle = stretched_at(model, leg, biped.q)
        assert name == knee
        assert angle == pytest.approx(0.0, abs=2.0 * np.pi / (ANGLES - 1))
        i = model.joints[knee].q_index.start
        assert bent.q_min[i] == pytest.approx(angle + LEAST) and bent.q_max[i] == model.q_max[i]
