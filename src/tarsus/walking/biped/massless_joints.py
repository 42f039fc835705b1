"""Joints that move nothing that has a mass, such as those of drawn fingers: any torque would throw them."""

from __future__ import annotations

import numpy as np

from tarsus.dynamics import mass_matrix
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS

NOTHING = 1e-12
"""Inertia up to which a joint moves nothing, beside that of the whole robot about its base."""


def without_massless_joints(model: Model) -> tuple[Model, tuple[str, ...]]:
    """The model with these joints, and those that follow them alone, fixed where the reference pose has them.

    Returns
    -------
    model : Model
    joints : tuple of str
        Of them, those that move by themselves.
    """
    M = np.diag(mass_matrix(model, model.reference))
    least = NOTHING * float(M[3:6].max())
    names = [
        joint.name
        for joint in model.joints.values()
        if joint.kind in ONE_AXIS and joint.v_index.stop > joint.v_index.start and M[joint.v_index.start] <= least
    ]
    if not names:
        return model, ()
    held = {name: float(model.reference[model.joints[name].q_index.start]) for name in names}
    followers = {
        coupling.joint: coupling.offset + sum(ratio * held[name] for name, ratio in coupling.terms)
        for coupling in model.description.couplings
        if all(name in held for name, _ in coupling.terms)
    }
    return model.locked({**held, **followers}), tuple(names)
