"""Divide and conquer gives the accelerations of articulated bodies."""

import numpy as np
import pytest
from sample_models import random_pose

import tarsus as ts
from tarsus.dynamics.divide_and_conquer import DivideAndConquer
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError

AGREEMENT = 1e-9
"""Largest difference as part of the largest acceleration: long chains of light bodies amplify rounding."""
ONE_AXIS = ("revolute", "prismatic", "helical", "continuous")


def state(n, seed, speed=1.0):
    q, v, tau = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, n))
    return q, speed * v, tau


def difference(model, q, v, tau):
    expected = ts.forward_dynamics(model, q, v, tau)
    found = DivideAndConquer(model).forward_dynamics(q, v, tau)
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / np.abs(expected).max()


def mixed_chain(count, seed):
    """Chain of joints of all one-axis kinds with oblique axes, offsets on both sides and inertias without symmetry."""
    rng = np.random.default_rng(seed)
    builder = ts.ModelBuilder("mixed").add_link("ground")
    parent = "ground"
    for i in range(count):
        moments = np.diag(rng.uniform(0.5, 0.9, 3))
        R = ts.spatial.rotation_matrix_from_rotation_vector(rng.normal(size=3))
        builder.add_link(f"b{i}", ts.Inertia(rng.uniform(0.5, 2.0), rng.normal(size=3), R @ moments @ R.T))
        kind = ONE_AXIS[i % 4]
        more = {"pitch": 0.3} if kind == "helical" else {}
        more |= {"pose": random_pose(rng), "child_pose": random_pose(rng)}
        builder.add_joint(f"j{i}", kind, parent, f"b{i}", axis=rng.normal(size=3), **more)
        parent = f"b{i}"
    return builder.build()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 64, 100, 128, 256])
def test_accelerations_of_coil_are_those_of_articulated_bodies(n):
    model = ts.robots.coil(n)
    for seed in range(3):
        assert difference(model, *state(n, seed, speed=1.0 / n)) < AGREEMENT


@pytest.mark.parametrize("count", [1, 2, 3, 6, 8, 9])
def test_joints_of_all_one_axis_kinds_may_be_mixed(count):
    for seed in range(3):
        assert difference(mixed_chain(count, seed), *state(count, seed)) < AGREEMENT


def test_forces_are_returned_by_inverse_dynamics():
    model = mixed_chain(8, 5)
    q, v, tau = state(8, 5)
    vdot = DivideAndConquer(model).forward_dynamics(q, v, tau)
    assert np.abs(ts.inverse_dynamics(model, q, v, vdot) - tau).max() < AGREEMENT * np.abs(vdot).max()


def test_it_is_an_algorithm_of_its_own():
    model = mixed_chain(9, 7)
    assert difference(model, *state(9, 7)) > 0.0


def test_constants_of_a_model_serve_several_states():
    chain, model = DivideAndConquer(ts.robots.coil(5)), ts.robots.coil(5)
    for seed in range(4):
        q, v, tau = state(5, seed)
        expected = ts.forward_dynamics(model, q, v, tau)
        assert np.abs(chain.forward_dynamics(q, v, tau) - expected).max() < AGREEMENT * np.abs(expected).max()


def refused(model, word):
    with pytest.raises(ArgumentError, match=word):
        DivideAndConquer(model)


def test_branches_are_refused_by_name():
    refused(ts.robots.dill(2), "joint3")


def test_floating_base_is_refused():
    refused(ts.robots.hrp2(), "base = 'free'")


def link(builder, name, inertia, kind="revolute", parent="ground", **more):
    builder.add_link(name, inertia)
    return builder.add_joint(f"to_{name}", kind, parent, name, **more)


@pytest.mark.parametrize(
    ("inertia", "more", "word"),
    [
        (ts.Inertia.of_sphere(1.0, 0.1), {"kind": "spherical"}, "spherical"),
        (ts.Inertia.of_sphere(1.0, 0.1), {"armature": 0.1}, "armature 0.1"),
        (ts.Inertia(1.0, np.array([0.1, 0.0, 0.0])), {}, "'bob' has no mass or moments"),
    ],
)
def test_joints_and_bodies_that_it_cannot_take_are_refused_by_name(inertia, more, word):
    refused(link(ts.ModelBuilder("one").add_link("ground"), "bob", inertia, **more).build(), word)


def test_wrong_arguments_are_refused():
    chain = DivideAndConquer(ts.robots.coil(3))
    good = np.zeros(3)
    with pytest.raises(ShapeError, match="tau"):
        chain.forward_dynamics(good, good, np.zeros(4))
    with pytest.raises(ShapeError, match="batch of shape \\(2,\\)"):
        chain.forward_dynamics(np.zeros((2, 3)), good, good)
    for position in range(3):
        arguments = [good, good, good]
        arguments[position] = np.array([0.0, np.nan, 0.0])
        with pytest.raises(NonFiniteError):
            chain.forward_dynamics(*arguments)
