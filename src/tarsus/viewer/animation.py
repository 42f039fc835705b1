"""Animations as one HTML file that needs nothing else: no network, no server, no installation."""

from __future__ import annotations

import base64
import gzip
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tarsus
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.files import write_whole
from tarsus.geometry.support_polygon import support_polygon
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix
from tarsus.viewer.configurations import configurations
from tarsus.viewer.parts import LARGEST, IndexedMesh, bounds, parts_of
from tarsus.viewer.playback import Playback, focus_of, playback_of, playback_of_configurations
from tarsus.viewer.plotted import PLOT_POINTS, picked_curves
from tarsus.viewer.terrain import Terrain, terrain_of

MESH_FACES = 6000
"""Meshes with more faces are simplified to about this many."""
_NO_CORNER = 65535
_SCRIPTS = ("matrix.js", "scene.js", "controls.js")


def write_animation(
    shown: Model | Recorded,
    path: str | os.PathLike[str],
    *,
    q: npt.ArrayLike | None = None,
    ground: Any = None,
    rate: float = 30.0,
    simulation: int = 0,
) -> None:
    """Write a trajectory, or a model in one configuration, as a page that plays in any browser with WebGL 2.

    The page holds all data and loads nothing. Samples are those nearest to equally spaced times; nothing is
    interpolated. The file appears complete or not at all.

    Parameters
    ----------
    shown : Model or Trajectory
    path : str or path
        File to write.
    q : array_like, shape (nq,), optional
        Configuration of a model; its reference by default.
    ground : object, optional
        Surfaces, as in `show`.
    rate : float
        Pictures a second.
    simulation : int
        Which one of a batch.
    """
    if not isinstance(rate, int | float | np.number) or not (np.isfinite(rate) and rate > 0.0):
        raise ArgumentError(f"rate = {rate} found, expected a positive number of pictures a second")
    if isinstance(shown, Model):
        playback = playback_of_configurations(shown, configurations(shown, q), np.zeros(1))
    else:
        playback = playback_of(shown, simulation)
    terrain = terrain_of(getattr(shown, "ground", None) if ground is None else ground)
    write_whole(Path(path), _page(_film(playback, terrain, rate)).encode())


def _page(data: bytes) -> str:
    folder = resources.files("tarsus.viewer") / "player"
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    page = (folder / "page.html").read_text(encoding="utf-8")
    # Names in the model are inside the packed data, where they cannot end a tag.
    return page.replace("@SCRIPT@", script).replace("@DATA@", base64.b64encode(data).decode())


def _film(playback: Playback, terrain: Terrain, rate: float) -> bytes:
    """Everything the player shows: a JSON object, then arrays at multiples of four bytes; packed."""
    model, keep = playback.model, playback.samples(rate)
    store = _Store()
    parts = parts_of(model, mesh_faces=MESH_FACES)
    X_WB = np.asarray(tarsus.body_poses(model, playback.q[keep]))
    low, high = bounds(X_WB[0], parts)
    floor = min(0.0, float(low[2])) if len(playback) == 1 and terrain.plain else 0.0
    extent = float((high - low).max()) or 1.0
    if not extent < LARGEST:
        raise ArgumentError(f"{model.name!r} is {extent:.3g} m large, expected less than {LARGEST:g} m")
    position, force = playback.contact_position[keep], playback.contact_force[keep]
    support = _support(position, force)
    film = {
        "name": model.name,
        "bodies": model.nb,
        "extent": extent,
        "floor": floor,
        "middle": ((low + high) / 2.0).tolist(),
        "cell": 10.0 ** np.round(np.log10(extent) - 1.0),
        "parts": [{"body": p.body, "color": [float(c) for c in p.color], **_mesh(store, p.mesh)} for p in parts],
        "terrain": [_mesh(store, mesh) for mesh in terrain.meshes],
        "grid": terrain.grid,
        "frames": _frames(model),
        "time": store.add("f4", playback.time[keep] - playback.time[0]),
        "poses": store.add("f4", _pose_vectors(X_WB)),
        "com": store.add("f4", focus_of(model, playback.q[keep])),
        "massive": model.total_mass > 0.0,
        "level": store.add("f4", _levels(position, support, floor)),
        "contacts": len(playback.contacts),
        "contactPosition": store.add("f4", np.nan_to_num(position)),
        "contactForce": store.add("f4", force),
        "forceScale": playback.force_scale(extent),
        "pushes": len(playback.pushes),
        "pushArrows": store.add("f4", playback.push_segments(parts, extent)[keep]),
        "support": store.add("u2", support),
        "curves": _curves(store, playback) if len(playback) > 1 else [],
    }
    header = json.dumps(film, allow_nan=False).encode()
    whole = len(header).to_bytes(4, "little") + header
    return gzip.compress(whole + bytes(-len(whole) % 4) + bytes(store.data), 9, mtime=0)


class _Store:
    """Arrays one after another."""

    def __init__(self) -> None:
        self.data = bytearray()

    def add(self, kind: str, array: npt.ArrayLike) -> list[object]:
        """Append an array; returns kind, offset in bytes and number of entries."""
        packed = np.ascontiguousarray(array, dtype=f"<{kind}")
        where = [kind, len(self.data), packed.size]
        self.data += packed.tobytes()
        self.data += bytes(-len(self.data) % 4)
        return list(where)


def _mesh(store: _Store, mesh: IndexedMesh) -> dict[str, object]:
    return {
        "vertices": store.add("f4", mesh.vertices),
        "normals": store.add("i1", np.rint(127.0 * mesh.normals)),
        "faces": store.add("u4", mesh.faces),
    }


def _frames(model: Model) -> list[dict[str, object]]:
    return [
        {"body": model.bodies[frame.body].index, "pose": _pose_vectors(np.asarray(frame.pose)).tolist()}
        for frame in model.frames.values()
        if frame.kind in ("frame", "link")
    ]


def _pose_vectors(X: FloatArray) -> FloatArray:
    """(x, y, z, qw, qx, qy, qz) of poses (..., 4, 4)."""
    return np.concatenate([X[..., :3, 3], quaternion_from_rotation_matrix(X[..., :3, :3])], axis=-1)


def _support(position: FloatArray, force: FloatArray) -> npt.NDArray[np.uint16]:
    """Contacts that are corners of the support polygon, by sample (N, nc), filled up with 65535."""
    corners = np.full(position.shape[:2], _NO_CORNER, dtype=np.uint16)
    for k, (p, f) in enumerate(zip(position, force, strict=True)):
        polygon = support_polygon(p, f)
        for i, corner in enumerate(polygon):
            corners[k, i] = int(np.argmin(np.linalg.norm(p - corner, axis=1)))
    return corners


def _levels(position: FloatArray, support: npt.NDArray[np.uint16], floor: float) -> FloatArray:
    """Height on which the centre of mass is projected, by sample: that of the carrying contacts, else the floor [m]."""
    levels = np.full(len(position), floor)
    for k, row in enumerate(support):
        used = row[row != _NO_CORNER]
        if len(used):
            levels[k] = position[k, used, 2].mean()
    return levels


def _curves(store: _Store, playback: Playback) -> list[dict[str, object]]:
    keep = np.unique(np.linspace(0, len(playback) - 1, PLOT_POINTS).astype(int))
    time = store.add("f4", playback.time[keep] - playback.time[0])
    groups: list[dict[str, object]] = []
    for name, curves in playback.curves.items():
        picked = picked_curves(curves)
        groups.append(
            {
                "name": name,
                "unit": curves.unit,
                "labels": [curves.labels[k] for k in picked],
                "time": time,
                "values": [store.add("f4", curves.values[keep, k]) for k in picked],
            }
        )
    return groups
