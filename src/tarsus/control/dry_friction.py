"""What controllers that command torques are not told: dry friction of joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.model import Model
from tarsus.model.assembly import assemble


def without_dry_friction(model: Model) -> Model:
    """The model without dry friction of its joints.

    A controller that counts on friction takes it for a force against the motion, however slow that is: a joint at rest,
    which friction holds, looks as if it were pushed. So it is not told.
    """
    if not any(np.any(np.asarray(joint.friction)) for joint in model.joints.values()):
        return model
    joints = tuple(replace(joint, friction=0.0) for joint in model.description.joints)
    return assemble(replace(model.description, joints=joints), couplings=model.coupling_mode)
