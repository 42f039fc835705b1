"""Studies: the same function for many cases, on many cores and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.analysis.push_limits import PushMap, push_limit, push_map
    from tarsus.analysis.standing import recovers_standing
    from tarsus.analysis.sweeps.cases import grid
    from tarsus.analysis.sweeps.outcome import Outcome, Sweep
    from tarsus.analysis.sweeps.results_file import read_results
    from tarsus.analysis.sweeps.sweep import sweep

_HOMES = {
    "Outcome": "sweeps.outcome",
    "PushMap": "push_limits",
    "Sweep": "sweeps.outcome",
    "grid": "sweeps.cases",
    "push_limit": "push_limits",
    "push_map": "push_limits",
    "recovers_standing": "standing",
    "read_results": "sweeps.results_file",
    "sweep": "sweeps.sweep",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "Outcome",
    "PushMap",
    "Sweep",
    "grid",
    "push_limit",
    "push_map",
    "read_results",
    "recovers_standing",
    "sweep",
]


def __dir__() -> list[str]:
    return sorted(__all__)
