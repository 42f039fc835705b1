"""Tests of the spin tensor."""

import numpy as np
import pytest

from tarsus.errors import DtypeError, NonFiniteError, ShapeError
from tarsus.spatial.cross_product import skew, unskew


def test_skew_times_vector_is_the_cross_product():
    rng = np.random.default_rng(1)
    v, w = rng.standard_normal((2, 4, 5, 3))
    np.testing.assert_allclose((skew(v) @ w[..., None])[..., 0], np.cross(v, w), rtol=0, atol=1e-15)


def test_unskew_inverts_skew_exactly():
    v = np.random.default_rng(2).standard_normal((7, 3))
    np.testing.assert_array_equal(unskew(skew(v)), v)


def test_unskew_ignores_the_symmetric_part():
    rng = np.random.default_rng(3)
    v, A = rng.standard_normal(3), rng.standard_normal((3, 3))
    np.testing.assert_allclose(unskew(skew(v) + A + A.T), v, rtol=0, atol=1e-15)


def test_wrong_shape_names_argument_found_and_expected():
    with pytest.raises(ShapeError, match=r"v: found shape \(2, 4\), expected \(\.\.\., 3\)"):
        skew(np.zeros((2, 4)))
    with pytest.raises(ShapeError, match=r"S: found shape \(3,\), expected \(\.\.\., 3, 3\)"):
        unskew(np.zeros(3))


def test_non_finite_input_names_argument_and_index():
    with pytest.raises(NonFiniteError, match=r"v: found nan at index \(1, 2\)"):
        skew([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]])


@pytest.mark.parametrize("value", ["abc", [[1.0, 2.0], [1.0]], [1j, 0.0, 0.0]])
def test_input_that_is_not_real_numbers_is_refused(value):
    with pytest.raises(DtypeError, match="v:"):
        skew(value)
