"""How the joints of a walk are controlled: by set-points and gains, positions alone, or torques."""

from __future__ import annotations

from typing import Literal, get_args

from tarsus.devices.actuators.driven_joints import Drives
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.swing.landing import Softness
from tarsus.walking.stabilizer.swing.swing_modifier import SwingModifier
from tarsus.walking.walker.gait.gait_choice import CLIK

Control = Literal["position", "force", "torque"]
POSITION: Control = "position"
FORCE: Control = "force"
TORQUE: Control = "torque"
CYCLE: dict[Control, float] = {POSITION: 5e-3, FORCE: 5e-3, TORQUE: 2e-3}
"""Of the controller [s]: torques are held between its calls, where gains are not there to act."""


def require_control(control: Control, method: str) -> None:
    """Refuse names that are none, and methods that are not for torques."""
    if not isinstance(control, str) or control not in get_args(Control):
        names = get_args(Control)
        raise UnknownNameError(
            f"control {control!r} of Walker not found{nearest(str(control), names)}; there are {names}"
        )
    if control == TORQUE and method != CLIK:
        raise ArgumentError(
            f"control is {control!r} and method {method!r}; methods other than {CLIK!r} find motions of "
            "position-controlled joints, and whole-body control finds its own"
        )


def require_torques(
    plan: WalkPlan, swings: SwingModifier | None, drives: Drives | None, landing: Softness | None
) -> None:
    """Refuse what torque-controlled joints do not do, with the reason."""
    if drives is not None:
        raise ArgumentError(
            "drives and control='torque' are given; drives have position loops inside, and follow set-points"
        )
    if landing is not None:
        raise ArgumentError(
            f"landing is {landing!r} with control='torque'; landings are those of position-controlled joints"
        )
    if swings is not None:
        raise ArgumentError(
            "control is 'torque' on a way past obstacles; feet that are led past them have no planned accelerations"
        )
    if plan.feet.pitch.any():
        raise ArgumentError(
            "control is 'torque' and steps are so long that heels rise; contacts of torque-controlled feet are flat. "
            "Expected a lower speed or a shorter step_time"
        )
