"""The viewer and the animation file in a real browser, headless."""

import time

import numpy as np
import pytest
from chromium import Chromium, wait_for
from PIL import Image
from sample_trajectories import ARM, waving

import tarsus as ts
from tarsus.model.shapes import Box, Shape
from tarsus.spatial import pose
from tarsus.viewer import show, write_animation
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of_configurations

pytestmark = pytest.mark.chromium

SIZE = (900, 600)


@pytest.fixture(name="browser", scope="module")
def _browser():
    with Chromium(SIZE) as browser:
        yield browser


@pytest.fixture(name="trajectory", scope="module")
def _trajectory():
    return waving(batch=(2,))


def viewer_of(shown, **options):
    viewer = show(shown, port=0, open_browser=False, block=False, **options)
    viewer.server.scene.configure_default_lights(cast_shadow=False)  # slow where there is no graphics processor
    return viewer


@pytest.fixture(name="posed", scope="module")
def _posed():
    """Viewer of a model with a step behind it."""
    step = Shape(Box((0.4, 2.0, 0.3)), pose((-0.7, 0.0, 0.15)))
    with viewer_of(ts.robots.hrp2(), ground=step) as viewer:
        yield viewer


@pytest.fixture(name="played", scope="module")
def _played(trajectory):
    """Viewer of a trajectory."""
    with viewer_of(trajectory) as viewer:
        yield viewer


def scene_part(image):
    """The part of a screenshot of the viewer that shows the scene only."""
    return image[150:590, 100:560].astype(int)


def blue(image):
    """Pixels with the blue of hrp2's joints, which nothing else in the scene has."""
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (b > 60) & (b > 1.4 * r) & (b > 1.15 * g)


def red(image):
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (r > 110) & (g < 0.65 * r) & (b < 0.65 * r)


def open_viewer(browser, viewer):
    """Load the page, unless it is there, and wait until the robot is drawn and the picture rests."""
    if browser.run("location.href") != viewer.url:
        browser.open(viewer.url)
        wait_for(lambda: blue(scene_part(browser.picture())).sum() > 500, "the robot to be drawn")
    return resting_picture(browser)


def resting_picture(browser):
    """Scene once it does not change any more."""
    seen = [scene_part(browser.picture())]

    def rests():
        time.sleep(0.2)
        seen.append(scene_part(browser.picture()))
        return (np.abs(seen[-1] - seen[-2]).max(axis=-1) > 20).sum() < 5

    wait_for(rests, "the scene to rest")
    return seen[-1]


def plotted_green(browser):
    """Pixels of the plot of the viewer that have the colour of its third curve."""
    r, g, b = np.moveaxis(browser.picture()[:, 570:].astype(int), -1, 0)
    return (g > 120) & (r < 0.6 * g) & (b < 0.6 * g)


def changed(a, b):
    """Number of pixels that differ clearly."""
    return int((np.abs(a - b).max(axis=-1) > 40).sum())


def box_of(mask):
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return rows[0], rows[-1], columns[0], columns[-1]


def test_robot_has_the_shape_that_the_software_renderer_draws(browser, posed):
    scene = open_viewer(browser, posed)
    assert browser.errors == []
    # Nothing is asked of any other machine.
    own = (posed.url, "data:", "blob:", posed.url.replace("http", "ws"))
    assert [request for request in browser.requests if not request.startswith(own)] == []
    model = posed.stage.model
    playback = playback_of_configurations(model, np.array([model.reference]), np.zeros(1))
    azimuth, elevation = np.degrees([np.arctan2(0.6, 0.85), np.arctan2(0.3, np.hypot(0.6, 0.85))])
    drawn = Renderer(playback, view=(azimuth, elevation), size=(600, 600)).picture(0).astype(int)
    top, bottom, left, right = box_of(blue(scene))
    top_, bottom_, left_, right_ = box_of(blue(drawn))
    # Perspective changes the proportions of something as deep as the robot is wide by a tenth.
    ratio, ratio_ = (right - left) / (bottom - top), (right_ - left_) / (bottom_ - top_)
    assert ratio == pytest.approx(ratio_, rel=0.1)
    share = blue(scene)[top : bottom + 1, left : right + 1].mean()
    share_ = blue(drawn)[top_ : bottom_ + 1, left_ : right_ + 1].mean()
    assert share == pytest.approx(share_, rel=0.35)


def test_ground_surfaces_are_seen(browser, posed):
    before = open_viewer(browser, posed)
    step = posed.server.scene.get_handle_by_name("/ground/0")
    step.visible = False
    wait_for(lambda: changed(before, scene_part(browser.picture())) > 3000, "the step to vanish")
    step.visible = True
    wait_for(lambda: changed(before, scene_part(browser.picture())) < 50, "the step to come back")


def test_slider_moves_the_joint_and_keeps_its_limits(browser, posed):
    model, stage = posed.stage.model, posed.stage
    before = open_viewer(browser, posed)
    browser.click(*browser.slider("LARM_JOINT3 [rad]", 0.1))
    joint = model.joints["LARM_JOINT3"]
    wait_for(lambda: stage.q[joint.q_index][0] < -1.0, "the joint to move")
    assert joint.q_min[0] <= stage.q[joint.q_index][0] <= joint.q_max[0]
    others = np.delete(stage.q, joint.q_index.start)
    np.testing.assert_allclose(others, np.delete(model.reference, joint.q_index.start), atol=1e-9)
    wait_for(lambda: changed(before, scene_part(browser.picture())) > 300, "the arm to be drawn")
    browser.click_text("Reset")
    wait_for(lambda: np.allclose(stage.q, model.reference, atol=1e-9), "the reset")
    wait_for(lambda: changed(before, scene_part(browser.picture())) < 50, "the arm to be back")


def test_play_moves_the_robot_and_pause_stops_it(browser, played, trajectory):
    arm = trajectory.model.joints[ARM].q_index.start
    before = open_viewer(browser, played)
    assert red(before).sum() > 200
    browser.click_text("Play")
    wait_for(lambda: played.stage.q[arm] < -0.6, "the arm to bend")
    wait_for(lambda: changed(before, scene_part(browser.picture())) > 300, "the arm to be drawn")
    browser.click_text("Pause")
    wait_for(lambda: not played.panel.clock.playing, "the pause")
    stopped = resting_picture(browser)
    assert changed(stopped, scene_part(browser.picture())) == 0


def test_scrubbing_shows_the_sample_of_that_time(browser, played, trajectory):
    open_viewer(browser, played)
    browser.click(*browser.slider("Time [s]", 0.02))
    wait_for(lambda: played.panel.clock.time(0.0) < 0.1, "the time to change")
    start = resting_picture(browser)
    browser.click(*browser.slider("Time [s]", 0.5))
    wait_for(lambda: abs(played.panel.clock.time(0.0) - 1.0) < 0.15, "the time to change")
    t = played.panel.clock.time(0.0)
    wait_for(lambda: np.array_equal(played.stage.q, trajectory.q[round(100 * t), 0]), "the sample to be shown")
    # All force on one foot: its arrows are twice as long.
    wait_for(lambda: box_of(red(scene_part(browser.picture())))[0] < box_of(red(start))[0] - 10, "longer arrows")
    assert changed(start, resting_picture(browser)) > 300


def test_plot_is_drawn_and_frames_can_be_switched_on(browser, played):
    before = open_viewer(browser, played)
    # The curve of the actuator's work is green.
    wait_for(lambda: plotted_green(browser).sum() > 100, "the plot to be drawn")
    played.stage.show_frames("bodies", names=True)
    wait_for(lambda: changed(before, scene_part(browser.picture())) > 100, "the frames to be drawn")
    framed = resting_picture(browser)
    played.stage.show_frames("none")
    wait_for(lambda: changed(framed, scene_part(browser.picture())) > 100, "the frames to vanish")


def test_other_simulation_of_the_batch_can_be_chosen(played, trajectory):
    played.panel.clock.jump(1.0, 0.0)
    played.panel.choose(1)
    np.testing.assert_array_equal(played.stage.q, trajectory.q[100, 1])
    played.panel.choose(0)
    np.testing.assert_array_equal(played.stage.q, trajectory.q[100, 0])


def test_token_in_the_address_is_enough_and_leaves_the_address(browser):
    with viewer_of(ts.robots.rabbit(), token="0123456789abcdef-secret") as viewer:
        browser.open(viewer.url)
        wait_for(viewer.server.get_clients, "the page to connect")
        assert browser.run("location.search") == ""


def test_page_of_another_origin_cannot_connect(browser, posed):
    browser.open("data:text/html,<p>other</p>")
    answer = browser.run(
        f"""new Promise((done) => {{
          const socket = new WebSocket({posed.url.replace("http", "ws")!r});
          socket.onopen = () => done("open"); socket.onerror = () => done("refused"); }})"""
    )
    assert answer == "refused"


@pytest.fixture(name="page", scope="module")
def _page(browser, trajectory, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "run.html"
    write_animation(trajectory, path)
    return f"file://{path}"


def open_animation(browser, page):
    browser.open(page)
    browser.wait("'player' in window || document.getElementById('message').textContent !== ''")
    assert browser.run("document.getElementById('message').textContent") == ""
    return browser.picture()[:520, :570].astype(int)


def test_animation_opens_from_a_file_without_any_request(browser, page):
    scene = open_animation(browser, page)
    assert browser.errors == []
    assert browser.requests == [page]
    assert blue(scene).sum() > 1500
    assert red(scene).sum() > 300
    assert browser.run("document.title") == "hrp2"


def test_animation_has_the_shape_that_the_software_renderer_draws(browser, page, trajectory):
    scene = open_animation(browser, page)
    playback = playback_of_configurations(trajectory.model, trajectory.q[:1, 0], np.zeros(1))
    drawn = Renderer(playback, view=tuple(np.degrees([0.62, 0.25])), size=(600, 600)).picture(0).astype(int)
    (top, bottom, left, right), (top_, bottom_, left_, right_) = (box_of(blue(x)) for x in (scene, drawn))
    assert (right - left) / (bottom - top) == pytest.approx((right_ - left_) / (bottom_ - top_), rel=0.1)


def test_animation_plays_pauses_and_is_scrubbed(browser, page):
    start = open_animation(browser, page)
    browser.run("player.seek(1.0)")
    middle = browser.picture()[:520, :570].astype(int)
    assert changed(start, middle) > 500
    assert browser.run("[player.t, player.frame]") == [1.0, 30]
    browser.run("player.seek(0.0)")
    assert changed(start, browser.picture()[:520, :570].astype(int)) == 0
    browser.click_text("Play")
    browser.wait("player.t > 0.3")
    browser.click_text("Pause")
    assert browser.run("player.playing") is False
    assert changed(start, browser.picture()[:520, :570].astype(int)) > 200


def test_animation_can_be_turned_and_its_parts_switched_off(browser, page):
    start = open_animation(browser, page)
    for name in ("forces", "support", "com", "frames", "transparent"):
        browser.run(f"document.getElementById('{name}').click()")
        shown = browser.picture()[:520, :570].astype(int)
        assert changed(start, shown) > 15, name
        browser.run(f"document.getElementById('{name}').click()")
        assert changed(start, browser.picture()[:520, :570].astype(int)) == 0, name
    browser.drag((300, 300), (420, 330))
    assert changed(start, browser.picture()[:520, :570].astype(int)) > 3000


def test_animation_plots_what_is_chosen(browser, page):
    open_animation(browser, page)
    first = browser.picture()[30:280, 590:].astype(int)
    browser.run("(() => { const c = document.getElementById('curves'); c.selectedIndex = 1; c.onchange(); })()")
    second = browser.picture()[30:280, 590:].astype(int)
    assert changed(first, second) > 200
    assert "foot 0" in browser.run("document.getElementById('legend').textContent")


def test_animation_of_a_model_stands_still(browser, tmp_path):
    write_animation(ts.robots.hrp2(), tmp_path / "a.html", ground=-0.05)
    scene = open_animation(browser, f"file://{tmp_path / 'a.html'}")
    assert blue(scene).sum() > 1500
    assert browser.run("document.getElementById('play').disabled") is True
    assert browser.errors == []


SQUARE = """mtllib four.mtl
v 0 -0.5 -0.5
v 0 0.5 -0.5
v 0 0.5 0.5
v 0 -0.5 0.5
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl wrapped
f 1/1 2/2 3/3 4/4
"""


def test_the_picture_on_a_mesh_is_seen_in_the_browser(browser, tmp_path):
    quarters = np.array([[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 0)]], np.uint8)
    Image.fromarray(np.kron(quarters, np.ones((8, 8, 1), np.uint8))).save(tmp_path / "four.png")
    (tmp_path / "four.mtl").write_text("newmtl wrapped\nmap_Kd four.png\n")
    (tmp_path / "four.obj").write_text(SQUARE)
    mesh = '<visual><geometry><mesh filename="four.obj"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')

    def least_quarter():
        r, g, b = np.moveaxis(scene_part(browser.picture()), -1, 0)
        yellow = (np.minimum(r, g) > 1.5 * b) & (np.abs(r - g) < 0.3 * r)
        plain = [one > 1.5 * np.maximum(*others) for one, *others in ((r, g, b), (g, r, b), (b, r, g))]
        return min(int(part.sum()) for part in (*plain, yellow))

    with viewer_of(ts.load(tmp_path / "r.urdf")) as viewer:
        browser.open(viewer.url)
        wait_for(lambda: least_quarter() > 300, "the four colours to be drawn")
