"""Laws of contact: a law is one file here, with a file of the same name in native/contact/laws.

Here a law is its parameters, checked, and what they mean; its force, linearisation and energy are native. Every class
has a `name`, that of the native law and of the command line, and a `method`: that by which runs on such ground are
computed instead of by an integrator; None for laws whose force follows from the state, which any integrator can take.
"""

from typing import get_args

from tarsus.contact.laws.compliant import Compliant
from tarsus.contact.laws.least_constraint import LeastConstraint
from tarsus.contact.laws.pseudo_coulomb import PseudoCoulomb
from tarsus.contact.laws.rigid import Rigid
from tarsus.contact.laws.visco_elastic_sole import ViscoElasticSole

__all__ = ["Compliant", "ContactLaw", "LeastConstraint", "PseudoCoulomb", "Rigid", "ViscoElasticSole"]

ContactLaw = Compliant | PseudoCoulomb | ViscoElasticSole | Rigid | LeastConstraint

LAWS: tuple[type[ContactLaw], ...] = get_args(ContactLaw)
"""All of them."""
