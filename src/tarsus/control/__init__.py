"""Control: laws that turn states into joint torques."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.control.force_loop import ForceGains
    from tarsus.control.hybrid_force import HybridForce
    from tarsus.control.impedance import Impedance
    from tarsus.control.joint_law import JointLaw, feed_forward, gravity_compensation
    from tarsus.control.observation import Observation
    from tarsus.control.operational_space import OperationalSpace
    from tarsus.control.resolved_acceleration import ResolvedAcceleration
    from tarsus.control.selection import Selection
    from tarsus.control.stances.com_region import com_region
    from tarsus.control.stances.equilibrium import Equilibrium, static_equilibrium
    from tarsus.control.stances.posture import Posture, static_posture
    from tarsus.control.whole_body.answer import Command, Commands
    from tarsus.control.whole_body.contact import Contact
    from tarsus.control.whole_body.fading import Fading
    from tarsus.control.whole_body.whole_body import WholeBody

_HOMES = {
    "Command": "whole_body.answer",
    "Commands": "whole_body.answer",
    "Contact": "whole_body.contact",
    "Equilibrium": "stances.equilibrium",
    "Fading": "whole_body.fading",
    "ForceGains": "force_loop",
    "HybridForce": "hybrid_force",
    "Impedance": "impedance",
    "JointLaw": "joint_law",
    "Observation": "observation",
    "OperationalSpace": "operational_space",
    "Posture": "stances.posture",
    "ResolvedAcceleration": "resolved_acceleration",
    "Selection": "selection",
    "WholeBody": "whole_body.whole_body",
    "com_region": "stances.com_region",
    "feed_forward": "joint_law",
    "gravity_compensation": "joint_law",
    "static_equilibrium": "stances.equilibrium",
    "static_posture": "stances.posture",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "Command",
    "Commands",
    "Contact",
    "Equilibrium",
    "Fading",
    "ForceGains",
    "HybridForce",
    "Impedance",
    "JointLaw",
    "Observation",
    "OperationalSpace",
    "Posture",
    "ResolvedAcceleration",
    "Selection",
    "WholeBody",
    "com_region",
    "feed_forward",
    "gravity_compensation",
    "static_equilibrium",
    "static_posture",
]


def __dir__() -> list[str]:
    return sorted(__all__)
