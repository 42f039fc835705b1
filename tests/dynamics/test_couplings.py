"""Joints that follow others: the reduced model against the tree with the coupling matrix G, v_tree = G v."""

import numpy as np
import pytest
from dynamics.random_models import random_inertia, random_pose, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.arrays import FloatArray

ONE_AXIS = ("revolute", "prismatic", "helical", "continuous")


@st.composite
def coupled_builders(draw: st.DrawFn) -> ts.ModelBuilder:
    """Trees of one-axis and spherical joints in which some joints follow others, through several stages, too."""
    count = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    builder = ts.ModelBuilder("coupled", base=draw(st.sampled_from(("fixed", "free"))), gravity=(0.2, 0.1, -9.81))
    builder.add_link("body0", random_inertia(rng))
    leaders: list[str] = []
    followers = 0
    for k in range(1, count + 1):
        kind = draw(st.sampled_from((*ONE_AXIS, "spherical"))) if k > 2 else "revolute"
        builder.add_link(f"body{k}", random_inertia(rng))
        properties = {"damping": 0.3, "friction": 0.1} | ({"stiffness": 4.0, "rest": 0.2} if kind in ONE_AXIS else {})
        builder.add_joint(
            f"joint{k}", kind, f"body{draw(st.integers(0, k - 1))}", f"body{k}", pose=random_pose(rng),
            axis=tuple(rng.normal(size=3)), pitch=0.1, armature=0.05, **properties,
        )  # fmt: skip
        if kind in ONE_AXIS:
            if leaders and (draw(st.booleans()) or followers == 0):
                ratio, offset = float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 2.0)), float(rng.normal())
                builder.add_coupling(f"joint{k}", draw(st.sampled_from(leaders)), ratio, offset)
                followers += 1
            leaders.append(f"joint{k}")
    return builder


class Coupled:
    """The reduced model, the free tree, and what leads from one to the other, taken from the couplings only."""

    def __init__(self, builder: ts.ModelBuilder) -> None:
        self.reduced, self.tree = builder.build(), builder.build(couplings="cut")
        self.rules = {c.joint: c for c in self.reduced.couplings}
        self.G = np.column_stack([self.velocity(unit) for unit in np.eye(self.reduced.nv)])

    def chain(self, name: str) -> tuple[str, float, float]:
        """Leader at the end of a chain of couplings, with ratio and offset to it."""
        ratio, offset = 1.0, 0.0
        while name in self.rules:
            rule = self.rules[name]
            name, ratio, offset = rule.leader, ratio * rule.ratio, ratio * rule.offset + offset
        return name, ratio, offset

    def velocity(self, v: FloatArray) -> FloatArray:
        tree = np.zeros(self.tree.nv)
        for joint in self.tree.joints.values():
            leader, ratio, _ = self.chain(joint.name)
            tree[joint.v_index] = ratio * v[self.reduced.joints[leader].v_index]
        return tree

    def configuration(self, q: FloatArray) -> FloatArray:
        tree = np.zeros(self.tree.nq)
        for joint in self.tree.joints.values():
            leader, ratio, offset = self.chain(joint.name)
            tree[joint.q_index] = ratio * q[self.reduced.joints[leader].q_index] + offset
        return tree


@PROPERTY
@given(coupled_builders(), seeds())
def test_reduced_model_counts_independent_coordinates(builder: ts.ModelBuilder, seed: int) -> None:
    pair = Coupled(builder)
    q = random_state(pair.reduced, seed).q
    assert pair.reduced.nv == pair.tree.nv - len(pair.reduced.couplings)
    assert pair.reduced.nb == pair.tree.nb
    assert_close(pair.reduced.joint_positions(q), pair.configuration(q))
    for rule in pair.reduced.couplings:
        joint = pair.reduced.joints[rule.joint]
        assert (joint.q_index.stop - joint.q_index.start, joint.v_index.stop - joint.v_index.start) == (0, 0)


@PROPERTY
@given(coupled_builders(), seeds())
def test_reduced_kinematics_are_those_of_the_tree_times_g(builder: ts.ModelBuilder, seed: int) -> None:
    pair = Coupled(builder)
    q, v, vdot, *_ = random_state(pair.reduced, seed)
    Q, V = pair.configuration(q), pair.G @ v
    assert_close(ts.body_poses(pair.reduced, q), ts.body_poses(pair.tree, Q))
    for function in (ts.body_jacobians, ts.joint_screws, ts.com_jacobian, ts.momentum_matrix):
        assert_close(function(pair.reduced, q), function(pair.tree, Q) @ pair.G)
    last = f"body{pair.reduced.nb - 1}"
    for axes in ("world", "local", "world_origin"):
        J, dJ = ts.jacobian(pair.tree, Q, last, axes), ts.jacobian_dot(pair.tree, Q, V, last, axes)
        assert_close(ts.jacobian(pair.reduced, q, last, axes), J @ pair.G)
        assert_close(ts.jacobian_dot(pair.reduced, q, v, last, axes), dJ @ pair.G)
        assert_close(ts.frame_velocity(pair.reduced, q, v, last, axes), J @ V)
        expected = J @ pair.G @ vdot + dJ @ V
        assert_close(ts.frame_acceleration(pair.reduced, q, v, vdot, last, axes), expected)


@PROPERTY
@given(coupled_builders(), seeds())
def test_reduced_dynamics_are_those_of_the_tree_projected_by_g(builder: ts.ModelBuilder, seed: int) -> None:
    pair = Coupled(builder)
    q, v, vdot, _, external = random_state(pair.reduced, seed)
    Q, V, A, G = pair.configuration(q), pair.G @ v, pair.G @ vdot, pair.G
    assert_close(ts.mass_matrix(pair.reduced, q), G.T @ ts.mass_matrix(pair.tree, Q) @ G)
    assert_close(ts.coriolis_matrix(pair.reduced, q, v), G.T @ ts.coriolis_matrix(pair.tree, Q, V) @ G)
    assert_close(ts.bias_force(pair.reduced, q, v), G.T @ ts.bias_force(pair.tree, Q, V))
    assert_close(ts.gravity_force(pair.reduced, q), G.T @ ts.gravity_force(pair.tree, Q))
    assert_close(ts.passive_force(pair.reduced, q, v), G.T @ ts.passive_force(pair.tree, Q, V))
    assert_close(ts.torque_regressor(pair.reduced, q, v, vdot), G.T @ ts.torque_regressor(pair.tree, Q, V, A))
    assert_close(ts.kinetic_energy(pair.reduced, q, v), ts.kinetic_energy(pair.tree, Q, V))
    for passive in (False, True):
        expected = G.T @ ts.inverse_dynamics(pair.tree, Q, V, A, external, passive=passive)
        assert_close(ts.inverse_dynamics(pair.reduced, q, v, vdot, external, passive=passive), expected)


@PROPERTY
@given(coupled_builders(), seeds(), st.sampled_from(("articulated-body", "composite-body")), st.booleans())
def test_reduced_forward_dynamics_solve_the_reduced_equation(
    builder: ts.ModelBuilder, seed: int, method: str, passive: bool
) -> None:
    pair = Coupled(builder)
    q, v, _, tau, external = random_state(pair.reduced, seed)
    vdot = ts.forward_dynamics(pair.reduced, q, v, tau, external, method, passive=passive)
    Q, V, G = pair.configuration(q), pair.G @ v, pair.G
    needed = G.T @ ts.inverse_dynamics(pair.tree, Q, V, G @ vdot, external, passive=passive)
    assert_close(needed, tau, SOLVED)
    solved = ts.solve_mass(pair.reduced, q, tau)
    assert_close(G.T @ ts.mass_matrix(pair.tree, Q) @ G @ solved, tau, SOLVED)


@PROPERTY
@given(coupled_builders(), seeds())
def test_batches_of_coupled_models_equal_single_states(builder: ts.ModelBuilder, seed: int) -> None:
    model = builder.build()
    q, v, vdot, tau, external = random_state(model, seed, (5,))
    together = (
        ts.inverse_dynamics(model, q, v, vdot, external),
        ts.mass_matrix(model, q),
        ts.forward_dynamics(model, q, v, tau, external, passive=True),
    )
    for row in range(5):
        one = (
            ts.inverse_dynamics(model, q[row], v[row], vdot[row], external[row]),
            ts.mass_matrix(model, q[row]),
            ts.forward_dynamics(model, q[row], v[row], tau[row], external[row], passive=True),
        )
        for a, b in zip(together, one, strict=True):
            assert_close(a[row], b, SOLVED)


@PROPERTY
@given(coupled_builders(), seeds())
def test_locked_followers_stand_where_their_leaders_at_zero_put_them(builder: ts.ModelBuilder, seed: int) -> None:
    pair, locked = Coupled(builder), builder.build(couplings="lock")
    q, v, *_ = random_state(locked, seed)
    Q, V = np.zeros(pair.tree.nq), np.zeros(pair.tree.nv)
    for joint in pair.tree.joints.values():
        if joint.name in pair.rules:
            Q[joint.q_index] = pair.chain(joint.name)[2]
        elif joint.nv > 0:
            Q[joint.q_index], V[joint.v_index] = (
                q[locked.joints[joint.name].q_index],
                v[locked.joints[joint.name].v_index],
            )
    assert_close(ts.frame_poses(locked, q, list(pair.tree.bodies)), ts.body_poses(pair.tree, Q))
    assert_close(np.array(ts.kinetic_energy(locked, q, v)), np.array(ts.kinetic_energy(pair.tree, Q, V)))


def test_rack_follows_its_pinion() -> None:
    """A wheel of inertia J that drives a mass m by a rack: J + r^2 m at the wheel, and its weight as a moment."""
    radius, wheel, load = 0.2, 0.3, 5.0
    builder = ts.ModelBuilder("rack")
    builder.add_link("ground").add_link("wheel", ts.Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, wheel])))
    builder.add_link("rack", ts.Inertia.of_box(load, (0.1, 0.1, 1.0)))
    builder.add_joint("pinion", "continuous", "ground", "wheel", axis=(0, 0, 1))
    builder.add_joint("lift", "prismatic", "ground", "rack", axis=(0, 0, 1)).add_coupling("lift", "pinion", radius, 1.0)
    model = builder.build()
    assert model.nv == 1
    assert ts.mass_matrix(model, [0.7])[0, 0] == pytest.approx(wheel + radius**2 * load, rel=1e-15)
    assert ts.frame_pose(model, [0.7], "rack")[2, 3] == pytest.approx(1.0 + 0.7 * radius, rel=1e-15)
    expected = -radius * load * 9.81 / (wheel + radius**2 * load)
    assert ts.forward_dynamics(model, [0.7], [3.0], [0.0])[0] == pytest.approx(expected, rel=1e-14)
