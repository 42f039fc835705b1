"""Operation counts of Buschmann 2014, figures 2.15, 3.2 and 3.14."""

import pytest
from benchmarks.papers.figure_2_15 import (
    coil_operations,
    counted_operations,
    dense_operations,
    dill_operations,
    printed_dill_operations,
)
from benchmarks.papers.figure_3_2 import counted_elements, nonzero_elements, sparsity, total_elements
from benchmarks.papers.mechanisms import COIL, DILL
from benchmarks.papers.operations import (
    JOINING,
    LEAF,
    RELEASE,
    ROOT,
    Operations,
    articulated_body,
    divide_and_conquer,
    first_advantage,
    matrix_product,
    symmetric_product,
    total,
)

ROUNDING = 1e-15


@pytest.mark.parametrize("n", [1, 2, 6, 16, 33])
def test_jacobians_of_coil_take_the_operations_of_2_84(n):
    assert counted_operations(COIL, n) == coil_operations(n)


@pytest.mark.parametrize("level", range(8))
def test_jacobians_of_dill_take_half_n_log_n_columns(level):
    assert counted_operations(DILL, 2**level) == dill_operations(level)


@pytest.mark.parametrize("level", range(8))
def test_2_88_misses_one_column_for_each_body_with_a_parent(level):
    assert dill_operations(level) - printed_dill_operations(level) == 9 * (2**level - 1)


def test_speedup_of_a_chain_of_six_is_twelve_fifths_and_tends_to_two():
    assert dense_operations(6) * 5 == coil_operations(6) * 12
    assert abs(dense_operations(10**6) / coil_operations(10**6) - 2.0) < 1e-5


@pytest.mark.parametrize("level", range(8))
def test_entries_of_the_mass_matrix_of_dill_are_those_of_3_32_and_3_33(level):
    assert counted_elements(level) == nonzero_elements(level)
    assert abs(nonzero_elements(level) / total_elements(2**level) - sparsity(level)) <= ROUNDING


def test_products_count_their_multiplications_and_additions():
    assert matrix_product(2, 3, 4) == Operations(24, 16)
    assert symmetric_product(3, 2) == Operations(12, 6)
    assert Operations(1, 2) + 3 * Operations(4, 5) == Operations(13, 17)
    assert Operations(10, 4).weighted(0.5) == 12.0


def test_count_of_divide_and_conquer_grows_by_one_joining_a_level():
    one_more = total(JOINING) + total(RELEASE)
    assert divide_and_conquer(1) == total(LEAF) + total(ROOT)
    for n, levels in ((2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11)):
        assert divide_and_conquer(n) == divide_and_conquer(1) + levels * one_more


def test_divide_and_conquer_needs_less_from_fourteen_bodies_on():
    for addition in (0.0, 0.5, 1.0):
        assert first_advantage(addition) == 14
    assert articulated_body(13).m < divide_and_conquer(13).m
    assert articulated_body(14).m > divide_and_conquer(14).m
