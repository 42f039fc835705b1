"""Pictures: what they show, and what stays on disk."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Wedge
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, DtypeError, ModelWarning, ShapeError, UnknownNameError
from tarsus.model.shapes import Box, Mesh, Shape, Sphere
from tarsus.spatial.pose import pose
from tarsus.viewer import draw

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
SIZE = (120, 120)


def model_of(*shapes, base="free"):
    builder = ts.ModelBuilder("things", base=base)
    builder.add_link("thing", ts.Inertia.of_sphere(1.0, 0.1), visuals=shapes)
    builder.add_frame("corner", "thing", pose((0.5, 0.5, 0.5)))
    return builder.build()


def cube(center=(0.0, 0.0, 0.0), color=RED):
    return Shape(Box((1.0, 1.0, 1.0)), pose(center), color)


def robot_pixels(axes):
    """Picture (rows, columns, 4) of the robot and the size of a pixel [m]."""
    image = axes.images[-1]
    left, right, _, _ = image.get_extent()
    array = np.asarray(image.get_array())
    return array, (right - left) / array.shape[1]


def test_projection_is_to_scale():
    image, pixel = robot_pixels(draw(model_of(cube()), view=(0.0, 0.0), size=SIZE, ground=False))
    area = image[..., 3].sum() * pixel**2
    assert area == pytest.approx(1.0, rel=0.03)  # one row of pixels at the edge is 1.8 % of the width each


def test_view_from_the_front_shows_the_left_side_of_the_robot_on_the_right():
    model = model_of(cube((0.0, 2.0, 0.0), BLUE), cube((0.0, -2.0, 0.0), RED))
    image, _ = robot_pixels(draw(model, view=(0.0, 0.0), size=SIZE, ground=False))
    columns = np.arange(image.shape[1])
    blue, red = (((image[..., c] > 0.4) & (image[..., 2 - c] < 0.3)).any(axis=0) for c in (2, 0))
    assert columns[blue].min() > columns[red].max()


@pytest.mark.parametrize("order", [1, -1])
def test_near_shape_hides_the_far_one_in_any_order(order):
    shapes = [cube((2.0, 0.0, 0.0), RED), cube((-2.0, 0.0, 0.0), BLUE)][::order]
    image, _ = robot_pixels(draw(model_of(*shapes), view=(0.0, 0.0), size=SIZE, ground=False))
    middle = image[image.shape[0] // 2, image.shape[1] // 2]
    assert middle[0] > 0.4 > 0.3 > middle[2]


def test_reference_pose_is_drawn_by_default():
    model = ts.robots.planar4()
    default, reference, other = (
        robot_pixels(draw(model, q, size=SIZE))[0] for q in (None, model.reference, model.neutral())
    )
    np.testing.assert_array_equal(default, reference)
    assert not np.array_equal(default, other)


def test_several_configurations_share_a_picture():
    model = model_of(cube())
    q = np.tile(model.neutral(), (2, 1))
    q[1, 1] = 3.0
    image, pixel = robot_pixels(draw(model, q, view=(0.0, 0.0), size=SIZE, ground=False))
    assert image[..., 3].sum() * pixel**2 == pytest.approx(2.0, rel=0.1)


def test_several_robots_share_axes_that_show_them_all():
    axes = Figure().add_subplot()
    model = model_of(cube())
    for y in (-3.0, 0.0, 4.0):
        draw(model, view=(0.0, 0.0), size=SIZE, position=(0.0, y, 0.0), ax=axes)
    assert axes.get_xlim()[0] < -3.5
    assert axes.get_xlim()[1] > 4.5
    assert axes.get_aspect() == 1.0


def test_ground_is_at_zero_or_at_the_lowest_point_below():
    axes = draw(model_of(cube((0.0, 0.0, 3.0))), view=(0.0, 30.0), size=SIZE, com=True)
    assert axes.lines[-1].get_ydata()[1] == pytest.approx(0.0, abs=1e-12)
    axes = draw(model_of(cube((0.0, 0.0, -3.0))), view=(0.0, 30.0), size=SIZE, com=True)
    assert axes.lines[-1].get_ydata()[1] == pytest.approx(-3.5 * np.cos(np.radians(30.0)))


def test_shadow_lies_on_the_ground_image_only_with_ground():
    model = model_of(cube((0.0, 0.0, 0.5)))
    with_ground, without = draw(model, size=SIZE), draw(model, size=SIZE, ground=False)
    assert (len(with_ground.images), len(without.images)) == (2, 1)
    opacity = np.asarray(with_ground.images[0].get_array())[..., 3]
    assert 0.3 < opacity.max() < 0.7
    assert opacity[0].max() < 0.1


def test_centre_of_mass_is_marked_where_it_is():
    model = ts.robots.hrp2()
    axes = draw(model, view=(0.0, 0.0), size=SIZE, com=True)
    p = ts.center_of_mass(model, model.reference)
    wedges = [patch for patch in axes.patches if isinstance(patch, Wedge)]
    assert len(wedges) == 4
    np.testing.assert_allclose([w.center for w in wedges], [p[1:]] * 4, atol=1e-9)


def test_frames_are_drawn_as_three_axes_from_their_origin():
    axes = draw(model_of(cube()), view=(0.0, 0.0), size=SIZE, frames=["corner"])
    starts = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines]
    np.testing.assert_allclose(starts, [(0.5, 0.5)] * 3, atol=1e-12)
    tips = sorted((line.get_xdata()[1], line.get_ydata()[1]) for line in axes.lines)
    np.testing.assert_allclose(tips, [(0.5, 0.5), (0.5, 0.6), (0.6, 0.5)], atol=1e-12)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_robot_with_large_meshes_fills_its_height():
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    image, pixel = robot_pixels(draw(model, view=(0.0, 0.0), size=(300, 300)))
    rows, columns = (np.flatnonzero(image[..., 3].any(axis=axis)) for axis in (1, 0))
    assert 1.70 < np.ptp(rows) * pixel < 1.80  # Talos is 1.75 m high
    assert 0.6 < np.ptp(columns) * pixel < 1.2


def test_model_without_visuals_gets_a_skeleton():
    builder = ts.ModelBuilder("bare").add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1))
    model = builder.add_joint("hinge", "revolute", "ground", "arm", position=(0.0, 0.0, 1.0)).build()
    image, pixel = robot_pixels(draw(model, view=(0.0, 0.0), size=SIZE, ground=False))
    rows = np.flatnonzero(image[..., 3].any(axis=1))
    assert 1.0 < np.ptp(rows) * pixel < 1.2


COLLAPSED = {
    "points": np.repeat(np.arange(12.0).reshape(4, 1, 3), 3, axis=1),
    "one point": np.zeros((2, 3, 3)),
    "one coordinate that was corrupted": np.array(
        [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1e30, 0, 0], [0, 0, 1], [0, 1, 0]]]
    ),
}


@pytest.mark.parametrize("name", COLLAPSED)
def test_mesh_whose_triangles_have_no_area_is_left_out_with_a_warning(name, tmp_path):
    """Beside a coordinate of 1e30 all others are one point."""
    rows = np.zeros(len(COLLAPSED[name]), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")]))
    rows["corners"] = COLLAPSED[name]
    (tmp_path / "flat.stl").write_bytes(bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())
    mesh = Shape(Mesh("flat.stl", str(tmp_path / "flat.stl")))
    with pytest.warns(ModelWarning, match=r"not drawn: .*flat\.stl: none of its \d triangles has an area"):
        image, _ = robot_pixels(draw(model_of(mesh), size=SIZE))
    assert image[..., 3].any()  # a skeleton instead


def test_unreadable_mesh_is_left_out_with_a_warning(tmp_path):
    (tmp_path / "broken.stl").write_bytes(b"nothing")
    mesh = Shape(Mesh("broken.stl", str(tmp_path / "broken.stl")))
    with pytest.warns(ModelWarning, match=r"not drawn: .*broken\.stl"):
        axes = draw(model_of(mesh, Shape(Sphere(0.2))), size=SIZE)
    assert robot_pixels(axes)[0][..., 3].any()


def test_picture_has_the_asked_size_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "robot.png"
    draw(ts.robots.planar4(), path=path, size=(160, 90))
    assert struct.unpack(">II", path.read_bytes()[16:24]) == (160, 90)
    assert list(tmp_path.iterdir()) == [path]


def test_failure_keeps_the_old_picture(tmp_path):
    path = tmp_path / "robot.unknown"
    path.write_text("old")
    with pytest.raises(ValueError, match="unknown"):
        draw(ts.robots.planar4(), path=path, size=SIZE)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


def test_bad_arguments_are_named():
    model = ts.robots.planar4()
    with pytest.raises(ShapeError, match=r"q has shape \(3,\), expected \(4,\)"):
        draw(model, np.zeros(3))
    with pytest.raises(UnknownNameError, match=r"'tol'.*close: 'tool'"):
        draw(model, frames=["tol"], size=SIZE)
    with pytest.raises(ts.errors.ArgumentError, match="elevation of 95"):
        draw(model, view=(0.0, 95.0))
    with pytest.raises(ts.errors.ArgumentError, match="size = "):
        draw(model, size=(0, 10))


def test_importing_the_viewer_does_not_import_matplotlib():
    code = "import sys, tarsus.viewer; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_path_in_place_of_a_configuration_is_told():
    with pytest.raises(DtypeError, match=r"q is 'robot.png'.*path='robot.png'"):
        draw(ts.robots.rabbit(), "robot.png")


@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0)])
def test_a_model_without_joints_is_drawn(size, tmp_path):
    builder = ts.ModelBuilder("box")
    builder.add_link("box", ts.spatial.Inertia(1.0), visuals=[Shape(Box(size))])
    for q in (None, np.zeros(0), np.zeros((1, 0))):
        ts.draw(builder.build(), q, path=tmp_path / "box.png")
        assert (tmp_path / "box.png").stat().st_size > 0


def test_drawing_into_axes_says_nothing_by_itself(caplog):
    with caplog.at_level("WARNING"):
        ts.draw(
            ts.robots.hrp2(), ts.robots.hrp2().reference, ax=Figure().add_subplot(), view=(35.0, 10.0), size=(500, 600)
        )
    assert caplog.records == []


def test_shapes_with_no_opacity_are_not_drawn():
    seen, hidden = (
        ts.ModelBuilder("ball").add_link(
            "ball", visuals=[Shape(Sphere(0.1)), Shape(Box((1, 1, 1)), color=(1, 0, 0, alpha))]
        )
        for alpha in (1.0, 0.0)
    )
    sizes = [ts.draw(robot.build(), size=(100, 100)).get_xlim() for robot in (seen, hidden)]
    assert sizes[1][1] - sizes[1][0] < 0.5 * (sizes[0][1] - sizes[0][0])


@pytest.mark.parametrize("azimuth", [np.nan, np.inf])
def test_views_from_nowhere_are_refused_by_name(azimuth):
    with pytest.raises(ArgumentError, match="azimuth"):
        ts.draw(ts.robots.rabbit(), view=(azimuth, 0.0), size=(50, 50))
