"""One moment of a simulation, to go back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.simulation.runs.differences import Differences
from tarsus.simulation.runs.state import State
from tarsus.simulation.stepping.command_queue import CommandQueue
from tarsus.simulation.stepping.state_history import StateHistory


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything that the next steps of a simulation depend on, to be given back to `Simulation.restore`."""

    step: int
    state: State
    failed: npt.NDArray[np.int32]
    failed_time: FloatArray
    law: JointLaw
    differences: Differences
    commands: CommandQueue | None
    history: StateHistory | None
    off: FloatArray | None
