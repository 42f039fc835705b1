"""The native step: the velocities of the hierarchy in Python, limits that hold, batches, targets that move."""

import numpy as np
import pytest
from parallel_robots import delta
from planar_arm import arm, flat_position
from robot_data import robot_data_path
from scipy.linalg import null_space

import tarsus as ts
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.errors import ArgumentError, KinematicsWarning, NonFiniteError, QuaternionNormError, ShapeError
from tarsus.ik.velocity.inequality import Moment
from tarsus.ik.velocity.ranked import ranked_problem
from tarsus.optimization import Hierarchy, Level

DT = 0.01
DAMPING = 1e-6
IN_PYTHON = ts.tasks.Function(ts.center_of_mass, np.zeros(3))
AGREEMENT = 1e-9
"""Of native velocities with the reference, relative to the largest one."""


def ways_to_bodies(model):
    """Freedoms between the world and each body, those of one joint together."""
    joints = {joint.child: joint for joint in model.joints.values()}
    found = {}
    for body in model.bodies:  # parents come first
        own = joints[body].v_index
        before = found[model.bodies[body].parent] if model.bodies[body].parent in found else []
        found[body] = [*before, list(range(own.start, own.stop))]
    return found


def curvatures(model, task, q, part, u):
    """Row sums of |S|, shape (nv,): second derivatives of one part of a task (three rows) times the vector u."""
    S = ts.joint_screws(model, q)
    ways = ways_to_bodies(model)
    if isinstance(task, ts.tasks.CenterOfMass):
        columns = ts.com_jacobian(model, q)
        bodies = list(model.bodies)
    else:
        p = ts.frame_pose(model, q, task.frame)[:3, 3]
        turning = part.start == 3 or isinstance(task, ts.tasks.Orientation)
        columns = S[3:] / 2 if turning else S[:3] + np.cross(S[3:].T, p).T
        body = model.frames[task.frame].body
        bodies = [name for name in model.bodies if name == body or is_above(model, name, body)]
    second = np.zeros((model.nv, model.nv))
    for body in bodies:
        *before, own = ways[body]
        for j in own:
            for group in (*before, own):
                for i in group:
                    share = 0.5 if group is own and i != j else 1.0
                    x = share * abs(u @ np.cross(S[3:, i], columns[:, j]))
                    second[i, j] += x
                    second[j, i] += x * (i != j)
    return second.sum(axis=-1)


def is_above(model, name, body):
    """Whether a body carries another."""
    while body is not None:
        body = model.bodies[body].parent
        if body == name:
            return True
    return False


def depends_on_no_other(model, task):
    """Whether no joint that moves a task follows others."""
    if isinstance(task, ts.tasks.CenterOfMass):
        return model.coordinates.independent.all()
    body = model.frames[task.frame].body
    return all(
        own
        for name, own in zip(model.bodies, model.coordinates.independent, strict=True)
        if name == body or is_above(model, name, body)
    )


def curvature_damping(model, tasks, q, dt):
    """gain dt W^2 e times the second derivatives of the tasks, as a diagonal, shape (nv,)."""
    total = np.zeros(model.nv)
    for task in tasks:
        if isinstance(task, ts.tasks.Posture | ts.tasks.Momentum):  # straight, and without error
            continue
        error = np.zeros(task.full_rows(model))
        error[task.chosen(model)] = dt * task.gain * task.weights(model) ** 2 * task.error(model, q)
        for part in (slice(0, 3), slice(3, 6)) if len(error) == 6 else (slice(0, len(error)),):
            if depends_on_no_other(model, task) and not isinstance(task, ts.tasks.LookAt):
                total += curvatures(model, task, q, part, error[part])
            else:
                asked = np.zeros(len(error), dtype=bool)
                asked[part] = task.chosen(model)[part]
                J = task.full_jacobian(model, q)[asked]
                total += np.linalg.norm(error[part]) * np.sqrt(model.nv) * np.linalg.norm(J)
    return total


def reference(model, levels, q, limits, *, before=None, held=(), dt=DT, damping=DAMPING, found_v=None):
    """The same problem by singular values: limits, inequalities, levels; those that cannot be followed are damped.

    What a damped level above others reaches with velocities `found_v` is compared here, and those below it are solved
    in its nullspace from there: rounding of the level is not to be amplified by its singular values.
    """
    limits = ts.ik.Limits(position=False, velocity=False) if limits is None else limits
    problem = ranked_problem(model, levels, Moment(q, dt, before), limits, held)
    found = [Level(rows.A, lower=rows.lower, upper=rows.upper) for rows in (problem.bounds, problem.held)]
    kept, x, N = [], np.zeros(model.nv), np.eye(model.nv)
    for k, (parts, weights) in enumerate(zip(problem.levels, problem.weights, strict=True)):
        A = np.concatenate([w[:, None] * rows.A for rows, w in zip(parts, weights, strict=True)])
        b = np.concatenate([w * rows.lower for rows, w in zip(parts, weights, strict=True)])
        exact = [*found, Level(A @ N, b - A @ x)]
        slack = np.abs(Hierarchy(exact).solve().slacks[-1]).max()
        kept.append(A)
        if k < len(levels) - 1 and slack < 1e-10 * (1 + np.abs(b).max()):
            found = exact
            continue
        D = np.diag(np.sqrt(damping + curvature_damping(model, levels[k], q, dt)))
        solution = Hierarchy([*found, Level(np.vstack([A, D]) @ N, np.append(b - A @ x, -D @ x))]).solve()
        assert solution.success
        reached = x + N @ solution.x
        if k < len(levels) - 1:
            assert_same(A @ found_v, A @ reached)
            x, N = found_v, null_space(np.concatenate(kept), rcond=1e-10)
            if N.shape[1] == 0:  # nothing is left for the levels below
                return x
            found = [
                Level(rows.A @ N, lower=rows.lower - rows.A @ x, upper=rows.upper - rows.A @ x)
                for rows in (problem.bounds, problem.held)
            ]
    return reached


def assert_same(found, expected):
    assert np.abs(found - expected).max() < AGREEMENT * (1 + np.abs(expected).max())


def load(path, **options):
    return ts.load(str(robot_data_path(path)), **options)


ROBOTS = {
    "crops9": (ts.robots.crops9, ("tool", "link6")),
    "hrp2": (ts.robots.hrp2, ("l_sole", "r_sole")),
    "lola": (ts.robots.lola, ("l_sole", "r_sole")),
    "rabbit": (ts.robots.rabbit, ("l_foot", "torso")),
    "panda, a finger follows": (lambda: load("panda_description/urdf/panda.urdf"), ("panda_hand_tcp",)),
    "ur5": (lambda: load("ur_description/urdf/ur5_robot.urdf"), ("tool0",)),
    "talos": (
        lambda: load("talos_data/robots/talos_reduced.urdf", base="free"),
        ("left_sole_link", "right_sole_link"),
    ),
    "anymal": (lambda: load("anymal_b_simple_description/robots/anymal.urdf", base="free"), ("LF_FOOT", "RH_FOOT")),
    "solo": (lambda: load("solo_description/robots/solo12.urdf", base="free"), ("FL_FOOT", "HR_FOOT")),
}


def tasks_of(model, q, rng, frames, spread=0.1):
    """Frames, centre of mass and posture, with targets near and velocities."""
    feet = []
    for frame in frames:
        near = model.integrate(q, rng.normal(size=model.nv) * spread)
        pose = ts.frame_pose(model, near, frame)
        feet.append(ts.tasks.FramePose(frame, pose, velocity=rng.normal(size=6) * spread, gain=5.0))
    center = ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + rng.normal(size=3) * spread, weight=2.0)
    posture = ts.tasks.Posture(model.integrate(q, rng.normal(size=model.nv) * spread), weight=0.1)
    return feet, center, posture


@pytest.mark.parametrize("name", ROBOTS)
def test_steps_are_those_of_the_hierarchy_in_python(name):
    make, frames = ROBOTS[name]
    model = make()
    frames = tuple(frame for frame in frames if frame in model.frames)
    assert frames
    rng = np.random.default_rng(11)
    bounded = 0
    for k in range(8):
        q = model.random(rng) if k else model.neutral()  # the first is singular
        feet, center, posture = tasks_of(model, q, rng, frames)
        spin = ts.tasks.Momentum(rng.normal(size=6), axes=rng.random(6) < 0.5, weight=0.05) if k > 3 else posture
        levels = [[*feet, center, posture, spin]] if k % 2 else [feet[:1], [*feet[1:], center, posture, spin]]
        limits = ts.ik.Limits(velocity=(0.3, 1.0, 5.0)[k % 3])
        step = ts.ik.Stepper(model, levels, dt=DT, limits=limits, damping=DAMPING)
        there = step(q)
        expected = reference(model, levels, q, limits, found_v=step.v)
        assert_same(step.v, expected)
        assert np.allclose(there, model.integrate(q, step.v, DT), atol=1e-12)
        bounded += int((np.abs(expected) > limits.velocity - 1e-9).sum())
        assert step.status in ("solved", "held back")
    assert bounded > 0


FIXED = ts.robots.hrp2(base="fixed")
REST = 1e-5
"""Of joints that have come to rest [rad/s]."""


@pytest.mark.parametrize(
    ("model", "frame", "axes"),
    [(ts.robots.crops9(), "tool", None), (FIXED, "r_hand", None), (FIXED, "r_hand", [True, False, False])],
    ids=["crops9", "hrp2", "hrp2, one axis"],
)
@pytest.mark.parametrize("beyond", [0.01, 1.0])
@pytest.mark.parametrize("gain", [10.0, 100.0])
def test_joints_come_to_rest_where_a_target_is_out_of_reach(model, frame, axes, beyond, gain):
    q = np.clip(model.reference, model.q_min, model.q_max)
    far = ts.frame_pose(model, q, frame)[:3, 3] + [4.0, -1.0, 0.5]
    border = ts.frame_pose(model, ts.ik.solve(model, ts.tasks.Position(frame, far, axes=axes), q).q, frame)[:3, 3]
    target = border + beyond * (far - border) / np.linalg.norm(far - border)
    task = ts.tasks.Position(frame, target, axes=axes, gain=gain)
    step = ts.ik.Stepper(model, task, dt=DT)
    for _ in range(1000):
        q = step(q)
    assert np.abs(step.v).max() < REST
    left = task.error(model, q)
    assert np.linalg.norm(left) > 0.5 * beyond * (axes is None)
    nearest = np.linalg.norm(task.error(model, ts.ik.solve(model, task, q).q))
    assert np.linalg.norm(left) < nearest + 1e-6


def test_damping_for_targets_out_of_reach_does_not_slow_what_is_near():
    model = ts.robots.crops9()
    target = ts.frame_pose(model, model.reference, "tool")[:3, 3] + [0.0, 0.0, -0.01]
    task = ts.tasks.Position("tool", target, gain=10.0)
    step, q = ts.ik.Stepper(model, task, dt=1e-3), np.array(model.reference)
    for _ in range(500):
        q = step(q)
    assert np.linalg.norm(task.error(model, q)) < 0.01 * 1.05 * (1 - 10.0 * 1e-3) ** 500  # 5 % above first-order decay


def test_levels_of_any_depth_are_those_of_the_hierarchy():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(12)
    seen = set()
    for k in range(8):
        q = model.integrate(model.reference, 0.2 * rng.normal(size=model.nv))
        spread = 0.1 if k % 2 else 0.01
        feet, center, posture = tasks_of(model, q, rng, ("l_sole", "r_sole"), spread)
        hand = ts.tasks.Position("r_hand", ts.frame_pose(model, q, "r_hand")[:3, 3] + rng.normal(size=3) * spread)
        levels = [[feet[0]], [feet[1]], [center], [hand], [posture]]
        limits = ts.ik.Limits(velocity=0.2 if k % 2 else 50.0)
        step = ts.ik.Stepper(model, levels, dt=DT, limits=limits)
        step(q)
        assert_same(step.v, reference(model, levels, q, limits, found_v=step.v))
        seen.add(step.status)
    assert seen == {"solved", "held back"}


def test_upper_levels_are_not_disturbed_by_the_last_one():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(13)
    for k in range(10):
        q = model.integrate(model.reference, 0.3 * rng.normal(size=model.nv))
        feet, center, posture = tasks_of(model, q, rng, ("l_sole", "r_sole"))
        limits = ts.ik.Limits(velocity=0.5 if k % 2 else 5.0)
        alone = ts.ik.Stepper(model, [feet, [ts.tasks.Posture(weight=1e-3)]], dt=DT, limits=limits)
        more = ts.ik.Stepper(model, [feet, [center, posture]], dt=DT, limits=limits)
        alone(q), more(q)
        for task in feet:
            assert np.abs(task.jacobian(model, q) @ (more.v - alone.v)).max() < 1e-9


def test_limits_of_acceleration_are_those_of_python():
    model = ts.robots.crops9()
    rng = np.random.default_rng(14)
    limits = ts.ik.Limits(velocity=1.0, acceleration=rng.uniform(1.0, 20.0, model.nv))
    q, v = model.reference.copy(), np.zeros(model.nv)
    task = ts.tasks.FramePose("tool", ts.frame_pose(model, model.random(rng), "tool"), gain=20.0)
    step = ts.ik.Stepper(model, [task, ts.tasks.Posture(weight=0.1)], dt=DT, limits=limits)
    for k in range(150):
        there = step(q, v)
        if k % 5 == 0:
            assert_same(step.v, reference(model, [[task, ts.tasks.Posture(weight=0.1)]], q, limits, before=v))
        assert (np.abs(step.v - v) <= limits.acceleration * DT + 1e-9).all()
        q, v = there, step.v
        assert (q >= model.q_min).all()
        assert (q <= model.q_max).all()


def test_joints_that_follow_others_keep_their_limits_natively(tmp_path):
    path = tmp_path / "pair.xml"
    path.write_text(
        """<mujoco><compiler angle="radian"/><worldbody>
        <body name="a"><joint name="a" axis="0 0 1" range="-2 2" limited="true"/><geom size=".1" mass="1"/>
          <body name="b" pos="1 0 0"><joint name="b" axis="0 0 1" range="-0.1 0.5" limited="true"/>
            <geom size=".1" mass="1"/></body></body>
        </worldbody><equality><joint joint1="b" joint2="a" polycoef="0 0.2 0.3 0 0"/></equality></mujoco>"""
    )
    model = ts.load(str(path))
    task = ts.tasks.Posture([1.9], gain=20.0)
    step = ts.ik.Stepper(model, task, dt=1e-3)
    q = np.array([0.1])
    for k in range(300):
        expected = reference(model, [[task]], q, ts.ik.Limits(), dt=1e-3) if k % 10 == 0 else None
        q = step(q)
        if expected is not None:
            assert_same(step.v, expected)
    assert model.joint_positions(q).max() < 1.1
    assert 0.5 - 1e-5 < model.joint_positions(q)[1] <= 0.5 + 1e-5


def test_robots_with_loops_step_in_their_independent_coordinates():
    rng = np.random.default_rng(15)
    for model, frame in ((ts.robots.lola(drives="rigid"), "r_sole"), (delta().build(), "platform")):
        limits = ts.ik.Limits(velocity=1.0)
        for _ in range(4):
            q = model.integrate(model.reference, 0.05 * rng.normal(size=model.nv))
            place = ts.frame_pose(model, q, frame)[:3, 3] + 0.05 * rng.normal(size=3)
            levels = [[ts.tasks.Position(frame, place)], [ts.tasks.Posture()]]
            step = ts.ik.Stepper(model, levels, dt=DT, limits=limits)
            step(q)
            assert_same(step.v, reference(model, levels, q, limits, found_v=step.v))


def test_batches_are_the_same_as_one_by_one_whatever_the_threads():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(16)
    q = model.integrate(model.reference, 0.2 * rng.normal(size=(2, 20, model.nv)))
    feet, center, posture = tasks_of(model, model.reference, rng, ("l_sole", "r_sole"))
    step = ts.ik.Stepper(model, [feet, [center, posture]], dt=DT, limits=ts.ik.Limits(velocity=0.8))
    one, two = step.solve(q), step.solve(q, threads=2)
    assert np.array_equal(one.q, two.q)
    assert one.q.shape == (2, 20, model.nq)
    assert one.residuals.shape == (2, 20, 4)
    assert np.array_equal(step(q), one.q)
    for i, j in np.ndindex(2, 20):
        assert np.array_equal(step(q[i, j]), one.q[i, j])
        assert step.status == one.status[i, j]
        assert np.array_equal(step.residuals, one.residuals[i, j])


def test_targets_of_a_batch_and_targets_that_are_written():
    model = ts.robots.crops9()
    rng = np.random.default_rng(17)
    goals, q = ts.frame_pose(model, model.random(rng, (5,)), "tool"), model.random(rng)
    tasks = [ts.tasks.FramePose("tool", goals[0]), ts.tasks.Posture()]
    step = ts.ik.Stepper(model, tasks, dt=DT)
    packed = step.pack([ts.tasks.FramePose("tool", goals, velocity=[0.1, 0, 0, 0, 0, 0]), ts.tasks.Posture()])
    many = step.solve(q, targets=packed)
    for k in range(5):
        fresh = ts.ik.Stepper(
            model, [ts.tasks.FramePose("tool", goals[k], velocity=[0.1, 0, 0, 0, 0, 0]), tasks[1]], dt=DT
        )
        assert np.array_equal(fresh(q), many.q[k])
        step.set_target(0, pose=goals[k], velocity=[0.1, 0, 0, 0, 0, 0])
        assert np.array_equal(step(q), many.q[k])
        step.target(0)[:] = 0.0
        step.target(0)[:3], step.target(0)[3:] = goals[k, :3, 3], goals[k, :3, :3].ravel()
        step.target_velocity(0)[:] = [0.1, 0, 0, 0, 0, 0]
        assert np.array_equal(step(q), many.q[k])


def test_a_step_does_not_depend_on_those_before_it():
    model = ts.robots.crops9()
    rng = np.random.default_rng(18)
    q = model.random(rng, (6,))
    tasks = [ts.tasks.FramePose("tool", ts.frame_pose(model, q[0], "tool")), ts.tasks.Posture()]
    step = ts.ik.Stepper(model, tasks, dt=DT, limits=ts.ik.Limits(velocity=0.3))
    forward = [step(x) for x in q]
    assert all(np.array_equal(step(x), there) for x, there in zip(q[::-1], forward[::-1], strict=True))


def test_inequalities_and_distances_hold_in_native_steps():
    model = arm((0.5, 0.4, 0.3))
    volumes = {f"link{k + 1}": SweptSphere([[0, 0, 0], [n, 0, 0]], 0.03) for k, n in enumerate((0.5, 0.4, 0.3))}
    ball = Obstacle("ball", SweptSphere([[0, 0, 0]], 0.1), ts.pose([0.9, 0.1, 0.0]))
    scene = CollisionModel(model, volumes, [ball], include=["ball"])
    avoidance, slow = ts.ik.Avoidance(scene, margin=0.02), ts.ik.LinearInequality([[1.0, 1.0, 0.0]], upper=1.5)
    limits = ts.ik.Limits(velocity=2.0)
    q = np.array([-0.3, 0.2, 0.2])
    tasks = [flat_position([0.7, 0.6], gain=8.0), ts.tasks.Posture(weight=0.05)]
    step = ts.ik.Stepper(model, tasks, dt=DT, limits=limits, collision=avoidance, inequalities=slow)
    least = np.inf
    for k in range(120):
        expected = reference(model, [tasks], q, limits, held=(avoidance, slow)) if k % 4 == 0 else None
        q = step(q)
        assert step.status == "solved"
        if expected is not None:
            assert_same(step.v, expected)
        least = min(least, float(scene.clearance(q)))
    assert 0.0195 < least < 0.03


def test_what_cannot_hold_stops_the_robot_and_says_so():
    model = arm()
    fast = ts.ik.LinearInequality([[1.0, 1.0]], lower=5.0)
    step = ts.ik.Stepper(model, flat_position([0.5, 0.2]), dt=DT, limits=ts.ik.Limits(velocity=1.0), inequalities=fast)
    q = np.array([0.2, 0.5])
    assert np.array_equal(step(q), q)
    assert step.status == "infeasible"
    assert np.array_equal(step.v, np.zeros(2))


def test_circle_at_one_kilohertz_is_followed_to_a_micrometre():
    model = ts.robots.crops9()
    q = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])
    X = ts.frame_pose(model, q, "tool")
    tool = ts.tasks.FramePose("tool", X, gain=500.0)
    step = ts.ik.Stepper(model, [[tool], [ts.tasks.Posture(q, gain=1.0)]], dt=1e-3)
    rate, radius, worst = np.pi, 0.05, 0.0
    for k in range(2000):
        c, s = np.cos(rate * k * 1e-3), np.sin(rate * k * 1e-3)
        place = X[:3, 3] + radius * np.array([0.0, c - 1.0, s])
        step.target(0)[:3] = place
        step.target_velocity(0)[1:3] = radius * rate * np.array([-s, c])
        worst = max(worst, float(np.abs(ts.frame_pose(model, q, "tool")[:3, 3] - place).max()))
        q = step(q)
        assert step.status == "solved"
    assert worst < 1e-6


@pytest.mark.parametrize(
    ("make", "error", "told"),
    [
        (lambda m: ts.ik.Stepper(m, [], dt=DT), ArgumentError, "tasks is empty"),
        (lambda m: ts.ik.Stepper(m, [[]], dt=DT), ArgumentError, "level 0"),
        (lambda m: ts.ik.Stepper(m, IN_PYTHON, dt=DT), ArgumentError, "task Function"),
        (lambda m: ts.ik.Stepper(m, ts.ik.Limits(), dt=DT), ArgumentError, "Limits"),
        (lambda m: ts.ik.Stepper(m, ts.tasks.Posture(), dt=0.0), ArgumentError, "dt"),
        (lambda m: ts.ik.Stepper(m, ts.tasks.Posture(), dt=DT, damping=0.0), ArgumentError, "damping"),
        (lambda m: ts.ik.Stepper(m, ts.tasks.Posture(weight=0.0), dt=DT), ArgumentError, "nothing is asked"),
        (lambda m: ts.ik.Stepper(m, ts.tasks.Position("tool", np.zeros((3, 3))), dt=DT), ShapeError, "batch axes"),
    ],
)
def test_problems_that_are_none_are_refused_by_name(make, error, told):
    with pytest.raises(error, match=told):
        make(arm())


def test_arguments_that_do_not_fit_are_refused_by_name():
    model = ts.robots.hrp2()
    step = ts.ik.Stepper(model, ts.tasks.Position("r_hand", [0.3, -0.2, 0.9]), dt=DT)
    q = model.reference.copy()
    with pytest.raises(ShapeError, match="q: found shape"):
        step(q[:-1])
    bad = q.copy()
    bad[9] = np.nan
    with pytest.raises(NonFiniteError):
        step(bad)
    bad = q.copy()
    bad[3:7] *= 2.0
    with pytest.raises(QuaternionNormError):
        step(bad)
    step.target(0)[:] = np.inf
    with pytest.raises(NonFiniteError):
        step(q)
    with pytest.raises(ArgumentError, match="target of Position"):
        step.set_target(0, target=[np.nan, 0, 0])
    with pytest.raises(ArgumentError, match="gain of a task"):
        step.set_target(0, gain=3.0)
    paced = ts.ik.Stepper(model, ts.tasks.Posture(), dt=DT, limits=ts.ik.Limits(acceleration=1.0))
    with pytest.raises(ArgumentError, match="v is missing"):
        paced(q)


def test_gains_that_are_too_large_for_the_step_are_warned_of():
    with pytest.warns(KinematicsWarning, match="gain 300"):
        ts.ik.Stepper(arm(), flat_position([0.5, 0.2], gain=300.0), dt=DT)


def test_a_loop_that_does_not_close_leaves_the_robot_where_it_is():
    model = delta().build()
    step = ts.ik.Stepper(model, ts.tasks.Position("platform", [0, 0, -0.5]), dt=DT, limits=False)
    q = np.array([3.0, 0.0, 0.0])
    there = step(q)
    assert step.status == "loop open"
    assert np.array_equal(there, q)


def test_hard_rows_that_nearly_depend_on_each_other_leave_the_level_below_alone():
    """Stretched UR10: three rows of its forearm are two directions, up to 3e-12 from rounded axes in the file."""
    model = load("ur_description/urdf/ur10_robot.urdf")
    rng = np.random.default_rng(19)
    q = model.neutral()
    near = model.integrate(q, 0.1 * rng.normal(size=model.nv))
    hard = ts.tasks.FramePose("forearm_link", ts.frame_pose(model, near, "forearm_link"))
    levels = [[hard], [ts.tasks.CenterOfMass(ts.center_of_mass(model, near)), ts.tasks.Posture(near, weight=0.1)]]
    limits = ts.ik.Limits(velocity=50.0)
    step = ts.ik.Stepper(model, levels, dt=DT, limits=limits)
    step(q)
    assert step.status == "held back"
    assert_same(step.v, reference(model, levels, q, limits, found_v=step.v))


def limited_four_bar(**limits):
    """The four-bar of the page on loops, whose rocker follows the crank and has limits."""

    def rod(length):
        return ts.Inertia.of_box(1.0, (length, 0.05, 0.05), com=(length / 2, 0, 0))

    builder = ts.ModelBuilder("four-bar").add_link("ground").add_link("crank", rod(0.4)).add_link("coupler", rod(0.9))
    builder.add_link("rocker", rod(0.7)).add_joint("a", "revolute", "ground", "crank")
    builder.add_joint("b", "revolute", "crank", "coupler", position=(0.4, 0, 0))
    builder.add_joint("d", "revolute", "ground", "rocker", position=(1.0, 0, 0), **limits)
    builder.add_loop(ts.model.Loop("knee", "revolute", "coupler", "rocker", ts.pose((0.9, 0, 0)), ts.pose((0.7, 0, 0))))
    builder.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return builder.build()


@pytest.mark.parametrize("target", [3.0, 1.05, 0.95, 0.5, -2.0])
def test_limits_of_a_rocker_in_a_loop_are_those_of_its_own_angle(target):
    model = limited_four_bar(q_min=1.4, q_max=1.9, v_max=0.3)
    q, task = np.array(model.reference), ts.tasks.Posture([target], gain=5.0)
    step = ts.ik.Stepper(model, [task], dt=0.01)
    expected = ts.ik.velocity(model, task, q, limits=True, dt=0.01)
    step(q)
    np.testing.assert_allclose(step.v, expected.v, rtol=2e-6)  # damping of 1e-6 is all that they differ by


@pytest.mark.parametrize("threads", [0, -1, 2.5, None, 2**31])
def test_threads_that_are_no_number_of_threads_are_named(threads):
    model = ts.robots.crops9()
    step = ts.ik.Stepper(model, [ts.tasks.Position("tool", [0.4, 0.3, 0.6])], dt=0.01)
    with pytest.raises(ArgumentError, match="threads"):
        step.solve(np.tile(model.reference, (2, 1)), threads=threads)
