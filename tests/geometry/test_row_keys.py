"""Keys of rows of integers."""

import numpy as np
import pytest

from tarsus.geometry.row_keys import row_keys


@pytest.mark.parametrize("largest", [3, 10**4, 2**40, 2**62])
def test_keys_have_the_order_of_their_rows_and_are_equal_for_equal_rows(largest):
    rng = np.random.default_rng(3)
    rows = rng.choice(rng.integers(-largest, largest, 40), (500, 6))
    rows = np.concatenate([rows, rows[:100]])
    found, first, inverse = np.unique(row_keys(rows), return_index=True, return_inverse=True)
    expected, expected_inverse = np.unique(rows, axis=0, return_inverse=True)
    assert len(found) == len(expected) < len(rows)
    np.testing.assert_array_equal(rows[first], expected)
    np.testing.assert_array_equal(inverse.reshape(-1), expected_inverse.reshape(-1))


def test_bytes_and_no_rows_have_keys():
    levels = np.array([[255, 0, 3], [0, 0, 3], [255, 0, 3]], dtype=np.uint8)
    keys = row_keys(levels)
    assert keys[0] == keys[2] > keys[1]
    assert row_keys(np.zeros((0, 3), dtype=np.intp)).shape == (0,)
