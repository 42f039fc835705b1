"""Constrained dynamics against Pinocchio, equality constraints against the Jacobians of MuJoCo.

Pinocchio's constrained dynamics is right only for joints that were added depth first; the models here are.
"""

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from dynamics.loop_models import FourBar
from dynamics.random_models import random_builder
from parity.agreement import assert_agree
from parity.pinocchio_models import ROBOTS, Pair, built_pair, robot_pair

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints import Constraint, ball, weld
from tarsus.io.interop import MujocoLayout
from tarsus.io.mjcf import read_mjcf_text
from tarsus.model.assembly import assemble

METHODS = ("sparse", "recursive", "runs", "dense")
EXACT = 1e-14
"""Proximal residual at which Pinocchio stops: it regularises the constraints and iterates."""
FEET = ("leg_left_6_link", "leg_right_6_link")


def contact(pair: Pair, kind: str, a: str, b: str, X_a: FloatArray, X_b: FloatArray) -> Any:
    """Constraint of Pinocchio between frames at X_a and X_b on two bodies; "world" is joint 0."""
    ends: list[Any] = []
    for body, X in ((a, X_a), (b, X_b)):
        placement = pin.SE3(np.array(X[:3, :3]), np.array(X[:3, 3]))
        if body == "world":
            ends += [0, placement]
        else:
            frame = pair.pin_model.frames[pair.pin_model.getFrameId(body)]
            ends += [frame.parentJoint, frame.placement * placement]
    contact_type = pin.ContactType.CONTACT_3D if kind == "spherical" else pin.ContactType.CONTACT_6D
    return pin.RigidConstraintModel(contact_type, pair.pin_model, *ends, pin.ReferenceFrame.LOCAL)


def peer_acceleration(pair: Pair, q: FloatArray, v: FloatArray, tau: FloatArray, contacts: list[Any]) -> FloatArray:
    return pair.layout.from_v(peer_motion(pair, q, v, tau, contacts)[0])


def peer_motion(
    pair: Pair, q: FloatArray, v: FloatArray, tau: FloatArray, contacts: list[Any], derivatives: bool = False
) -> tuple[FloatArray, Any]:
    """Accelerations in Pinocchio's order, and its data."""
    data = pair.pin_model.createData()
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for model in contacts:
        models.append(model)
        datas.append(model.createData())
    pin.initConstraintDynamics(pair.pin_model, data, models, datas)
    settings = pin.ProximalSettings(EXACT, 1e-12, 100)
    layout = pair.layout
    vdot = pin.constraintDynamics(
        pair.pin_model, data, layout.q(q), layout.v(v), layout.tau(tau), models, datas, settings
    )
    if derivatives:
        pin.computeConstraintDynamicsDerivatives(pair.pin_model, data, models, datas, settings)
    return vdot, data


@pytest.mark.parametrize("method", METHODS)
def test_four_bar_agrees_with_pinocchio(method: str) -> None:
    bars = FourBar()
    pair = built_pair(bars.model())
    loop = ball("coupler", "rocker", (bars.coupler, 0, 0), (bars.rocker, 0, 0))
    rng = np.random.default_rng(3)
    for crank, rate in rng.uniform([0.0, -5.0], [6.0, 5.0], (5, 2)):
        q, v, tau = bars.configuration(crank), bars.velocity(crank, rate), rng.normal(size=3)
        contacts = [contact(pair, "spherical", "coupler", "rocker", loop.pose_a, loop.pose_b)]
        with pytest.warns(ts.errors.RedundantConstraintWarning, match="rank 2"):
            found = ts.constrained_dynamics(pair.model, q, v, tau, [loop], method=method).vdot  # type: ignore[arg-type]
        assert_agree(found, peer_acceleration(pair, q, v, tau, contacts))


@pytest.mark.parametrize("kind", ["fixed", "spherical"])
@pytest.mark.parametrize("method", METHODS)
def test_robot_on_both_feet_agrees_with_pinocchio(method: str, kind: str) -> None:
    pair = robot_pair(ROBOTS["talos"], "free")
    model = pair.model
    rng = np.random.default_rng(5)
    for _ in range(3):
        q = model.random(rng)
        tau = 10.0 * rng.normal(size=model.nv)
        poses = [ts.frame_pose(model, q, foot) for foot in FEET]
        make = weld if kind == "fixed" else (lambda a, b, X: ball(a, b, X[:3, 3]))
        constraints: list[Constraint] = [make("world", f, X) for f, X in zip(FEET, poses, strict=True)]
        v = ts.project_velocity(model, q, rng.normal(size=model.nv), constraints)
        contacts = [contact(pair, kind, f, "world", np.eye(4), X) for f, X in zip(FEET, poses, strict=True)]
        found = ts.constrained_dynamics(model, q, v, tau, constraints, method=method)  # type: ignore[arg-type]
        assert_agree(found.vdot, peer_acceleration(pair, q, v, tau, contacts))


def test_derivatives_on_both_feet_with_tied_hands_agree_with_pinocchio() -> None:
    """On the constraints: off them, Pinocchio closes other functions of the same frames."""
    pair = robot_pair(ROBOTS["talos"], "free")
    model = pair.model
    rng = np.random.default_rng(7)
    hands = ("arm_left_7_link", "arm_right_7_link")
    for _ in range(3):
        q, tau = model.random(rng), 10.0 * rng.normal(size=model.nv)
        poses = [ts.frame_pose(model, q, body) for body in (*FEET, *hands)]
        between = np.linalg.inv(poses[2]) @ poses[3]
        constraints: list[Constraint] = [weld("world", f, X) for f, X in zip(FEET, poses[:2], strict=True)]
        constraints.append(weld(*hands, between))
        v = ts.project_velocity(model, q, rng.normal(size=model.nv), constraints)
        contacts = [contact(pair, "fixed", f, "world", np.eye(4), X) for f, X in zip(FEET, poses[:2], strict=True)]
        contacts.append(contact(pair, "fixed", *hands, between, np.eye(4)))
        _, data = peer_motion(pair, q, v, tau, contacts, derivatives=True)
        units = np.array([pair.layout.v(unit) for unit in np.eye(model.nv)])  # ours, in their order
        found = ts.constrained_dynamics_derivatives(model, q, v, tau, constraints).vdot
        for mine, theirs in zip(found, (data.ddq_dq, data.ddq_dv, data.ddq_dtau), strict=True):
            assert_agree(mine, units @ np.array(theirs) @ units.T)


def test_loops_of_a_random_tree_agree_with_pinocchio() -> None:
    """A ball between two branches and a weld of a body to the world, on revolute, prismatic and spherical joints."""
    kinds = ["revolute", "spherical", "revolute", "prismatic", "revolute", "spherical", "revolute", "revolute"]
    pair = built_pair(random_builder(kinds, [0, 1, 2, 3, 0, 5, 6, 7], "free", 8).build())
    model = pair.model
    rng = np.random.default_rng(6)
    tip = np.array([0.3, -0.2, 0.1])
    q0 = model.random(rng)
    constraints: list[Constraint] = [
        ball("body4", "body8", tip, _point_in(model, q0, "body8", _world(model, q0, "body4", tip))),
        weld("world", "body2", ts.frame_pose(model, q0, "body2")),
    ]
    v = ts.project_velocity(model, q0, rng.normal(size=model.nv), constraints)
    tau = rng.normal(size=model.nv)
    contacts = [
        contact(pair, "spherical", "body4", "body8", constraints[0].pose_a, constraints[0].pose_b),  # type: ignore[attr-defined]
        contact(pair, "fixed", "body2", "world", np.eye(4), constraints[1].pose_a),  # type: ignore[attr-defined]
    ]
    found = ts.constrained_dynamics(model, q0, v, tau, constraints, method="recursive")
    assert_agree(found.vdot, peer_acceleration(pair, q0, v, tau, contacts))


def _world(model: ts.Model, q: FloatArray, body: str, point: FloatArray) -> FloatArray:
    X = ts.frame_pose(model, q, body)
    return X[:3, :3] @ point + X[:3, 3]


def _point_in(model: ts.Model, q: FloatArray, body: str, point: FloatArray) -> FloatArray:
    X = ts.frame_pose(model, q, body)
    return X[:3, :3].T @ (point - X[:3, 3])


MJCF = """
<mujoco>
  <worldbody>
    <body name="a" pos="0 0 1"><joint name="ja" axis="0 1 0"/><geom type="box" size=".1 .2 .3"/>
      <body name="b" pos=".5 0 0"><joint name="jb" type="ball"/><geom type="box" size=".1 .1 .3"/></body>
    </body>
    <body name="c" pos=".2 .3 1"><joint name="jc" axis="1 1 0"/><geom type="box" size=".2 .2 .1"/>
      <body name="d" pos="0 .4 0"><joint name="jd" type="slide" axis="0 0 1"/><geom type="box" size=".1 .2 .1"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="d" anchor=".1 .2 .3"/>
    <joint name="cam" joint1="jd" joint2="jc" polycoef=".1 .2 .3 .4 0"/>
    <weld name="glue" body1="d" body2="a"/>
  </equality>
</mujoco>
"""


class Equalities:
    """The same equality constraints in both libraries, by name, at a configuration."""

    def __init__(self) -> None:
        description, problems = read_mjcf_text(MJCF, name="loops.xml")
        assert not [p for p in problems if p.severity == "error"]
        self.model = assemble(description, couplings="cut")
        self.mj = mujoco.MjModel.from_xml_string(MJCF)
        self.layout = MujocoLayout(self.model, self.mj)
        self.constraints = {c.name: c for c in ts.loop_constraints(self.model)}
        assert list(self.constraints) == ["pin", "cam", "glue"]

    def theirs(self, name: str, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Violation and Jacobian of MuJoCo, the latter for our velocities."""
        data = mujoco.MjData(self.mj)
        data.qpos = self.layout.q(q)
        mujoco.mj_forward(self.mj, data)
        J = data.efc_J.reshape(data.nefc, self.mj.nv)
        equality = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        number = mujoco.mj_name2id(self.mj, mujoco.mjtObj.mjOBJ_EQUALITY, name)
        rows = np.flatnonzero((data.efc_id == number) & (data.efc_type == equality))
        return data.efc_pos[rows], self.layout.from_jacobian(J[rows], q)

    def ours(self, name: str, q: FloatArray) -> ts.constraints.ConstraintRows:
        return ts.constraint_rows(self.model, q, np.zeros(self.model.nv), [self.constraints[name]])


def test_polynomial_equality_has_the_violation_and_jacobian_of_mujoco() -> None:
    pair = Equalities()
    for q in pair.model.random(np.random.default_rng(9), 5):
        violation, J = pair.theirs("cam", q)
        assert_agree(pair.ours("cam", q).violation, violation)
        assert_agree(pair.ours("cam", q).jacobian, J)


def test_connect_equality_has_the_violation_and_jacobian_of_mujoco() -> None:
    """Theirs is body 1 less body 2 in world axes, ours body 2 seen from body 1: Jacobians agree where it is closed."""
    pair = Equalities()
    for q in pair.model.random(np.random.default_rng(10), 5):
        R = ts.frame_pose(pair.model, q, "b")[:3, :3]
        assert_agree(-R @ pair.ours("pin", q).violation, pair.theirs("pin", q)[0])
    for start in 0.3 * np.random.default_rng(11).normal(size=(5, pair.model.nv)):
        q = ts.project_position(
            pair.model, pair.model.integrate(pair.model.neutral(), start), [pair.constraints["pin"]]
        )
        R = ts.frame_pose(pair.model, q, "b")[:3, :3]
        assert_agree(-R @ pair.ours("pin", q).jacobian, pair.theirs("pin", q)[1])


def test_weld_equality_is_closed_as_drawn_and_blocks_the_same_motions_as_in_mujoco() -> None:
    pair = Equalities()
    q = pair.model.neutral()
    violation, J = pair.theirs("glue", q)
    np.testing.assert_allclose(violation, 0.0, atol=1e-15)
    np.testing.assert_allclose(pair.ours("glue", q).violation, 0.0, atol=1e-15)
    ours = pair.ours("glue", q).jacobian
    rank = np.linalg.matrix_rank(ours)
    assert rank == np.linalg.matrix_rank(J) == np.linalg.matrix_rank(np.concatenate([ours, J]))
    assert_agree(ours[:3], -ts.frame_pose(pair.model, q, "d")[:3, :3].T @ J[:3])
