"""Loops with several independent joints stay on the branch of their reference, however far they go."""

import numpy as np
import pytest
from loop_models import at, parallel_ankle, rod

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.errors import LoopError
from tarsus.model import Loop

CLOSED = 1e-9
"""[rad] to which angles agree with closed forms; rounding divided by the sine between the rods."""
GROUND, CRANK, ROD = 0.6, 0.5, 0.7
ARM, LINK, WIDTH = 0.05, 0.3, 0.06


def five_bar(base: str = "fixed") -> ts.Model:
    """Two cranks on the ground whose rods meet: two independent joints."""
    b = ts.ModelBuilder("five-bar", base=base).add_link("ground", rod(1.0))  # type: ignore[arg-type]
    for name, length in (("a", CRANK), ("b", ROD), ("d", CRANK), ("c", ROD)):
        b.add_link(name, rod(length))
    b.add_joint("a", "revolute", "ground", "a").add_joint("d", "revolute", "ground", "d", position=(GROUND, 0.0, 0.0))
    b.add_joint("b", "revolute", "a", "b", position=(CRANK, 0.0, 0.0), actuated=False)
    b.add_joint("c", "revolute", "d", "c", position=(CRANK, 0.0, 0.0), actuated=False)
    b.add_loop(Loop("tip", "revolute", "b", "c", at(ROD), at(ROD)))
    b.reference = {"a": 1.8, "d": 1.3, "b": -0.7, "c": 0.7}
    return b.build()


def tip(a: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where the rods meet, above the line between the cranks' ends, and by what square of a height they do."""
    p, q = CRANK * np.exp(1j * a), GROUND + CRANK * np.exp(1j * d)
    half = 0.5 * (q - p)
    square = ROD**2 - np.abs(half) ** 2
    return p + half + 1j * np.sqrt(np.maximum(square, 0.0)) * half / np.abs(half), square


def reachable(start: FloatArray, goal: FloatArray) -> bool:
    """Whether the rods reach each other, and their ends are apart, all along the straight line."""
    share = np.linspace(0.0, 1.0, 400)[:, None]
    a, d = ((1.0 - share) * start + share * goal).T
    apart = np.abs(GROUND + CRANK * np.exp(1j * d) - CRANK * np.exp(1j * a))
    return bool(tip(a, d)[1].min() > 0.01 and apart.min() > 0.05)


def far_five_bars(count: int) -> tuple[ts.Model, FloatArray]:
    model, rng = five_bar(), np.random.default_rng(3)
    assert [name for name, j in model.joints.items() if j.v_index.stop > j.v_index.start] == ["a", "d"]
    start = model.reference
    goals = [goal for goal in start + rng.uniform(-4.0, 4.0, (400, 2)) if reachable(start, goal)]
    assert len(goals) >= count
    return model, np.array(goals[:count])


def test_five_bar_keeps_its_tip_on_the_side_of_the_reference() -> None:
    model, q = far_five_bars(40)
    assert np.abs(q - model.reference).max() > 2.0
    expected, _ = tip(q[:, 0], q[:, 1])
    X = ts.frame_pose(model, q, "b") @ at(ROD)
    np.testing.assert_allclose(X[:, 0, 3] + 1j * X[:, 1, 3], expected, atol=CLOSED)
    for row, goal in zip(q, expected, strict=True):
        one = ts.frame_pose(model, row, "b") @ at(ROD)
        np.testing.assert_allclose(one[0, 3] + 1j * one[1, 3], goal, atol=CLOSED)


def test_rows_do_not_depend_on_their_neighbours() -> None:
    model, q = far_five_bars(40)
    together = model.joint_positions(q)
    for rows in (slice(0, 1), slice(3, 10), slice(39, None, -1)):
        np.testing.assert_array_equal(model.joint_positions(np.ascontiguousarray(q[rows])), together[rows])


def test_five_bar_that_would_have_to_pass_where_it_cannot_reach_is_an_error() -> None:
    model = five_bar()
    with pytest.raises(LoopError, match="loop 'tip' with the joints 'a', 'b', 'd', 'c' cannot be closed"):
        model.joint_positions([np.pi, 0.0])


def motor(foot: FloatArray, side: float) -> float:
    """Angle of the motor on one side at which its rod has its length, for roll and pitch of the foot."""
    (s, t), (c, d) = np.sin(foot), np.cos(foot)
    point = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array([[d, 0, t], [0, 1, 0], [-t, 0, d]])
    x, y, z = point @ [ARM, side, 0.0] - [0.0, side, LINK]
    # |(ARM cos, 0, -ARM sin) - (x, y, z)| = LINK
    m, phase = np.hypot(x, z), np.arctan2(-z, x)
    cosine = (ARM**2 + x * x + y * y + z * z - LINK**2) / (2.0 * ARM * m)
    return float(phase - np.arccos(cosine))


def test_parallel_ankle_takes_the_foot_to_where_its_motors_are() -> None:
    model = parallel_ankle().build()
    tree = parallel_ankle().build(couplings="cut")
    places = tree.joints["ankle"].q_index
    rng = np.random.default_rng(4)
    feet = rng.uniform(-0.4, 0.4, (60, 2))
    q = np.array([[motor(foot, side) for side in (WIDTH, -WIDTH)] for foot in feet])
    order = [model.joints[f"{side}_motor"].q_index.start for side in ("left", "right")]
    states = np.empty_like(q)
    states[:, order] = q
    assert np.abs(q).max() > 0.5
    np.testing.assert_allclose(model.joint_positions(states)[:, places], feet, atol=CLOSED)
    for state, foot in zip(states, feet, strict=True):
        np.testing.assert_allclose(model.joint_positions(state)[places], foot, atol=CLOSED)
