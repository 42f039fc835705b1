"""Feng et al. 2015, section 6: 1000 steps started with either foot, figures 5 and 6."""

import pytest

from tarsus.walking.feng.gait_graph import gait_graph, single_changes
from tarsus.walking.feng.phase_clouds import band, cloud_distance, mirrored_cloud, phase_cloud
from tarsus.walking.feng.walk import feng_walk
from tarsus.walking.feng.walk_table import walk_table

STEPS = 1000
EQUAL_CLOUDS = 1e-6
"""Hausdorff distance of figures 5 (a) and 6 (b), as a part of their size; 3e-10 was found, from rounding."""
AUDIT = 6e-5
"""Of the total energy over all impacts and exchanges [J]; twice what was found. Some 600 J are stored."""


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
    """The paper's band has a width that can be seen; this walk, found by search, comes to a limit cycle."""
    last, all_steps = band(walks[0], "right", 500), band(walks[0], "right", STEPS)
    assert all_steps.width > 0.1
    assert last.width < 1e-9
    assert last.amplitude.max() < 1e-12


@pytest.mark.long
def test_energy_and_shares_over_1000_steps(walks):
    table = walk_table(walks[0])
    assert table.audit < AUDIT
    assert table.impact_loss.min() > 0.0
    assert table.outside.min() > 0.0
    assert (table.stepped == 0.0).all()
    means = {name: float(x.mean()) for name, _, x in table.rows}
    found = {
        "step length": (0.151, 0.001),
        "step time": (0.550, 0.001),
        "slip distance": (17.0, 0.5),
        "impact losses": (1.04, 0.01),
        "heel off": (19.0, 0.5),
        "double support": (36.0, 0.5),
        "zero-moment point outside the hull": (77.0, 0.5),
        "... along the way alone": (32.0, 0.5),
        "supporting toe held down": (32.0, 0.5),
    }
    for name, (value, digits) in found.items():
        assert means[name] == pytest.approx(value, abs=digits), name
    graph = gait_graph(walks[0])
    assert sum(graph.exchanges.values()) == STEPS - 1
    taken = {f"{a} -> {b}" for a, b in set(single_changes()) - set(graph.missing)}
    assert taken == {
        "flat / toe -> flat / floating",
        "flat / floating -> flat / heel",
        "flat / floating -> flat / toe",
        "heel-off / heel -> heel-off / flat",
    }
