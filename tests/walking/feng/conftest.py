"""Walks that several tests look at."""

from dataclasses import replace

import pytest

from tarsus.walking.feng.walk import feng_walk

SHORT = 12


@pytest.fixture(scope="session")
def fifty_steps():
    """A walk, the right foot first."""
    return feng_walk(50)


@pytest.fixture(scope="session")
def right_walk(fifty_steps):
    """Its first steps."""
    return replace(fifty_steps, steps=fifty_steps.steps[:SHORT])


@pytest.fixture(scope="session")
def left_walk():
    """The same with the left foot first."""
    return feng_walk(SHORT, first="left")
