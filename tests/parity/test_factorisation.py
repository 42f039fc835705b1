"""Mass matrix, its factors and its solution against Pinocchio's sparse Cholesky factorisation M = U D U^T."""

import numpy as np
import pinocchio as pin
import pytest
from dynamics.random_models import random_model
from parity.agreement import assert_agree
from parity.pinocchio_models import ROBOTS, Pair, built_pair, robot_pair
from parity.pinocchio_quantities import samples

import tarsus as ts

PAIRS = {
    "talos": lambda: robot_pair(ROBOTS["talos"], "fixed"),
    "icub": lambda: robot_pair(ROBOTS["icub"], "fixed"),
    "panda": lambda: robot_pair(ROBOTS["panda"], "fixed"),
    "coil": lambda: built_pair(ts.robots.coil(16)),
    "dill": lambda: built_pair(ts.robots.dill(5)),
    "hinges and slides": lambda: built_pair(random_model(("revolute", "prismatic") * 5, "fixed", 7)),
}
"""Joints with one degree of freedom, where both count pivots alike."""


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> Pair:
    found: Pair = PAIRS[request.param]()
    return found


def test_denoc_factors_are_those_of_their_factorisation(pair: Pair) -> None:
    model, data = pair.model, pair.pin_model.createData()
    sample = samples(model, 1, seed=3)[0]
    pin.crba(pair.pin_model, data, pair.layout.q(sample.q))
    pin.cholesky.decompose(pair.pin_model, data)
    order = np.rint(pair.layout.from_v(np.arange(model.nv, dtype=float))).astype(int)
    U, D = ts.denoc_factors(model, sample.q)
    assert_agree(np.diag(D), np.array(data.D)[order])
    if np.array_equal(order, np.arange(model.nv)):  # U depends on the order of branches
        assert_agree(U, np.triu(data.U))


@pytest.mark.parametrize("method", ["composite-body-sparse", "newton-euler-sparse", "newton-euler", "denoc"])
def test_accelerations_are_those_of_their_mass_matrix_and_bias(pair: Pair, method: str) -> None:
    model, data = pair.model, pair.pin_model.createData()
    sample = samples(model, 1, seed=4)[0]
    q, v, tau = pair.layout.q(sample.q), pair.layout.v(sample.v), pair.layout.tau(sample.tau)
    pin.computeAllTerms(pair.pin_model, data, q, v)
    pin.cholesky.decompose(pair.pin_model, data)
    expected = pair.layout.from_v(pin.cholesky.solve(pair.pin_model, data, tau - data.nle))
    ours = ts.forward_dynamics(model, sample.q, sample.v, sample.tau, method=method)  # type: ignore[arg-type]
    assert_agree(ours, expected)
