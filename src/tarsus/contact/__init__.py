"""Contact: what robots touch, what they touch it with, and the laws of the forces between."""

from tarsus.contact.contactors import ContactEdge, Contactor, ContactPoint, Sole, contactors, points
from tarsus.contact.ground import Block, ContactLaw, Ground, HeightField, Plane, Surface, flat, slope, stairs
from tarsus.contact.laws.compliant import Compliant
from tarsus.contact.laws.least_constraint import LeastConstraint
from tarsus.contact.laws.pseudo_coulomb import PseudoCoulomb
from tarsus.contact.laws.rigid import Rigid
from tarsus.contact.laws.visco_elastic_sole import ViscoElasticSole
from tarsus.contact.rigid.dynamics import RigidMotion, rigid_dynamics
from tarsus.contact.rigid.impact import RigidImpact, rigid_impact

__all__ = [
    "Block",
    "Compliant",
    "ContactEdge",
    "ContactLaw",
    "ContactPoint",
    "Contactor",
    "Ground",
    "HeightField",
    "LeastConstraint",
    "Plane",
    "PseudoCoulomb",
    "Rigid",
    "RigidImpact",
    "RigidMotion",
    "Sole",
    "Surface",
    "ViscoElasticSole",
    "contactors",
    "flat",
    "points",
    "rigid_dynamics",
    "rigid_impact",
    "slope",
    "stairs",
]
