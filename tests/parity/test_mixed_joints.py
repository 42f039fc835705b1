"""Trees with joints of every kind, built alike in tarsus and in Pinocchio, and compared with the oracle, too."""

from functools import cache

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from dynamics.oracle import adjoint, evaluate, transform
from dynamics.random_models import BASES, KINDS, random_model
from parity.agreement import FRAME_FUNCTIONS, FUNCTIONS, assert_agree, check_frame_function, check_function
from parity.pinocchio_models import Pair, built_pair
from parity.pinocchio_quantities import AXES, samples

import tarsus as ts

ORACLE_RELATIVE = 1e-11
"""Share of the largest entry: both are exact up to rounding, the oracle loses some digits far from the world origin."""
DRIFT = 1e-8
"""Of the energy in free motion [share of the kinetic energy]; the error of order four of steps of 1 ms."""
STEPS, STEP = 200, 1e-3

TREES = {
    **{f"{kind}s": ((kind, kind, kind), "fixed", 10 + i) for i, kind in enumerate(KINDS)},
    **{f"mixed-{base}": (KINDS, base, 20 + i) for i, base in enumerate(BASES)},
    **{
        f"shuffled-{seed}": (tuple(np.random.default_rng(seed).permutation(KINDS * 2)), "free", seed)
        for seed in (31, 32, 33)
    },
}


AXIS_RATES = {"jacobian_dot", "jacobian_dot_v", "coriolis_force"}
"""Functions in which Pinocchio forgets that the first axis of a universal joint turns with the second angle."""


@cache
def tree(name: str, split_universals: bool = False) -> Pair:
    kinds, base, seed = TREES[name]
    return built_pair(random_model([str(kind) for kind in kinds], base, seed), split_universals)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", TREES)
def test_function_agrees_with_pinocchio(name: str, function: str) -> None:
    check_function(tree(name, function in AXIS_RATES), function)


@pytest.mark.parametrize("expressed_in", AXES)
@pytest.mark.parametrize("function", FRAME_FUNCTIONS)
@pytest.mark.parametrize("name", TREES)
def test_function_of_frame_agrees_with_pinocchio(name: str, function: str, expressed_in: str) -> None:
    check_frame_function(tree(name, function in AXIS_RATES), function, expressed_in)


@pytest.mark.parametrize("name", TREES)
def test_kinematics_agree_with_oracle(name: str) -> None:
    model = tree(name).model
    batch = samples(model, 3, seed=1)
    for row in range(3):
        q, v = batch.q[row], batch.v[row]
        oracle = evaluate(model, q, v)
        assert_agree(ts.body_poses(model, q), oracle.poses, ORACLE_RELATIVE)
        assert_agree(ts.joint_screws(model, q), oracle.screws, ORACLE_RELATIVE)
        assert_agree(ts.center_of_mass(model, q), oracle.center_of_mass, ORACLE_RELATIVE)
        expected = np.array([oracle.jacobian(i, X[:3, 3]) for i, X in enumerate(oracle.poses)])
        assert_agree(ts.body_jacobians(model, q), expected, ORACLE_RELATIVE)
        for body in model.bodies.values():
            assert_agree(
                ts.frame_velocity(model, q, v, body.name, "world_origin"), oracle.twists[body.index], ORACLE_RELATIVE
            )
            assert_agree(
                ts.jacobian_dot_v(model, q, v, body.name, "world_origin"), oracle.biases[body.index], ORACLE_RELATIVE
            )


@pytest.mark.parametrize("name", TREES)
def test_dynamics_agree_with_oracle(name: str) -> None:
    model = tree(name).model
    batch = samples(model, 3, seed=2)
    for row in range(3):
        q, v, vdot, external = batch.q[row], batch.v[row], batch.vdot[row], batch.external[row]
        oracle = evaluate(model, q, v)
        assert_agree(ts.mass_matrix(model, q), oracle.mass_matrix, ORACLE_RELATIVE)
        assert_agree(ts.bias_force(model, q, v), oracle.bias_force, ORACLE_RELATIVE)
        assert_agree(ts.gravity_force(model, q), evaluate(model, q, 0.0 * v).bias_force, ORACLE_RELATIVE)
        assert_agree(ts.kinetic_energy(model, q, v), np.array(oracle.kinetic_energy), ORACLE_RELATIVE)
        at_center = adjoint(transform(np.eye(3), oracle.center_of_mass)).T @ oracle.momentum_at_origin
        assert_agree(ts.momentum(model, q, v), at_center, ORACLE_RELATIVE)
        pushes = [oracle.jacobian(i, X[:3, 3]).T @ external[i] for i, X in enumerate(oracle.poses)]
        expected = oracle.mass_matrix @ vdot + oracle.bias_force - np.sum(pushes, axis=0)
        assert_agree(ts.inverse_dynamics(model, q, v, vdot, external), expected, ORACLE_RELATIVE)


@pytest.mark.parametrize("name", TREES)
def test_free_motion_conserves_energy(name: str) -> None:
    model = tree(name).model
    batch = samples(model, 4, seed=3)
    q, v = batch.q, 2.0 * batch.v
    kinetic = ts.kinetic_energy(model, q, v)
    start = kinetic + ts.potential_energy(model, q)
    for _ in range(STEPS):
        q, v = runge_kutta_step(model, q, v, STEP)
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    assert np.all(np.abs(energy - start) < DRIFT * np.maximum(kinetic, np.abs(start)))
