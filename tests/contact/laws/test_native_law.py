"""Laws in native code: their tables fit the classes, and their forces are those of the book."""

from dataclasses import fields

import numpy as np
import pytest

from tarsus import _native
from tarsus.contact import Compliant, LeastConstraint, PseudoCoulomb, Rigid, ViscoElasticSole
from tarsus.contact.laws import LAWS
from tarsus.contact.laws.native_law import MOST_PARAMETERS, contact_force, law_number, law_parameters

ROUNDING = 1e-12
"""Relative; a handful of products and sums."""


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_native_and_python_agree_on_the_parameters_of_a_law(law):
    number, names = _native.contact_laws()[law.name]
    assert set(names) == {field.name for field in fields(law)}
    assert law_number(law()) == number
    assert law_parameters(law()).tolist()[: len(names)] == [getattr(law(), name) for name in names]
    assert law_parameters(law()).shape == (MOST_PARAMETERS,)


def test_every_native_law_has_a_class():
    assert sorted(_native.contact_laws()) == sorted(law.name for law in LAWS)


def points():
    """Points above, at and below the ground, that approach it, leave it, slide slowly and fast."""
    rng = np.random.default_rng(3)
    depth = rng.uniform(-2e-3, 4e-3, (5, 40))
    velocity = rng.normal(size=(5, 40, 3)) * np.array([1e-2, 1e-2, 0.3]) * rng.choice([1.0, 100.0], (5, 40, 1))
    return depth, velocity


@pytest.mark.parametrize("law", [Compliant(), PseudoCoulomb(viscosity=300.0), ViscoElasticSole()])
def test_forces_without_deflection_are_those_of_voigt_and_coulomb(law):
    depth, velocity = points()
    normal = np.where(depth > 0, np.maximum(0.0, law.stiffness * depth - law.damping * velocity[..., 2]), 0.0)
    resist = law.viscosity if isinstance(law, PseudoCoulomb) else law.tangential_damping
    speed = np.hypot(velocity[..., 0], velocity[..., 1])
    slope = np.minimum(resist, law.friction * normal / speed)
    expected = np.stack([-slope * velocity[..., 0], -slope * velocity[..., 1], normal], axis=-1)
    found = contact_force(law, depth, velocity)
    assert np.abs(found - expected).max() <= ROUNDING * np.abs(expected).max()
    assert np.any(slope < resist) and np.any(slope == resist) and np.any(normal == 0)


@pytest.mark.parametrize("law", [Rigid(), LeastConstraint()])
def test_no_force_follows_from_the_state_of_rigid_ground(law):
    assert not np.any(contact_force(law, *points()))
