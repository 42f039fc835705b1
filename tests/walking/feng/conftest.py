"""Walks that several tests look at."""

import pytest

from tarsus.walking.feng.walk import feng_walk

SHORT = 12


@pytest.fixture(scope="session")
def right_walk():
    """The first steps, the right foot first."""
    return feng_walk(SHORT)


@pytest.fixture(scope="session")
def left_walk():
    """The same with the left foot first."""
    return feng_walk(SHORT, first="left")
