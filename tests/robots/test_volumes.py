"""Volumes that ship with robots: they enclose the shapes, are few, and stay with variants of the robot."""

import pytest

import tarsus as ts
from tarsus.collision.fitting.enclosure import protrusion
from tarsus.collision.fitting.facets import facets_of
from tarsus.collision.fitting.hull_volume import hull_volume
from tarsus.collision.fitting.union_volume import union_volume

ROBOTS = {"hrp2": 4, "lola": 3, "crops9": 4, "feng18": 4}
"""Volumes of a segment at most."""


@pytest.mark.parametrize("name", ROBOTS)
def test_shipped_volumes_enclose_every_shape(name):
    model = getattr(ts.robots, name)()
    assert list(model.volumes) == list(model.bodies)
    enclosed = hull = 0.0
    for body in model.bodies.values():
        volumes, facets = model.volumes[body.name], facets_of(body.collisions, body.name)
        assert 1 <= len(volumes) <= ROBOTS[name]
        assert protrusion(volumes, facets) <= 0.0
        enclosed += union_volume(volumes)
        hull += hull_volume(facets)
    assert enclosed <= 1.6 * hull


@pytest.mark.parametrize(
    "model",
    [
        lambda: ts.robots.lola(drives="rigid"),
        lambda: ts.robots.hrp2(base="fixed", rotation="xyz"),
        lambda: ts.robots.feng18("free"),
    ],
)
def test_variants_of_a_robot_have_volumes_too(model):
    assert len(model().volumes) > 15


def test_other_robots_have_none():
    assert not ts.robots.rabbit().volumes
