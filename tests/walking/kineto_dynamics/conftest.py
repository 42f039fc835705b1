"""A short walk of Lola, known before its centre of mass is."""

import pytest

import tarsus as ts
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.kineto_walk_plan import known_walk
from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody
from tarsus.walking.steps.footsteps import StepLimits, footsteps
from tarsus.walking.steps.gait import Gait

RATIO = 0.055
"""m_l / m of a leg of Lola that follows longest in figure 5.21."""


def walk_of(biped, speed, steps, turn=0.0, upper=None):
    feet = footsteps([speed, 0.0, turn], 0.8, steps, biped.width, StepLimits(0.5, 0.3, 0.6))
    half = biped.legs[0].half
    gait = Gait(0.8, 0.2, (float(half[0]), float(half[1])), settling=0.8)
    return known_walk(biped, feet, gait, 0.05, upper=upper)


@pytest.fixture(scope="session")
def lola():
    return Biped.of(ts.robots.lola(), bend=0.1)


@pytest.fixture(scope="session")
def plan(lola):
    """Three steps of 0.3 m."""
    return ThreeMassPlan.of(walk_of(lola, 0.375, 3), RATIO)


@pytest.fixture(scope="session")
def swinging(lola):
    """The same, with an upper body that moves."""
    return ThreeMassPlan.of(walk_of(lola, 0.375, 3, upper=UpperBody.swinging(lola)), RATIO)


@pytest.fixture(scope="session")
def turning(lola):
    """A step on the spot that turns."""
    return ThreeMassPlan.of(walk_of(lola, 0.0, 2, turn=0.3), RATIO)
