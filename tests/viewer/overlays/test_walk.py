"""Overlays of walks: planned footsteps and ways."""

from dataclasses import replace

import numpy as np
import pytest
from chromium import Chromium, wait_for

import tarsus as ts
from tarsus.viewer import show
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


@pytest.mark.chromium
def test_a_browser_shows_footsteps_and_hides_them(run):
    with show(run, port=0, open_browser=False, block=False) as viewer:
        known = viewer.server.scene._handle_from_node_name
        assert known["/walk/footsteps/left"].visible and known["/walk/plan/pressure"].visible

        def red():
            r, g, b = np.moveaxis(browser.picture()[:, :650].astype(int), -1, 0)
            return ((r > 150) & (g < 80) & (b < 80)).sum()  # right feet; the robot has nothing red

        with Chromium((1000, 700)) as browser:
            browser.open(viewer.url)
            wait_for(lambda: red() > 60, "footsteps to be drawn")
            browser.click_text("Footsteps")
            wait_for(lambda: not known["/walk/footsteps/left"].visible, "the switch to act")
            wait_for(lambda: red() == 0, "footsteps to vanish")
            assert browser.errors == []
