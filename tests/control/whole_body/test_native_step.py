"""The native step of whole-body control is the program in Python: same motion, same verdicts, whatever the robot."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.whole_body.stances import CORNERS, EDGE, contacts_at, random_state, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.native_step import STATUSES
from tarsus.errors import TarsusError

SAME = 1e-8
"""Largest difference of accelerations, relative to the largest of them."""
SAME_FORCES = 1e-6
"""The same of torques and wrenches: force_weight^2 = 1e-4 alone says how feet share what accelerations leave open, and
residuals of 1e-9 divided by it are 1e-5 of that part; the formulations in Python differ among themselves likewise."""
SAME_YIELDING = 1e-4
"""The same where limits yield: their weights of 1e6 stand beside those 1e-4."""
POINT = [[0.0, 0.0, 0.0]]


def talos():
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    return model, np.array(ts.ik.standing(model))


def solo12():
    model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free")
    return model, np.array(ts.ik.standing(model))


def built_in(name, **options):
    model = getattr(ts.robots, name)(**options)
    return model, np.array(model.reference)


FEET = [f"{end}_FOOT" for end in ("FL", "FR", "HL", "HR")]
ROBOTS = {
    "hrp2": (lambda: built_in("hrp2"), {"l_sole": CORNERS, "r_sole": CORNERS, "l_hand": POINT, "r_hand": EDGE}, "BODY"),
    "talos": (
        talos,
        {"leg_left_6_joint": CORNERS, "leg_right_6_joint": CORNERS, "arm_left_7_joint": POINT},
        "base_link",
    ),
    "solo12": (solo12, dict.fromkeys(FEET, POINT), "base_link"),
    "lola with drives, loops and rotors": (
        lambda: built_in("lola", drives="rigid"),
        {"l_sole": CORNERS, "r_sole": CORNERS, "r_hand": EDGE},
        "torso",
    ),
}


def random_tasks(model, q, body, frames, rng):
    """Tasks of all kinds that the native core knows, with targets that move."""
    tool, other = frames[-1], frames[0]
    pose = ts.frame_pose(model, q, tool)
    pose[:3, 3] += 0.05 * rng.normal(size=3)
    return [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + 0.02 * rng.normal(size=3), weight=10.0, gain=5.0),
        ts.tasks.Orientation(body, np.eye(3), gain=5.0, velocity=0.1 * rng.normal(size=3)),
        ts.tasks.Posture(q + 0.0, weight=0.3, gain=5.0),
        ts.tasks.FramePose(tool, pose, weight=[1.0, 2.0], axes=[True, False, False, False, True, False]),
        ts.tasks.Position(tool, 0.1 * rng.normal(size=3), reference=other, weight=0.5, acceleration=rng.normal(size=3)),
        ts.tasks.LookAt(body, [2.0, 0.3, 1.0], weight=0.7),
        ts.tasks.Momentum(rng.normal(size=6), weight=0.02, axes=[False, True, False, True, False, True]),
    ]


def random_contacts(model, q, places, rng):
    found = []
    for name, points in places.items():
        if rng.random() < 0.3:
            continue
        pose = ts.frame_pose(model, q, name) if rng.random() < 0.8 else None
        if pose is not None:
            pose[:3, 3] += 1e-3 * rng.normal(size=3)
        forces = "points" if rng.random() < 0.3 else "wrench"
        most = 600.0 if rng.random() < 0.3 else np.inf
        found.append(Contact(name, points, forces=forces, pose=pose, max_force=most, friction=0.5))
    return found


def compare_one(model, q, v, tasks, contacts, **options):
    """Native status, and the largest relative difference where both solve it."""
    expected = WholeBody(model, tasks, contacts, native=False, **options).solve(q, v)
    body = WholeBody(model, tasks, contacts, **options)
    assert body.step is not None
    status = STATUSES[body.step.core.solve(q, v)[1]]
    found = body.solve(q, v)
    assert found.status == expected.status, (status, found.reason, expected.reason)
    assert list(found.errors) == list(expected.errors) and list(found.wrenches) == list(expected.wrenches)
    if expected.status not in ("solved", "limits-missed"):
        return status, 0.0
    forces = [np.concatenate([c.tau, *c.wrenches.values()]) for c in (found, expected)]
    motion = [np.concatenate([c.vdot, *c.errors.values()]) for c in (found, expected)]
    assert _difference(*forces) < (SAME_FORCES if expected.success else SAME_YIELDING)
    assert found.missed == pytest.approx(expected.missed, abs=1e-6)
    return status, _difference(*motion)


def _difference(found, expected):
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def compare(robot, count, seed):
    make, places, body = ROBOTS[robot]
    model, stand = make()
    rng = np.random.default_rng(seed)
    told = dict.fromkeys(STATUSES, 0)
    worst = 0.0
    for k in range(count):
        q = model.integrate(stand, 0.15 * rng.normal(size=model.nv))
        v = 0.3 * rng.normal(size=model.nv)
        parts = random_tasks(model, q, body, list(places), rng), random_contacts(model, q, places, rng)
        status, difference = compare_one(model, q, v, *parts, limits=k % 2 == 0)
        told[status] += 1
        worst = max(worst, difference)
    return told, worst


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_motion_is_that_of_the_program_in_python(robot):
    told, worst = compare(robot, 40, 1)
    assert worst < SAME
    assert told["solved"] + told["limits-missed"] > 30, told


@pytest.mark.long
@pytest.mark.parametrize("robot", ROBOTS)
def test_the_motion_is_that_of_the_program_in_python_at_many_stances(robot):
    told, worst = compare(robot, 1000, 2)
    assert worst < SAME
    assert told["solved"] + told["limits-missed"] > 800, told


def test_two_patches_on_one_body_and_a_point_between_them_are_one_contact():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(7)
    half = [[x, y, 0.0] for x in (-0.1, 0.0) for y in (-0.06, 0.06)]
    native = 0
    for _ in range(20):
        q, v = random_state(model, rng, 0.05, 0.1)
        pose = ts.frame_pose(model, q, "l_sole")
        parts = [Contact("l_sole", np.add(half, [x, 0, 0]), pose=pose) for x in (0.0, 0.1)]
        parts += [
            Contact("l_sole", POINT, pose=pose),
            Contact("r_sole", CORNERS, pose=ts.frame_pose(model, q, "r_sole")),
        ]
        status, difference = compare_one(model, q, v, standing_tasks(model, q), parts)
        native += status in ("solved", "limits-missed")
        assert difference < SAME
    assert native > 15


LEG = {
    "yaw": ((0, 0, 1), (0.0, 0.0, -0.3)),
    "roll": ((1, 0, 0), (0.0, 0.0, 0.0)),
    "hip": ((0, 1, 0), (0.0, 0.0, 0.0)),
    "knee": ((0, 1, 0), (0.0, 0.0, -0.4)),
    "tilt": ((0, 1, 0), (0.0, 0.0, -0.4)),
    "lean": ((1, 0, 0), (0.0, 0.0, 0.0)),
}
"""Joints of a leg, from the hip down: axis, and place on the link before."""


@pytest.mark.parametrize("bend", [0.0, 1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
def test_straight_knees_are_solved_as_in_python_or_not_called_solved(bend):
    builder = ts.ModelBuilder("walker", base="free").add_link("trunk", ts.Inertia.of_box(20.0, (0.3, 0.3, 0.5)))
    for side, y in (("l", 0.1), ("r", -0.1)):
        parent = "trunk"
        for name, (axis, place) in LEG.items():
            at = np.array(place) + ([0.0, y, 0.0] if parent == "trunk" else 0.0)
            builder.add_link(f"{side}_{name}_link", ts.Inertia.of_box(1.0, (0.05, 0.05, 0.1), com=(0.0, 0.0, -0.1)))
            joint = {"axis": axis, "position": at, "tau_max": 300.0}
            builder.add_joint(f"{side}_{name}", "revolute", parent, f"{side}_{name}_link", **joint)
            parent = f"{side}_{name}_link"
        builder.add_frame(f"{side}_foot", parent, ts.pose((0.0, 0.0, -0.1)))
    model = builder.build()
    q, v = model.neutral(), np.zeros(model.nv)
    for side in "lr":
        for name, share in (("hip", -1.0), ("knee", 2.0), ("tilt", -1.0)):
            q[model.joints[f"{side}_{name}"].q_index] = share * bend
    feet = [
        Contact(f"{side}_foot", 0.5 * np.array(CORNERS), pose=ts.frame_pose(model, q, f"{side}_foot")) for side in "lr"
    ]
    low = ts.center_of_mass(model, q) - [0.0, 0.0, 0.01]
    tasks = [ts.tasks.CenterOfMass(low), ts.tasks.Posture(q, weight=0.1)]
    status, difference = compare_one(model, q, v, tasks, feet)
    assert difference < SAME
    assert status == ("solved" if bend < 1e-12 or bend > 1e-4 else status)
    assert status != "contradictory"


def test_contacts_that_contradict_each_other_are_told_by_the_native_step():
    model = ts.robots.hrp2()
    q, v = random_state(model, np.random.default_rng(8))
    pose = ts.frame_pose(model, q, "l_sole")
    for lift in (1e-7, 1e-3, 0.1):
        away = pose.copy()
        away[2, 3] += lift
        pair = [Contact("l_sole", CORNERS, pose=X) for X in (pose, away)]
        status, _ = compare_one(model, q, v, standing_tasks(model, q), pair)
        assert status in ("contradictory", "doubtful")
        assert WholeBody(model, standing_tasks(model, q), pair).solve(q, v).status == "contradictory"


def test_forces_that_cannot_be_are_told_as_in_python():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    sole = contacts_at(model, q, ["l_sole"], min_force=3000.0, max_force=4000.0)
    options = {"torque_limits": np.where(model.actuated, 20.0, np.inf)}
    status, _ = compare_one(model, q, v, standing_tasks(model, q), sole, **options)
    assert status == "infeasible"
    found = WholeBody(model, standing_tasks(model, q), sole, **options).solve(q, v)
    assert found.status == "infeasible" and found.reason.count("of") > 0


@pytest.mark.parametrize(
    ("make", "places", "frame", "size"),
    [
        (lambda: ts.robots.rabbit(), {"l_sole": EDGE, "r_sole": EDGE}, "l_sole", 0.05),
        (lambda: ts.robots.crops9(), {"tool": POINT}, "tool", 0.05),
        (lambda: ts.robots.crops9(), {}, "tool", 0.05),
        (lambda: ts.robots.lola(), {"l_sole": CORNERS, "r_sole": CORNERS}, "l_hand", 0.05),
        (lambda: ts.robots.lola(drives="elastic"), {"l_sole": CORNERS, "r_sole": CORNERS}, "l_hand", 1e-4),
        (lambda: ts.robots.quadruped(), {f"{end}_sole": POINT for end in ("fl", "fr", "rl", "rr")}, "fl_sole", 0.05),
    ],
)
def test_any_base_any_drives_any_contacts(make, places, frame, size):
    model = make()
    rng = np.random.default_rng(3)
    native = 0
    for _ in range(10):
        q = model.integrate(model.reference, size * rng.normal(size=model.nv))
        v = 4.0 * size * rng.normal(size=model.nv)
        contacts = [Contact(name, points, friction=0.6) for name, points in places.items()]
        tasks = [
            ts.tasks.Position(frame, ts.frame_pose(model, q, frame)[:3, 3] + 0.01),
            ts.tasks.Posture(q, weight=0.3),
        ]
        status, difference = compare_one(model, q, v, tasks, contacts)
        native += status in ("solved", "limits-missed")
        assert difference < SAME
    assert native > 6


def test_limits_that_leave_no_room_are_missed_as_in_python():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    rng = np.random.default_rng(5)
    seen = set()
    for speed in (0.1, 2.0, 8.0):
        v = speed * rng.normal(size=model.nv)
        status, difference = compare_one(
            model, q, v, standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"])
        )
        seen.add(status)
        assert difference < SAME
    assert "limits-missed" in seen


def test_distances_are_kept_as_in_python():
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)
    rng = np.random.default_rng(6)
    felt = 0
    for _ in range(6):
        q = model.integrate(model.reference, 0.4 * rng.normal(size=model.nv))
        v = rng.normal(size=model.nv)
        tasks = [ts.tasks.Posture(q + rng.normal(size=model.nq))]
        status, difference = compare_one(model, q, v, tasks, [], collision=scene, margin=0.05)
        assert status in ("solved", "limits-missed") and difference < SAME
        alone = WholeBody(model, tasks).solve(q, v)
        felt += np.abs(alone.vdot - WholeBody(model, tasks, collision=scene, margin=0.05).solve(q, v).vdot).max() > 1e-3
    assert felt > 0


def test_other_targets_weights_and_bounds_are_taken_without_new_tables():
    model = ts.robots.hrp2()
    q, v = random_state(model, np.random.default_rng(2), 0.05, 0.1)
    tasks, contacts = standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"])
    body = WholeBody(model, tasks, contacts)
    step = body.step
    aside = np.add(ts.center_of_mass(model, q), [0.0, 0.02, 0.0])
    other = [
        tasks[0].with_target(target=aside, velocity=[0.1, 0.0, 0.0], acceleration=[0.0, 0.0, 0.2], gain=8.0),
        tasks[1].with_target(weight=[1.0, 2.0, 3.0]),
        tasks[2],
    ]
    moved = ts.frame_pose(model, q, "r_sole")
    moved[0, 3] += 1e-3
    held = [contacts[0].with_force(450.0, 20.0), contacts[1].with_pose(moved)]
    body.update(tasks=other, contacts=held)
    assert body.step is step
    expected = WholeBody(model, other, held, native=False).solve(q, v)
    found = body.solve(q, v)
    assert _difference(found.vdot, expected.vdot) < SAME
    body.update(contacts=held[:1])
    assert body.step is not step
    expected = WholeBody(model, other, held[:1], native=False).solve(q, v)
    assert _difference(body.solve(q, v).vdot, expected.vdot) < SAME


def test_tasks_in_python_strict_levels_and_other_methods_go_the_way_of_python():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    tasks, contacts = standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"])
    for body in (
        WholeBody(model, [*tasks, ts.tasks.Function(ts.center_of_mass, np.zeros(3), weight=0.01)], contacts),
        WholeBody(model, [[tasks[0]], tasks[1:]], contacts),
        WholeBody(model, tasks, contacts, method="eliminated"),
    ):
        assert body.step is None
        assert body.solve(q, v).success


def test_batches_give_what_single_steps_give_whatever_the_threads():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(4)
    stand = np.array(model.reference)
    q = model.integrate(stand, 0.02 * rng.normal(size=(5, 8, model.nv)))
    v = 0.1 * rng.normal(size=(8, model.nv))
    aims = ts.center_of_mass(model, stand) + 0.01 * rng.normal(size=(5, 1, 3))
    tasks = [ts.tasks.CenterOfMass(aims, weight=10.0), *standing_tasks(model, stand)[1:]]
    contacts = contacts_at(model, stand, ["l_sole", "r_sole"])
    body = WholeBody(model, tasks, contacts)
    found = body.solve_batch(q, v)
    assert found.tau.shape == (5, 8, model.nv) and found.wrenches["l_sole"].shape == (5, 8, 6)
    assert found.errors["CenterOfMass"].shape == (5, 8, 3) and found.status.shape == (5, 8)
    twice = body.solve_batch(q, v, threads=2)
    np.testing.assert_array_equal(found.tau, twice.tau)
    np.testing.assert_array_equal(found.vdot, twice.vdot)
    for i, j in ((0, 0), (2, 3), (4, 7)):
        own = [ts.tasks.CenterOfMass(aims[i, 0], weight=10.0), *tasks[1:]]
        single = WholeBody(model, own, contacts).solve(q[i, j], v[j])
        assert found.status[i, j] == single.status
        assert _difference(found.vdot[i, j], single.vdot) < SAME
        assert _difference(found.tau[i, j], single.tau) < SAME_FORCES


@pytest.mark.parametrize(
    ("name", "little"), [("hrp2", 0.2), ("solo12", 0.003), ("lola with drives, loops and rotors", 0.2)]
)
def test_batches_of_robots_in_all_sorts_of_trouble_give_what_single_steps_give(name, little):
    """At rest and in violent motion side by side: no active row, cones, torques at limits, limits that yield, postures
    in which other accelerations follow from contacts than in those of the lanes beside. Where limits yield in violent
    motion, accelerations may leave it open how feet share forces; torques are then anybody's."""
    load, places, body = ROBOTS[name]
    model, stand = load()
    rng = np.random.default_rng(12)
    frames = list(places)[: 4 if name == "solo12" else 2]
    tasks = random_tasks(model, stand, body, frames, rng)
    sizes, speeds = (rng.choice(choices, size=(60, 1)) for choices in ((0.0, 0.02, 0.5), (0.0, 0.1, 3.0)))
    q = model.integrate(stand, sizes * rng.normal(size=(60, model.nv)))
    v = speeds * rng.normal(size=(60, model.nv))
    seen, torques = set(), 0
    for share in (1.0, little):
        limits = share * np.where(np.isfinite(model.tau_max), model.tau_max, 100.0)
        contacts = [Contact(frame, places[frame], friction=0.6) for frame in frames]
        many = WholeBody(model, tasks, contacts, torque_limits=limits)
        found = many.solve_batch(q, v)
        for k in range(len(q)):
            single = WholeBody(model, tasks, contacts, torque_limits=limits).solve(q[k], v[k])
            assert found.status[k] == single.status, k
            yields = single.status == "limits-missed"
            assert _difference(found.vdot[k], single.vdot) < (SAME_YIELDING if yields else SAME), k
            assert yields or _difference(found.tau[k], single.tau) < SAME_FORCES, k
            seen.add(single.status)
            torques += int((np.abs(np.abs(single.tau) - limits) < 1e-9)[model.actuated].any())
    assert "solved" in seen and torques > 5


def test_batches_of_what_only_python_knows_are_solved_one_by_one():
    model = ts.robots.hrp2()
    stand = np.array(model.reference)
    q = np.stack([stand, stand])
    tasks = [*standing_tasks(model, stand), ts.tasks.Function(ts.center_of_mass, np.zeros(3), weight=0.01)]
    body = WholeBody(model, tasks, contacts_at(model, stand, ["l_sole", "r_sole"]))
    found = body.solve_batch(q, np.zeros(model.nv))
    assert found.success.all()
    assert _difference(found.tau[1], body.solve(stand, np.zeros(model.nv)).tau) < SAME_FORCES


def test_bad_batches_are_refused_by_name():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    body = WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole"]))
    for call, word in (
        (lambda: body.solve_batch(np.stack([q, np.full(model.nq, np.nan)]), v), "q"),
        (lambda: body.solve_batch(q, np.zeros((2, 3))), "v"),
        (lambda: body.solve_batch(np.stack([q, q]), np.zeros((3, model.nv))), "batch"),
        (lambda: body.solve_batch(q, v, threads=0), "threads"),
    ):
        with pytest.raises(TarsusError, match=word):
            call()
