"""HRP-2 rises from knees and hands to its feet."""

from __future__ import annotations

from tarsus.control.stances.posture import static_posture
from tarsus.control.stances.sequence import StanceSequence, stance_sequence
from tarsus.control.stances.stance import Change, Move, Place, Release, Stance, first_stance
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.stances.hrp2_contacts import TOES, floor, knee, palm, scene, sole, toes
from tarsus.scenarios.stances.hrp2_postures import posture
from tarsus.spatial.pose import pose

KNEES = 0.12
"""Distance of the knees from the middle, as it is where the legs are straight ahead [m]."""
FEET = (-0.22, 0.1045)
"""Where the toes are behind the knees, and to each side [m]."""
HANDS = (0.42, 0.25)
"""Where the hands are at first, in front of the knees, and to each side [m]."""
NEARER = 0.06
"""Where the hands are when the soles come down: in front of where the knees were [m]."""
ROOM, MARGIN, LOAD = 0.01, 0.005, 0.6
"""At the edges of soles and hands [m]; between links [m]; part of torque limits."""
SIDES = (("l", 1.0), ("r", -1.0))


def kneeling(model: Model) -> StanceSequence:
    """Stances from knees, toes and hands on the floor to standing.

    The knees are lifted, the hands come nearer one by one, both feet roll from their toes to their soles, the hands are
    taken up, and the robot stands up.

    Parameters
    ----------
    model : Model
        `ts.robots.hrp2()`, perhaps with other masses.
    """
    around = scene(model, [floor()])
    return stance_sequence(model, on_knees(model), changes(model), collision=around, margin=MARGIN, load=LOAD)


def on_knees(model: Model) -> Stance:
    """Knees, toes and hands on the floor."""
    contacts = [knee(side, pose((0.0, sign * KNEES, 0.0))) for side, sign in SIDES]
    contacts += [toes(side, pose((FEET[0] - TOES, sign * FEET[1], 0.0))) for side, sign in SIDES]
    contacts += [palm(side, pose((HANDS[0], sign * HANDS[1], 0.0)), ROOM) for side, sign in SIDES]
    wish = posture(
        model, 1.2, (0.1, 0.45), chest=0.1, spread=0.1, hip=-1.2, knee=2.2, ankle=-1.0, shoulder=-1.1, elbow=-0.2
    )
    found = static_posture(model, contacts, wish, collision=scene(model, [floor()]), margin=MARGIN, load=LOAD)
    if not found.success:
        raise ArgumentError(f"{model.name!r} finds no posture on knees, toes and hands: {found.reason}")
    return first_stance(model, found.q, contacts, "on knees and hands")


def changes(model: Model) -> list[Change]:
    """Contacts one after the other, with postures to stay near to."""
    x = FEET[0] - TOES  # of soles
    near = {side: palm(side, pose((NEARER, sign * HANDS[1], 0.0)), ROOM) for side, sign in SIDES}
    feet = {side: sole(side, pose((x, sign * FEET[1], 0.0)), ROOM) for side, sign in SIDES}
    bear = posture(
        model, 1.4, (0.0, 0.5), chest=0.2, spread=0.1, hip=-1.7, knee=1.5, ankle=-0.6, shoulder=-1.5, elbow=-0.2
    )
    crouch = posture(
        model, 0.9, (x, 0.5), chest=0.6, spread=0.15, hip=-1.8, knee=1.9, ankle=-0.9, shoulder=-1.3, elbow=-0.3
    )
    standing = model.reference.copy()
    standing[0] += x
    return [
        Release("r_knee", bear, "right knee off"),
        Release("l_knee", bear, "left knee off"),
        Move(bear, "on toes and hands"),
        Release("r_palm", bear, "right hand off"),
        Place(near["r"], bear, "right hand nearer"),
        Place(feet["r"], bear, "right sole down"),
        Place(feet["l"], bear, "left sole down"),
        Release("l_palm", crouch, "left hand off"),
        Place(near["l"], crouch, "left hand nearer"),
        Release("l_palm", crouch, "left hand up"),
        Release("r_palm", crouch, "right hand up"),
        Move(standing, "standing"),
    ]
