"""The handstand of HRP-2 from its feet and back, as in figs. 3 and 4 of Bouyarmane and Kheddar 2012."""

from __future__ import annotations

import numpy as np

from tarsus.control.stances.sequence import StanceSequence, stance_sequence
from tarsus.control.stances.stance import Change, Move, Place, Release, Stance, first_stance
from tarsus.dynamics.kinematics import frame_pose
from tarsus.model import Model
from tarsus.scenarios.stances.hrp2_contacts import floor, palm, scene, sole
from tarsus.scenarios.stances.hrp2_postures import posture
from tarsus.spatial.pose import pose

HANDS = (0.35, 0.25)
"""Where the hands stand: in front of the middle of the feet, and to each side [m]."""
ROOM = 0.01
"""Left at the edges of soles and hands: the centre of pressure stays this far inside [m]."""
MARGIN = 0.005
"""Between links that do not touch [m]."""
LOAD, TWO_HANDS, ONE_HAND, SHIFT = 0.5, 0.02, 0.1, 0.5
"""Parts of torque limits: on the way, on two hands, on one, and where a hand is loaded or unloaded."""


def handstand(model: Model, *, back: bool = True) -> StanceSequence:
    """Stances from standing to a handstand, one hand lifted and put down again.

    The robot crouches, puts its hands on the floor, leans forward until they carry it, takes its feet off one by one,
    draws up its legs, and stretches. Its weight goes over the right hand, the left one is lifted and comes back.

    Parameters
    ----------
    model : Model
        `ts.robots.hrp2()`, perhaps with other masses.
    back : bool
        Whether it returns to its feet.
    """
    around = scene(model, [floor()])
    return stance_sequence(model, standing(model), changes(model, back), collision=around, margin=MARGIN, load=LOAD)


def standing(model: Model) -> Stance:
    """Both soles on the floor, half-sitting."""
    feet = [sole(side, frame_pose(model, model.reference, f"{side}_sole"), ROOM) for side in "lr"]
    return first_stance(model, model.reference, feet, "standing")


def changes(model: Model, back: bool) -> list[Change]:
    """Contacts one after the other, with postures to stay near to."""
    x, y = HANDS
    hands = {side: palm(side, pose((x, sign * y, 0.0)), ROOM) for side, sign in (("l", 1.0), ("r", -1.0))}
    feet = {contact.frame[0]: contact for contact in standing(model).contacts}
    crouch = posture(
        model, 0.9, (0.0, 0.5), chest=0.6, spread=0.15, hip=-1.8, knee=1.9, ankle=-0.9, shoulder=-1.3, elbow=-0.3
    )
    lean = posture(
        model, 1.6, (x - 0.25, 0.65), chest=0.6, spread=0.15, hip=-1.6, knee=0.8, ankle=-0.5, shoulder=-1.4, elbow=-0.6
    )
    tuck = posture(
        model, 2.2, (x, 0.9), chest=0.6, spread=0.1, hip=-2.0, knee=1.8, ankle=0.0, shoulder=-2.3, elbow=-0.3
    )
    straight = posture(
        model, np.pi, (x, 1.15), spread=0.03, hip=-0.05, knee=0.1, ankle=0.0, shoulder=-np.pi, elbow=-0.1
    )
    up: list[Change] = [
        Move(crouch, "crouch down"),
        Place(hands["r"], crouch, "right hand down"),
        Place(hands["l"], crouch, "left hand down"),
        Move(lean, "lean"),
        Release("r_sole", lean, "right foot off"),
        Release("l_sole", lean, "left foot off"),
        Move(tuck, "tuck"),
        Move(straight, "two hands", TWO_HANDS),
        Release("l_palm", straight, "left hand off", SHIFT),
        Move(straight, "one hand", ONE_HAND),
        Place(hands["l"], straight, "left hand back", SHIFT),
        Move(straight, "two hands again", TWO_HANDS),
    ]
    down: list[Change] = [
        Move(tuck, "tuck again"),
        Place(feet["l"], lean, "left foot down"),
        Place(feet["r"], lean, "right foot down"),
        Move(crouch, "crouch"),
        Release("l_palm", crouch, "left hand up"),
        Release("r_palm", crouch, "right hand up"),
        Move(model.reference, "standing again"),
    ]
    return [*up, *down] if back else up
