"""One moment of a simulation, to go back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.simulation.constraints import START_VIOLATION
from tarsus.simulation.fingerprint import Fingerprint, motion_difference
from tarsus.simulation.runs.differences import Differences
from tarsus.simulation.runs.state import State
from tarsus.simulation.stepping.command_queue import CommandQueue
from tarsus.simulation.stepping.state_history import StateHistory
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that the next steps of a simulation depend on, to be given back to `Simulation.restore`."""

    step: int
    dt: float
    world: World
    state: State
    failed: npt.NDArray[np.int32]
    failed_time: FloatArray
    law: JointLaw
    differences: Differences
    commands: CommandQueue | None
    history: StateHistory | None
    off: FloatArray | None
    model: Model
    fingerprint: Fingerprint
    motions: FloatArray | None
    fresh: BoolArray

    def problem(
        self,
        dt: float,
        state: State,
        world: World,
        worlds: tuple[World, ...] | None,
        model: Model,
        fingerprint: Fingerprint,
    ) -> str | None:
        """Why a simulation with this step, state and world, or worlds, cannot go on from here; None if it can."""
        if not self.state.fits(state):
            return "model, batch, contacts or constraints differ"
        differs = motion_difference(model, self.model, fingerprint, self.fingerprint)
        if differs is not None:
            return differs
        if self.dt != dt:
            return f"its dt is {self.dt:g} s, here {dt:g} s"
        n = len(state.q)
        theirs, ours = self.differences.worlds or (self.world,) * n, worlds or (world,) * n
        seen = set()
        for i, (there, here) in enumerate(zip(theirs, ours, strict=True)):
            if (there, here) not in seen and (difference := here.difference(there)) is not None:
                return f"robot {i} has {difference}"
            seen.add((there, here))
        return None

    def motion_problem(self, motions: FloatArray | None) -> str | None:
        """Why a simulation whose constraints ask for these motions cannot go on from here; None if it can."""
        if motions is None or self.motions is None:
            return None
        apart = float(np.abs(motions - self.motions).max(initial=0.0))
        return f"motions given by constraints are {apart:.3g} apart at its time" if apart > START_VIOLATION else None
