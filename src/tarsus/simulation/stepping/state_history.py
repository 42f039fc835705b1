"""States of the last steps, for observations that arrive later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.simulation.runs.state import State


@final
@dataclass(eq=False)
class StateHistory:
    """States by their steps, as far back as the longest delay.

    Attributes
    ----------
    delay : ndarray of int, shape (n,)
        Steps after which what happens to each robot is observed.
    states : dict of int to State
    """

    delay: npt.NDArray[np.int64]
    states: dict[int, State] = field(default_factory=dict)

    def copy(self) -> StateHistory:
        """The same history in arrays of its own."""
        return StateHistory(self.delay.copy(), {step: state.copy() for step, state in self.states.items()})

    @property
    def longest(self) -> int:
        """Longest delay."""
        return int(self.delay.max())

    def add(self, step: int, state: State) -> None:
        """Keep the state at a step."""
        self.states[step] = state.copy()
        for old in [s for s in self.states if s < step - self.longest]:
            del self.states[old]

    def renew(self, chosen: npt.NDArray[np.intp], state: State) -> None:
        """Of these robots nothing is known but the present state."""
        for past in self.states.values():
            past.put(chosen, state.part(chosen))

    def observed(self, step: int, present: State) -> State:
        """What is known of each robot at a step, in one state; the earliest that is known where that is not enough."""
        steps = sorted(s for s in self.states if s < step)
        known = [*(self.states[s] for s in steps), present]
        number = np.searchsorted(np.array([*steps, step]), step - self.delay)
        return present.rows(number, known)
