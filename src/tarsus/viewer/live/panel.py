"""The controls beside the scene: display, joint sliders, timeline and plots."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.viewer.live.clock import Clock
from tarsus.viewer.live.server import import_viser
from tarsus.viewer.live.sliders import configuration, obstacle, sliders_of
from tarsus.viewer.live.stage import FRAME_CHOICES, Stage
from tarsus.viewer.overlays.overlays import Overlays
from tarsus.viewer.playback import Playback
from tarsus.viewer.plotted import PLOT_POINTS, picked_curves, without_gaps
from tarsus.viewer.volumes.layer import VolumeLayer, add_volume_switches

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
FRAME_RATE = 40.0
"""Pictures a second while playing."""
_PLOT_PERIOD = 0.2
"""Time between moves of the mark in a plot [s]."""
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2")


def add_display(
    server: Any, stage: Stage, volumes: VolumeLayer | None = None, overlays: Overlays | None = None
) -> None:
    """Switches for what is shown."""
    with server.gui.add_folder("Display"):
        frames = server.gui.add_dropdown("Frames", FRAME_CHOICES, initial_value="none")
        names = server.gui.add_checkbox("Frame names", False)
        com = server.gui.add_checkbox("Centre of mass", True)
        transparent = server.gui.add_checkbox("Transparent robot", False)
        shadows = server.gui.add_checkbox("Shadows", True)
        if volumes is not None:
            add_volume_switches(server, volumes)
        forces = server.gui.add_checkbox("Forces", True, visible=stage.contacts > 0)
        support = server.gui.add_checkbox("Support polygon", True, visible=stage.contacts > 0)
        if overlays is not None:
            overlays.add_switches()

    def update(_: Any) -> None:
        stage.show_forces, stage.show_support = forces.value, support.value
        stage.show_com(com.value)
        stage.set_transparent(transparent.value)
        stage.show_frames(frames.value, names=names.value)
        stage.show(stage.q)

    shadows.on_update(lambda _: server.scene.configure_default_lights(cast_shadow=shadows.value))
    for control in (frames, names, com, transparent, forces, support):
        control.on_update(update)


class JointPanel:
    """Sliders that move a model; what loops or limits forbid is told and taken back."""

    def __init__(self, server: Any, stage: Stage, q: FloatArray) -> None:
        self._stage, self._start, self._lock = stage, np.array(q), threading.Lock()
        self._sliders: list[Any] = []
        with server.gui.add_folder("Joints"):
            self._reset = server.gui.add_button("Reset")
            self._message = server.gui.add_text("Refused", "", disabled=True, visible=False, multiline=True)
            for slider in sliders_of(stage.model, self._start):
                low, high = slider.low, max(slider.high, slider.low + 1e-6)
                step = max((high - low) / 1000.0, 1e-9)
                label = f"{slider.label} [{slider.unit}]"
                handle = server.gui.add_slider(label, low, high, step, slider.value, disabled=slider.low >= slider.high)
                self._sliders.append(handle)
        self._values = [float(handle.value) for handle in self._sliders]
        self._initial = list(self._values)
        for handle in self._sliders:
            handle.on_update(self._moved)
        self._reset.on_click(lambda _: self.move(self._initial))

    def _moved(self, event: Any) -> None:
        if event.client_id is not None:  # otherwise it was moved from here
            # What a client sends need not keep to the ends of its sliders.
            wanted = [(float(h.value), h.min, h.max, old) for h, old in zip(self._sliders, self._values, strict=True)]
            self.move([min(max(x, low), high) if math.isfinite(x) else old for x, low, high, old in wanted])

    def move(self, values: list[float]) -> str:
        """Go to slider values; returns what forbids it, and stays, or ""."""
        with self._lock:
            problem = ""
            try:
                q = configuration(self._stage.model, self._start, values)
                problem = obstacle(self._stage.model, q)
            except ArithmeticError as error:
                problem = str(error)
            if not problem:
                self._stage.show(q)
                self._values = list(values)
            self._message.visible, self._message.value = bool(problem), problem
            for handle, value in zip(self._sliders, self._values, strict=True):
                handle.value = value
            return problem


class PlayerPanel:
    """Timeline and plots of a trajectory, and the thread that plays it."""

    def __init__(
        self,
        server: Any,
        stage: Stage,
        playback: Playback,
        simulations: int,
        pick: Callable[[int], Playback],
        speed: float = 1.0,
    ) -> None:
        self._server, self._stage, self._playback, self._pick = server, stage, playback, pick
        self._pushes = playback.push_segments(stage.parts, stage.extent)
        self.clock = Clock(playback.duration)
        self.clock.set_speed(speed, 0.0)
        speeds = tuple(sorted({*SPEEDS, speed}))
        self._stopped = threading.Event()
        self._lock = threading.RLock()
        self._plotted = -np.inf
        self._simulations = simulations
        gui = server.gui
        with gui.add_folder("Time"):
            step = max(playback.duration / 2000.0, 1e-6)
            self._slider = gui.add_slider("Time [s]", 0.0, max(playback.duration, step), step, 0.0)
            self._play = gui.add_button("Play")
            self._speed = gui.add_dropdown("Speed", [f"{s:g}" for s in speeds], initial_value=f"{speed:g}")
            self._repeat = gui.add_checkbox("Repeat", True)
            if simulations > 1:
                choice = gui.add_number("Simulation", 0, min=0, max=simulations - 1, step=1)
                choice.on_update(lambda _: self.choose(int(choice.value)))
        self._slider.on_update(self._scrubbed)
        self._play.on_click(lambda _: self.toggle())
        self._speed.on_update(lambda _: self.clock.set_speed(float(self._speed.value), time.monotonic()))
        self._repeat.on_update(lambda _: setattr(self.clock, "repeat", bool(self._repeat.value)))
        self._plots = PlotPanel(server, playback)
        self.refresh()
        self._thread = threading.Thread(target=self._run, name="tarsus-viewer", daemon=True)
        self._thread.start()

    def toggle(self) -> None:
        """Play or pause."""
        now = time.monotonic()
        with self._lock:
            if self.clock.playing:
                self.clock.pause(now)
            else:
                self.clock.play(now)
            self._play.label = "Pause" if self.clock.playing else "Play"

    def choose(self, simulation: int) -> None:
        """Show another simulation of a batch; the nearest number that there is."""
        with self._lock:
            self._playback = self._pick(min(max(simulation, 0), self._simulations - 1))
            self._stage.force_scale = self._playback.force_scale(self._stage.extent)
            self._pushes = self._playback.push_segments(self._stage.parts, self._stage.extent)
            self._plots.set_playback(self._playback)
            self.refresh()

    def refresh(self) -> None:
        """Show the sample of the present time."""
        with self._lock:
            t, playback = self.clock.time(time.monotonic()), self._playback
            k = playback.index_at(t)
            self._stage.show(playback.q[k], playback.contact_position[k], playback.contact_force[k], self._pushes[k])
            self._slider.value = t
            if not self.clock.playing or time.monotonic() - self._plotted > _PLOT_PERIOD:
                self._plots.mark(t)
                self._plotted = time.monotonic()

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._thread.join(timeout=2.0)

    def _scrubbed(self, event: Any) -> None:
        if event.client_id is not None and math.isfinite(self._slider.value):
            with self._lock:
                self.clock.jump(float(self._slider.value), time.monotonic())
                self.refresh()

    def _run(self) -> None:
        while not self._stopped.wait(1.0 / FRAME_RATE):
            if not self.clock.playing:
                continue
            ended = self.clock.ended(time.monotonic())
            self.refresh()
            if ended:
                self.toggle()


class PlotPanel:
    """One plot of chosen curves, with a mark at the present time."""

    def __init__(self, server: Any, playback: Playback) -> None:
        self._server, self._playback, self._lock = server, playback, threading.RLock()
        self._plot: Any = None
        self._time: FloatArray = np.zeros(0)
        self._columns: list[FloatArray] = []
        self._range = (0.0, 0.0)
        self._folder = server.gui.add_folder("Plot")
        with self._folder:
            self._choice = server.gui.add_dropdown(
                "Signals", tuple(playback.curves), initial_value=next(iter(playback.curves))
            )
            self._filter = server.gui.add_text("Only names with", "")
        self._choice.on_update(lambda _: self._rebuild())
        self._filter.on_update(lambda _: self._rebuild())
        self._rebuild()

    def set_playback(self, playback: Playback) -> None:
        """Plot another simulation of the same batch."""
        self._playback = playback
        self._rebuild()

    def mark(self, t: float) -> None:
        """Move the mark to a time [s] after the first sample."""
        with self._lock:
            if self._plot is not None:
                self._plot.data = (self._time, *self._columns, self._needle(t))

    def _needle(self, t: float) -> FloatArray:
        """Curve that stands up at a time: the plot knows no gaps and no lines of its own."""
        low, high = self._range
        needle = np.full(len(self._time), low)
        needle[int(np.argmin(np.abs(self._time - t)))] = high
        return needle

    def _rebuild(self) -> None:
        with self._lock:  # the thread that plays moves the mark meanwhile
            self._make_plot()

    def _make_plot(self) -> None:
        uplot = import_viser().uplot
        curves = self._playback.curves.get(self._choice.value)
        if curves is None:
            return
        picked = picked_curves(curves, self._filter.value)
        keep = np.unique(np.linspace(0, len(self._playback) - 1, PLOT_POINTS).astype(int))
        self._time = (self._playback.time - self._playback.time[0])[keep]
        self._columns = [without_gaps(curves.values[keep, k]) for k in picked]
        together = np.concatenate([*self._columns, *([np.zeros(1)] if not self._columns else [])])
        self._range = float(together.min()), float(together.max())
        series = [uplot.Series(label="t [s]")]
        for k, color in zip(picked, _COLORS, strict=False):
            series.append(uplot.Series(label=curves.labels[k], stroke=color, width=1.5))
        series.append(uplot.Series(label="now", stroke="#555555", width=1, points={"show": False}))
        if self._plot is not None:
            self._plot.remove()
        with self._folder:
            self._plot = self._server.gui.add_uplot(
                data=(self._time, *self._columns, self._needle(0.0)),
                series=tuple(series),
                title=f"{self._choice.value} [{curves.unit}]" if curves.unit else self._choice.value,
                scales={"x": uplot.Scale(time=False)},
                aspect=1.2,
            )
