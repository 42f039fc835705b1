"""All solutions of six-axis arms: closed forms, general arms, limits, batches, and what is refused."""

import numpy as np
import pinocchio as pin
import pytest
from robot_data import robot_data_path
from six_axis_arms import (
    FANUC_CRX_10IA,
    KUKA_KR6_R900,
    MANSEUR_DOTY,
    PUMA_560,
    STAUBLI_TX60,
    dh_arm,
    free_arm,
    in_degrees,
    intersecting,
    manseur_doty_pose,
    parallel,
    random_axes,
)

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError

PROVEN = 1e-9
"""What is promised of every solution [m, rad]."""
FOUND = 1e-6
"""Difference of angles [rad] up to which a configuration counts as found: arms near singularities decide them less."""

DATA_SHEETS = {
    "puma": (PUMA_560, "closed form: axes 4, 5, 6 meet in a point", 8),
    "kuka": (KUKA_KR6_R900, "closed form: axes 4, 5, 6 meet in a point", 8),
    "staubli": (STAUBLI_TX60, "closed form: axes 4, 5, 6 meet in a point", 8),
    "fanuc": (FANUC_CRX_10IA, "general arm: elimination", 16),
}


def ur(name="ur5"):
    return ts.load(robot_data_path(f"ur_description/urdf/{name}_robot.urdf"))


def turns_apart(q1, q2):
    """Largest difference of angles without whole turns."""
    return np.abs(np.angle(np.exp(1j * (np.asarray(q1) - np.asarray(q2))))).max(axis=-1)


def assert_solutions(model, frame, X, answer, q, inside=True):
    """Every solution is one, no two are the same, and q is among them."""
    X, q = X.reshape(-1, 4, 4), q.reshape(-1, model.nq)
    for k, (found, own) in enumerate(
        zip(answer.q.reshape(len(X), -1, model.nq), answer.found.reshape(len(X), answer.found.shape[-1]), strict=True)
    ):
        mine = found[own]
        reached = ts.frame_pose(model, mine, frame)
        assert np.abs(reached - X[k]).max() < PROVEN
        assert turns_apart(mine, q[k]).min() < FOUND
        if inside:
            assert (mine >= model.q_min).all()
            assert (mine <= model.q_max).all()
        for i in range(len(mine)):
            assert all(turns_apart(mine[i], mine[j]) > 1e-5 for j in range(i))


@pytest.mark.parametrize("name", ["ur3", "ur5", "ur10"])
def test_every_configuration_of_an_arm_with_parallel_axes_is_among_the_solutions_of_its_pose(name):
    model = ur(name)
    q = model.random(np.random.default_rng(1), (50,))
    X = ts.frame_pose(model, q, "ee_link")
    answer = ts.ik.branches(model, "ee_link", X)
    assert answer.method == "closed form: axes 2, 3, 4 are parallel"
    assert answer.complete.all()
    assert (answer.status == "solved").all()
    assert answer.count.max() == 8
    assert_solutions(model, "ee_link", X, answer, q)


@pytest.mark.parametrize("name", DATA_SHEETS)
def test_every_configuration_of_an_industrial_arm_is_among_the_solutions_of_its_pose(name):
    rows, method, most = DATA_SHEETS[name]
    model = dh_arm(in_degrees(rows))
    q = model.random(np.random.default_rng(2), (30,))
    X = ts.frame_pose(model, q, "tool")
    answer = ts.ik.branches(model, "tool", X)
    assert answer.method == method
    assert answer.complete.all()
    assert answer.count.max() <= most
    assert answer.count.min() >= 2
    assert_solutions(model, "tool", X, answer, q)


@pytest.mark.parametrize("kind", [intersecting, parallel])
@pytest.mark.parametrize("first", range(4))
def test_every_configuration_is_found_wherever_the_three_axes_are(kind, first):
    rng = np.random.default_rng(10 * first)
    for _ in range(8):
        model = kind(rng, first)
        q = model.random(rng, (5,))
        X = ts.frame_pose(model, q, "tool")
        answer = ts.ik.branches(model, "tool", X, model.random(rng))
        assert answer.method.startswith(f"closed form: axes {first + 1},")
        assert answer.count.max() <= 8
        assert_solutions(model, "tool", X, answer, q)


def test_another_program_brings_a_ur5_to_the_same_place_with_all_eight_solutions():
    path = robot_data_path("ur_description/urdf/ur5_robot.urdf")
    model = ts.load(path)
    X = ts.frame_pose(model, [0.4, -1.2, 1.5, -0.7, 1.1, 0.3], "ee_link")
    answer = ts.ik.branches(model, "ee_link", X)
    assert answer.count == 8
    other = pin.buildModelFromUrdf(str(path))
    data = other.createData()
    for q in answer.q:
        pin.framesForwardKinematics(other, data, q)
        assert np.abs(data.oMf[other.getFrameId("ee_link")].homogeneous - X).max() < PROVEN


def test_the_arm_of_manseur_and_doty_has_sixteen_solutions():
    model = dh_arm(in_degrees(MANSEUR_DOTY))
    X = manseur_doty_pose()
    answer = ts.ik.branches(model, "tool", X)
    assert answer.count == 16
    assert answer.complete
    assert answer.found.all()
    assert_solutions(model, "tool", X, answer, answer.q[7])


def test_no_search_from_random_starts_finds_what_is_not_listed():
    rng = np.random.default_rng(3)
    more = 0
    for _ in range(10):
        model = free_arm(*random_axes(rng))
        q = model.random(rng)
        X = ts.frame_pose(model, q, "tool")
        answer = ts.ik.branches(model, "tool", X)
        assert answer.method == "general arm: elimination"
        assert answer.complete
        assert_solutions(model, "tool", X, answer, q)
        search = ts.ik.solve(model, ts.tasks.FramePose("tool", X), model.random(rng, (150,)), starts=1)
        met = search.q[search.success]
        assert len(met) > 0
        assert max(turns_apart(answer.q, one).min() for one in met) < 1e-4
        more += answer.count > 2
    assert more > 3  # the arms would not tell otherwise


def test_arms_that_are_special_only_nearly_are_solved_as_general_ones():
    """The file of this leg rounds right angles."""
    model = ts.load(robot_data_path("g1_description/urdf/g1_29dof_rev_1_0.urdf"))
    frame = "left_ankle_roll_link"
    six = [name for name in model.joints if name.startswith(("left_hip", "left_knee", "left_ankle"))]
    q = np.tile(model.reference, (10, 1))
    drawn = model.random(np.random.default_rng(4), (10,))
    for name in six:
        q[:, model.joints[name].q_index] = drawn[:, model.joints[name].q_index]
    X = ts.frame_pose(model, q, frame)
    answer = ts.ik.branches(model, frame, X)
    assert answer.method == "general arm: elimination"
    assert_solutions(model, frame, X, answer, q)


def test_a_leg_that_is_nearly_straight_between_nearly_parallel_axes_is_found():
    """Knee and ankle are parallel to 4e-6 rad, and the knee is bent by less than 0.01 rad: four roots almost meet."""
    model = ts.load(robot_data_path("icub_description/robots/icub.urdf"), strict=False)
    knee = model.joints["l_knee"].q_index
    q = np.tile(model.reference, (200, 1))
    rng = np.random.default_rng(5)
    drawn = model.random(rng, (200,))
    for name in ("l_hip_pitch", "l_hip_roll", "l_hip_yaw", "l_knee", "l_ankle_pitch", "l_ankle_roll"):
        q[:, model.joints[name].q_index] = drawn[:, model.joints[name].q_index]
    q[:, knee] = -rng.uniform(1e-4, 1e-2, (200, 1))
    X = ts.frame_pose(model, q, "l_ankle_2")
    answer = ts.ik.branches(model, "l_ankle_2", X)
    assert answer.method == "closed form: axes 1, 2, 3 meet in a point"
    assert_solutions(model, "l_ankle_2", X, answer, q, inside=False)


def test_legs_of_a_robot_that_stands_somewhere_are_arms_as_well():
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    rng = np.random.default_rng(6)
    q0 = model.random(rng)
    q = np.tile(q0, (10, 1))
    drawn = model.random(rng, (10,))
    for k in range(1, 7):
        index = model.joints[f"leg_left_{k}_joint"].q_index
        q[:, index] = drawn[:, index]
    X = ts.frame_pose(model, q, "left_sole_link")
    answer = ts.ik.branches(model, "left_sole_link", X, q0)
    assert answer.method == "closed form: axes 1, 2, 3 meet in a point"
    for k in range(10):
        mine = answer.q[k][answer.found[k]]
        assert np.abs(ts.frame_pose(model, mine, "left_sole_link") - X[k]).max() < PROVEN
        assert np.abs(mine - q[k]).max(axis=-1).min() < FOUND
        legs = [model.joints[f"leg_left_{i}_joint"].q_index.start for i in range(1, 7)]
        kept = np.delete(mine, legs, axis=1) - np.delete(q0, legs)
        assert np.abs(kept).max() < 1e-15  # the quaternion was normalised


def test_of_seven_joints_six_move_and_one_keeps_its_place():
    model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    six = [f"panda_joint{k}" for k in (1, 2, 4, 5, 6, 7)]
    q = model.random(np.random.default_rng(7))
    X = ts.frame_pose(model, q, "panda_hand")
    answer = ts.ik.branches(model, "panda_hand", X, q, joints=six)
    assert answer.complete
    assert_solutions(model, "panda_hand", X, answer, q)
    third = model.joints["panda_joint3"].q_index
    assert (answer.q[:, third] == q[third]).all()
    with pytest.raises(ArgumentError, match=r"moved by 7 joints: 'panda_joint1' \(revolute\).*joints="):
        ts.ik.branches(model, "panda_hand", X)


def test_axes_of_a_wrist_in_line_give_infinitely_many():
    model = dh_arm(in_degrees(PUMA_560))
    q = np.array([0.3, 0.4, -1.2, 0.7, 0.0, 0.2])
    X = ts.frame_pose(model, q, "tool")
    answer = ts.ik.branches(model, "tool", X)
    assert answer.status == "infinite"
    assert not answer.complete
    assert answer.count >= 1
    assert np.abs(ts.frame_pose(model, answer.q, "tool") - X).max() < PROVEN


def test_a_wrist_above_the_shoulder_gives_infinitely_many():
    """The wrist of an arm without offset is on axis 1, which may turn."""
    model = dh_arm(in_degrees(((0, 90, 0.4), (0.4, 0, 0), (0, 90, 0), (0, -90, 0.4), (0, 90, 0), (0, 0, 0.1))))
    bend = 1.0
    q = np.array([0.2, np.pi / 2 - bend / 2, bend + np.pi / 2, 0.3, 0.8, -0.4])
    X = ts.frame_pose(model, q, "tool")
    assert np.abs(X[:2, 3] - 0.1 * X[:2, 2]).max() < 1e-12  # the wrist is where it should be
    answer = ts.ik.branches(model, "tool", X)
    assert answer.status == "infinite"
    assert np.abs(ts.frame_pose(model, answer.q, "tool") - X).max() < PROVEN


def test_a_general_arm_that_may_move_without_its_hand_is_told():
    """Folded, axes 1, 2 and 4 of this arm meet in a point: eight postures are alone, and one is of a motion."""
    model = dh_arm(in_degrees(FANUC_CRX_10IA))
    q = np.array([-1.74672223, 2.39339882, -np.pi / 2, 1.67244337, -2.0045517, -0.69023055])
    X = ts.frame_pose(model, q, "tool")
    assert np.linalg.svd(ts.jacobian(model, q, "tool"), compute_uv=False)[-1] < 1e-12
    answer = ts.ik.branches(model, "tool", X)
    assert answer.status == "infinite"
    assert not answer.complete
    assert answer.count > 8
    assert np.abs(ts.frame_pose(model, answer.q, "tool") - X).max() < PROVEN


def test_an_arm_that_can_only_do_too_much_or_nothing_is_told():
    """Three axes meet at the shoulder and three at the wrist, whose distance never changes."""
    rng = np.random.default_rng(8)
    w, o = random_axes(rng)
    o[:3], o[3:] = o[0], o[3]
    model = free_arm(w, o)
    X = ts.frame_pose(model, model.random(rng, (5,)), "tool")
    answer = ts.ik.branches(model, "tool", X)
    assert (answer.status == "infinite").all()
    assert answer.count.min() >= 1
    X[:, :3, 3] += 0.01
    assert set(ts.ik.branches(model, "tool", X).status) == {"out of reach"}


@pytest.mark.parametrize("model", [ur(), dh_arm(in_degrees(PUMA_560)), dh_arm(in_degrees(FANUC_CRX_10IA))])
def test_poses_out_of_reach_have_no_solution(model):
    frame = "ee_link" if "ee_link" in model.frames else "tool"
    answer = ts.ik.branches(model, frame, ts.pose([5.0, 0, 0]))
    assert (answer.status, answer.count, answer.complete) == ("out of reach", 0, True)
    assert answer.q.shape == (0, 6)


def test_a_stretched_elbow_is_one_solution_not_two():
    model = ur()
    q = np.array([0.4, -1.2, 0.0, -0.7, 1.1, 0.3])
    X = ts.frame_pose(model, q, "ee_link")
    answer = ts.ik.branches(model, "ee_link", X)
    assert answer.status == "solved"
    assert turns_apart(answer.q, q).min() < 1e-5
    assert np.sum(turns_apart(answer.q, q) < 0.1) == 1


@pytest.mark.parametrize(
    "q",
    [
        [2.8207963, -0.25104379, 1.61935809, -0.01619368, 0.18417373, 1.79564452],
        [-0.1837415, 1.1574297, 1.6186397, 0.6500427, -0.7526993, -1.48777],
    ],
)
def test_four_solutions_that_almost_meet_are_told_apart(q):
    """Elbow nearly stretched and wrist nearly above the shoulder: solutions in groups a few 1e-3 rad wide."""
    model = dh_arm(in_degrees(PUMA_560))
    X = ts.frame_pose(model, q, "tool")
    assert np.linalg.svd(ts.jacobian(model, q, "tool"), compute_uv=False)[-1] < 1e-5
    answer = ts.ik.branches(model, "tool", X)
    assert (answer.status, answer.count, answer.complete) == ("solved", 8, True)
    assert_solutions(model, "tool", X, answer, np.array(q))


@pytest.mark.long
@pytest.mark.parametrize("rows", [PUMA_560, KUKA_KR6_R900, STAUBLI_TX60])
def test_no_configuration_of_thousands_is_missed(rows):
    model = dh_arm(in_degrees(rows))
    q = model.random(np.random.default_rng(11), (4000,))
    answer = ts.ik.branches(model, "tool", ts.frame_pose(model, q, "tool"))
    own = np.where(answer.found, turns_apart(answer.q, q[:, None]), np.inf).min(axis=-1)
    assert own.max() < FOUND
    assert answer.complete.all()


def test_limits_leave_out_what_is_beyond_them():
    free = dh_arm(in_degrees(PUMA_560))
    tight = dh_arm(in_degrees(PUMA_560), limits=(-1.5, 1.5))
    q = np.array([0.3, 0.4, -1.2, 0.7, 0.9, 0.2])
    X = ts.frame_pose(free, q, "tool")
    everything = ts.ik.branches(free, "tool", X)
    inside = ts.ik.branches(tight, "tool", X)
    flagged = ts.ik.branches(tight, "tool", X, limits=False)
    expected = [one for one in everything.q if np.abs(np.angle(np.exp(1j * one))).max() <= 1.5]
    assert 1 <= len(expected) < everything.count
    assert inside.count == len(expected)
    assert inside.within.all()
    assert flagged.count == everything.count
    assert np.count_nonzero(flagged.within) == len(expected)
    assert np.abs(np.sort(flagged.q[flagged.within], axis=0) - np.sort(inside.q, axis=0)).max() < 1e-12
    none = ts.ik.branches(dh_arm(in_degrees(PUMA_560), limits=(-0.1, 0.1)), "tool", X)
    assert (none.status, none.count) == ("out of limits", 0)


def test_angles_are_brought_into_limits_by_whole_turns_the_nearest_to_the_start_first():
    q = np.array([0.3, 0.4, -1.2, 0.7, 0.9, 0.2])
    far = dh_arm(in_degrees(PUMA_560), limits=(np.pi, 3 * np.pi))
    X = ts.frame_pose(far, q, "tool")
    answer = ts.ik.branches(far, "tool", X)
    assert answer.count == 8
    assert answer.q.min() >= np.pi
    assert answer.q.max() <= 3 * np.pi
    wide = dh_arm(in_degrees(PUMA_560), limits=(-2 * np.pi, 2 * np.pi))
    start = np.full(6, 4.0)
    near = ts.ik.branches(wide, "tool", X, start)
    for angle, middle in zip(near.q.T, start, strict=True):
        images = angle[:, None] + 2 * np.pi * np.arange(-2, 3)
        allowed = np.where(np.abs(images) <= 2 * np.pi, np.abs(images - middle), np.inf)
        assert np.allclose(np.abs(angle - middle), allowed.min(axis=1))
    distance = np.linalg.norm(near.q - start, axis=-1)
    assert (np.diff(distance) >= 0).all()


def test_a_pose_from_a_joint_at_its_limit_is_found():
    model = dh_arm(in_degrees(PUMA_560), limits=(-2.0, 2.0))
    q = np.array([2.0, -0.4, 1.2, -2.0, 0.9, 0.2])
    answer = ts.ik.branches(model, "tool", ts.frame_pose(model, q, "tool"))
    assert turns_apart(answer.q, q).min() < FOUND
    assert answer.q.max() <= 2.0


@pytest.mark.parametrize("rows", [PUMA_560, FANUC_CRX_10IA])
def test_batches_equal_single_poses(rows):
    model = dh_arm(in_degrees(rows))
    X = ts.frame_pose(model, model.random(np.random.default_rng(9), (2, 3)), "tool")
    X[1, 2, :3, 3] += 9.0
    answer = ts.ik.branches(model, "tool", X)
    assert answer.q.shape == (2, 3, answer.count.max(), 6)
    assert answer.status[1, 2] == "out of reach"
    assert np.array_equal(answer.found.sum(axis=-1), answer.count)
    for k in np.ndindex(2, 3):
        one = ts.ik.branches(model, "tool", X[k])
        assert one.count == answer.count[k]
        assert one.status == answer.status[k]
        assert np.abs(one.q - answer.q[k][answer.found[k]]).max(initial=0.0) < FOUND
        assert np.isfinite(answer.q[k]).all()


def test_batches_may_be_empty():
    answer = ts.ik.branches(ur(), "ee_link", np.zeros((0, 4, 4)))
    assert answer.q.shape == (0, 0, 6)
    assert answer.count.shape == (0,)


def test_arms_of_any_size_and_anywhere_are_the_same():
    rows = in_degrees(PUMA_560)
    q = np.array([0.3, 0.4, -1.2, 0.7, 0.9, 0.2])
    for factor in (1e-3, 1.0, 1e3):
        model = dh_arm([(factor * a, alpha, factor * d) for a, alpha, d in rows])
        answer = ts.ik.branches(model, "tool", ts.frame_pose(model, q, "tool"))
        assert answer.count == 8
        assert turns_apart(answer.q, q).min() < 1e-9


def coupled_arm():
    """An arm whose third hinge takes another one along."""
    builder = ts.ModelBuilder("coupled")
    builder.add_link("base")
    inertia = ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    parent = "base"
    for k in range(7):
        builder.add_link(f"body{k}", inertia)
        axis = np.eye(3)[k % 3]
        builder.add_joint(f"joint{k}", "continuous", parent, f"body{k}", pose=ts.pose([0.1, 0.2, 0.3]), axis=axis)
        parent = f"body{k}"
    builder.add_coupling("joint6", "joint2", 0.5)
    return builder.build()


def test_what_is_no_arm_of_six_hinges_is_refused_by_name():
    slide = ts.ModelBuilder("slide")
    slide.add_link("base").add_link("car", ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3)))
    slide.add_joint("rail", "prismatic", "base", "car", axis=[1, 0, 0], q_min=-1, q_max=1)
    with pytest.raises(ArgumentError, match=r"moved by 1 joints: 'rail' \(prismatic\); expected six hinges"):
        ts.ik.branches(slide.build(), "car", np.eye(4))
    with pytest.raises(ArgumentError, match="moved by 0 joints: none"):
        ts.ik.branches(ur(), "base_link", np.eye(4))
    with pytest.raises(ArgumentError, match=r"moved by 7 joints.*'joint6'"):
        ts.ik.branches(coupled_arm(), "body6", np.eye(4))
    with pytest.raises(ArgumentError, match="'joint2'.*which couplings or loops bind to other joints"):
        ts.ik.branches(coupled_arm(), "body6", np.eye(4), joints=[f"joint{k}" for k in range(6)])
    with pytest.raises(ArgumentError, match=r"joints \['joint6'\] are no hinges that move frame 'body6'"):
        ts.ik.branches(coupled_arm(), "body6", np.eye(4), joints=[f"joint{k}" for k in range(1, 7)])
    still = ts.ModelBuilder("stone").add_link("rock", ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))).build()
    with pytest.raises(ArgumentError, match="'stone' is moved by 0 joints"):
        ts.ik.branches(still, "rock", np.eye(4))


def test_bad_arguments_are_named():
    model = ur()
    with pytest.raises(UnknownNameError, match="'ee_lnk' not found"):
        ts.ik.branches(model, "ee_lnk", np.eye(4))
    with pytest.raises(ArgumentError, match="pose is no rotation"):
        ts.ik.branches(model, "ee_link", np.diag([1.0, 1.0, -1.0, 1.0]))
    with pytest.raises(NonFiniteError, match="pose"):
        ts.ik.branches(model, "ee_link", np.full((4, 4), np.nan))
    with pytest.raises(ShapeError, match="pose"):
        ts.ik.branches(model, "ee_link", np.eye(3))
    with pytest.raises(ArgumentError, match="last row of pose"):
        ts.ik.branches(model, "ee_link", np.diag([1.0, 1.0, 1.0, 2.0]))
    with pytest.raises(ShapeError, match=r"q0 has shape \(2, 6\)"):
        ts.ik.branches(model, "ee_link", np.eye(4), np.zeros((2, 6)))
    with pytest.raises(NonFiniteError, match="q0"):
        ts.ik.branches(model, "ee_link", np.eye(4), np.full(6, np.inf))
    names = list(model.joints)
    with pytest.raises(ArgumentError, match="six different hinges"):
        ts.ik.branches(model, "ee_link", np.eye(4), joints=names[:1] * 6)
    with pytest.raises(UnknownNameError, match="'elbow' not found"):
        ts.ik.branches(model, "ee_link", np.eye(4), joints=["elbow", *[f"x{k}" for k in range(5)]])
