"""What contacts remember from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray

if TYPE_CHECKING:
    from tarsus.recording.trajectory import Trajectory


@dataclass(frozen=True)
class ContactState:
    """Memory of all contacts of a batch of robots, changed in place by native steps; world axes.

    Attributes
    ----------
    displacement : ndarray, shape (robots, 3 nc)
        Of the layer between a point and the ground [m]: across the normal the deflection of the spring that sticks,
        along it the compression of a visco-elastic sole.
    force : ndarray, shape (robots, 3 nc)
        Of the last step [N]: solved impulses start from it.
    """

    displacement: FloatArray
    force: FloatArray

    @classmethod
    def at_rest(cls, robots: int, contacts: int) -> ContactState:
        """Nothing is deflected and nothing pressed."""
        return cls(np.zeros((robots, 3 * contacts)), np.zeros((robots, 3 * contacts)))

    def copy(self) -> ContactState:
        """The same memory in arrays of its own."""
        return ContactState(self.displacement.copy(), self.force.copy())

    def resume(self, trajectory: Trajectory) -> None:
        """Take the state at the end of a trajectory that was made with ``resumable=True``.

        The signal "contact_state" holds the displacements; the forces are those of the last sample. In recordings made
        before forces were kept apart, the entries of contacts on ground of the law `LeastConstraint` are forces in
        units of 2^40 N; that law does not read displacements, and the others do not notice ones so small.
        """
        self.displacement[:] = trajectory.signals["contact_state"][-1].reshape(self.displacement.shape)
        count = self.force.shape[-1] // 3  # contacts between bodies are recorded twice, the second time at the end
        self.force[:] = trajectory.contact_force[-1][..., :count, :].reshape(self.force.shape)
