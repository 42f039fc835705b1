"""The HTML file: what is in it, read back without a browser."""

import base64
import gzip
import json
import re

import numpy as np
import pytest
from sample_trajectories import waving

import tarsus as ts
from tarsus.contact import on_ground, slope, stairs
from tarsus.errors import ArgumentError
from tarsus.model.shapes import Box, Shape
from tarsus.spatial import pose, rotation_matrix_from_quaternion
from tarsus.viewer import write_animation

SINGLE = 1e-6  # numbers of about one metre in single precision


class Film:
    """Data of a page, read as the player reads them."""

    def __init__(self, path):
        self.page = path.read_text(encoding="utf-8")
        packed = re.search(r'id="data">([^<]*)<', self.page).group(1)
        self.data = gzip.decompress(base64.b64decode(packed))
        size = int.from_bytes(self.data[:4], "little")
        self.head = json.loads(self.data[4 : 4 + size])
        self._start = 4 * -(-(4 + size) // 4)

    def array(self, where, *shape):
        kind, offset, count = where
        return np.frombuffer(self.data, f"<{kind}", count, self._start + offset).reshape(*shape)


@pytest.fixture(name="trajectory", scope="module")
def _trajectory():
    return waving(batch=(2,))


@pytest.fixture(name="film", scope="module")
def _film(trajectory, tmp_path_factory):
    path = tmp_path_factory.mktemp("animation") / "run.html"
    write_animation(trajectory, path, rate=20.0, simulation=1)
    return Film(path)


def test_poses_are_those_of_the_samples(film, trajectory):
    model = trajectory.model
    time = film.array(film.head["time"], -1)
    np.testing.assert_allclose(time, np.linspace(0.0, 2.0, 41), atol=SINGLE)
    poses = film.array(film.head["poses"], 41, model.nb, 7)
    X_WB = ts.body_poses(model, trajectory.q[::5, 1])
    np.testing.assert_allclose(poses[..., :3], X_WB[..., :3, 3], atol=SINGLE)
    turned = rotation_matrix_from_quaternion(poses[..., 3:].astype(float))
    np.testing.assert_allclose(turned, X_WB[..., :3, :3], atol=SINGLE)


def test_forces_support_and_centre_of_mass_come_along(film, trajectory):
    force = film.array(film.head["contactForce"], 41, 8, 3)
    np.testing.assert_allclose(force, trajectory.contact_force[::5, 1], rtol=SINGLE)
    com = film.array(film.head["com"], 41, 3)
    np.testing.assert_allclose(com, ts.center_of_mass(trajectory.model, trajectory.q[::5, 1]), atol=SINGLE)
    support = film.array(film.head["support"], 41, 8)
    # Both feet at the start; one in the middle, when it carries everything.
    assert [np.sum(row != 65535) for row in support[[0, 20]]] == [4, 4]
    assert set(support[20][support[20] != 65535]) == {4, 5, 6, 7}


def test_faces_point_at_vertices(film):
    for part in film.head["parts"]:
        vertices = film.array(part["vertices"], -1, 3)
        assert film.array(part["faces"], -1).max() == len(vertices) - 1
        assert np.abs(film.array(part["normals"], -1, 3).astype(float)).max() <= 127.0


def test_curves_are_thinned_out_and_end_where_the_motion_ends(film):
    names = [group["name"] for group in film.head["curves"]]
    assert names[:2] == ["energy since the start", "contact forces"]
    assert "battery" in names
    for group in film.head["curves"]:
        time = film.array(group["time"], -1)
        assert time[-1] == 2.0
        assert all(len(film.array(values, -1)) == len(time) for values in group["values"])


def test_page_names_nothing_outside_itself(film):
    page = re.sub(r'id="data">[^<]*<', "", film.page)
    assert not re.search(r"https?:|//[a-z]|src=|href=|import\(|fetch\(|XMLHttpRequest|WebSocket", page)
    assert "default-src 'none'" in page


def test_size_is_reasonable(film):
    assert len(film.page) < 200_000


def test_same_input_gives_the_same_bytes(tmp_path):
    for name in ("a.html", "b.html"):
        write_animation(ts.robots.rabbit(), tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_names_cannot_end_the_script(tmp_path):
    builder = ts.ModelBuilder("</script><script>alert(1)</script>", base="free")
    builder.add_link("@SCRIPT@", visuals=[Shape(Box((1.0, 1.0, 1.0)))])
    write_animation(builder.build(), tmp_path / "a.html")
    film = Film(tmp_path / "a.html")
    assert film.head["name"] == "</script><script>alert(1)</script>"
    assert "alert" not in film.page


def test_ground_surfaces_come_along(tmp_path):
    write_animation(ts.robots.rabbit(), tmp_path / "a.html", ground=Shape(Box((1.0, 1.0, 0.1)), pose((1, 0, 0.05))))
    film = Film(tmp_path / "a.html")
    (mesh,) = film.head["terrain"]
    assert film.array(mesh["vertices"], -1, 3)[:, 2].max() == pytest.approx(0.1)


@pytest.mark.parametrize(("ground", "meshes", "grid"), [(stairs(2, 0.1, 0.3), 2, True), (slope(0.2), 1, False)])
def test_ground_of_a_simulation_comes_along(tmp_path, ground, meshes, grid):
    robot = ts.robots.rabbit()
    run = ts.simulate(robot, on_ground(robot, None, ground), duration=0.01, ground=ground)
    write_animation(run, tmp_path / "a.html")
    film = Film(tmp_path / "a.html")
    assert (len(film.head["terrain"]), film.head["grid"]) == (meshes, grid)


@pytest.mark.parametrize("rate", [0.0, -1.0, np.inf, np.nan])
def test_impossible_rate_is_told_and_nothing_is_written(tmp_path, rate):
    with pytest.raises(ArgumentError, match="rate"):
        write_animation(ts.robots.rabbit(), tmp_path / "a.html", rate=rate)
    assert list(tmp_path.iterdir()) == []


def test_model_that_reaches_below_zero_stands_on_its_floor(tmp_path):
    builder = ts.ModelBuilder("cube", base="free")
    model = builder.add_link("a", ts.Inertia.of_sphere(1.0, 0.1), visuals=[Shape(Box((1.0, 1.0, 1.0)))]).build()
    write_animation(model, tmp_path / "a.html")
    film = Film(tmp_path / "a.html")
    assert film.head["floor"] == -0.5
    assert film.array(film.head["level"], -1)[0] == -0.5


def box_model(size: tuple[float, float, float]) -> ts.Model:
    builder = ts.ModelBuilder("box")
    builder.add_link("box", ts.spatial.Inertia(1.0), visuals=[Shape(Box(size))])
    return builder.build()


@pytest.mark.parametrize(("call", "told"), [
    (lambda path: write_animation(box_model((1e39, 1e39, 1e39)), path), "is .* m large"),
    (lambda path: write_animation(box_model((1.0, 1.0, 1.0)), path, q="abc"), "expected numbers"),
    (lambda path: write_animation(box_model((1.0, 1.0, 1.0)), path, q=[[1.0, 2.0], [3.0]]), "real numbers"),
    (lambda path: write_animation(box_model((1.0, 1.0, 1.0)), path, rate="x"), "rate"),
])  # fmt: skip
def test_what_cannot_be_shown_is_told(call, told, tmp_path):
    with pytest.raises(ArgumentError, match=told):
        call(tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_joints_is_shown(tmp_path):
    write_animation(box_model((1.0, 1.0, 1.0)), tmp_path / "a.html")
    assert (tmp_path / "a.html").stat().st_size > 0
