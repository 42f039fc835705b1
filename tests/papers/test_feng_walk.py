"""Feng et al. 2015, section 6: 1000 steps started with either foot, figures 5 and 6."""

import numpy as np
import pytest

from tarsus.walking.feng.gait_graph import gait_graph
from tarsus.walking.feng.phase_clouds import band, cloud_distance, mirrored_cloud, phase_cloud
from tarsus.walking.feng.walk import feng_walk
from tarsus.walking.feng.walk_table import walk_table

STEPS = 1000
EQUAL_CLOUDS = 0.05
"""Hausdorff distance of figures 5 (a) and 6 (b), as a part of their size."""
AUDIT = 1e-3
"""Of the total energy over all impacts and exchanges [J]; the actuators do some 50 kJ of work."""


@pytest.fixture(scope="module")
def walks():
    return [feng_walk(STEPS, first=first) for first in ("right", "left")]


@pytest.mark.long
def test_1000_steps_with_either_foot_first(walks):
    for walk in walks:
        assert walk.fallen == ""
        assert walk.walked == STEPS


@pytest.mark.long
def test_figures_5_and_6_are_mirror_images(walks):
    for one, two in (("right", "left"), ("left", "right")):
        clouds = phase_cloud(walks[0], one), mirrored_cloud(phase_cloud(walks[1], two))
        assert cloud_distance(*clouds) < EQUAL_CLOUDS
        assert len(clouds[0]) > 10 * STEPS


@pytest.mark.long
def test_the_walk_settles_to_a_thin_band(walks):
    """The paper's band has a width that can be seen; this one, found by search, is thinner than that of its start."""
    last, all_steps = band(walks[0], "right", 500), band(walks[0], "right", STEPS)
    assert last.width < 0.1 * all_steps.width


@pytest.mark.long
def test_energy_and_shares_over_1000_steps(walks):
    table = walk_table(walks[0])
    assert table.audit < AUDIT
    assert table.impact_loss.min() > 0.0
    assert table.outside.min() > 0.0
    assert np.median(table.length) == pytest.approx(0.151, abs=0.002)
    assert np.median(table.time) == pytest.approx(0.514, abs=0.002)
    graph = gait_graph(walks[0])
    assert sum(graph.exchanges.values()) == STEPS - 1
