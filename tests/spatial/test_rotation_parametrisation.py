"""Tests of rate maps and constraints: closed forms against differences and against the general formula."""

import doctest

import numpy as np
import pytest

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, SingularityError, UnknownNameError
from tarsus.spatial import rotation_parametrisation
from tarsus.spatial.angles import SEQUENCES
from tarsus.spatial.cross_product import unskew
from tarsus.spatial.parametrisations import PARAMETRISATIONS, parametrisation
from tarsus.spatial.quaternion import random_quaternion, rotation_matrix_from_quaternion
from tarsus.spatial.rotation_parametrisation import Parametrisation

ROUND_OFF = 4e-15  # a dozen operations on numbers of order one
AMPLIFIED = 1e-12  # round-off times the inverse rate maps of random samples, which reach a few hundred
DIFFERENCE = 1e-8  # central differences with step 1e-5: truncation 1e-10 times third derivatives of order 100

NAMES = list(PARAMETRISATIONS)


def transpose(A):
    return np.swapaxes(A, -1, -2)


def skew_rows(x, y, z):
    zero = 0.0 * x
    return np.stack([np.stack(r, -1) for r in ((zero, -z, y), (z, zero, -x), (-y, x, zero))], -2)


def analytic_turn(axis, angle):
    e = np.eye(3)["xyz".index(axis)]
    S = skew_rows(*e)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * S + (1.0 - c) * S @ S


def analytic_axis_angle(p):
    S = skew_rows(p[..., 0], p[..., 1], p[..., 2])
    angle = p[..., 3, None, None]
    return np.eye(3) + np.sin(angle) * S + (1.0 - np.cos(angle)) * S @ S


def analytic_rotation_vector(p):
    angle = np.sqrt((p * p).sum(-1))
    return analytic_axis_angle(np.concatenate([p / angle[..., None], angle[..., None]], -1))


def analytic_quaternion(p):
    """Bouyarmane and Kheddar 2012 (11)."""
    a, b, c, d = (p[..., i] for i in range(4))
    rows = (
        (2 * (a * a + b * b) - 1, 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), 2 * (a * a + c * c) - 1, 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), 2 * (a * a + d * d) - 1),
    )
    return np.stack([np.stack(r, -1) for r in rows], -2)


def analytic_rodrigues(p):
    S = skew_rows(p[..., 0], p[..., 1], p[..., 2])
    return np.eye(3) + 2.0 / (1.0 + (p * p).sum(-1)[..., None, None]) * (S + S @ S)


def analytic_sequence(name):
    if name == "roll-pitch-yaw":
        return lambda p: analytic_turn("z", p[..., 2]) @ analytic_turn("y", p[..., 1]) @ analytic_turn("x", p[..., 0])
    i, j, k = {"cardan": "xyz", "euler": "zxz"}.get(name, name)
    return lambda p: analytic_turn(i, p[..., 0]) @ analytic_turn(j, p[..., 1]) @ analytic_turn(k, p[..., 2])


ANALYTIC = {
    "quaternion": analytic_quaternion,
    "rotation-matrix": lambda p: p.reshape(*p.shape[:-1], 3, 3),
    "axis-angle": analytic_axis_angle,
    "rotation-vector": analytic_rotation_vector,
    "rodrigues": analytic_rodrigues,
    **{name: analytic_sequence(name) for name in (*SEQUENCES, "roll-pitch-yaw")},
}
CONSTRAINT = {
    "quaternion": lambda p: (p * p).sum(-1, keepdims=True) - 1.0,
    "axis-angle": lambda p: (p[..., :3] ** 2).sum(-1, keepdims=True) - 1.0,
    "rotation-matrix": lambda p: (
        transpose(p.reshape(*p.shape[:-1], 3, 3)) @ p.reshape(*p.shape[:-1], 3, 3) - np.eye(3)
    )[..., [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
}


def general(name):
    """Parametrisation with nothing but R(p) and C(p): everything else by the general formula."""
    p = parametrisation(name)
    return Parametrisation("general " + p.name, p.size, ANALYTIC[p.name], constraint=CONSTRAINT.get(p.name))


def state(name, n=40):
    """Regular parameters of random rotations, rates that keep the constraints, angular velocity."""
    rng = np.random.default_rng(7)
    p = parametrisation(name)
    R = rotation_matrix_from_quaternion(random_quaternion(rng, 10 * n))
    x = p.parameters(R)
    regular = np.abs(p.rate_inverse(x)).max(axis=(-1, -2)) < 5.0
    x = x[regular][:n]
    omega = rng.standard_normal((n, 3))
    assert len(x) == n
    return p, x, p.parameter_rates(x, omega), omega


@pytest.mark.parametrize("name", NAMES)
def test_angular_velocity_is_that_of_the_moving_matrix(name):
    p, x, xdot, omega = state(name)
    h = 1e-5
    forward, back = p.rotation_matrix(p.normalize(x + h * xdot)), p.rotation_matrix(p.normalize(x - h * xdot))
    R, Rdot = p.rotation_matrix(x), (forward - back) / (2 * h)
    np.testing.assert_allclose(unskew(transpose(R) @ Rdot), omega, rtol=0, atol=DIFFERENCE)
    np.testing.assert_allclose(p.angular_velocity(x, xdot), omega, rtol=0, atol=AMPLIFIED)
    world = p.angular_velocity(x, xdot, frame="world")
    np.testing.assert_allclose(unskew(Rdot @ transpose(R)), world, rtol=0, atol=DIFFERENCE)
    np.testing.assert_allclose((R @ omega[..., None])[..., 0], world, rtol=0, atol=AMPLIFIED)
    np.testing.assert_allclose(p.parameter_rates(x, world, frame="world"), xdot, rtol=0, atol=AMPLIFIED)


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("name", NAMES)
def test_derivative_of_the_rate_matrix_agrees_with_differences(name, frame):
    p, x, xdot, _ = state(name)
    h = 1e-5
    forward, back = (
        p.rate_matrix(p.normalize(x + h * xdot), frame),
        p.rate_matrix(p.normalize(x - h * xdot), frame),
    )
    E_dot = p.rate_matrix_dot(x, xdot, frame)
    np.testing.assert_allclose(E_dot, (forward - back) / (2 * h), rtol=0, atol=DIFFERENCE)


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("name", NAMES)
def test_general_formula_agrees_with_the_closed_form_on_the_tangent_space(name, frame):
    p, x, _, _ = state(name)
    g = general(name)
    # columns span the tangent space; off it, R(p) is no rotation and the maps may differ
    tangent = p.rate_inverse(x)
    np.testing.assert_allclose(g.rotation_matrix(x), p.rotation_matrix(x), rtol=0, atol=ROUND_OFF)
    E, G = p.rate_matrix(x, frame), g.rate_matrix(x, frame)
    np.testing.assert_allclose(G @ tangent, E @ tangent, rtol=0, atol=AMPLIFIED)
    if p.constraint_count == 0:
        np.testing.assert_allclose(G, E, rtol=0, atol=AMPLIFIED)
        dR = g.rotation_matrix_derivative(x)
        np.testing.assert_allclose(dR, p.rotation_matrix_derivative(x), rtol=0, atol=AMPLIFIED)
    np.testing.assert_allclose(g.rate_inverse(x, frame), p.rate_inverse(x, frame), rtol=0, atol=AMPLIFIED)


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("name", [n for n in NAMES if parametrisation(n).constraint_count == 0])
def test_general_derivative_of_the_rate_matrix_agrees_with_the_closed_form(name, frame):
    p, x, xdot, _ = state(name)
    result = general(name).rate_matrix_dot(x, xdot, frame)
    # sixth-order difference: truncation 1e-14 times seventh derivatives and rates of order 10
    np.testing.assert_allclose(result, p.rate_matrix_dot(x, xdot, frame), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_rate_inverse_is_the_pseudo_inverse(name):
    p, x, _, _ = state(name)
    E, inverse = p.rate_matrix(x), p.rate_inverse(x)
    np.testing.assert_allclose(inverse, np.linalg.pinv(E), rtol=0, atol=AMPLIFIED)
    np.testing.assert_allclose(E @ inverse, np.broadcast_to(np.eye(3), (40, 3, 3)), rtol=0, atol=AMPLIFIED)


@pytest.mark.parametrize("name", NAMES)
def test_angular_acceleration_follows_from_the_second_derivative_of_the_parameters(name):
    # x(t) from a rotation that turns at a constant rate: E xddot + Edot xdot = 0
    p, x, xdot, omega = state(name)
    h = 1e-5
    forward = p.parameter_rates(p.normalize(x + h * xdot), omega)
    back = p.parameter_rates(p.normalize(x - h * xdot), omega)
    xddot = (forward - back) / (2 * h)
    acceleration = p.rate_matrix(x) @ xddot[..., None] + p.rate_matrix_dot(x, xdot) @ xdot[..., None]
    # the rates reach 10, so that third derivatives do 10^4
    np.testing.assert_allclose(acceleration, 0.0, atol=100 * DIFFERENCE)


@pytest.mark.parametrize("name", NAMES)
def test_constraints_hold_with_the_documented_number_and_gradient(name):
    p, x, xdot, _ = state(name)
    assert p.constraint_count == {"quaternion": 1, "axis-angle": 1, "rotation-matrix": 6}.get(p.name, 0)
    assert p.constraint(x).shape == (40, p.constraint_count)
    np.testing.assert_allclose(p.constraint(x), 0.0, atol=ROUND_OFF)
    G = p.constraint_gradient(x)
    np.testing.assert_allclose(G @ xdot[..., None], 0.0, atol=AMPLIFIED)
    if p.constraint_count:
        np.testing.assert_allclose(G, general(name).constraint_gradient(x), rtol=0, atol=ROUND_OFF)
        h = 1e-3  # quadratic constraints: central differences are exact
        difference = (p.constraint_gradient(x + h * xdot) - p.constraint_gradient(x - h * xdot)) / (2 * h)
        np.testing.assert_allclose(p.constraint_gradient_dot(x, xdot), difference, rtol=0, atol=AMPLIFIED)


@pytest.mark.parametrize("name", ["quaternion", "axis-angle", "rotation-matrix"])
def test_normalize_returns_to_the_constraint_and_keeps_what_satisfies_it(name):
    p, x, _, _ = state(name)
    np.testing.assert_allclose(p.normalize(x), x, rtol=0, atol=ROUND_OFF)
    disturbed = x + 1e-4 * np.random.default_rng(8).standard_normal(x.shape)
    result = p.normalize(disturbed)
    np.testing.assert_allclose(p.constraint(result), 0.0, atol=ROUND_OFF)
    assert np.abs(result - disturbed).max() < 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_neutral_parameters_are_the_identity(name):
    p = parametrisation(name)
    assert p.neutral.shape == (p.size,)
    np.testing.assert_array_equal(p.rotation_matrix(p.neutral), np.eye(3))


@pytest.mark.parametrize("name", NAMES)
def test_batches_broadcast_and_equal_single_calls(name):
    p, x, xdot, omega = state(name)
    E_dot = p.rate_matrix_dot(x[:4, None], xdot[None, :3])
    assert E_dot.shape == (4, 3, 3, p.size)
    np.testing.assert_allclose(E_dot[1, 2], p.rate_matrix_dot(x[1], xdot[2]), rtol=0, atol=1e-13)
    rates = p.parameter_rates(x[:4, None], omega[None, :3], frame="world")
    assert rates.shape == (4, 3, p.size)
    np.testing.assert_allclose(rates[1, 2], p.parameter_rates(x[1], omega[2], frame="world"), rtol=0, atol=1e-13)
    assert p.rate_matrix(np.empty((0, p.size))).shape == (0, 3, p.size)
    assert p.rate_inverse(np.empty((0, p.size))).shape == (0, p.size, 3)


def test_user_parametrisation_with_analytic_derivative_needs_no_complex_numbers():
    def matrix(p):
        assert not np.iscomplexobj(p)
        return ANALYTIC["rodrigues"](p)

    def derivative(p):
        return general("rodrigues").rotation_matrix_derivative(p)

    mine = Parametrisation("mine", 3, matrix, matrix_derivative=derivative)
    x = np.random.default_rng(9).standard_normal((5, 3))
    expected = parametrisation("rodrigues").rate_matrix(x)
    np.testing.assert_allclose(mine.rate_matrix(x), expected, rtol=0, atol=ROUND_OFF)


def test_general_rate_inverse_detects_gimbal_lock():
    g = general("xyz")
    p = np.array([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3]])
    with pytest.raises(SingularityError, match=r"'general xyz' is singular at p = \(0.1, 1.5708, 0.3\) at batch index"):
        g.rate_inverse(p)
    expected = parametrisation("xyz").rate_inverse(p, singular="minimum-norm")
    np.testing.assert_allclose(g.rate_inverse(p, singular="minimum-norm"), expected, rtol=0, atol=AMPLIFIED)


def test_callable_of_wrong_shape_or_with_nan_is_named():
    with pytest.raises(ShapeError, match=r"matrix of parametrisation 'flat': found shape \(3,\), expected \(3, 3\)"):
        Parametrisation("flat", 3, lambda p: p).rotation_matrix(np.zeros(3))
    with pytest.raises(NonFiniteError, match="matrix of parametrisation 'nan'"):
        Parametrisation("nan", 3, lambda p: np.full((3, 3), np.nan)).rotation_matrix(np.zeros(3))


def test_missing_inverse_and_too_few_parameters_are_refused():
    with pytest.raises(ArgumentError, match="'general xyz' has no inverse: make it with from_matrix="):
        general("xyz").parameters(np.eye(3))
    with pytest.raises(ArgumentError, match="size: found 2"):
        Parametrisation("two", 2, lambda p: p)


@pytest.mark.parametrize("name", NAMES)
def test_bad_arguments_are_refused_by_name(name):
    p, x, xdot, _ = state(name)
    with pytest.raises(ShapeError, match=rf"p: found shape \(2,\), expected \(\.\.\., {p.size}\)"):
        p.rate_matrix(np.zeros(2))
    with pytest.raises(NonFiniteError, match="pdot: found nan"):
        p.rate_matrix_dot(x[0], np.full(p.size, np.nan))
    with pytest.raises(ShapeError, match="batch shapes do not broadcast"):
        p.angular_velocity(x[:2], xdot[:3])
    with pytest.raises(UnknownNameError, match="frame: unknown 'local'"):
        p.rate_matrix(x[0], frame="local")
    with pytest.raises(UnknownNameError, match="singular: unknown choice 'ignore'"):
        p.rate_inverse(x[0], singular="ignore")
    with pytest.raises(UnknownNameError, match="singular: unknown choice 'ignore'"):
        p.parameters(np.eye(3), singular="ignore")


def test_example_in_the_docstring_runs():
    assert doctest.testmod(rotation_parametrisation).failed == 0
    assert doctest.testmod(rotation_parametrisation).attempted > 0
