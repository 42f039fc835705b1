"""The page where volumes are edited, in a real browser, headless."""

import time

import numpy as np
import pytest
from chromium import Chromium, wait_for

import tarsus as ts
from tarsus.io.volume_file import read_volume_file
from tarsus.spatial.quaternion import rotation_matrix_from_quaternion
from tarsus.viewer import show

pytestmark = pytest.mark.chromium

SIZE = (900, 700)
CHECKBOX = """(() => {
  let row = [...document.querySelectorAll('label, p, div')].filter(e => e.textContent.trim() === 'Volumes').pop();
  while (!row.querySelector('input[type=checkbox]')) row = row.parentElement;
  return row.querySelector('input[type=checkbox]'); })()"""


@pytest.fixture(name="browser", scope="module")
def _browser():
    with Chromium(SIZE) as browser:
        yield browser


@pytest.fixture(name="viewer")
def _viewer(browser, tmp_path):
    with show(
        ts.robots.lola(), port=0, open_browser=False, block=False, edit_volumes=tmp_path / "lola.volumes.toml"
    ) as viewer:
        viewer.server.scene.configure_default_lights(cast_shadow=False)  # slow where there is no graphics processor
        browser.open(viewer.url)
        wait_for(lambda: green(browser) > 2000, "the volumes to be drawn")
        yield viewer


def green(browser):
    """Pixels of the scene in the colour of triangle-swept spheres."""
    r, g, b = np.moveaxis(browser.picture()[100:, :550].astype(int), -1, 0)
    return int(((g > 1.08 * r) & (g > 1.08 * b) & (g > 60)).sum())


def pixel(viewer, point):
    """Where a point of the world is on the screen."""
    (client,) = viewer.server.get_clients().values()
    camera = client.camera
    R = rotation_matrix_from_quaternion(np.asarray(camera.wxyz))
    x, y, z = R.T @ (point - camera.position)
    scale = SIZE[1] / 2 / np.tan(camera.fov / 2)
    return np.array([SIZE[0] / 2 + scale * x / z, SIZE[1] / 2 + scale * y / z])


def test_volumes_are_seen_and_can_be_hidden(browser, viewer):
    before = green(browser)
    browser.run(f"({CHECKBOX}).click()")
    wait_for(lambda: green(browser) < before / 2, "the volumes to vanish")
    browser.run(f"({CHECKBOX}).click()")
    wait_for(lambda: green(browser) > 0.9 * before, "the volumes to come back")
    assert viewer.server.get_clients()


def test_a_vertex_is_dragged_a_volume_added_and_the_file_saved(browser, viewer):
    editor = viewer.editor
    editor.select("torso")
    vertex = np.array(editor.selected.vertices[0])
    X_WB = ts.frame_pose(viewer.stage.model, viewer.stage.q, "torso")
    start = X_WB[:3, :3] @ vertex + X_WB[:3, 3]
    up = X_WB[:3, 2]
    size = 0.1 * viewer.stage.extent
    wait_for(lambda: viewer.server.get_clients(), "the page to connect")

    def dragged():
        # Anew each time: where nothing is gripped, yet or any more, the view is turned instead.
        grip, goal = pixel(viewer, start + 0.6 * size * up), pixel(viewer, start + 2.6 * size * up)
        for x, y in (grip - 3.0, grip):
            browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            time.sleep(0.3)
        browser.drag(tuple(grip), tuple(goal), steps=12)
        time.sleep(0.3)
        return not np.allclose(editor.selected.vertices[0], vertex)

    wait_for(dragged, "the vertex to be dragged")
    wait_for(lambda: editor.selected.vertices[0][2] - vertex[2] > size, "the vertex to go up")
    np.testing.assert_allclose(editor.selected.vertices[0][:2], vertex[:2], atol=0.01)
    count = len(editor.volumes["torso"])
    browser.click_text("Add")
    wait_for(lambda: len(editor.volumes["torso"]) == count + 1, "a volume to be added")
    browser.click_text("Save")
    wait_for(lambda: editor.path.exists(), "the file to be written")
    back = read_volume_file(editor.path)["torso"]
    np.testing.assert_array_equal(back[0].vertices, editor.volumes["torso"][0].vertices)
    assert len(back) == count + 1
    assert browser.errors == []
    browser.picture(viewer.editor.path.with_suffix(".png"))
    browser.click_text("Delete")
    wait_for(lambda: len(editor.volumes["torso"]) == count, "the volume to be deleted")
