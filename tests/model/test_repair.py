"""Impossible inertias are replaced by possible ones on request."""

import numpy as np
import pytest
from sample_models import BRICK

import tarsus as ts
from tarsus.errors import ModelError
from tarsus.model.repair import repaired_inertia

ROUND_OFF = 1e-14
"""Eigenvalues of matrices of order one."""


def second_moments(inertia):
    return 0.5 * np.trace(inertia.moments) * np.eye(3) - inertia.moments


def rotated(*diagonal):
    R = ts.spatial.rotation_x(0.4) @ ts.spatial.rotation_z(-1.1)
    return ts.Inertia(1.5, (0.1, 0.2, 0.3), R @ np.diag(diagonal) @ R.T)


@pytest.mark.parametrize("diagonal", [(1.0, 1.0, 3.0), (1.0, 2.0, -0.5), (-1.0, -1.0, -1.0), (0.0, 0.0, 1.0)])
def test_repaired_inertia_is_possible(diagonal):
    repaired = repaired_inertia(rotated(*diagonal))
    a, b, c = np.linalg.eigvalsh(repaired.moments)
    assert a >= -ROUND_OFF
    assert a + b >= c - 10 * ROUND_OFF
    assert np.linalg.eigvalsh(second_moments(repaired))[0] >= -ROUND_OFF


def test_possible_inertia_is_returned_as_it_is():
    assert repaired_inertia(BRICK) is BRICK


def test_repair_is_the_projection_of_the_second_moments():
    # second moments (1.5, 1.5, -0.5) become (1.5, 1.5, 0): inertia (1.5, 1.5, 3)
    repaired = repaired_inertia(ts.Inertia(1.0, moments=np.diag([1.0, 1.0, 3.0])))
    np.testing.assert_allclose(repaired.moments, np.diag([1.5, 1.5, 3.0]), atol=ROUND_OFF)


def test_repair_twice_is_repair_once():
    once = repaired_inertia(rotated(1.0, 1.0, 3.0))
    twice = repaired_inertia(once)
    np.testing.assert_allclose(twice.moments, once.moments, atol=10 * ROUND_OFF)


def test_negative_mass_becomes_zero_and_the_centre_stays():
    repaired = repaired_inertia(ts.Inertia(-1.0, (1.0, 2.0, 3.0), np.eye(3)))
    assert repaired.mass == 0.0
    np.testing.assert_array_equal(repaired.com, [1.0, 2.0, 3.0])


def defective():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", ts.Inertia(1.0, moments=np.diag([1.0, 1.0, -0.5])))
    builder.add_link("c", ts.Inertia(1.0, moments=np.diag([1.0, 1.0, 3.0])))
    builder.add_joint("j", "revolute", "a", "b", axis=(1, 0, 0))
    return builder.add_joint("k", "revolute", "b", "c", axis=(1, 0, 0))


def test_defective_model_builds_with_repair_only():
    with pytest.raises(ModelError, match="not positive semidefinite"):
        defective().build()
    model = defective().build(repair=True, strict=True)
    assert model.warnings == ()
    assert np.linalg.eigvalsh(ts.mass_matrix(model, model.neutral()))[0] > 0.0


def test_repair_does_not_touch_sound_links():
    assert defective().build(repair=True).bodies["a"].inertia is BRICK


def test_repair_survives_deriving_a_model():
    model = defective().build(repair=True).with_frame("f", "c")
    assert model.warnings == ()
