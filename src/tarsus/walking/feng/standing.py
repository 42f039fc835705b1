"""Standing under pushes with visual lifting and without, Feng et al. 2015: what the lifting is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Rigid, flat
from tarsus.control.observation import Observation
from tarsus.dynamics import frame_pose
from tarsus.simulation.push import Push
from tarsus.simulation.simulate import simulate
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, support_model
from tarsus.walking.feng.found_gait import FENG_LAW
from tarsus.walking.feng.split_stance import split_stance
from tarsus.walking.feng.torques.periodic_torques import PeriodicTorques
from tarsus.walking.feng.torques.visual_lifting import HEAD
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk_step import Means, fall_of

_STANDING_LEAD = -0.12
"""Where the head shall be, before the toe joint [m]: above the ankle."""

LIFTED = replace(
    FENG_LAW,
    lifting=replace(FENG_LAW.lifting, lead=_STANDING_LEAD) if FENG_LAW.lifting is not None else None,
    periodic=PeriodicTorques(0.0, 0.0, 0.0, 1.0),
)
"""The law of the walk without its periodic torques, with the head above the ankles."""
LIMP = replace(LIFTED, lifting=None)
"""The same without visual lifting."""


@dataclass(frozen=True)
class Stand:
    """How a robot stood.

    Attributes
    ----------
    time : float
        How long [s].
    reason : str
        What ended it; empty where nothing did.
    """

    time: float
    reason: str


def stand(
    law: WalkLaw = LIFTED, push: Push | None = None, *, duration: float = 4.0, means: Means | None = None
) -> Stand:
    """Let the robot stand with its feet side by side, perhaps pushed; supports are not exchanged: it does not step.

    For limits of pushes by bisection, hand ``lambda push: not stand(law, push).reason`` to
    `tarsus.analysis.push_limits.push_limit`.
    """
    means, model = means or Means(), support_model("right")
    q, v = split_stance(0.0, 0.0)
    reason = ""

    def controlled(now: Observation) -> FloatArray:
        nonlocal reason
        state = np.asarray(now.q)
        head = np.asarray(frame_pose(model, state, HEAD))
        reason = fall_of(state, head)
        if reason:
            now.stop(reason)
        return law.torque(model, now.t, state, head=head)

    pushes = [] if push is None else [push]
    run = simulate(
        model, q, v, duration=duration, controller=controlled, ground=flat(Rigid(means.friction)),
        contacts=FENG_CONTACTS, dt=means.control_dt, sample_dt=means.sample_dt, relative=means.relative,
        absolute=means.absolute, stops=False, pushes=pushes, progress=False,
    )  # fmt: skip
    if not run.finished:  # Ctrl-C, which `simulate` turns into a shorter run: who stood so far has not stood
        raise KeyboardInterrupt
    return Stand(float(run.time[-1]), reason)
