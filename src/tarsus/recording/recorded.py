"""What those who read trajectories ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from tarsus.arrays import AnyArray, FloatArray
from tarsus.model.model import Model


@runtime_checkable
class Recorded(Protocol):
    """States over time, as a `Trajectory` has them; the sample axis comes first, axes of many simulations second."""

    @property
    def model(self) -> Model:
        """The robot."""

    @property
    def time(self) -> FloatArray:
        """Times of the samples [s], shape (N,)."""

    @property
    def q(self) -> FloatArray:
        """Configurations, shape (N, ..., nq)."""

    @property
    def v(self) -> FloatArray:
        """Velocities, shape (N, ..., nv)."""

    @property
    def tau(self) -> FloatArray:
        """Joint forces [N m or N], shape (N, ..., nv)."""

    @property
    def contacts(self) -> tuple[str, ...]:
        """Names of the contacts."""

    @property
    def contact_position(self) -> FloatArray:
        """Places where contact forces act, world [m], shape (N, ..., nc, 3)."""

    @property
    def contact_force(self) -> FloatArray:
        """Forces on the robot, world axes [N], shape (N, ..., nc, 3)."""

    @property
    def energy(self) -> Mapping[str, FloatArray]:
        """Parts of the energy audit [J], shape (N, ...) each."""

    @property
    def signals(self) -> Mapping[str, AnyArray]:
        """Further quantities by name, shape (N, ...) each."""
