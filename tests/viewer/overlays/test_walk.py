"""Overlays of walks: planned footsteps and ways."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.overlays.walk import planned_walk, segments_of_outlines, segments_of_way
from tarsus.viewer.playback import playback_of


@pytest.fixture(name="run", scope="module")
def _run():
    return ts.walking.Walker(ts.robots.hrp2()).walk(0.25, steps=3).trajectory


def test_edges_of_outlines_close_around_each_footstep(run):
    walk = planned_walk(run)
    assert len(walk.left) == len(walk.right) == 2
    edges = segments_of_outlines(walk.left)
    assert edges.shape == (8, 2, 3)
    np.testing.assert_array_equal(edges[:4, 1], np.roll(edges[:4, 0], -1, axis=0))
    assert planned_walk(replace(run, metadata={})) is None


def test_ways_are_those_of_the_logged_references_without_lines_of_no_length(run):
    walk = planned_walk(run)
    lines = segments_of_way(walk.com)
    np.testing.assert_allclose(lines[0, 0], run.signals["com_reference"][0], atol=1e-3)
    assert (np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1) > 0.0).all()
    assert len(walk.pressure) == len(run)
    assert len(planned_walk(replace(run, signals={})).com) == 0
    assert segments_of_way(np.zeros((0, 3))).shape == (0, 2, 3)


def test_pictures_and_videos_show_planned_footsteps(run):
    playback = playback_of(run)
    drawn = Renderer(playback, size=(240, 240), samples=[0]).picture(0)
    without = Renderer(replace(playback, footsteps=np.zeros((0, 4, 3))), size=(240, 240), samples=[0]).picture(0)
    changed = (drawn != without).any(axis=2)
    assert 30 < changed.sum() < 0.2 * changed.size
    r, g, b = drawn[changed].astype(int).mean(axis=0)
    assert r > g > b  # orange
