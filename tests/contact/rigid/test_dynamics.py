"""Rigid contact at one instant: equations of motion, complementarity and friction, checked by other routes."""

import numpy as np
import pytest
from simulation.bodies import GRAVITY, about_y, ball, box, rod

import tarsus as ts
from tarsus.contact import Block, ContactPoint, Ground, HeightField, Plane, Rigid, flat, points, rigid_dynamics, slope
from tarsus.contact.rigid.modes import CONE_TOLERANCE, Modes, closed_motion
from tarsus.contact.rigid.touch_points import TouchPoints
from tarsus.dynamics.constraints import ball as ball_joint
from tarsus.errors import ArgumentError, ShapeError

COMPLEMENTARITY = 1e-9
"""Of forces and accelerations, relative to the sum of the forces."""
MULTIPLIERS = 1e-8
FEET = [f"{side}_sole_{end}_{edge}" for side in "lr" for end in ("front", "rear") for edge in ("left", "right")]


def standing(rng, model, bend=0.2):
    """A random pose of hrp2 near the reference whose lowest corner of a sole is at height 0, and still."""
    q = np.array(model.reference)
    q[7:] += rng.uniform(-bend, bend, model.nv - 6)
    q[2] -= ts.frame_poses(model, q, FEET)[:, 2, 3].min()
    return q


def assert_obeys_the_laws(model, q, v, tau, motion, friction, frames):
    """Newton's, complementarity and Coulomb's, with the functions of frames."""
    J = {name: ts.jacobian(model, q, name)[:3] for name in frames}
    force = dict(zip(motion.contacts, motion.force, strict=True))
    left = ts.inverse_dynamics(model, q, v, motion.vdot)
    right = tau + ts.passive_force(model, q, v) + sum(J[name].T @ force[name] for name in frames)
    scale = max(1.0, np.abs(motion.force).sum())
    np.testing.assert_allclose(left, right, atol=COMPLEMENTARITY * scale * 10)
    for name, mode, gap in zip(motion.contacts, motion.mode, motion.gap, strict=True):
        f, u = force[name], ts.frame_velocity(model, q, v, name)[:3]
        a = J[name] @ motion.vdot + ts.jacobian_dot_v(model, q, v, name)[:3]
        if mode == "open":
            assert np.all(f == 0.0)
            assert gap > 1e-6 or u[2] > 1e-6 or a[2] > -COMPLEMENTARITY * scale
            continue
        assert f[2] >= -COMPLEMENTARITY * scale
        assert abs(a[2]) <= COMPLEMENTARITY * scale
        if mode == "stick":
            assert np.linalg.norm(f[:2]) <= friction * f[2] + COMPLEMENTARITY * scale
            np.testing.assert_allclose(a[:2], 0.0, atol=COMPLEMENTARITY * scale)
        else:
            direction = u[:2] if np.linalg.norm(u[:2]) > 1e-6 else a[:2]
            assert f[:2] @ direction <= COMPLEMENTARITY * scale
            np.testing.assert_allclose(np.linalg.norm(f[:2]), friction * f[2], atol=COMPLEMENTARITY * scale)
            expected = -friction * f[2] * direction / np.linalg.norm(direction)
            np.testing.assert_allclose(f[:2], expected, atol=1e-6 * scale)


@pytest.mark.parametrize("seed", range(12))
def test_forces_of_random_states_are_complementary_and_inside_the_cones(seed):
    rng = np.random.default_rng(seed)
    model, friction = ts.robots.hrp2(), rng.uniform(0.1, 1.0)
    q = standing(rng, model, bend=0.0 if seed % 3 == 0 else 0.2)
    tau = np.r_[np.zeros(6), rng.normal(scale=60.0, size=model.nv - 6)]
    v = np.zeros(model.nv)
    motion = rigid_dynamics(model, q, v, tau, ground=flat(Rigid(friction)), contacts=points(model, FEET))
    assert motion.residual <= COMPLEMENTARITY
    assert any(mode != "open" for mode in motion.mode) or np.all(motion.force == 0.0)
    assert_obeys_the_laws(model, q, v, tau, motion, friction, FEET)


def test_a_sliding_foot_has_friction_against_its_motion():
    model, friction = ts.robots.hrp2(), 0.4
    q = standing(np.random.default_rng(0), model, bend=0.0)
    v = np.r_[0.3, -0.2, 0.0, 0.0, 0.0, 0.0, np.zeros(model.nv - 6)]
    motion = rigid_dynamics(model, q, v, ground=flat(Rigid(friction)), contacts=points(model, FEET))
    assert motion.mode == ("slip",) * 8
    assert motion.residual <= COMPLEMENTARITY
    assert_obeys_the_laws(model, q, v, np.zeros(model.nv), motion, friction, FEET)


@pytest.mark.parametrize("seed", range(5))
def test_sticking_points_carry_the_multipliers_of_constrained_dynamics(seed):
    rng = np.random.default_rng(seed)
    model = ts.robots.hrp2()
    frames = ["l_sole_front_left", "r_sole_rear_right"]
    q = model.random(rng)
    J = np.vstack([ts.jacobian(model, q, name)[:3] for name in frames])
    v = rng.normal(size=model.nv)
    v -= np.linalg.pinv(J) @ (J @ v)
    tau = rng.normal(scale=30.0, size=model.nv)
    place = ts.frame_poses(model, q, frames)[:, :3, 3]
    pins = [ball_joint("world", name, point_a=p) for name, p in zip(frames, place, strict=True)]
    expected = ts.constrained_dynamics(model, q, v, tau, pins, passive=True)
    touchable = TouchPoints(model, flat(Rigid(1.0)), points(model, frames))
    touch = touchable.touch(q, v, np.arange(2))
    Y, A = touch.response(model, q)
    free = ts.forward_dynamics(model, q, v, tau, passive=True)
    motion = closed_motion(touch, Y, A, free, Modes(np.arange(2), np.ones(2, dtype=bool), np.zeros((2, 3))))
    scale = np.abs(motion.load).max()
    np.testing.assert_allclose(motion.vdot, expected.vdot, atol=MULTIPLIERS * np.abs(expected.vdot).max())
    np.testing.assert_allclose(touch.world(motion.load).ravel(), expected.multipliers, atol=MULTIPLIERS * scale)
    assert motion.rank == 6


@pytest.mark.parametrize(("pitch", "slip"), [(0.4, 1.0), (0.4, -1.0), (1.0, 1.0), (-0.7, 1.0)])
def test_one_sliding_point_has_the_drag_force_of_feng_equation_21(pitch, slip):
    """A f_n = a - d^T tau with (14), (16), (18), (20), evaluated as printed for the constraint C = z."""
    model, K, tau = rod(), 0.3, np.array([0.7, -0.4, 0.2])
    c, s = np.cos(pitch), np.sin(pitch)
    q = np.array([0.0, 0.5 * c, pitch])
    rate = 0.6
    world = np.array([slip + 0.5 * rate * c, -0.5 * rate * s])  # of the centre, so that the tip slips along x
    v = np.array([c * world[0] - s * world[1], s * world[0] + c * world[1], rate])
    motion = rigid_dynamics(model, q, v, tau, ground=flat(Rigid(K)), contacts=points(model, ["low"]))
    J = ts.jacobian(model, q, "low")
    np.testing.assert_allclose((J @ v)[:3], [slip, 0.0, 0.0], atol=1e-12)
    j_c, j_t = J[2], J[0] * slip
    M = ts.mass_matrix(model, q)
    d = np.linalg.solve(M, j_c)
    m_c = j_c @ d
    a = d @ ts.bias_force(model, q, v) - ts.jacobian_dot_v(model, q, v, "low")[2]
    f_n = (a - d @ tau) / (m_c - K * d @ j_t)
    np.testing.assert_allclose(motion.force[0], [-K * f_n * slip, 0.0, f_n], atol=1e-12 * abs(f_n))
    vdot = np.linalg.solve(M, tau - ts.bias_force(model, q, v) + (j_c - K * j_t) * f_n)
    np.testing.assert_allclose(motion.vdot, vdot, atol=1e-10)
    assert motion.mode == ("slip",)
    assert motion.dof == 2


@pytest.mark.parametrize("pitch", [0.3, 0.5, 0.8])
def test_painleves_paradox_begins_at_its_friction(pitch):
    """Thin rod: A_nn - mu A_nt > 0 as long as mu < (1 + 3 sin^2) / (3 sin cos) for slip that braces it."""
    model = rod()
    limit = (1.0 + 3.0 * np.sin(pitch) ** 2) / (3.0 * np.sin(pitch) * np.cos(pitch))
    q = np.array([0.0, 0.5 * np.cos(pitch), pitch])
    v = np.array([-np.cos(pitch), -np.sin(pitch), 0.0])
    tip = points(model, ["low"])
    fine = rigid_dynamics(model, q, v, ground=flat(Rigid(0.999 * limit)), contacts=tip)
    assert fine.painleve == ()
    assert fine.force[0, 2] > 100.0  # grows without bound towards the limit
    with pytest.raises(ArgumentError, match="Painleve's paradox at low"):
        rigid_dynamics(model, q, v, ground=flat(Rigid(1.001 * limit)), contacts=tip)


def test_a_box_at_rest_shares_its_weight_evenly():
    motion = rigid_dynamics(box(), [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), ground=flat(Rigid(0.5)))
    assert motion.dof == 0
    closed = [i for i, mode in enumerate(motion.mode) if mode == "stick"]
    assert len(closed) == 4
    np.testing.assert_allclose(motion.force[closed], np.tile([0, 0, 25 * 0.1 * GRAVITY], (4, 1)), atol=1e-9)
    np.testing.assert_allclose(motion.vdot, 0.0, atol=1e-11)


def test_a_load_near_a_corner_is_carried_without_pulling():
    """The even distribution would pull at the far corner; there is one that does not."""
    model = box((0.4, 0.3, 0.2), mass=10.0)
    weight = 10.0 * GRAVITY
    wrench = np.zeros((1, 6))
    wrench[0, :3], wrench[0, 3:] = [0, 0, -weight], np.cross([0.26, 0.2, 0.0], [0.0, 0.0, -weight])
    motion = rigid_dynamics(
        model, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), external=wrench, ground=flat(Rigid(0.5))
    )  # together at (0.13, 0.1): x / 0.2 + y / 0.15 > 1
    assert motion.force[:, 2].min() >= -CONE_TOLERANCE * 2.0 * weight
    np.testing.assert_allclose(motion.force.sum(axis=0), [0.0, 0.0, 2.0 * weight], atol=1e-7)
    centre = (motion.force[:, 2] @ motion.position) / (2.0 * weight)
    np.testing.assert_allclose(centre[:2], [0.13, 0.1], atol=1e-7)
    np.testing.assert_allclose(motion.vdot, 0.0, atol=1e-8)


def test_a_load_beyond_the_edge_tips_the_box():
    model = box((0.4, 0.3, 0.2), mass=10.0)
    wrench = np.zeros((1, 6))
    wrench[0, 2], wrench[0, 4] = -200.0, 200.0 * 0.4  # at x = 0.4
    motion = rigid_dynamics(model, [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6), external=wrench, ground=flat(Rigid(0.8)))
    assert sorted(motion.mode) == ["open"] * 6 + ["stick"] * 2
    # About the front edge: (I + m r^2) alpha = 200 (0.4 - 0.2) - m g 0.2.
    inertia = 10.0 * ((0.4**2 + 0.2**2) / 12 + 0.2**2 + 0.1**2)
    np.testing.assert_allclose(motion.vdot[4], (200 * 0.2 - 10.0 * GRAVITY * 0.2) / inertia, rtol=1e-9)
    assert motion.dof == 1


def test_a_sphere_rolls_on_the_edge_of_a_block():
    """Centre on a circle about the edge: the drift of the normal acceleration is v^2 / r."""
    radius, speed, angle = 0.2, 0.7, 0.3
    model = ball(radius)
    edge = np.array([0.5, 0.0, 0.0])
    X = np.eye(4)
    X[2, 3] = -0.5
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    t = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    q = np.r_[edge + radius * n, 1, 0, 0, 0]
    v = np.r_[speed * t, 0.0, speed / radius, 0.0]
    motion = rigid_dynamics(model, q, v, ground=Ground(Block((1.0, 2.0, 1.0), X, Rigid(5.0))))
    assert motion.mode == ("stick",)
    acceleration = motion.vdot[:3] + np.cross(v[3:], v[:3])  # v is in the axes of the body, which turns
    np.testing.assert_allclose(acceleration @ n, -(speed**2) / radius, rtol=1e-9)
    np.testing.assert_allclose(motion.force[0] @ n, GRAVITY * np.cos(angle) - speed**2 / radius, rtol=1e-9)
    # Rolling: a_t = g sin(angle) 5/7.
    np.testing.assert_allclose(acceleration @ t, GRAVITY * np.sin(angle) * 5 / 7, rtol=1e-9)


def test_a_point_slides_on_a_twisted_height_field_with_its_curvature():
    """z = k x y: the normal acceleration follows from 2 k u_x u_y."""
    k, spacing = 0.8, 0.5
    grid = spacing * np.arange(5) - 1.0
    field = HeightField(k * grid[None, :] * grid[:, None], spacing, (-1.0, -1.0), Rigid(0.0))
    builder = ts.ModelBuilder("bead", base="free").add_link("bead", ts.Inertia.of_sphere(1.0, 0.1))
    model, (x, y), (ux, uy) = builder.build(), (0.3, 0.2), (0.5, -0.4)
    q = np.array([x, y, k * x * y, 1, 0, 0, 0])
    v = np.array([ux, uy, k * (ux * y + x * uy), 0, 0, 0])
    motion = rigid_dynamics(model, q, v, ground=Ground(field), contacts=[ContactPoint("bead", "bead")])
    a = motion.vdot[:3]
    np.testing.assert_allclose(a[2], k * (a[0] * y + x * a[1] + 2 * ux * uy), atol=1e-12)
    n = np.array([-k * y, -k * x, 1.0])
    np.testing.assert_allclose(np.cross(motion.force[0], n), 0.0, atol=1e-12)


def test_bad_input_is_refused():
    model, q, v = box(), [0, 0, 0.1, 1, 0, 0, 0], np.zeros(6)
    with pytest.raises(ArgumentError, match=r"'ground' has the law Compliant; rigid contact needs Rigid"):
        rigid_dynamics(model, q, v, ground=flat())
    with pytest.raises(ShapeError, match=r"q, v have shapes \(2, 7\), \(6,\)"):
        rigid_dynamics(model, [q, q], v, ground=flat(Rigid()))
    field = Ground(HeightField(np.zeros((2, 2)), 1.0, law=Rigid()))
    with pytest.raises(ArgumentError, match=r"'ball/skin' has the radius 0.1 m; on a height field"):
        rigid_dynamics(ball(), q, v, ground=field)


def test_a_tilted_plane_and_a_slope_agree():
    angle = 0.2
    n = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    q, v = np.r_[0.1 * n, about_y(-angle)], np.zeros(6)
    one = rigid_dynamics(box(), q, v, ground=slope(angle, Rigid(0.1)))
    two = rigid_dynamics(box(), q, v, ground=Ground(Plane(Rigid(0.1), normal=n)))
    np.testing.assert_allclose(one.vdot, two.vdot, atol=1e-12)
    assert sorted(one.mode) == ["open"] * 4 + ["slip"] * 4
    acceleration = GRAVITY * (np.sin(angle) - 0.1 * np.cos(angle))
    np.testing.assert_allclose(np.linalg.norm(one.vdot), acceleration, rtol=1e-10)
