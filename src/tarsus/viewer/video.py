"""Videos of trajectories: GIF by Pillow, MP4 by ffmpeg, pictures by the software renderer."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import ByteArray
from tarsus.errors import ArgumentError, MissingExtraError, TarsusError
from tarsus.files import whole_file
from tarsus.recording.recorded import Recorded
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of
from tarsus.viewer.terrain import terrain_of

VIDEO_FORMATS = (".mp4", ".gif")
_MOST_PICTURES = 100_000
"""Of a video: more than an hour at 25 a second."""
_CENTISECOND = 0.01
"""Unit in which GIF files count time [s]."""


class VideoError(TarsusError, RuntimeError):
    """A video could not be encoded."""


def write_video(
    trajectory: Recorded,
    path: str | os.PathLike[str],
    *,
    ground: Any = None,
    rate: float = 25.0,
    speed: float = 1.0,
    view: tuple[float, float] = (35.0, 12.0),
    size: tuple[int, int] = (640, 480),
    simulation: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a trajectory as a video.

    Pictures come from the software renderer, on one core. A GIF has 256 colours a picture and delays of
    whole hundredths of a second, so that its rate is rounded to 100/n; an MP4 (H.264) needs ffmpeg, from the system or
    from the package imageio-ffmpeg. The file appears complete or not at all.

    Parameters
    ----------
    path : str or path
        File to write, .mp4 or .gif.
    ground : object, optional
        Surfaces, as in `show`.
    rate : float
        Pictures a second.
    speed : float
        Seconds of simulation a second of video.
    view : tuple of float
        Azimuth (0 in front of the robot, 90 on its left) and elevation of the camera [deg].
    size : tuple of int
        Width and height in pixels, even numbers for .mp4.
    simulation : int
        Which one of a batch.
    progress : callable, optional
        Called as progress(done, total) after every picture.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in VIDEO_FORMATS:
        raise ArgumentError(f"video {target.name!r} found, expected a name that ends in {' or '.join(VIDEO_FORMATS)}")
    for name, value in (("rate", rate), ("speed", speed)):
        if not (np.isfinite(value) and value > 0.0):
            raise ArgumentError(f"{name} = {value} found, expected a positive number")
    if kind == ".mp4" and any(pixels % 2 for pixels in size):
        raise ArgumentError(f"size = {size} found, expected even numbers for .mp4")
    encoder = ffmpeg_program() if kind == ".mp4" else ""
    if kind == ".gif":
        rate = 1.0 / (_CENTISECOND * max(2, round(1.0 / (rate * _CENTISECOND))))
    playback = playback_of(trajectory, simulation)
    if playback.duration * rate / speed > _MOST_PICTURES:
        found = f"speed = {speed} and rate = {rate:g} make {playback.duration * rate / speed:.3g} pictures"
        raise ArgumentError(f"{found}, expected at most {_MOST_PICTURES}")
    times = np.arange(0.0, playback.duration + 0.5 * speed / rate, speed / rate)
    samples = [playback.index_at(float(t)) for t in times]
    terrain = terrain_of(getattr(trajectory, "ground", None) if ground is None else ground)
    renderer = Renderer(playback, terrain, view=view, size=size, samples=samples)

    def pictures() -> Iterator[ByteArray]:
        for number, k in enumerate(samples, start=1):
            yield renderer.picture(k)
            if progress is not None:
                progress(number, len(samples))

    with whole_file(target) as unfinished:
        if kind == ".gif":
            _write_gif(pictures(), unfinished, rate)
        else:
            _write_mp4(pictures(), unfinished, rate, size, encoder)


def ffmpeg_program() -> str:
    """Program that encodes MP4, or an error that says how it is installed."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        imageio_ffmpeg = importlib.import_module("imageio_ffmpeg")
    except ImportError:
        raise MissingExtraError(
            "an MP4 needs ffmpeg; install it with: pip install 'tarsus[video]', or write a .gif"
        ) from None
    return str(imageio_ffmpeg.get_ffmpeg_exe())


def _write_gif(pictures: Iterator[ByteArray], path: Path, rate: float) -> None:
    from PIL import Image

    images = (
        Image.fromarray(p).quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE) for p in pictures
    )
    first = next(images)
    first.save(path, save_all=True, append_images=images, duration=round(1000.0 / rate), loop=0)


def _write_mp4(pictures: Iterator[ByteArray], path: Path, rate: float, size: tuple[int, int], program: str) -> None:
    command = [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"]
    command += ["-r", f"{rate:.6f}", "-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20"]
    command += ["-movflags", "+faststart", str(path)]
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=messages)
        assert process.stdin is not None
        try:
            for picture in pictures:
                process.stdin.write(picture.tobytes())
            process.stdin.close()
            code = process.wait()
        except BrokenPipeError:
            code = process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        if code != 0:
            messages.seek(0)
            last = messages.read().decode(errors="replace").strip().splitlines()[-1:]
            raise VideoError(f"ffmpeg failed with code {code}: {' '.join(last)}")
