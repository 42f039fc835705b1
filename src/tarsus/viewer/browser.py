"""The robot and its motion in a browser."""

from __future__ import annotations

import threading
import webbrowser
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from tarsus.errors import ArgumentError
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.viewer.configurations import configurations
from tarsus.viewer.panel import JointPanel, PlayerPanel, add_display
from tarsus.viewer.playback import Playback, playback_of, simulation_count
from tarsus.viewer.server import start_server
from tarsus.viewer.stage import Stage
from tarsus.viewer.terrain import Terrain, terrain_of


class Viewer:
    """A running viewer; as a context manager it stops at the end of the block.

    Attributes
    ----------
    url : str
        Address for a browser, the token included.
    stage : Stage
        The scene.
    panel : JointPanel or PlayerPanel
        The controls of a model or of a trajectory.
    """

    def __init__(self, server: Any, stage: Stage, panel: JointPanel | PlayerPanel, url: str) -> None:
        self.server, self.stage, self.panel, self.url = server, stage, panel, url
        self._stopped = threading.Event()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop playing and close the server."""
        if not self._stopped.is_set():
            self._stopped.set()
            if isinstance(self.panel, PlayerPanel):
                self.panel.stop()
            self.server.stop()

    def wait(self) -> None:
        """Wait until Ctrl-C or `stop`, then stop."""
        try:
            while not self._stopped.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()


def show(
    shown: Model | Recorded,
    q: npt.ArrayLike | None = None,
    *,
    ground: Any = None,
    speed: float = 1.0,
    host: str = "127.0.0.1",
    port: int | None = None,
    token: str | None = None,
    open_browser: bool = True,
    block: bool = True,
) -> Viewer:
    """Show a model or a trajectory in a browser.

    A model gets a slider per independent joint coordinate: loops stay closed and limits are respected. A trajectory
    gets a timeline, contact forces, the support polygon and plots.

    Parameters
    ----------
    shown : Model or Trajectory
    q : array_like, shape (nq,), optional
        Configuration of a model; its reference by default.
    ground : object, optional
        Surfaces to draw: a height, shapes placed in the world, triangles (n, 3, 3), or an object whose attribute
        `visuals` holds such, as `tarsus.contact.Ground` does; the plane z = 0 is a grid. By default the ground that the
        trajectory was simulated on, or else the grid.
    speed : float
        Seconds of a trajectory a second, to begin with.
    host : str
        Interface to listen on: only this machine by default. Every other needs a token.
    port : int, optional
        The first free one from 8080 by default; 0 lets the system choose.
    token : str, optional
        Secret of at least 16 characters that clients must present.
    open_browser : bool
        Open the page in the default browser.
    block : bool
        Wait until Ctrl-C. Otherwise the viewer is returned and runs until `stop()`.

    Returns
    -------
    viewer : Viewer

    Raises
    ------
    tarsus.errors.MissingExtraError
        Without the packages of the extra ``viewer``.
    """
    if isinstance(shown, Model):
        start = _configuration(shown, q)
    elif isinstance(shown, Recorded):
        if q is not None:
            raise ArgumentError("q is given with a trajectory, expected only with a model")
        playback = playback_of(shown)
    else:
        raise ArgumentError(f"a {type(shown).__name__} cannot be shown, expected a model or a trajectory")
    if not (np.isfinite(speed) and speed > 0.0):
        raise ArgumentError(f"speed = {speed} found, expected a positive number")
    terrain = terrain_of(getattr(shown, "ground", None) if ground is None else ground)
    server = start_server(host, port, token)
    try:
        panel: JointPanel | PlayerPanel
        if isinstance(shown, Model):
            stage = Stage(server, shown, terrain, start=start, stand=terrain.plain)
            add_display(server, stage)
            panel = JointPanel(server, stage, start)
        else:
            stage = _stage_for(server, playback, terrain)
            panel = PlayerPanel(
                server, stage, playback, simulation_count(shown), lambda k: playback_of(shown, k), speed
            )
            add_display(server, stage)
        server.gui.set_panel_label(stage.model.name or "tarsus")
    except BaseException:
        server.stop()
        raise
    viewer = Viewer(server, stage, panel, _url(server, token))
    try:
        if open_browser:
            webbrowser.open(viewer.url)
    except BaseException:
        viewer.stop()
        raise
    if block:
        viewer.wait()
    return viewer


def _configuration(model: Model, q: npt.ArrayLike | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    return model.normalize(configurations(model, q)[0])


def _stage_for(server: Any, playback: Playback, terrain: Terrain) -> Stage:
    stage = Stage(server, playback.model, terrain, contacts=len(playback.contacts), start=playback.q[0])
    stage.force_scale = playback.force_scale(stage.extent)
    return stage


def _url(server: Any, token: str | None) -> str:
    host = server.get_host()
    name = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{server.get_port()}/" + (f"?token={quote(token, safe='')}" if token else "")
