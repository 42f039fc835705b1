"""Parts of the energy audit as the native core keeps them, under the names of `tarsus.recording.energies`."""

from __future__ import annotations

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.recording.energies import ENERGY_SIGNS

_PARTS = tuple(_native.enumeration("EnergyPart"))
_WORKS = _PARTS[_PARTS.index("ground_work") :]
"""Sums over time: they belong to the state of a robot."""
PARTS = len(_PARTS)
"""Numbers of the audit of one robot at one moment."""
WORKS = len(_WORKS)
"""Numbers among them that belong to the state: the last ones."""
WORK_GROUND, WORK_JOINT, WORK_IMPACT = (_WORKS.index(name) for name in ("ground_work", "joint_work", "impact"))
"""Places among the works of what was done on the ground and on the joints, and of what impacts took."""


def audit(raw: FloatArray) -> dict[str, FloatArray]:
    """Parts of the audit by name, from the numbers (..., PARTS) of the native core [J].

    What was done on the ground and on the springs of joints is stored there or dissipated.
    """
    part = {name: raw[..., i] for i, name in enumerate(_PARTS)}
    part["ground_dissipated"] = part["ground_work"] - part["ground_stored"]
    part["joint_dissipated"] = part["joint_work"] - part["joint_stored"]
    return {name: part[name] for name in ENERGY_SIGNS}


def begin_audit(work: FloatArray, energy: dict[str, FloatArray]) -> None:
    """Count energy that springs hold at the start as work done on them: `work` (robots, WORKS) is changed in place."""
    work[:, WORK_GROUND] = energy["ground_stored"].ravel()
    work[:, WORK_JOINT] = energy["joint_stored"].ravel()
