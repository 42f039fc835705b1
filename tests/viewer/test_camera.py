"""Sizes of pictures."""

import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.viewer.drawing.camera import MOST_PIXELS, check_size


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (MOST_PIXELS + 1, 10), (10, 2**40)])
def test_pictures_without_pixels_and_too_large_ones_are_refused_with_their_size(size):
    with pytest.raises(ArgumentError, match=rf"size = \({size[0]}, {size[1]}\) found, expected 1 to {MOST_PIXELS}"):
        ts.draw(ts.robots.planar4(), size=size)


def test_the_largest_size_is_allowed():
    check_size((MOST_PIXELS, 1))
