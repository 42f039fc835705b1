"""A target in the scene that a person drags and the robot follows."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import TarsusError
from tarsus.ik import stance
from tarsus.ik.reaching.follower import Follower
from tarsus.spatial import pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix, rotation_matrix_from_quaternion
from tarsus.tasks import Task
from tarsus.viewer.live.stage import Stage

RATE = 50.0
"""Steps a second."""
SETTLED = 1e-5
"""Largest motion of a freedom in a step [rad, m] with which the robot has arrived."""
FOLLOWED = ("pose", "position")
LEAST_JOINTS = 6
"""Freedoms with which an orientation can be followed."""


class DragPanel:
    """A transform control at a frame, and the thread that lets the robot follow it.

    A robot with a free base stands on its feet, where it has some; without them its base is held.

    Attributes
    ----------
    target : viser handle
        What is dragged.
    follower : Follower
    """

    def __init__(self, server: Any, stage: Stage, q: FloatArray, frame: str) -> None:
        self._stage, self._start, self._frame = stage, np.array(q), frame
        self._keep = standing_tasks(stage, self._start)
        self._lock, self._changed, self._stopped = threading.RLock(), threading.Event(), threading.Event()
        self.follower = Follower(stage.model, frame, self._start, keep=self._keep)
        with server.gui.add_folder("Target"):
            shown = FOLLOWED if stage.model.nv >= LEAST_JOINTS else FOLLOWED[::-1]
            self._followed = server.gui.add_dropdown("Follow", FOLLOWED, initial_value=shown[0])
            self._back = server.gui.add_button("Back to the start")
            self._state = server.gui.add_text(frame, "there", disabled=True)
        self.follower.oriented = shown[0] == "pose"
        X = self.follower.pose
        self.target = server.scene.add_transform_controls(
            "/target",
            scale=0.2 * stage.extent,
            line_width=3.0,
            depth_test=False,
            position=X[:3, 3],
            wxyz=quaternion_from_rotation_matrix(X[:3, :3]),
        )
        self.target.on_update(lambda _: self._changed.set())
        self._followed.on_update(self._choose)
        self._back.on_click(lambda _: self.reset())
        self._thread = threading.Thread(target=self._run, name="tarsus-drag", daemon=True)
        self._thread.start()

    def move(self, X: FloatArray) -> None:
        """Put the target at a pose X_WF, shape (4, 4)."""
        self.target.position, self.target.wxyz = X[:3, 3], quaternion_from_rotation_matrix(X[:3, :3])
        self._changed.set()

    def reset(self) -> None:
        """Robot and target where they were at the start."""
        with self._lock:
            self.follower.q = self._start.copy()
            self.move(self.follower.pose)
            self._stage.show(self.follower.q)

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._changed.set()
        self._thread.join(5.0)

    def _choose(self, _: Any) -> None:
        self.follower.oriented = self._followed.value == "pose"
        self._changed.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._changed.wait()
            self._changed.clear()
            while not self._stopped.wait(1.0 / RATE):
                if self._stepped() <= SETTLED and not self._changed.is_set():
                    break

    def _stepped(self) -> float:
        """One step towards the target; how far the robot moved."""
        wxyz, position = np.array(self.target.wxyz, dtype=float), np.array(self.target.position, dtype=float)
        size = float(np.linalg.norm(wxyz))
        if not (np.isfinite(position).all() and np.isfinite(size) and size > 0.5):
            return 0.0  # what a client sends need not be a pose
        X = pose(position, rotation_matrix_from_quaternion(wxyz / size))
        with self._lock:
            before = self.follower.q
            try:
                after = self.follower.step(X, 1.0 / RATE)
            except TarsusError as error:  # a loop that does not close there
                self._state.value = str(error)
                return 0.0
            self._stage.show(after)
            self._state.value = _told(self.follower.pose, X)
            return float(np.abs(self._stage.model.difference(before, after)).max())


def standing_tasks(stage: Stage, q: FloatArray) -> tuple[Task, ...]:
    """Tasks that keep a robot with a free base on its feet; none where it has no feet, or no free base."""
    if stage.model.base != "free":
        return ()
    try:
        return stance(stage.model, q)
    except TarsusError:
        return ()


def _told(X: FloatArray, target: FloatArray) -> str:
    away = 1000.0 * float(np.linalg.norm(target[:3, 3] - X[:3, 3]))
    return "there" if away < 1.0 else f"{away:.0f} mm away"
