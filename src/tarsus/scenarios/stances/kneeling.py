"""HRP-2 rises from knees and hands to its feet."""

from __future__ import annotations

from tarsus.arrays import FloatArray
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
HEIGHT, PITCH = 0.04, 1.0
"""Of the toes above the floor at first [m], and of the soles then, about [rad]."""
HANDS = (0.42, 0.25)
"""Where the hands are at first, in front of the knees, and to each side [m]."""
NEARER = 0.06
"""Where the hands are when the soles come down: in front of where the knees were [m]."""
ROOM, MARGIN, LOAD = 0.01, 0.005, 0.6
"""At the edges of soles and hands [m]; between links [m]; part of torque limits."""
SIDES = (("l", 1.0), ("r", -1.0))


def kneeling(model: Model) -> StanceSequence:
    """Stances from knees and hands on the floor to standing.

    The toes of each foot are put down and its knee is lifted, the hands come nearer one by one, both feet roll from
    their toes to their soles, the hands are taken up, and the robot stands up. Legs with knees and toes on the floor on
    both sides would be held twice across, as their yaw and roll axes meet nothing else.

    Parameters
    ----------
    model : Model
        `ts.robots.hrp2()`, perhaps with other masses.
    """
    around = scene(model, [floor()])
    start = on_knees(model)
    return stance_sequence(model, start, changes(model, start.q), collision=around, margin=MARGIN, load=LOAD)


def on_knees(model: Model) -> Stance:
    """Knees and hands on the floor, toes a little above it."""
    contacts = [knee(side, pose((0.0, sign * KNEES, 0.0))) for side, sign in SIDES]
    contacts += [palm(side, pose((HANDS[0], sign * HANDS[1], 0.0)), ROOM) for side, sign in SIDES]
    idle = [toes(side, (FEET[0], sign * FEET[1], HEIGHT), PITCH).with_force(0.0) for side, sign in SIDES]
    wish = posture(
        model, 1.2, (0.1, 0.45), chest=0.1, spread=0.1, hip=-1.2, knee=2.2, ankle=-1.0, shoulder=-1.1, elbow=-0.2
    )
    found = static_posture(model, [*contacts, *idle], wish, collision=scene(model, [floor()]), margin=MARGIN, load=LOAD)
    if not found.success:
        raise ArgumentError(f"{model.name!r} finds no posture on knees and hands: {found.reason}")
    return first_stance(model, found.q, contacts, "on knees and hands")


def changes(model: Model, start: FloatArray) -> list[Change]:
    """Contacts one after the other from a posture on, with postures to stay near to."""
    x = FEET[0] - TOES  # of soles
    near = {side: palm(side, pose((NEARER, sign * HANDS[1], 0.0)), ROOM) for side, sign in SIDES}
    edges = {side: toes(side, (FEET[0], sign * FEET[1], 0.0), PITCH) for side, sign in SIDES}
    feet = {side: sole(side, pose((x, sign * FEET[1], 0.0)), ROOM) for side, sign in SIDES}
    bear = posture(
        model, 1.4, (0.0, 0.5), chest=0.2, spread=0.1, hip=-1.7, knee=1.5, ankle=-0.6, shoulder=-1.5, elbow=-0.2
    )
    crouch = posture(
        model, 0.9, (x, 0.5), chest=0.6, spread=0.15, hip=-1.8, knee=1.9, ankle=-0.9, shoulder=-1.3, elbow=-0.3
    )
    raised = start.copy()  # toes of the right foot carry, its knee is clear of the floor
    for joint in ("RLEG_JOINT2", "RLEG_JOINT3", "RLEG_JOINT4"):
        place = model.joints[joint].q_index
        raised[place] = bear[place]
    standing = model.reference.copy()
    standing[0] += x
    return [
        Place(edges["r"], None, "right toes down"),
        Release("r_knee", None, "right knee off"),
        Move(raised, "right knee up"),
        Place(edges["l"], None, "left toes down"),
        Release("l_knee", None, "left knee off"),
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
