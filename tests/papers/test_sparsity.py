"""Jacobians and mass matrices of trees have the zeros that Buschmann 2014 says they have."""

import numpy as np
import pytest
from benchmarks.papers.figure_2_16 import states_for
from benchmarks.papers.figure_3_1 import numerical_pattern
from benchmarks.papers.figure_3_2 import nonzero_elements
from benchmarks.papers.jacobian_recursion import Levels, dense_jacobians, relative_rotations, sparse_jacobians
from benchmarks.papers.mechanisms import depths, mass_matrix_pattern, parents

import tarsus as ts

ROUNDING = 1e-13
"""Products of up to 16 rotations."""


@pytest.mark.parametrize("model", [ts.robots.coil(1), ts.robots.coil(9), ts.robots.dill(0), ts.robots.dill(4)])
def test_both_recursions_give_the_rotational_jacobians_of_the_library(model):
    q = model.random(np.random.default_rng(1), (3,))
    levels, A = Levels.of(model), relative_rotations(model, q)
    R = ts.body_poses(model, q)[..., :3, :3]
    expected = np.swapaxes(R, -1, -2) @ ts.body_jacobians(model, q)[..., 3:, :]  # in the axes of the body
    dense, sparse = dense_jacobians(levels, A), sparse_jacobians(levels, A)
    for d, bodies in enumerate(levels.bodies):
        assert np.abs(dense[d] - expected[:, bodies + 1]).max() < ROUNDING
        for place, body in enumerate(bodies):
            columns = [*levels.columns[d][place], body]
            assert np.abs(sparse[d][:, place] - expected[:, body + 1][..., columns]).max() < ROUNDING


@pytest.mark.parametrize("model", [ts.robots.coil(7), ts.robots.dill(4)])
def test_columns_of_a_level_are_the_predecessors_of_its_bodies(model):
    parent = parents(model)
    depth = depths(parent)
    levels = Levels.of(model)
    assert np.array_equal(np.sort(np.concatenate(levels.bodies)), np.arange(model.nv))
    for d, (bodies, columns) in enumerate(zip(levels.bodies, levels.columns, strict=True)):
        assert np.all(depth[bodies] == d)
        for body, predecessors in zip(bodies, columns, strict=True):
            found = []
            while parent[body] >= 0:
                body = parent[body]
                found.insert(0, body)
            assert list(predecessors) == found


def test_levels_of_dill_have_binomial_sizes():
    assert [len(bodies) for bodies in Levels.of(ts.robots.dill(5)).bodies] == [1, 5, 10, 10, 5, 1]


def test_calls_are_batched_until_results_are_large():
    assert states_for(10) == 64
    assert states_for(2**19 // 4) == 4
    assert states_for(10**9) == 1


@pytest.mark.parametrize("model", [ts.robots.coil(6), ts.robots.dill(4), ts.robots.lola(), ts.robots.hrp2()])
def test_mass_matrix_is_zero_outside_the_pattern_of_the_tree(model):
    pattern = mass_matrix_pattern(model)
    assert np.array_equal(pattern, pattern.T)
    assert not np.any(numerical_pattern(model) & ~pattern)


@pytest.mark.parametrize("model", [ts.robots.coil(6), ts.robots.dill(4)])
def test_chains_and_dill_fill_the_pattern_of_the_tree(model):
    assert np.array_equal(numerical_pattern(model), mass_matrix_pattern(model))


def test_upper_triangle_of_dill_has_the_entries_of_3_32():
    assert np.triu(mass_matrix_pattern(ts.robots.dill(5))).sum() == nonzero_elements(5) == 112
