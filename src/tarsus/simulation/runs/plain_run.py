"""A run that is told in the coordinates of its robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.recording.samples import Samples
from tarsus.simulation.runs.run import Run

if TYPE_CHECKING:
    from tarsus.model import Model


@final
class PlainRun(Run):
    """Robots as they are."""

    @property
    def model(self) -> Model:
        """Of all robots."""
        return self.robots.model

    @property
    def configuration(self) -> FloatArray:
        """Configurations of all robots, shape (*batch, nq); perhaps a view of the state."""
        return self.robots.configuration

    @property
    def velocity(self) -> FloatArray:
        """Velocities of all robots, shape (*batch, nv); a view of the state."""
        return self.robots.velocity

    @property
    def torque(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (*batch, nv); a view of the state."""
        return self.robots.state.tau.reshape(*self.robots.batch, -1)

    def set_torque(self, tau: FloatArray) -> int | None:
        """Apply constant torques from now on, shape (*batch, nv)."""
        return self.robots.set_torque(tau)

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        self.robots.set_law(law)

    def told(self, samples: Samples) -> Samples:
        """Samples as they are."""
        return samples
