"""Editing volumes, without a browser: what a client's messages would call."""

from types import SimpleNamespace

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.geometry.shapes import Box, Shape
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.io.volume_file import read_volume_file
from tarsus.spatial import pose
from tarsus.viewer import show

BOX = Shape(Box((0.2, 0.2, 0.4)), pose((0.0, 0.0, 0.1)))


def robot():
    builder = ts.ModelBuilder("robot", base="free")
    builder.add_link("trunk", ts.Inertia.of_sphere(1.0, 0.1), collisions=[BOX], visuals=[BOX])
    builder.add_link("arm", ts.Inertia.of_sphere(1.0, 0.1), collisions=[BOX], visuals=[BOX])
    builder.add_joint("shoulder", "revolute", "trunk", "arm", position=(0.5, 0.0, 0.0), axis=(0, 1, 0))
    return builder.build()


@pytest.fixture(name="editor")
def _editor(tmp_path):
    model = robot().with_volumes(
        {"trunk": SweptSphere([[0, 0, 0], [0, 0, 0.2]], 0.15), "arm": SweptSphere([0, 0, 0], 1)}
    )
    with show(model, port=0, open_browser=False, block=False, edit_volumes=tmp_path / "v.toml") as viewer:
        yield viewer.editor


def saved(editor):
    editor.save()
    return read_volume_file(editor.path)


def test_what_is_edited_is_saved_and_read_back(editor):
    editor.select("trunk")
    editor.set_radius(0.2)
    editor.move(1, np.array([0.0, 0.1, 0.3]))
    (volume,) = saved(editor)["trunk"]
    assert volume.radius == 0.2
    np.testing.assert_array_equal(volume.vertices, [[0, 0, 0], [0, 0.1, 0.3]])
    assert "saved 2 volumes" in editor._message.value
    model = robot().with_volumes(read_volume_file(editor.path))
    assert list(model.volumes) == ["trunk", "arm"]


def test_handles_are_at_the_vertices_in_the_frame_of_the_body(editor):
    editor.select("trunk")
    np.testing.assert_allclose([handle.position for handle in editor._points], [[0, 0, 0], [0, 0, 0.2]])
    editor._dragged(0, np.eye(4))(SimpleNamespace(target=SimpleNamespace(position=(0.1, 0.0, 0.0))))
    np.testing.assert_array_equal(editor.selected.vertices[0], [0.1, 0, 0])


def test_volumes_are_added_and_deleted(editor):
    editor.select("arm")
    editor.add()
    assert len(editor.volumes["arm"]) == 2
    np.testing.assert_allclose(editor.selected.vertices, [[0, 0, 0.1]])  # the middle of its shape
    assert editor._number.options == ("1", "2") and editor._number.value == "2"
    for _ in range(3):
        editor.delete()
    assert editor.volumes["arm"] == [] and editor.selected is None
    assert editor._state.value == "nothing: no volumes"
    assert list(saved(editor)) == ["trunk"]
    editor.set_radius(0.3)  # nothing is selected: nothing happens
    editor.set_kind("line")


def test_kinds_change_the_number_of_vertices(editor):
    editor.select("trunk")
    for kind, count in (("triangle", 3), ("point", 1), ("line", 2)):
        editor.set_kind(kind)
        assert editor.selected.kind == kind and len(editor._points) == count
    np.testing.assert_array_equal(editor.selected.vertices[0], [0, 0, 0])


def test_it_is_told_whether_the_link_is_enclosed(editor):
    editor.select("arm")
    assert editor._state.value.startswith("all of it")
    editor.set_radius(0.3)
    corner = np.linalg.norm([0.1, 0.1, 0.3])
    assert f"not all: {1000 * (corner - 0.3):.3g} mm stick out" in editor._state.value


def test_a_link_is_fitted_again(editor):
    editor.select("arm")
    editor.fit()
    fitted = ts.collision.fit(robot(), links=["arm"])["arm"]
    assert [volume.radius for volume in editor.volumes["arm"]] == [volume.radius for volume in fitted]
    assert editor._state.value.startswith("all of it")


def test_what_a_client_should_not_send_changes_nothing(editor):
    editor.select("trunk")
    before = editor.selected
    editor.set_radius(np.nan)
    editor.move(0, np.array([np.inf, 0, 0]))
    editor.move(7, np.zeros(3))
    editor.set_kind("cube")
    assert editor.selected is before
    editor.set_radius(-3.0)
    assert editor.selected.radius == 0.0
    editor.select("nobody")
    assert editor._link.value == "trunk"


def test_a_file_that_cannot_be_written_is_told(editor, tmp_path):
    editor.path = tmp_path / "gone" / "v.toml"
    editor.save()
    assert "not saved" in editor._message.value


def test_a_model_without_volumes_can_get_some(tmp_path):
    with show(robot(), port=0, open_browser=False, block=False, edit_volumes=tmp_path / "v.toml") as viewer:
        assert viewer.editor.selected is None
        viewer.editor.add()
        assert list(saved(viewer.editor)) == ["trunk"]


def test_trajectories_are_not_edited(tmp_path):
    run = ts.simulate(robot(), duration=0.01)
    with pytest.raises(ArgumentError, match="edit_volumes is given with a trajectory"):
        show(run, port=0, open_browser=False, block=False, edit_volumes=tmp_path / "v.toml")
