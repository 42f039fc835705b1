"""Contact: what robots touch, what they touch it with, and the laws of the forces between."""

from tarsus.contact import laws
from tarsus.contact.contactors import ContactEdge, Contactor, ContactPoint, Sole, contactors, points
from tarsus.contact.ground import Block, Ground, HeightField, Plane, Surface, flat, slope, stairs
from tarsus.contact.laws import *  # noqa: F403
from tarsus.contact.on_ground import contact_gaps, on_ground
from tarsus.contact.pairs import Pairs
from tarsus.contact.rigid.dynamics import RigidMotion, rigid_dynamics
from tarsus.contact.rigid.extended_newton_euler import ContactingMotion, extended_newton_euler
from tarsus.contact.rigid.impact import RigidImpact, rigid_impact
from tarsus.contact.triangle_mesh import TriangleMesh

__all__ = [
    "Block",
    "ContactEdge",
    "ContactPoint",
    "ContactingMotion",
    "Contactor",
    "Ground",
    "HeightField",
    "Pairs",
    "Plane",
    "RigidImpact",
    "RigidMotion",
    "Sole",
    "Surface",
    "TriangleMesh",
    "contact_gaps",
    "contactors",
    "extended_newton_euler",
    "flat",
    "on_ground",
    "points",
    "rigid_dynamics",
    "rigid_impact",
    "slope",
    "stairs",
]
__all__ += laws.__all__
