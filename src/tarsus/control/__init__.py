"""Control: laws that turn states into joint torques."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.control.estimation.base_estimator import BaseEstimator
    from tarsus.control.estimation.noise import EstimatorNoise
    from tarsus.control.estimation.status import EstimateStatus
    from tarsus.control.estimation.support import Support
    from tarsus.control.force_loop import ForceGains
    from tarsus.control.hybrid_force import HybridForce
    from tarsus.control.impedance import Impedance
    from tarsus.control.joint_law import JointLaw, feed_forward, gravity_compensation
    from tarsus.control.observation import Observation
    from tarsus.control.operational_space import OperationalSpace
    from tarsus.control.resolved_acceleration import ResolvedAcceleration
    from tarsus.control.selection import Selection
    from tarsus.control.sequencing.contact_sequence import ContactSequence
    from tarsus.control.sequencing.pace import Pace
    from tarsus.control.sequencing.swing_path import SwingPath
    from tarsus.control.stances.com_region import com_region
    from tarsus.control.stances.contact_search import ContactPlan, search_stances
    from tarsus.control.stances.equilibrium import Equilibrium, static_equilibrium
    from tarsus.control.stances.posture import Posture, static_posture
    from tarsus.control.stances.sequence import StanceSequence, stance_sequence
    from tarsus.control.stances.stance import Move, Place, Release, Stance, first_stance
    from tarsus.control.stances.surface import Limb, Surface
    from tarsus.control.stances.transfer import Transfer, transfer, transfers
    from tarsus.control.whole_body.answer import Command, Commands
    from tarsus.control.whole_body.contact import Contact
    from tarsus.control.whole_body.controller import WholeBodyController
    from tarsus.control.whole_body.fading import Fading
    from tarsus.control.whole_body.position_drives import PositionDrives
    from tarsus.control.whole_body.whole_body import WholeBody

_HOMES = {
    "BaseEstimator": "estimation.base_estimator",
    "Command": "whole_body.answer",
    "Commands": "whole_body.answer",
    "Contact": "whole_body.contact",
    "ContactPlan": "stances.contact_search",
    "ContactSequence": "sequencing.contact_sequence",
    "Equilibrium": "stances.equilibrium",
    "EstimateStatus": "estimation.status",
    "EstimatorNoise": "estimation.noise",
    "Fading": "whole_body.fading",
    "ForceGains": "force_loop",
    "HybridForce": "hybrid_force",
    "Impedance": "impedance",
    "JointLaw": "joint_law",
    "Limb": "stances.surface",
    "Move": "stances.stance",
    "Observation": "observation",
    "OperationalSpace": "operational_space",
    "Pace": "sequencing.pace",
    "Place": "stances.stance",
    "PositionDrives": "whole_body.position_drives",
    "Posture": "stances.posture",
    "Release": "stances.stance",
    "ResolvedAcceleration": "resolved_acceleration",
    "Selection": "selection",
    "Stance": "stances.stance",
    "StanceSequence": "stances.sequence",
    "Surface": "stances.surface",
    "Support": "estimation.support",
    "SwingPath": "sequencing.swing_path",
    "Transfer": "stances.transfer",
    "WholeBody": "whole_body.whole_body",
    "WholeBodyController": "whole_body.controller",
    "com_region": "stances.com_region",
    "feed_forward": "joint_law",
    "first_stance": "stances.stance",
    "gravity_compensation": "joint_law",
    "search_stances": "stances.contact_search",
    "stance_sequence": "stances.sequence",
    "static_equilibrium": "stances.equilibrium",
    "static_posture": "stances.posture",
    "transfer": "stances.transfer",
    "transfers": "stances.transfer",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "BaseEstimator",
    "Command",
    "Commands",
    "Contact",
    "ContactPlan",
    "ContactSequence",
    "Equilibrium",
    "EstimateStatus",
    "EstimatorNoise",
    "Fading",
    "ForceGains",
    "HybridForce",
    "Impedance",
    "JointLaw",
    "Limb",
    "Move",
    "Observation",
    "OperationalSpace",
    "Pace",
    "Place",
    "PositionDrives",
    "Posture",
    "Release",
    "ResolvedAcceleration",
    "Selection",
    "Stance",
    "StanceSequence",
    "Support",
    "Surface",
    "SwingPath",
    "Transfer",
    "WholeBody",
    "WholeBodyController",
    "com_region",
    "feed_forward",
    "first_stance",
    "gravity_compensation",
    "search_stances",
    "stance_sequence",
    "static_equilibrium",
    "static_posture",
    "transfer",
    "transfers",
]


def __dir__() -> list[str]:
    return sorted(__all__)
