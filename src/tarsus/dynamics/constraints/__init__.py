"""Constraints by multipliers: what motions must obey beyond the coordinates of the tree.

Each constraint is an immutable object that names frames or joints of a model and gives, for batches of states, its
violation, its velocity, its Jacobian and its bias (Buschmann 2014 section 3.4.1). `tarsus.constrained_dynamics` turns
them into accelerations and forces, `tarsus.project_position` and `tarsus.project_velocity` remove drift.
"""

from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows
from tarsus.dynamics.constraints.evaluation import constraint_rows
from tarsus.dynamics.constraints.from_model import loop_constraints
from tarsus.dynamics.constraints.joints import Gear, JointCoupling, belt
from tarsus.dynamics.constraints.lock import Lock
from tarsus.dynamics.constraints.loop_joint import LoopJoint, ball, weld
from tarsus.dynamics.constraints.prescribed import PrescribedFrame, PrescribedJoint
from tarsus.dynamics.constraints.rod import Rod
from tarsus.dynamics.constraints.rolling import RollingSphere, RollingWheel

__all__ = [
    "Constraint",
    "ConstraintRows",
    "Gear",
    "JointCoupling",
    "Lock",
    "LoopJoint",
    "PrescribedFrame",
    "PrescribedJoint",
    "Rod",
    "RollingSphere",
    "RollingWheel",
    "ball",
    "belt",
    "constraint_rows",
    "loop_constraints",
    "weld",
]
