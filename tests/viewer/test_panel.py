"""Controls of the viewer, without a browser: what a client's messages would call."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from chromium import wait_for
from loop_models import four_bar
from sample_models import double_pendulum
from sample_trajectories import waving

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError
from tarsus.viewer import show


def viewer_of(shown, *arguments, **options):
    return show(shown, *arguments, port=0, open_browser=False, block=False, **options)


@pytest.fixture(name="played", scope="module")
def _played():
    with viewer_of(waving(duration=0.5, batch=(2,)), speed=0.75) as viewer:
        yield viewer


def test_sliders_move_the_model():
    with viewer_of(double_pendulum().build()) as viewer:
        assert viewer.panel.move([0.5, -1.0]) == ""
        np.testing.assert_allclose(viewer.stage.q, [0.5, -1.0])


def test_what_limits_forbid_is_told_and_taken_back():
    with viewer_of(double_pendulum().build()) as viewer:
        viewer.panel.move([0.5, -1.0])
        assert "elbow" in viewer.panel.move([0.5, -1.6])
        np.testing.assert_allclose(viewer.stage.q, [0.5, -1.0])
        assert [slider.value for slider in viewer.panel._sliders] == [0.5, -1.0]


def test_loop_is_moved_by_its_independent_joint():
    model = four_bar().build()
    with viewer_of(model) as viewer:
        assert viewer.panel.move([1.3]) == ""
        np.testing.assert_allclose(viewer.stage.q, [1.3])


def test_model_can_be_shown_in_a_given_configuration():
    with viewer_of(double_pendulum().build(), [0.3, 0.4]) as viewer:
        np.testing.assert_allclose(viewer.stage.q, [0.3, 0.4])


def test_playing_moves_on_and_pausing_stays(played):
    played.panel.toggle()
    start = played.stage.q
    wait_for(lambda: not np.array_equal(played.stage.q, start), "the robot to move")
    played.panel.toggle()
    t = played.panel.clock.time(time.monotonic())
    assert played.panel.clock.time(time.monotonic() + 10.0) == t


def test_speed_is_the_one_asked_for(played):
    assert played.panel.clock.speed == 0.75
    assert played.panel._speed.value == "0.75"


def test_body_poses_of_the_scene_are_those_of_the_sample(played):
    played.panel.clock.jump(0.25, 0.0)
    played.panel.refresh()
    X_WB = ts.body_poses(played.stage.model, waving(duration=0.5).q[25])
    shown = np.array([handle.position for handle in played.stage._bodies])
    np.testing.assert_allclose(shown, X_WB[:, :3, 3], atol=1e-6)  # single precision


def test_arrows_start_at_the_contacts_and_point_along_the_forces(played):
    played.panel.clock.jump(0.0, 0.0)
    played.panel.refresh()
    trajectory = waving(duration=0.5)
    points = np.asarray(played.stage._arrows.points)
    np.testing.assert_allclose(points[:, 0], trajectory.contact_position[0], atol=1e-6)
    drawn, force = points[:, 1] - points[:, 0], trajectory.contact_force[0]
    np.testing.assert_allclose(drawn, played.stage.force_scale * force, atol=1e-6)


def test_plots_follow_the_choice(played):
    plots = played.panel._plots
    plots._choice.value = "contact forces"
    assert len(plots._columns) == 8
    plots._filter.value = "foot 1"
    assert len(plots._columns) == 1
    plots.mark(0.25)
    data = [np.asarray(column) for column in plots._plot.data]
    assert all(np.isfinite(column).all() for column in data)
    assert data[0][np.argmax(data[-1])] == pytest.approx(0.25)


def test_model_without_mass_is_shown():
    builder = ts.ModelBuilder("ghost", base="free")
    with viewer_of(builder.add_link("a").build()) as viewer:
        assert not viewer.stage._com.visible


def test_names_with_separators_do_not_disturb_the_scene():
    builder = ts.ModelBuilder("a/b", base="free").add_link("x/../y", ts.Inertia.of_sphere(1.0, 0.1))
    with viewer_of(builder.add_frame("/robot", "x/../y").build()) as viewer:
        viewer.stage.show_frames("named", names=True)
        assert viewer.stage._frame_names == ["/robot"]


@pytest.mark.parametrize(
    ("shown", "options", "error"),
    [
        ("robot.urdf", {}, ArgumentError),
        (waving(duration=0.1), {"q": [1.0]}, ArgumentError),
        (waving(duration=0.1), {"speed": 0.0}, ArgumentError),
        (ts.robots.rabbit(), {"q": [1.0]}, ShapeError),
    ],
)
def test_what_cannot_be_shown_is_told(shown, options, error):
    with pytest.raises(error):
        viewer_of(shown, **options)


def send(handle, value):
    """Let a handle receive a value as from a client."""
    handle._impl.value = value
    for callback in handle._impl.update_cb:
        callback(SimpleNamespace(client_id=0, client=None, target=handle))


def test_values_that_no_slider_can_have_are_not_taken(played):
    with viewer_of(double_pendulum().build()) as viewer:
        shoulder, elbow = viewer.panel._sliders
        send(shoulder, 99.0)
        np.testing.assert_allclose(viewer.stage.q, [1.0, 0.0])
        send(elbow, float("nan"))
        np.testing.assert_allclose(viewer.stage.q, [1.0, 0.0])
        assert elbow.value == 0.0
    send(played.panel._slider, float("nan"))
    assert np.isfinite(played.panel.clock.time(0.0))
    played.panel.choose(99)
    np.testing.assert_array_equal(played.panel._playback.q, waving(duration=0.5, batch=(2,)).q[:, 1])


def test_camera_looks_at_where_the_motion_begins():
    robot = ts.robots.rabbit()
    q = np.array(robot.reference)
    q[0] += 5.0
    with viewer_of(ts.simulate(robot, q, duration=0.01)) as viewer:
        np.testing.assert_allclose(viewer.server.initial_camera.look_at[:2], [5.0, 0.0], atol=0.3)
