"""Cone problems against brute force and the laws themselves."""

import numpy as np
import pytest

from tarsus.optimization.cone_problem import ConeProblem, cone_residual, project_on_cones

EXACT = 1e-10


def random_problem(rng, contacts, freedoms):
    J = rng.normal(size=(3 * contacts, freedoms))
    return J @ J.T, J @ rng.normal(size=freedoms), rng.uniform(0.0, 0.8, contacts)


@pytest.mark.parametrize("seed", range(30))
def test_loads_open_stick_or_slip_as_coulomb_says(seed):
    rng = np.random.default_rng(seed)
    contacts = int(rng.integers(1, 7))
    A, b, friction = random_problem(rng, contacts, int(rng.integers(4, 14)))
    found = ConeProblem(A, b, friction).solve()
    l, u = found.load, found.motion
    np.testing.assert_allclose(u.ravel(), A @ l.ravel() + b, atol=1e-12)
    scale = max(1.0, np.abs(l).max())
    for i in range(contacts):
        tangential, slip = np.linalg.norm(l[i, 1:]), np.linalg.norm(u[i, 1:])
        assert l[i, 0] >= -EXACT * scale
        assert u[i, 0] >= -EXACT * scale
        assert l[i, 0] * u[i, 0] <= EXACT * scale
        assert tangential <= friction[i] * l[i, 0] + EXACT * scale
        np.testing.assert_allclose(l[i, 1:] @ u[i, 1:], -friction[i] * l[i, 0] * slip, atol=EXACT * scale**2)


def test_one_contact_agrees_with_a_search_over_slip_directions():
    rng = np.random.default_rng(5)
    slipped = 0
    for _ in range(40):
        A, b, friction = random_problem(rng, 1, 5)
        b[0] = -abs(b[0])
        l = ConeProblem(A, b, friction).solve().load[0]
        stick = -np.linalg.solve(A, b)
        if np.hypot(*stick[1:]) <= friction[0] * stick[0]:
            np.testing.assert_allclose(l, stick, atol=1e-10)
            continue
        slipped += 1

        angle = np.linspace(0, 2 * np.pi, 20001)
        d = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        normal = -b[0] / (A[0, 0] - friction[0] * d @ A[0, 1:])
        load = normal[:, None] * np.column_stack([np.ones_like(angle), -friction[0] * d])
        slip = (load @ A + b)[:, 1:]
        along = np.sum(slip * d, axis=1) / np.linalg.norm(slip, axis=1)
        np.testing.assert_allclose(l, load[np.argmax(along)], atol=2e-3 * np.abs(l).max())
    assert slipped > 10


def test_projection_is_the_nearest_point_of_the_cone():
    rng = np.random.default_rng(1)
    loads, friction = rng.normal(size=(200, 3)), rng.uniform(0.0, 1.0, 200)
    found = project_on_cones(loads, friction)
    assert np.all(np.hypot(found[:, 1], found[:, 2]) <= friction * found[:, 0] + 1e-14)
    moved = loads - found  # in the polar cone, and at right angles
    np.testing.assert_allclose(np.sum(moved * found, axis=1), 0.0, atol=1e-14)
    assert np.all(moved[:, 0] + friction * np.hypot(moved[:, 1], moved[:, 2]) <= 1e-14)


def test_the_residual_sees_a_wrong_solution():
    A, b, friction = np.eye(3), np.array([-1.0, -0.2, 0.0]), np.array([0.5])
    right = ConeProblem(A, b, friction).solve()
    assert right.residual < 1e-14
    assert right.stick.all()
    wrong = np.add(right.load, [[0.0, -0.05, 0.0]])
    assert cone_residual(wrong, (A @ wrong[0] + b)[None], friction, np.ones(1)) > 0.01
