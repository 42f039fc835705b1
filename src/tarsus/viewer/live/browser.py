"""The robot and its motion in a browser."""

from __future__ import annotations

import os
import threading
import webbrowser
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.errors import ArgumentError
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.viewer.configurations import configurations
from tarsus.viewer.live.panel import JointPanel, PlayerPanel, add_display
from tarsus.viewer.live.server import start_server
from tarsus.viewer.live.stage import Stage
from tarsus.viewer.overlays.overlays import Overlays, check_overlays
from tarsus.viewer.overlays.stances import logged_stances, stance_configurations
from tarsus.viewer.overlays.walk import planned_walk
from tarsus.viewer.playback import Playback, playback_of, simulation_count
from tarsus.viewer.terrain import Terrain, terrain_of
from tarsus.viewer.volumes.layer import VolumeLayer

if TYPE_CHECKING:
    from tarsus.viewer.live.dragging import DragPanel
    from tarsus.viewer.volumes.editor import VolumeEditor


class Viewer:
    """A running viewer; as a context manager it stops at the end of the block.

    Attributes
    ----------
    url : str
        Address for a browser, the token included.
    stage : Stage
        The scene.
    panel : JointPanel, DragPanel or PlayerPanel
        The controls of a model or of a trajectory.
    editor : VolumeEditor or None
        The controls of volumes, where they are edited.
    """

    def __init__(
        self,
        server: Any,
        stage: Stage,
        panel: JointPanel | DragPanel | PlayerPanel,
        url: str,
        editor: VolumeEditor | None = None,
    ) -> None:
        self.server, self.stage, self.panel, self.url, self.editor = server, stage, panel, url, editor
        self._stopped = threading.Event()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop playing and close the server."""
        if not self._stopped.is_set():
            self._stopped.set()
            if not isinstance(self.panel, JointPanel):
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
    edit_volumes: str | os.PathLike[str] | None = None,
    drag: str | None = None,
    stances: npt.ArrayLike | None = None,
    overlays: Collection[str] = (),
) -> Viewer:
    """Show a model or a trajectory in a browser.

    A model gets a slider per independent joint coordinate: loops stay closed and limits are respected. A trajectory
    gets a timeline, contact forces, the support polygon and plots. Swept-sphere volumes of the model are shown on
    request, and so are its nearest pairs of them.

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
    edit_volumes : path-like, optional
        Offer controls to edit the volumes of a model, which are saved to this file (see `tarsus.io.volume_file`).
    drag : str, optional
        A frame of a model with a target that can be dragged, in place of the sliders: the robot follows within its
        limits, a robot with a free base on its feet. Collisions are not avoided.
    stances : array_like, shape (n, nq), optional
        Planned stances, 24 at most; by default those that a trajectory holds as signal "q_reference".
    overlays : collection of str
        What is drawn over the motion to begin with: "cones" (friction cones at contacts), "region" (in which the centre
        of mass could rest on them), "stances" (planned ones, where they will be), "strip" (side by side behind the
        robot). All of them can be switched in the browser, where there is data for them. Footsteps and planned ways of
        a recorded walk ("footsteps", "plan") are shown anyway.

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
    if edit_volumes is not None and not isinstance(shown, Model):
        raise ArgumentError("edit_volumes is given with a trajectory, expected only with a model")
    if drag is not None and not isinstance(shown, Model):
        raise ArgumentError("drag is given with a trajectory, expected only with a model")
    if drag is not None and isinstance(shown, Model):
        shown.frames[drag]  # an unknown one is refused before anything is shown
    check_overlays(overlays)
    touched = getattr(shown, "ground", None) if ground is None else ground
    terrain = terrain_of(touched)
    planned = _planned(shown, stances)
    server = start_server(host, port, token)
    try:
        panel: JointPanel | DragPanel | PlayerPanel
        editor: VolumeEditor | None = None
        if isinstance(shown, Model):
            stage = Stage(server, shown, terrain, start=start, stand=terrain.plain)
            layer = _volume_layer(server, stage, edit_volumes is not None)
            add_display(server, stage, layer, Overlays(server, stage, None, planned, overlays))
            if edit_volumes is not None and layer is not None:
                from tarsus.viewer.volumes.editor import VolumeEditor

                editor = VolumeEditor(server, stage, layer, Path(edit_volumes))
            panel = _model_panel(server, stage, start, drag)
        else:
            stage = _stage_for(server, playback, terrain)
            panel = PlayerPanel(
                server, stage, playback, simulation_count(shown), lambda k: playback_of(shown, k), speed
            )
            solid = touched if isinstance(touched, Ground) else None
            layers = Overlays(server, stage, solid, planned, overlays, planned_walk(shown))
            panel.refresh()
            add_display(server, stage, _volume_layer(server, stage, False), layers)
        server.gui.set_panel_label(stage.model.name or "tarsus")
    except BaseException:
        server.stop()
        raise
    viewer = Viewer(server, stage, panel, _url(server, token), editor)
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


def _planned(shown: Model | Recorded, stances: npt.ArrayLike | None) -> FloatArray:
    """Planned stances that were given, or else logged."""
    if stances is not None:
        return stance_configurations(shown if isinstance(shown, Model) else shown.model, stances)
    return np.zeros((0, shown.nq)) if isinstance(shown, Model) else logged_stances(shown)


def _model_panel(server: Any, stage: Stage, start: FloatArray, drag: str | None) -> JointPanel | DragPanel:
    if drag is None:
        return JointPanel(server, stage, start)
    from tarsus.viewer.live.dragging import DragPanel

    return DragPanel(server, stage, start, drag)


def _volume_layer(server: Any, stage: Stage, wanted: bool) -> VolumeLayer | None:
    """Volumes of a model that has some, or is to get some."""
    return VolumeLayer(server, stage, visible=wanted) if stage.model.volumes or wanted else None


def _stage_for(server: Any, playback: Playback, terrain: Terrain) -> Stage:
    stage = Stage(server, playback.model, terrain, contacts=len(playback.contacts), start=playback.q[0])
    stage.force_scale = playback.force_scale(stage.extent)
    return stage


def _url(server: Any, token: str | None) -> str:
    host = server.get_host()
    name = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{server.get_port()}/" + (f"?token={quote(token, safe='')}" if token else "")
