"""Tests of the general formula of Bouyarmane and Kheddar."""

import numpy as np
import pytest

from tarsus.errors import DtypeError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.spatial.general_rate_matrix import complex_step_derivative, rate_matrix_from_derivative
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one


def test_formula_10_is_transcribed_column_by_column():
    rng = np.random.default_rng(1)
    R = rotation_matrix_from_quaternion(random_quaternion(rng))
    dR = rng.standard_normal((3, 3, 5))
    R1, R2, R3 = R.T
    expected = np.outer(R3, R2) @ dR[:, 0] + np.outer(R2, R1) @ dR[:, 2] + np.outer(R1, R3) @ dR[:, 1]
    np.testing.assert_allclose(rate_matrix_from_derivative(R, dR, "world"), expected, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(rate_matrix_from_derivative(R, dR), R.T @ expected, rtol=0, atol=ROUND_OFF)


def test_complex_step_is_exact():
    p = np.random.default_rng(2).standard_normal((4, 3))
    derivative = complex_step_derivative(lambda x: np.stack([np.sin(x[..., 0]) * x[..., 1], x[..., 2] ** 3], -1), p)
    x, y, z = p.T
    zero = np.zeros(4)
    expected = np.stack([[np.cos(x) * y, np.sin(x), zero], [zero, zero, 3 * z**2]]).transpose(2, 0, 1)
    np.testing.assert_allclose(derivative, expected, rtol=1e-15, atol=1e-15)


def test_function_that_drops_the_imaginary_part_is_refused():
    with pytest.raises(DtypeError, match="returned real numbers for complex input"):
        complex_step_derivative(np.abs, np.ones(3))


def test_bad_input_is_refused_by_name():
    with pytest.raises(ShapeError, match=r"dR: found shape \(3, 3\), expected \(\.\.\., 3, 3, n\)"):
        rate_matrix_from_derivative(np.eye(3), np.eye(3))
    with pytest.raises(NonFiniteError, match="R: found nan"):
        rate_matrix_from_derivative(np.full((3, 3), np.nan), np.zeros((3, 3, 3)))
    with pytest.raises(UnknownNameError, match="frame: unknown 'wolrd'.*close: 'world'"):
        rate_matrix_from_derivative(np.eye(3), np.zeros((3, 3, 3)), "wolrd")
