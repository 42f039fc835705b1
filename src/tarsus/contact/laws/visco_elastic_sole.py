"""Visco-elastic sole on rigid ground, with a first-order state of its own, Buschmann 2014 section 3.6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.contact.laws.numbers import require


@dataclass(frozen=True, slots=True)
class ViscoElasticSole:
    """A massless visco-elastic layer under the contact points that touches rigid ground.

    The layer's compression u is a state of first order. While the layer touches, u is the depth d of the point below
    the surface and the force is k u + c u'. When that force would pull, the layer lifts off and relaxes by itself,
    k u + c u' = 0, until it meets the ground again: a foot set down twice in a row meets a sole that is still
    compressed. `Compliant` is the same layer without memory in the normal direction. Friction is that of `Compliant`.

    Attributes
    ----------
    stiffness, damping : float
        k [N/m], c [N s/m].
    friction : float
    tangential_stiffness, tangential_damping : float
        [N/m], [N s/m].
    """

    name: ClassVar[str] = "visco-elastic-sole"
    method: ClassVar[str | None] = None

    stiffness: float = 2.0e5
    damping: float = 2.0e3
    friction: float = 0.8
    tangential_stiffness: float = 2.0e5
    tangential_damping: float = 2.0e3

    def __post_init__(self) -> None:
        require(
            self,
            positive=("stiffness", "damping", "tangential_stiffness", "tangential_damping"),
            not_negative=("friction",),
        )
