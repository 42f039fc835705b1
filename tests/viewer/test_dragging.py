"""A target that is dragged: the robot follows, stands, and stays within its limits."""

import numpy as np
import pytest
from chromium import Chromium, wait_for

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.viewer import show

KEPT = 1e-6


@pytest.fixture(name="dragged", scope="module")
def _dragged():
    with show(ts.robots.hrp2(), port=0, open_browser=False, block=False, drag="r_hand") as viewer:
        viewer.server.scene.configure_default_lights(cast_shadow=False)  # slow where there is no graphics processor
        yield viewer


def hand(viewer):
    return ts.frame_pose(viewer.stage.model, viewer.stage.q, "r_hand")


def settled(viewer, X):
    return np.linalg.norm(hand(viewer)[:3, 3] - X[:3, 3]) < 1e-3


def test_the_robot_follows_its_target_and_stands(dragged):
    model, keep = dragged.stage.model, ts.ik.stance(ts.robots.hrp2())
    X = hand(dragged).copy()
    X[:3, 3] += [0.2, 0.05, 0.15]
    dragged.panel.move(X)
    wait_for(lambda: settled(dragged, X), "the hand to get there")
    assert max(np.abs(task.error(model, dragged.stage.q)).max() for task in keep) < KEPT
    assert (dragged.stage.q >= model.q_min).all() and (dragged.stage.q <= model.q_max).all()
    dragged.panel.reset()
    wait_for(lambda: np.allclose(dragged.stage.q, model.reference, atol=1e-9), "the start")
    assert np.allclose(dragged.panel.target.position, hand(dragged)[:3, 3], atol=1e-9)


def test_what_is_no_pose_moves_nothing(dragged):
    before = dragged.stage.q.copy()
    place = dragged.panel.target.position
    dragged.panel.target.position = (np.nan, 0.0, 0.0)
    dragged.panel._changed.set()
    assert dragged.panel._stepped() == 0.0
    dragged.panel.target.position = place
    assert np.array_equal(dragged.stage.q, before)


def test_frames_that_are_not_there_and_trajectories_are_refused():
    with pytest.raises(UnknownNameError, match="'r_hant' not found; close: 'r_hand'"):
        show(ts.robots.hrp2(), port=0, open_browser=False, block=False, drag="r_hant")
    model = ts.robots.crops9()
    run = ts.simulate(model, duration=0.01)
    with pytest.raises(ArgumentError, match="drag is given with a trajectory"):
        show(run, port=0, open_browser=False, block=False, drag="tool")


def pink(image):
    """Pixels with the colour of the target's first axis, which nothing else has."""
    r, g, b = np.moveaxis(image[:, :560].astype(int), -1, 0)
    return (r > 200) & (g < 110) & (b < 170)


@pytest.mark.chromium
def test_a_person_drags_the_target_with_the_mouse(dragged):
    dragged.panel.reset()
    with Chromium((900, 600)) as browser:
        browser.open(dragged.url)
        seen = []

        def drawn():
            seen.append(pink(browser.picture()))  # two alike: the camera has come to rest
            return len(seen) > 1 and seen[-1].sum() > 30 and np.array_equal(seen[-1], seen[-2])

        wait_for(drawn, "the target to be drawn")
        before = hand(dragged).copy()
        rows, columns = np.nonzero(seen[-1])
        tip = int(np.argmin(columns))  # of the arrow forwards, which leads to the left from this side
        x, y = int(columns[tip]) + 3, int(rows[tip])
        browser.drag((x, y), (x - 50, y - 8), 20)
        wait_for(lambda: np.linalg.norm(hand(dragged)[:3, 3] - before[:3, 3]) > 0.02, "the hand to follow")
        target = np.array(dragged.panel.target.position)
        wait_for(lambda: np.linalg.norm(hand(dragged)[:3, 3] - target) < 2e-3, "the hand to be there")
        way = target - before[:3, 3]
        along = way @ before[:3, 0]
        assert along > 0.02 and np.linalg.norm(way - along * before[:3, 0]) < 2e-3  # as the arrow leads
        assert browser.errors == []
