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
    from tarsus.analysis.walking import ankle_limit, recovers_walking, walking_biped, walking_push_start

_HOMES = {
    "Outcome": "sweeps.outcome",
    "PushMap": "push_limits",
    "Sweep": "sweeps.outcome",
    "ankle_limit": "walking",
    "grid": "sweeps.cases",
    "push_limit": "push_limits",
    "push_map": "push_limits",
    "recovers_standing": "standing",
    "recovers_walking": "walking",
    "read_results": "sweeps.results_file",
    "sweep": "sweeps.sweep",
    "walking_biped": "walking",
    "walking_push_start": "walking",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "Outcome",
    "PushMap",
    "Sweep",
    "ankle_limit",
    "grid",
    "push_limit",
    "push_map",
    "read_results",
    "recovers_standing",
    "recovers_walking",
    "sweep",
    "walking_biped",
    "walking_push_start",
]


def __dir__() -> list[str]:
    return sorted(__all__)
