"""Overlays of the browser viewer: cones, regions and planned stances, from numbers to pixels."""

from dataclasses import replace

import numpy as np
import pytest
from chromium import Chromium, wait_for
from sample_trajectories import waving

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.geometry.support_polygon import support_polygon
from tarsus.viewer import show
from tarsus.viewer.overlays.cones import COLOR, cone_points
from tarsus.viewer.overlays.region import region_of_contacts
from tarsus.viewer.overlays.stances import MOST_STANCES, logged_stances

FLAT = ts.contact.flat()


def test_rims_of_cones_are_at_the_friction_angle_around_the_normal():
    rng = np.random.default_rng(3)
    normal = rng.normal(size=(5, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    friction, tip = rng.uniform(0.1, 1.5, 5), rng.normal(size=(5, 3))
    points = cone_points(tip, normal, friction, 0.2)
    assert np.array_equal(points[:, 0], tip)
    side = points[:, 1:] - tip[:, None]
    assert np.allclose(np.linalg.norm(side, axis=-1), 0.2)
    up = np.einsum("nkj,nj->nk", side, normal)
    across = np.sqrt(0.2**2 - up**2)
    assert np.allclose(across / up, friction[:, None])


def test_region_on_level_ground_is_the_support_polygon():
    model = ts.robots.hrp2()
    place = np.array([[x, y, 0.0] for x in (-0.1, 0.15) for y in (-0.2, 0.1)])
    corners = region_of_contacts(model, FLAT, place)
    polygon = support_polygon(place, np.tile([0.0, 0.0, 1.0], (4, 1)))[:, :2]
    assert len(corners) == 4
    assert all(np.linalg.norm(polygon - corner, axis=1).min() < 2e-3 for corner in corners)


def test_no_region_where_nothing_carries():
    model = ts.robots.hrp2()
    wall = ts.contact.Ground(ts.contact.Plane(normal=(1.0, 0.0, 0.0), law=ts.contact.Compliant(friction=0.1)))
    assert len(region_of_contacts(model, wall, np.zeros((1, 3)))) == 0


def with_references(postures, each=5):
    run = waving(duration=0.5, rate=100.0)
    q = np.repeat(postures, each, axis=0)
    filled = np.concatenate([q, np.repeat(q[-1:], len(run.time) - len(q), axis=0)])
    return replace(run, signals={"q_reference": filled})


def test_stances_are_the_postures_that_references_stay_at():
    model = ts.robots.hrp2()
    postures = np.tile(model.reference, (3, 1))
    postures[:, 0] += [0.0, 0.2, 0.4]
    assert np.array_equal(logged_stances(with_references(postures)), postures)
    assert len(logged_stances(waving())) == 0
    moving = np.tile(model.reference, (51, 1))
    moving[:, 0] += np.arange(51)
    assert len(logged_stances(with_references(moving, each=1))) == 0  # a reference that never rests
    assert len(logged_stances(with_references(postures * np.nan))) == 0


@pytest.fixture(name="viewed", scope="module")
def _viewed():
    """A motion on its ground, with three planned stances."""
    model = ts.robots.hrp2()
    stances = np.tile(model.reference, (3, 1))
    stances[:, 1] += [0.7, 1.4, 2.1]
    with show(
        waving(), ground=FLAT, stances=stances, overlays=["cones", "region", "strip"], port=0, open_browser=False,
        block=False,
    ) as viewer:  # fmt: skip
        viewer.server.scene.configure_default_lights(cast_shadow=False)
        yield viewer


def layers(viewer):
    """Handles of the scene by name."""
    return viewer.server.scene._handle_from_node_name


def test_layers_follow_the_motion(viewed):
    known = layers(viewed)
    assert known["/cones"].visible and known["/com_region"].visible
    assert known["/cones"].vertices.shape == (8 * 21, 3)
    assert [known[f"/stances/{k}"].visible for k in range(3)] == [True] * 3
    y = [known[f"/stances/{k}"].position[1] + known[f"/stances/{k}"].vertices[:, 1].mean() for k in range(3)]
    assert np.allclose(np.diff(y), 0.62 * viewed.stage.extent, rtol=0, atol=1e-5)  # a strip, whatever was planned
    viewed.panel.clock.jump(0.0, 0.0)
    viewed.stage.show(viewed.stage.q, np.zeros((8, 3)), np.zeros((8, 3)))
    assert not known["/cones"].visible and not known["/com_region"].visible  # nothing is pressed
    viewed.panel.refresh()


def test_names_and_stances_are_checked():
    model = ts.robots.hrp2()
    with pytest.raises(UnknownNameError, match="no overlay 'cone'; close: 'cones'"):
        show(model, overlays=["cone"], open_browser=False, block=False)
    with pytest.raises(ArgumentError, match=f"found 30, expected at most {MOST_STANCES}"):
        show(model, stances=np.tile(model.reference, (30, 1)), open_browser=False, block=False)
    with pytest.raises(ArgumentError):
        show(model, stances=np.zeros((2, 3)), open_browser=False, block=False)


def yellow(image):
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (r > 1.1 * g) & (g > 1.25 * b) & (r > 120)


@pytest.mark.chromium
def test_a_browser_shows_cones_and_stances_and_hides_them(viewed):
    assert COLOR[0] > COLOR[1] > COLOR[2]
    with Chromium((1000, 700)) as browser:
        browser.open(viewed.url)
        wait_for(lambda: yellow(browser.picture()[:, :650]).sum() > 400, "cones and stances to be drawn")
        before = yellow(browser.picture()[:, :650]).sum()
        browser.click_text("Friction cones")
        wait_for(lambda: not layers(viewed)["/cones"].visible, "the switch to act")
        wait_for(lambda: yellow(browser.picture()[:, :650]).sum() < before, "cones to vanish")
        assert browser.errors == []
