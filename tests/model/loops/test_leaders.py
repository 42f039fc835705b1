"""Which joints lead loops, and that parallel robots as people have them are closed wherever `random` puts them."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from loop_models import ball_rod, four_bar, rod
from parallel_robots import cassie_leg_mjcf, delta, five_bar_urdf, planar_leg_mjcf, stewart

import tarsus as ts
from tarsus.errors import LoopError, ModelError
from tarsus.model import Loop
from tarsus.model.assembly import assemble
from tarsus.model.poses import joint_coordinates
from tarsus.spatial import pose, quaternion_from_rotation_vector

pytestmark = pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
CLOSED = 1e-9
"""Distance [m] of frames that a loop ties together."""
LIMIT = 2e-6
"""By which a follower may be beyond its limits [rad or m]: rounding of `random`."""


def leaders(model):
    return [joint.name for joint in model.joints.values() if joint.index and joint.v_index.stop > joint.v_index.start]


@pytest.fixture(scope="module")
def biped(tmp_path_factory):
    path = tmp_path_factory.mktemp("biped") / "biped.xml"
    path.write_text(cassie_leg_mjcf(("left",)))
    return path


def gaps(model, q):
    """Largest distance of what the loops hold together."""
    found = [0.0]
    for loop in model.loops:
        X_A, X_B = (
            ts.frame_pose(model, q, link) @ X for link, X in ((loop.link_a, loop.pose_a), (loop.link_b, loop.pose_b))
        )
        found.append(float(np.abs(X_A[..., :3, 3] - X_B[..., :3, 3]).max()))
    return max(found)


def beyond(model, q):
    """How far a joint is beyond its limits, at most."""
    low, high = (np.concatenate([getattr(j, x) for j in model.joints.values()]) for x in ("q_min", "q_max"))
    tree = model.joint_positions(q)
    return float(np.maximum(low - tree, tree - high).max())


def test_drives_and_leaf_springs_lead_a_biped_and_follow_with_small_slopes(biped):
    model = ts.load(biped)
    assert leaders(model) == [f"left_{x}" for x in ("roll", "pitch", "knee", "shin_spring", "heel_spring", "crank")]
    q = model.random(np.random.default_rng(1), 50)
    assert np.abs(model.coupling_matrix(q)).max(axis=(1, 2)).max() < 5.0
    assert gaps(model, q) < CLOSED and beyond(model, q) < LIMIT


def closing(model):
    """Of fifty places drawn evenly between the limits of the leaders, those in which the loops close."""
    rng = np.random.default_rng(2)
    low, high = np.maximum(model.q_min, -np.pi), np.minimum(model.q_max, np.pi)
    count = 0
    for _ in range(50):
        q = rng.uniform(low, high)
        q[:7] = model.reference[:7]
        try:
            model.coupling_matrix(q)
            count += 1
        except LoopError:
            pass
    return count


@pytest.mark.parametrize(("motors", "springs"), [(True, True), (False, True), (False, False)])
def test_a_passive_rod_does_not_lead_a_leg_whatever_is_known_of_drives_and_springs(motors, springs, tmp_path):
    """Its range is a turn, of which the leaf springs, with ranges of 0.4 and 0.7 rad, allow a little."""
    path = tmp_path / "biped.xml"
    path.write_text(planar_leg_mjcf(motors, springs))
    model, led_by_rods = ts.load(path), ts.load(path, independent=["left_ball", "right_ball"])
    names = ("roll", "pitch", "knee", "shin_spring", "heel_spring", "crank")
    assert leaders(model) == [f"{side}_{x}" for side in ("left", "right") for x in names]
    q = model.random(np.random.default_rng(1), 50)
    assert np.abs(model.coupling_matrix(model.reference)).max() < 1.5
    assert np.abs(model.coupling_matrix(q)).max() < 5.0
    assert gaps(model, q) < CLOSED and beyond(model, q) < LIMIT
    assert closing(model) >= 48 and closing(led_by_rods) <= 20


def test_a_biped_moves_like_mujoco_with_connects(biped):
    """Free fall from rest of the closed tree: MuJoCo's mass matrix, forces and constraints, solved without softness."""
    model = ts.load(biped)
    tree = model.joint_positions(model.reference)
    m = mujoco.MjModel.from_xml_path(str(biped))
    m.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_LIMIT
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(m)
    for joint in model.joints.values():
        if joint.index == 0:
            data.qpos[:7] = model.reference[:7]
            continue
        place = m.joint(joint.name).qposadr[0]
        start = model.coordinates.tree_q_start[joint.index]
        if joint.kind == "universal":  # the ball of the rod
            turns = [
                quaternion_from_rotation_vector(a * x)
                for a, x in ((joint.axis, tree[start]), (joint.axis2, tree[start + 1]))
            ]
            mujoco.mju_mulQuat(data.qpos[place : place + 4], *turns)
        else:
            data.qpos[place] = tree[start]
    mujoco.mj_forward(m, data)
    for k in range(m.neq):
        ends = [data.site_xpos[m.eq_obj1id[k]], data.site_xpos[m.eq_obj2id[k]]]
        np.testing.assert_allclose(*ends, atol=1e-9)
    M, J = np.zeros((m.nv, m.nv)), data.efc_J.reshape(-1, m.nv)
    for column, unit in zip(M, np.eye(m.nv), strict=True):
        mujoco.mj_mulM(m, data, column, unit)
    K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    rhs = np.concatenate([data.qfrc_passive - data.qfrc_bias, np.zeros(len(J))])
    qacc = np.linalg.lstsq(K, rhs, rcond=1e-12)[0][: m.nv]
    vdot = ts.forward_dynamics(model, model.reference, np.zeros(model.nv), np.zeros(model.nv), passive=True)
    for name in leaders(model):
        expected = qacc[m.joint(name).dofadr[0]]
        assert float(vdot[model.joints[name].v_index][0]) == pytest.approx(expected, rel=1e-7, abs=1e-6)


def test_a_rod_that_hardly_moves_does_not_lead():
    """A driven bar, and two passive ones on it of which the first turns by a hundredth only."""
    b = ts.ModelBuilder("slow").add_link("ground")
    b.add_link("slow", rod(10.0)).add_link("one", rod(0.1)).add_link("two", rod(0.1))
    b.add_joint("slow", "revolute", "ground", "slow", position=(-10.0, 0.0, 0.0), actuated=False)
    b.add_joint("one", "revolute", "ground", "one", actuated=False)
    b.add_joint("two", "revolute", "one", "two", position=(0.1, 0.0, 0.0), actuated=False)
    b.add_loop(Loop("tip", "revolute", "two", "slow", pose((0.1, 0, 0)), pose((10.1, 0, 0))))
    b.reference = {"one": 0.9, "two": -1.8}
    model = b.build()
    assert leaders(model) == ["one"]
    asked = [*b.describe().loops]
    led = assemble(replace(b.describe(), loops=(replace(asked[0], independent=("slow",)),)))
    assert (
        np.abs(led.coupling_matrix(led.reference)).max() > 20.0 * np.abs(model.coupling_matrix(model.reference)).max()
    )


def test_a_drive_at_its_dead_point_does_not_lead():
    """Coupler and rocker are in line where it is drawn: the crank turns back there."""
    builder = four_bar((1.0, 0.8, 0.5, 0.9))
    end = np.arccos((1.0 + 0.8**2 - 1.4**2) / 1.6)
    tip = 0.8 * np.array([np.cos(end), np.sin(end)])
    rocker = np.arctan2(tip[1], tip[0] - 1.0)
    builder.reference = {"a": float(end), "b": float(rocker + np.pi - end), "d": float(rocker)}
    model = builder.build()
    assert leaders(model) != ["a"]
    assert np.abs(model.coupling_matrix(model.reference)).max() < 10.0


PARALLEL = {
    "stewart": (lambda: stewart(level=True).build(), 6),
    "stewart drawn open": (lambda: stewart().build(), 6),
    "stewart without limits": (lambda: stewart(stroke=np.inf).build(), 6),
    "delta": (lambda: delta().build(), 3),
}


@pytest.mark.parametrize("robot", PARALLEL)
def test_parallel_robots_are_closed_inside_their_limits_wherever_random_puts_them(robot):
    make, freedom = PARALLEL[robot]
    model = make()
    assert model.nv == freedom and all(model.joints[name].actuated for name in leaders(model))
    q = np.concatenate([model.reference[None], model.random(np.random.default_rng(3), 8)])
    assert gaps(model, q) < CLOSED and beyond(model, q) < LIMIT
    assert np.ptp(q[1:], axis=0).min() > 1e-3  # not all the same


def test_a_stewart_platform_starts_level_where_its_reference_says_so():
    model = stewart(level=True).build()
    np.testing.assert_allclose(model.reference, 0.0, atol=1e-9)
    np.testing.assert_allclose(ts.frame_pose(model, model.reference, "platform"), pose((0.0, 0.0, 0.6)), atol=1e-9)


def test_sliders_of_a_stewart_platform_are_the_distances_of_its_hinges():
    model = stewart().build()
    q = model.random(np.random.default_rng(4))
    home = model.joints["leg0"].pose[2, 3]
    for k in range(6):
        foot = ts.frame_pose(model, q, f"tube{k}")[:3, 3]
        head = ts.frame_pose(model, q, f"rod{k}")[:3, 3]
        assert np.linalg.norm(head - foot) == pytest.approx(home + q[k], abs=1e-9)


@pytest.mark.parametrize("slack", [1e-2, 1e-4, 1e-6])
def test_a_five_bar_near_stretched_has_random_configurations(slack, tmp_path):
    path = tmp_path / "five_bar.urdf"
    path.write_text(five_bar_urdf(2.0 * (0.35 + 0.5) - slack))
    model = ts.load(path, loops=[("left_tip", "right_tip")])
    q = model.random(np.random.default_rng(5), 10)
    assert gaps(model, q) < CLOSED
    stretched = np.sqrt(2.0 * slack)  # the bars leave the straight line by angles of this order
    assert np.ptp(q[:, 0]) > 0.05 * stretched


@pytest.mark.parametrize("quaternion", [[1, 0, 0, 0], (0.9, 0.1, 0.2, 0.1), np.array([2.0, 0.2, 0.4, 0.2])])
def test_a_ball_takes_a_quaternion_as_its_reference(quaternion):
    builder = ball_rod()
    builder.reference = {"turn": 2.5, "ball": quaternion}
    model = builder.build()
    assert model.reference[0] == pytest.approx(2.5)
    assert gaps(model, model.reference) < CLOSED


@pytest.mark.parametrize("value", [0.3, [1.0, 0.0, 0.0]])
def test_a_ball_refuses_anything_else_as_its_reference(value):
    builder = ball_rod()
    builder.reference = {"turn": 2.5, "ball": value}
    with pytest.raises(ModelError, match="'ball' has . numbers; expected 4"):
        builder.build()


def test_a_ball_that_became_a_universal_joint_starts_where_its_quaternion_says(biped):
    rng = np.random.default_rng(6)
    model = ts.load(biped)
    turn = 0.4 * rng.normal(size=3)
    spun = ts.load(biped, reference={"left_ball": quaternion_from_rotation_vector(turn)}, couplings="cut")
    ball = model.joints["left_ball"]
    a, b = joint_coordinates(ball, quaternion_from_rotation_vector(turn))
    line = np.cross(ball.axis, ball.axis2)
    rotation = ts.spatial.rotation_matrix_from_rotation_vector
    np.testing.assert_allclose(
        rotation(ball.axis * a) @ rotation(ball.axis2 * b) @ line, rotation(turn) @ line, atol=1e-12
    )
    assert spun.joints["left_ball"].nq == 4


def test_too_many_leaders_are_refused_with_the_degrees_of_freedom():
    builder = four_bar()
    loop = builder._loops.pop()
    builder.add_loop(replace(loop, independent=("a", "d")))
    with pytest.raises(LoopError, match="has 1 degree of freedom, and cannot be led by 'a', 'd'"):
        builder.build()


def test_stops_hold_the_followers_of_several_leaders(tmp_path):
    """A five-bar falls onto the limit of an elbow, which follows both shoulders."""
    path = tmp_path / "five_bar.urdf"
    path.write_text(five_bar_urdf())
    reference = {"left_shoulder": 2.0, "right_shoulder": 1.1, "left_elbow": -1.0, "right_elbow": 1.0}
    free = ts.load(path, loops=[("left_tip", "right_tip")], reference=reference)
    start = float(free.joint_positions(free.reference)[1])
    joints = tuple(
        replace(j, kind="revolute", q_min=start - 0.1, q_max=start + 0.1) if j.name == "left_elbow" else j
        for j in free.description.joints
    )
    model = assemble(replace(free.description, joints=joints))
    moved, held = (ts.simulate(x, duration=0.3) for x in (free, model))
    assert np.abs(free.joint_positions(moved.q)[:, 1] - start).max() > 0.2
    assert np.abs(model.joint_positions(held.q)[:, 1] - start).max() < 0.12
