"""Parts of the energy audit as the native core keeps them, under the names of `tarsus.recording.energies`."""

from __future__ import annotations

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.recording.energies import ENERGY_SIGNS, total_energy

_PARTS = tuple(_native.enumeration("EnergyPart"))
_WORKS = _PARTS[_PARTS.index("ground_balance") :]
"""Sums over time: they belong to the state of a robot."""
PARTS = len(_PARTS)
"""Numbers of the audit of one robot at one moment."""
WORKS = len(_WORKS)
"""Numbers among them that belong to the state: the last ones."""
WORK_GROUND = tuple(_WORKS.index(name) for name in ("ground_balance", "ground_dissipated"))
_WORK_BALANCES = [_WORKS.index(name) for name in ("ground_balance", "joint_balance")]
_WORK_DISSIPATED = [_WORKS.index(name) for name in ("ground_dissipated", "joint_dissipated")]
WORK_EXTERNAL, WORK_IMPACT, WORK_INITIAL = (_WORKS.index(name) for name in ("external", "impact", "initial"))
"""Places among the works of what came from outside, of what impacts took, and of the energy at the start."""


def audit(raw: FloatArray) -> dict[str, FloatArray]:
    """Parts of the audit by name, from the numbers (..., PARTS) of the native core [J].

    What the integrator made of nothing is what kinetic, potential and stored energy have grown by since the start, with
    everything that was dissipated, less the work that was done.
    """
    part = {name: raw[..., i] for i, name in enumerate(_PARTS)}
    with np.errstate(invalid="ignore", over="ignore"):  # a motion that grew without bound
        total = total_energy({name: part[name] for name in ENERGY_SIGNS if name in part})
        part["integration"] = total - part["initial"]
    return {name: part[name] for name in ENERGY_SIGNS}


def begin_audit(work: FloatArray, energy: dict[str, FloatArray]) -> None:
    """Count from the energy at the start: `work` (robots, WORKS) is changed in place."""
    work[:, WORK_INITIAL] = total_energy(energy).ravel()


def take_works(work: FloatArray, before: FloatArray) -> FloatArray:
    """Works (WORKS,) at a moment that comes after the one of `before`: dissipation never falls, as in native steps."""
    work = work.copy()
    work[_WORK_DISSIPATED] = np.maximum(before[_WORK_DISSIPATED], work[_WORK_BALANCES])
    return work


def continued_works(signal: FloatArray, energy: dict[str, FloatArray]) -> FloatArray:
    """Works (robots, WORKS) at the end of a trajectory, from its signal "work" and its energies there, (robots, ...).

    Trajectories made before dissipation was kept by itself have five works: on the ground, of actuators, on joints, of
    wrenches, in impacts. What they call dissipated, which may have fallen, goes on from its last value.
    """
    if signal.shape[-1] == WORKS:
        return signal
    known: dict[str, FloatArray] = {name: np.zeros(len(signal)) for name in _WORKS}
    known |= {name: energy[name].reshape(len(signal)) for name in ENERGY_SIGNS if name in energy}
    known["ground_balance"], known["joint_balance"] = known["ground_dissipated"], known["joint_dissipated"]
    known["initial"] = total_energy({name: known[name] for name in ENERGY_SIGNS if name in known})
    return np.stack([known[name] for name in _WORKS], axis=-1)
