"""What simulations leave: trajectories, recordings in files, curves, energies and signals, and other formats.

`export` is a module here; its function is `tarsus.export`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.recording.curves import Curve, curves_of, select_curves
    from tarsus.recording.energies import ENERGY_SIGNS, total_energy
    from tarsus.recording.files import open_recording, save
    from tarsus.recording.planned import motion_trajectory
    from tarsus.recording.recorded import Recorded
    from tarsus.recording.recorder import Recorder
    from tarsus.recording.signal_log import SignalLog, with_signals
    from tarsus.recording.trajectory import Sample, Trajectory

_HOMES = {
    "ENERGY_SIGNS": "energies",
    "Curve": "curves",
    "Recorded": "recorded",
    "Recorder": "recorder",
    "Sample": "trajectory",
    "SignalLog": "signal_log",
    "Trajectory": "trajectory",
    "curves_of": "curves",
    "motion_trajectory": "planned",
    "open_recording": "files",
    "save": "files",
    "select_curves": "curves",
    "total_energy": "energies",
    "with_signals": "signal_log",
}

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "ENERGY_SIGNS",
    "Curve",
    "Recorded",
    "Recorder",
    "Sample",
    "SignalLog",
    "Trajectory",
    "curves_of",
    "motion_trajectory",
    "open_recording",
    "save",
    "select_curves",
    "total_energy",
    "with_signals",
]
