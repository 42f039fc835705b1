"""Integrators that are driven from Python: stiff adaptive ones, and event-driven rigid contact."""

from __future__ import annotations

from tarsus.errors import ArgumentError
from tarsus.simulation.trajectory import Trajectory

OTHERS: tuple[str, ...] = ()
"""Names of integrators beside the native ones."""


def simulate_otherwise(name: str, *arguments: object, **options: object) -> Trajectory:
    """The simulation by an integrator that is not native."""
    raise ArgumentError(f"integrator {name!r} is not there")
