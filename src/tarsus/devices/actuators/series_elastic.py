"""Series elastic actuators."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.devices.actuators.drive import Drive
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class SeriesElasticActuator(Drive):
    """A geared motor that acts on the joint through a spring and controls the spring's torque by its deflection.

    Buschmann 2014 section 4.2, after Pratt and Williamson 1995: force control with high fidelity, for one more degree
    of freedom and less bandwidth. The command is the torque of the spring [N m].

    Attributes
    ----------
    motor : Motor or IdealMotor
        Motor with a current loop, or ideal.
    gear : ElasticGear
        Ratio of the gear before the spring, and the spring itself.
    limits : TorqueSpeedCurve, optional
    force_loop : ForceLoop
    """

    def __post_init__(self) -> None:
        if self.force_loop is None:
            raise ArgumentError("a SeriesElasticActuator needs a force_loop; an elastic gear without it is a Drive")
        Drive.__post_init__(self)
