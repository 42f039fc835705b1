"""Compliant ground: a spring and a damper normal to the surface, Coulomb friction with a spring that sticks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.contact.laws.numbers import require


@dataclass(frozen=True, slots=True)
class Compliant:
    """Voigt element normal to the surface and Coulomb friction with a tangential stick spring, at every contact point.

    With the depth d of a point below the surface and its speed d', the normal force is max(0, k d + c d'): the ground
    never pulls. Tangentially a massless element with the deflection xi carries f = -k_t xi - c_t xi'. While that force
    is inside the friction cone the point sticks, xi' is its tangential velocity; otherwise the force stays on the cone,
    opposite to the deflection, and xi' follows from the force. Nothing creeps: a point that carries a constant force
    inside the cone comes to rest.

    Attributes
    ----------
    stiffness, damping : float
        k [N/m], c [N s/m].
    friction : float
        Coefficient of Coulomb friction.
    tangential_stiffness, tangential_damping : float
        k_t [N/m], c_t [N s/m].
    """

    name: ClassVar[str] = "compliant"
    method: ClassVar[str | None] = None

    stiffness: float = 2.0e5
    damping: float = 1.0e4
    friction: float = 0.8
    tangential_stiffness: float = 2.0e5
    tangential_damping: float = 2.0e3

    def __post_init__(self) -> None:
        require(
            self,
            positive=("stiffness", "tangential_stiffness", "tangential_damping"),
            not_negative=("damping", "friction"),
        )
