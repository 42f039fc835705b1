"""Videos, read back with other programs."""

import subprocess

import numpy as np
import pytest
from PIL import Image, ImageSequence
from sample_trajectories import waving

from tarsus.errors import ArgumentError, MissingExtraError
from tarsus.viewer import video, write_video
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of

SIZE = (96, 96)
LOSSY = 12.0  # mean difference of pictures after H.264, of 255


@pytest.fixture(name="trajectory", scope="module")
def _trajectory():
    return waving(duration=0.4)


def pictures(trajectory, samples):
    renderer = Renderer(playback_of(trajectory), size=SIZE, samples=samples)
    return [renderer.picture(k).astype(float) for k in samples]


def test_gif_has_the_pictures_and_the_speed_asked_for(trajectory, tmp_path):
    path = tmp_path / "a.gif"
    write_video(trajectory, path, rate=10.0, size=SIZE)
    with Image.open(path) as image:
        frames = [np.asarray(frame.convert("RGB"), dtype=float) for frame in ImageSequence.Iterator(image)]
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
    expected = pictures(trajectory, [0, 10, 20, 30, 40])
    assert len(frames) == len(expected)
    for frame, picture in zip(frames, expected, strict=True):
        assert np.abs(frame - picture).mean() < 4.0  # 256 colours instead of all


def test_slow_motion_has_more_pictures(tmp_path):
    write_video(waving(duration=0.2), tmp_path / "a.gif", rate=10.0, speed=0.5, size=SIZE)
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 5


def test_mp4_can_be_decoded_and_shows_the_pictures(trajectory, tmp_path):
    path = tmp_path / "a.mp4"
    done = []
    write_video(trajectory, path, rate=10.0, size=SIZE, progress=lambda k, n: done.append((k, n)))
    command = [
        video.ffmpeg_program(),
        "-loglevel",
        "error",
        "-i",
        str(path),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    raw = subprocess.run(command, check=True, capture_output=True).stdout
    frames = np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3).astype(float)
    expected = pictures(trajectory, [0, 10, 20, 30, 40])
    assert len(frames) == 5
    assert done == [(k, 5) for k in range(1, 6)]
    for frame, picture in zip(frames, expected, strict=True):
        assert np.abs(frame - picture).mean() < LOSSY


@pytest.mark.parametrize(
    ("name", "options", "match"),
    [
        ("a.avi", {}, "mp4 or .gif"),
        ("a.gif", {"rate": 0.0}, "rate"),
        ("a.gif", {"speed": -1.0}, "speed"),
        ("a.gif", {"speed": 1e-9}, "pictures, expected at most"),
        ("a.mp4", {"size": (95, 96)}, "even"),
        ("a.gif", {"size": (0, 96)}, "size"),
        ("a.gif", {"simulation": 1}, "simulation"),
    ],
)
def test_impossible_requests_are_told_and_nothing_is_written(trajectory, tmp_path, name, options, match):
    with pytest.raises(ArgumentError, match=match):
        write_video(trajectory, tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_video_leaves_nothing(trajectory, tmp_path):
    def interrupt(done, total):
        if done == 2:
            raise KeyboardInterrupt

    for name in ("a.gif", "a.mp4"):
        with pytest.raises(KeyboardInterrupt):
            write_video(trajectory, tmp_path / name, rate=10.0, size=SIZE, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_failing_encoder_is_told(trajectory, tmp_path, monkeypatch):
    monkeypatch.setattr(video, "ffmpeg_program", lambda: "false")
    with pytest.raises(video.VideoError, match="code 1"):
        write_video(trajectory, tmp_path / "a.mp4", rate=10.0, size=SIZE)
    assert list(tmp_path.iterdir()) == []


def test_missing_encoder_is_told_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtraError, match="pip install 'tarsus\\[video\\]'"):
        video.ffmpeg_program()
