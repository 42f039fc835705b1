"""Layouts of other libraries: conversions are inverse to each other, keep power, and commute with time derivatives."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError
from tarsus.io.interop import (
    DrakeLayout,
    Layout,
    MujocoLayout,
    PinocchioLayout,
    from_drake,
    from_mujoco,
    from_pinocchio,
    to_drake,
    to_mujoco,
    to_pinocchio,
    wrench_from_drake,
    wrench_to_drake,
)

ROUND_OFF = 1e-13
"""A few products of numbers of size one to ten."""
STEP = 1e-5
TRUNCATION = 1e-8
"""Error of a central difference with `STEP` (about 1e-10 times third derivatives) and its rounding (1e-16 / STEP)."""

CURVATURE = 2e-5
"""Error of a central difference of velocities over 1e-3: 1e-6 times third derivatives of curves of rates up to 3."""


def robot(base: str = "free", rotation: str = "quaternion") -> ts.Model:
    """A robot with joints of every kind that the other libraries have, too."""
    b = ts.ModelBuilder("robot", base=base, rotation=rotation)
    b.add_link("root", ts.Inertia.of_box(3.0, (0.2, 0.3, 0.4), com=(0.01, 0.02, 0.03)))
    for name, kind, parent in (
        ("hinge", "revolute", "root"),
        ("wheel", "continuous", "hinge"),
        ("slide", "prismatic", "root"),
        ("ball", "spherical", "slide"),
        ("sheet", "planar", "root"),
    ):
        b.add_link(name, ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3), com=(0.0, 0.1, 0.05)))
        b.add_joint(f"{name}_joint", kind, parent, name, position=(0.1, 0.2, 0.3), axis=(0.0, 0.0, 1.0))
    return b.build()


def pinocchio_robot(base: str = "free") -> pin.Model:
    """The joints of `robot` in another order."""
    model = pin.Model()
    root = 0
    if base == "free":
        root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    model.addJoint(root, pin.JointModelPlanar(), pin.SE3.Identity(), "sheet_joint")
    slide = model.addJoint(root, pin.JointModelPZ(), pin.SE3.Identity(), "slide_joint")
    model.addJoint(slide, pin.JointModelSpherical(), pin.SE3.Identity(), "ball_joint")
    hinge = model.addJoint(root, pin.JointModelRZ(), pin.SE3.Identity(), "hinge_joint")
    model.addJoint(hinge, pin.JointModelRUBZ(), pin.SE3.Identity(), "wheel_joint")
    return model


MUJOCO = """<mujoco><worldbody><body name="root"><freejoint name="root"/><geom size="0.1"/>
<body><joint name="hinge_joint"/><geom size="0.1"/></body>
<body><joint name="slide_joint" type="slide"/><geom size="0.1"/>
<body><joint name="ball_joint" type="ball"/><geom size="0.1"/></body></body>
</body></worldbody></mujoco>"""


def mujoco_robot() -> tuple[ts.Model, mujoco.MjModel]:
    b = ts.ModelBuilder("robot", base="free").add_link("root", ts.Inertia.of_sphere(1.0, 0.1))
    for name, kind, parent in (
        ("slide", "prismatic", "root"),
        ("ball", "spherical", "slide"),
        ("hinge", "continuous", "root"),
    ):
        b.add_link(name, ts.Inertia.of_sphere(1.0, 0.1)).add_joint(f"{name}_joint", kind, parent, name)
    return b.build(), mujoco.MjModel.from_xml_string(MUJOCO)


DRAKE_ORDER = ["sheet_joint", "ball_joint", "$world_root", "slide_joint", "hinge_joint", "wheel_joint"]

LAYOUTS = {
    "pinocchio": lambda: PinocchioLayout(robot(), pinocchio_robot()),
    "pinocchio, fixed base": lambda: PinocchioLayout(robot("fixed"), pinocchio_robot("fixed")),
    "pinocchio, euler angles": lambda: PinocchioLayout(robot(rotation="roll-pitch-yaw"), pinocchio_robot()),
    "mujoco": lambda: MujocoLayout(*mujoco_robot()),
    "drake": lambda: DrakeLayout(robot(), DRAKE_ORDER),
}


@pytest.fixture(params=LAYOUTS, name="layout")
def _layout(request) -> Layout:
    return LAYOUTS[request.param]()


def states(layout: Layout, shape: tuple[int, ...] = (7,)):
    rng = np.random.default_rng(5)
    model = layout.model
    return model.random(rng, shape), *(rng.normal(size=(*shape, model.nv)) for _ in range(2))


def test_configurations_go_there_and_back(layout):
    q, _, _ = states(layout)
    back = layout.from_q(layout.q(q))
    assert layout.q(q).shape == (7, layout.nq)
    np.testing.assert_allclose(layout.model.difference(q, back), 0.0, atol=ROUND_OFF)


def test_velocities_forces_and_accelerations_go_there_and_back(layout):
    q, v, vdot = states(layout)
    np.testing.assert_allclose(layout.from_v(layout.v(v, q), q), v, atol=ROUND_OFF)
    np.testing.assert_allclose(layout.from_tau(layout.tau(v, q), q), v, atol=ROUND_OFF)
    there = layout.acceleration(vdot, q, v)
    np.testing.assert_allclose(layout.from_acceleration(there, q, v), vdot, atol=ROUND_OFF)


def test_power_is_the_same_in_both_layouts(layout):
    q, v, tau = states(layout)
    power = (layout.v(v, q) * layout.tau(tau, q)).sum(axis=-1)
    np.testing.assert_allclose(power, (v * tau).sum(axis=-1), atol=ROUND_OFF)


def test_kinetic_energy_is_the_same_in_both_layouts(layout):
    q, v, _ = states(layout)
    M = ts.mass_matrix(layout.model, q)
    there, v_there = layout.matrix(M, q), layout.v(v, q)
    energy = np.einsum("...i,...ij,...j", v_there, there, v_there)
    np.testing.assert_allclose(energy, np.einsum("...i,...ij,...j", v, M, v), rtol=ROUND_OFF * 10)
    np.testing.assert_allclose(layout.from_matrix(there, q), M, atol=ROUND_OFF)


def test_jacobians_map_the_same_velocities(layout):
    q, v, _ = states(layout)
    J = ts.jacobian(layout.model, q, "ball")
    there = layout.jacobian(J, q)
    np.testing.assert_allclose(
        np.einsum("...ij,...j", there, layout.v(v, q)), np.einsum("...ij,...j", J, v), atol=ROUND_OFF
    )
    np.testing.assert_allclose(layout.from_jacobian(there, q), J, atol=ROUND_OFF)


def test_accelerations_are_time_derivatives_of_velocities(layout):
    q, v, vdot = states(layout)
    model = layout.model

    def velocity(t: float):
        # Along q(t) = q exp(t v + t^2 vdot / 2), whose velocity at 0 is v and changes at the rate vdot.
        dt = 1e-6
        here = model.integrate(q, t * v + 0.5 * t * t * vdot)
        before = model.integrate(q, (t - dt) * v + 0.5 * (t - dt) ** 2 * vdot)
        after = model.integrate(q, (t + dt) * v + 0.5 * (t + dt) ** 2 * vdot)
        return layout.v(model.difference(before, after) / (2.0 * dt), here)

    step = 1e-3
    numeric = (velocity(step) - velocity(-step)) / (2.0 * step)
    np.testing.assert_allclose(layout.acceleration(vdot, q, v), numeric, atol=CURVATURE)


def test_one_state_and_a_batch_agree(layout):
    q, v, vdot = states(layout, (2, 3))
    M = ts.mass_matrix(layout.model, q)
    for i in np.ndindex(2, 3):
        np.testing.assert_array_equal(layout.q(q)[i], layout.q(q[i]))
        np.testing.assert_array_equal(layout.v(v, q)[i], layout.v(v[i], q[i]))
        np.testing.assert_array_equal(layout.acceleration(vdot, q, v)[i], layout.acceleration(vdot[i], q[i], v[i]))
        np.testing.assert_array_equal(layout.matrix(M, q)[i], layout.matrix(M[i], q[i]))


def test_velocity_of_pinocchio_is_the_derivative_of_its_configuration():
    layout = PinocchioLayout(robot(), pinocchio_robot())
    model, peer = layout.model, pinocchio_robot()
    rng = np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    there = pin.integrate(peer, layout.q(q), layout.v(v))
    np.testing.assert_allclose(model.difference(layout.from_q(there), model.integrate(q, v)), 0.0, atol=ROUND_OFF)


def test_velocity_of_mujoco_is_the_derivative_of_its_configuration():
    model, peer = mujoco_robot()
    layout = MujocoLayout(model, peer)
    rng = np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    ends = [layout.q(model.integrate(q, v, dt)) for dt in (-STEP, STEP)]
    qvel = np.zeros(peer.nv)
    mujoco.mj_differentiatePos(peer, qvel, 2.0 * STEP, *ends)
    np.testing.assert_allclose(layout.v(v, q), qvel, atol=TRUNCATION)


def test_velocity_of_drake_is_the_derivative_of_its_configuration():
    model = robot()
    layout = DrakeLayout(model, DRAKE_ORDER)
    rng = np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    low, high = (layout.q(model.integrate(q, v, dt)) for dt in (-STEP, STEP))
    rate, there = (high - low) / (2.0 * STEP), layout.v(v, q)
    # Order there: sheet (x, y, angle), ball (roll, pitch, yaw), base (quaternion, position), slide, hinge, wheel.
    np.testing.assert_allclose(there[:3], rate[:3], atol=TRUNCATION)
    np.testing.assert_allclose(there[9:12], rate[10:13], atol=TRUNCATION)
    np.testing.assert_allclose(there[12:], rate[13:], atol=TRUNCATION)
    w, x, y, z = layout.q(q)[6:10]
    E_world = 2.0 * np.array([[-x, w, -z, y], [-y, z, w, -x], [-z, -y, x, w]])
    np.testing.assert_allclose(there[6:9], E_world @ rate[6:10], atol=TRUNCATION)
    _, pitch, yaw = layout.q(q)[3:6]
    turn = np.array([[np.cos(yaw) * np.cos(pitch), -np.sin(yaw), 0.0], [np.sin(yaw) * np.cos(pitch), np.cos(yaw), 0.0]])
    np.testing.assert_allclose(there[3:5], turn @ rate[3:6], atol=TRUNCATION)
    np.testing.assert_allclose(there[5], rate[5] - np.sin(pitch) * rate[3], atol=TRUNCATION)


def test_layouts_are_what_the_documentation_says():
    model = robot()
    q = model.neutral()
    q[:7] = (1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5)
    np.testing.assert_allclose(PinocchioLayout(model, pinocchio_robot()).q(q)[:7], (1, 2, 3, 0.5, -0.5, 0.5, 0.5))
    np.testing.assert_allclose(DrakeLayout(model, DRAKE_ORDER).q(q)[6:13], (0.5, 0.5, -0.5, 0.5, 1, 2, 3))
    small, peer = mujoco_robot()
    q = small.neutral()
    q[:7] = (1.0, 2.0, 3.0, 0.5, 0.5, -0.5, 0.5)
    np.testing.assert_allclose(MujocoLayout(small, peer).q(q)[:7], (1, 2, 3, 0.5, 0.5, -0.5, 0.5))


def test_functions_do_what_layouts_do():
    model, peer = robot(), pinocchio_robot()
    rng = np.random.default_rng(3)
    q, v = model.random(rng), rng.normal(size=model.nv)
    for there, back in (
        (to_pinocchio(model, q, v, peer), lambda s: from_pinocchio(model, *s, peer)),
        (to_drake(model, q, v, DRAKE_ORDER), lambda s: from_drake(model, *s, DRAKE_ORDER)),
    ):
        q2, v2 = back(there)
        np.testing.assert_allclose(model.difference(q, q2), 0.0, atol=ROUND_OFF)
        np.testing.assert_allclose(v2, v, atol=ROUND_OFF)
    small, mj = mujoco_robot()
    q, v = small.random(rng), rng.normal(size=small.nv)
    q2, v2 = from_mujoco(small, *to_mujoco(small, q, v, mj), mj)
    np.testing.assert_allclose(small.difference(q, q2), 0.0, atol=ROUND_OFF)
    np.testing.assert_allclose(v2, v, atol=ROUND_OFF)


def test_wrenches_of_drake_have_the_moment_first():
    np.testing.assert_array_equal(wrench_to_drake([1, 2, 3, 4, 5, 6]), [4, 5, 6, 1, 2, 3])
    np.testing.assert_array_equal(wrench_from_drake([[4, 5, 6, 1, 2, 3]]), [[1, 2, 3, 4, 5, 6]])


# Dependent joints


def coupled() -> tuple[ts.Model, ts.Model, pin.Model]:
    """A gripper whose second finger follows the first one, with the coupling reduced and cut, and both free there."""
    b = ts.ModelBuilder("gripper").add_link("palm")
    peer = pin.Model()
    for name in ("right", "left"):
        b.add_link(name, ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3), com=(0.3, 0.0, 0.0)))
        b.add_joint(f"{name}_joint", "revolute", "palm", name)
        peer.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), f"{name}_joint")
    b.add_coupling("right_joint", "left_joint", -2.0, 0.5)
    return b.build(), b.build(couplings="cut"), peer


def test_dependent_joints_get_their_values():
    model, _, peer = coupled()
    layout = PinocchioLayout(model, peer)
    np.testing.assert_allclose(layout.q([0.3]), (0.5 - 0.6, 0.3))
    np.testing.assert_allclose(layout.v([0.3]), (-0.6, 0.3))
    np.testing.assert_allclose(layout.from_q([9.0, 0.3]), [0.3])
    np.testing.assert_allclose(layout.tau([0.3]), (0.0, 0.3))
    np.testing.assert_allclose(layout.from_tau([1.0, 0.3]), [-1.7])


def test_mass_matrix_of_dependent_joints_folds():
    model, cut, peer = coupled()
    q = np.array([0.3])
    layout = PinocchioLayout(model, peer)
    M = PinocchioLayout(cut, peer).matrix(ts.mass_matrix(cut, PinocchioLayout(cut, peer).from_q(layout.q(q))))
    np.testing.assert_allclose(layout.from_matrix(M), ts.mass_matrix(model, q), rtol=ROUND_OFF)
    with pytest.raises(ArgumentError, match="cut"):
        layout.matrix(np.eye(1))


# What is refused


def test_a_joint_without_counterpart_is_named():
    model = robot()
    names = [name for name in DRAKE_ORDER if name != "hinge_joint"]
    with pytest.raises(UnknownNameError, match="no joint 'hinge_joint'"):
        DrakeLayout(model, names)
    with pytest.raises(UnknownNameError, match="not in the tarsus model: extra"):
        DrakeLayout(model, [*DRAKE_ORDER, "extra"])


def test_names_can_be_given():
    model = robot("fixed")
    names = ["a", "b", "c", "d", "e"]
    ours = [joint.name for joint in model.joints.values() if joint.nv > 0]
    layout = DrakeLayout(model, names, names=dict(zip(ours, names, strict=True)))
    assert layout.nv == model.nv


def test_different_kinds_are_refused():
    peer = pin.Model()
    peer.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "hinge_joint")
    b = ts.ModelBuilder("one").add_link("a").add_link("b", ts.Inertia.of_sphere(1.0, 0.1))
    with pytest.raises(ArgumentError, match="revolute"):
        PinocchioLayout(b.add_joint("hinge_joint", "revolute", "a", "b").build(), peer)


def test_a_sagittal_base_is_not_a_planar_joint_of_the_others():
    model = ts.ModelBuilder("p", base="planar").add_link("a", ts.Inertia.of_sphere(1.0, 0.1)).build()
    with pytest.raises(ArgumentError, match="x-y"):
        DrakeLayout(model, ["floating"])


def test_q_is_asked_for_where_axes_turn():
    layout = MujocoLayout(*mujoco_robot())
    with pytest.raises(ArgumentError, match="q is needed"):
        layout.v(np.zeros(layout.model.nv))


@pytest.mark.parametrize("name", ["v", "tau", "matrix", "jacobian", "from_q", "from_v", "from_matrix", "from_jacobian"])
def test_wrong_shapes_are_refused(name):
    layout = PinocchioLayout(robot(), pinocchio_robot())
    with pytest.raises(ShapeError):
        getattr(layout, name)(np.zeros(3))


def test_unnamed_joints_of_mujoco_are_matched_by_order():
    model, peer = mujoco_robot()
    unnamed = mujoco.MjModel.from_xml_string(
        MUJOCO.replace('name="hinge_joint"', "").replace('name="slide_joint"', "").replace('name="root"', "")
    )
    with pytest.raises(ArgumentError, match="slide_joint"):
        MujocoLayout(model, unnamed)  # the order of the two branches differs here
    short = SimpleNamespace(njnt=1, joint=lambda i: SimpleNamespace(name=""))
    with pytest.raises(UnknownNameError, match="unnamed"):
        MujocoLayout(model, short)
    assert MujocoLayout(model, peer).nv == model.nv
