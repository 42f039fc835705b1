"""Pictures of moments: arrows, support polygon, camera."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from sample_trajectories import waving

import tarsus as ts
from tarsus.contact import stairs
from tarsus.errors import ArgumentError
from tarsus.model.shapes import Box, Shape
from tarsus.spatial import pose
from tarsus.viewer import draw_moment
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of, playback_of_configurations
from tarsus.viewer.terrain import Terrain, terrain_of

SIZE = (160, 160)


def red(image):
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (r > 110) & (g < 0.5 * r) & (b < 0.5 * r)


def green(image):
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (g > 1.25 * r) & (g > 1.15 * b)


@pytest.fixture(name="playback", scope="module")
def _playback():
    return playback_of(waving())


def test_arrows_are_drawn_where_forces_are(playback):
    renderer = Renderer(playback, size=SIZE, view=(0.0, 5.0))
    both, one = renderer.picture(0), renderer.picture(100)
    columns = [np.flatnonzero(red(image).any(axis=0)) for image in (both, one)]
    # From the front the robot's left is on the right: the middle sample has forces there only, twice as high.
    assert columns[0].min() < 80 < columns[0].max()
    assert columns[1].min() >= 78
    assert np.flatnonzero(red(one).any(axis=1)).min() < np.flatnonzero(red(both).any(axis=1)).min()


def test_without_contact_there_are_no_arrows_and_no_polygon(playback):
    free = replace(playback, contact_force=np.zeros_like(playback.contact_force))
    image = Renderer(free, size=SIZE).picture(0)
    assert not red(image).any()
    assert not green(image).any()


def test_support_polygon_is_seen_from_above(playback):
    hidden = replace(playback, contact_position=1.0 * playback.contact_position)
    image = Renderer(hidden, size=SIZE, view=(0.0, 35.0)).picture(0)
    assert green(image).any()


def test_camera_stands_still_while_the_robot_stays(playback):
    renderer = Renderer(playback, size=SIZE)
    first, middle = renderer.picture(0), renderer.picture(100)
    # The head does not move; the arm does.
    np.testing.assert_array_equal(first[:30], middle[:30])
    assert (first != middle).any()


def test_camera_follows_a_robot_that_walks_away(playback):
    q = np.array(playback.q)
    q[:, 0] += np.linspace(0.0, 20.0, len(q))
    none = np.zeros((len(q), 0, 3))
    gone = replace(playback, q=q, contacts=(), contact_position=none, contact_force=none)
    renderer = Renderer(gone, size=SIZE)
    for k in (0, 200):
        dark = (renderer.picture(k) < 100).all(axis=-1)
        assert dark.mean() > 0.02
        assert 50 < np.flatnonzero(dark.any(axis=0)).mean() < 110


def test_ground_surfaces_are_drawn(playback):
    step = terrain_of(Shape(Box((0.5, 3.0, 0.3)), pose((0.9, 0.0, 0.15))))
    plain, stepped = (Renderer(playback, terrain, size=SIZE).picture(0) for terrain in (Terrain(), step))
    assert (plain != stepped).any(axis=-1).mean() > 0.02


def test_stairs_stand_on_the_grid(playback):
    terrain = terrain_of(stairs(2, 0.15, 0.3, start=0.4))
    plain, full, bare = (
        Renderer(playback, drawn, size=SIZE, view=(145.0, 12.0)).picture(0)
        for drawn in (Terrain(), terrain, terrain._replace(grid=False))
    )
    assert (plain != full).any(axis=-1).mean() > 0.02
    assert (bare != full).any(axis=-1).mean() > 0.02


def test_moment_of_a_simulation_shows_its_ground(tmp_path):
    run = ts.simulate(ts.robots.hrp2(), duration=0.01, ground=stairs(2, 0.15, 0.3, start=0.2))
    draw_moment(run, 0.0, tmp_path / "own.png", size=SIZE)
    draw_moment(run, 0.0, tmp_path / "given.png", size=SIZE, ground=run.ground)
    draw_moment(run, 0.0, tmp_path / "grid.png", size=SIZE, ground=0)
    own, given, grid = (np.asarray(Image.open(tmp_path / f"{name}.png")) for name in ("own", "given", "grid"))
    np.testing.assert_array_equal(own, given)
    assert (own != grid).any(axis=-1).mean() > 0.02


def test_picture_is_written_in_its_size(tmp_path):
    draw_moment(waving(), 1.0, tmp_path / "a.png", size=(120, 90))
    assert Image.open(tmp_path / "a.png").size == (120, 90)


@pytest.mark.parametrize("time", [-0.1, 2.1, np.nan])
def test_moment_outside_is_told(tmp_path, time):
    with pytest.raises(ArgumentError, match="expected 0 to 2 s"):
        draw_moment(waving(), time, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_model_without_mass_is_drawn_without_its_centre(tmp_path):
    builder = ts.ModelBuilder("ghost", base="free")
    model = builder.add_link("a", visuals=[Shape(Box((1.0, 1.0, 1.0)), color=(1.0, 1.0, 1.0, 1.0))]).build()
    playback = playback_of_configurations(model, np.array([model.reference]), np.zeros(1))
    assert (Renderer(playback, size=SIZE).picture(0) > 60).all()  # the mark would be black


def test_a_transparent_shape_of_a_motion_lets_the_one_behind_it_through():
    """A pane before a block: its picture is the weighted mean of those with a solid one and with none."""

    def middle(opacity):
        block = Shape(Box((0.2, 0.5, 0.5)), color=(0.9, 0.1, 0.1, 1.0))
        pane = Shape(Box((0.02, 0.5, 0.5)), pose((0.4, 0.0, 0.0)), color=(0.1, 0.1, 0.9, opacity))
        model = ts.ModelBuilder("window").add_link("window", visuals=[block, pane]).build()
        shown = playback_of_configurations(model, model.reference[None], np.zeros(1))
        return Renderer(shown, Terrain(grid=False), size=SIZE, view=(0.0, 0.0)).picture(0)[80, 80].astype(float)

    solid, glass, hidden = middle(1.0), middle(0.25), middle(0.0)
    assert solid[2] > solid[0] and hidden[0] > hidden[2]
    np.testing.assert_allclose(glass, 0.25 * solid + 0.75 * hidden, atol=1.0)
