"""Compliant ground with friction that is viscous below the cone, Shah et al., section 2.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.contact.laws.numbers import require


@dataclass(frozen=True, slots=True)
class PseudoCoulomb:
    """Voigt element normal to the surface; tangentially a viscous force that is limited by the friction cone.

    The normal force is that of `Compliant`. The tangential force is -min(c_t, mu f_n / |v_t|) v_t: without a spring, a
    point under a tangential load creeps with the speed load / c_t. That is the nature of this law (Shah et al. use it
    "to avoid sliding"); use `Compliant` where feet must stay where they are.

    Attributes
    ----------
    stiffness, damping : float
        Normal, k [N/m], c [N s/m].
    friction : float
        mu.
    viscosity : float
        c_t [N s/m].
    """

    name: ClassVar[str] = "pseudo-coulomb"
    method: ClassVar[str | None] = None

    stiffness: float = 2.0e5
    damping: float = 2.0e3
    friction: float = 0.8
    viscosity: float = 2.0e3

    def __post_init__(self) -> None:
        require(self, positive=("stiffness", "viscosity"), not_negative=("damping", "friction"))
