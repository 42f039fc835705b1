"""Arms with six hinges: from data sheets, from papers, and at random."""

import numpy as np

import tarsus as ts
from tarsus.io import DHRow, from_dh

DEGREE = np.pi / 180


def dh_arm(rows, limits=None, **options):
    """An arm from rows (a, alpha, d) of the distal convention, with the frame "tool" at its end."""
    properties = {} if limits is None else {"q_min": limits[0], "q_max": limits[1]}
    kind = "continuous" if limits is None else "revolute"
    inertia = ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    table = [DHRow(a, alpha, d, kind=kind, inertia=inertia, properties=properties) for a, alpha, d in rows]
    builder = from_dh(table, convention="distal", name="arm", **options)
    builder.add_frame("tool", "body6")
    return builder.build()


PUMA_560 = ((0, 90, 0.672), (0.4318, 0, 0), (0.0203, -90, 0.15005), (0, 90, 0.4318), (0, -90, 0), (0, 0, 0.05625))
KUKA_KR6_R900 = ((0.025, -90, 0.4), (0.455, 0, 0), (0.035, -90, 0), (0, 90, -0.42), (0, -90, 0), (0, 180, -0.08))
STAUBLI_TX60 = ((0, -90, 0.32), (0.29, 0, 0), (0, 90, 0.02), (0, -90, 0.31), (0, 90, 0), (0, 0, 0.07))
FANUC_CRX_10IA = ((0, -90, 0.245), (0.54, 180, 0), (0, -90, 0), (0, 90, -0.54), (0, -90, 0.15), (0, 180, -0.16))
"""Lengths from data sheets [m], angles in degrees. The wrist of the last one does not meet in a point."""
MANSEUR_DOTY = ((0.3, 90, 0), (1, 1, 0), (0, 90, 0.2), (1.5, 1, 0), (0, 90, 0), (0, 1, 0))
"""The arm with 16 real solutions of Manseur and Doty 1989."""
MANSEUR_DOTY_POSE = (
    (-0.760117, -0.641689, 0.102262, -1.140175),
    (0.133333, 0.0, 0.991071, 0.0),
    (-0.635959, 0.766965, 0.085558, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)
"""Of its hand, to six digits."""


def in_degrees(rows):
    """Rows with twists in radians."""
    return tuple((a, alpha * DEGREE, d) for a, alpha, d in rows)


def manseur_doty_pose():
    """The nearest pose to the printed digits."""
    X = np.array(MANSEUR_DOTY_POSE)
    X[:3, :3] = ts.spatial.nearest_rotation(X[:3, :3])
    return X


def free_arm(w, o):
    """An arm with unlimited axes through points o (6, 3) in directions w (6, 3), as they lie at q = 0."""
    builder = ts.ModelBuilder("arm")
    builder.add_link("base")
    parent, inertia = "base", ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    before = np.zeros(3)
    for k in range(6):
        builder.add_link(f"body{k + 1}", inertia)
        pose = ts.pose(o[k] - before)
        builder.add_joint(f"joint{k + 1}", "continuous", parent, f"body{k + 1}", pose=pose, axis=w[k])
        parent, before = f"body{k + 1}", o[k]
    builder.add_frame("tool", parent, ts.pose([0.1, -0.2, 0.15]))
    return builder.build()


def random_axes(rng):
    """Directions and points (6, 3) of axes that know nothing of each other."""
    w = rng.normal(size=(6, 3))
    return w / np.linalg.norm(w, axis=-1, keepdims=True), rng.uniform(-0.5, 0.5, (6, 3))


def intersecting(rng, first):
    """An arm of which three axes in a row meet in a point."""
    w, o = random_axes(rng)
    o[first : first + 3] = o[first] + w[first : first + 3] * rng.uniform(-0.3, 0.3, (3, 1))
    return free_arm(w, o)


def parallel(rng, first):
    """An arm of which three axes in a row are parallel, the second the other way round."""
    w, o = random_axes(rng)
    w[first : first + 3] = w[first] * np.array([[1.0], [-1.0], [1.0]])
    return free_arm(w, o)


def special(rng):
    """An arm of right angles and many zeros, without three axes in a row that meet or are parallel by intention."""
    rows = [(rng.choice([0, 0, 0.3]), rng.choice([0, 90, -90]), rng.choice([0, 0, 0.2])) for _ in range(6)]
    return dh_arm(in_degrees(rows))
