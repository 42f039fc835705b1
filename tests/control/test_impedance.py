"""Impedance control: the tool yields to a push like a spring, and settles without ringing."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import Impedance
from tarsus.control.impedance import damping_matrix
from tarsus.errors import ArgumentError, SimulationError
from tarsus.simulation import Push
from tarsus.tasks import FramePose, Posture


@pytest.mark.parametrize("posture", [None, Posture(gain=4.0)], ids=["damped", "posture"])
def test_tool_yields_to_a_push_by_force_over_stiffness(posture):
    model = ts.robots.crops9()
    q0 = np.array(model.reference)
    X = ts.frame_pose(model, q0, "tool")
    K = np.array([500.0, 1000.0, 400.0, 50.0, 50.0, 50.0])
    push = np.array([8.0, -5.0, 6.0])
    law = Impedance(model, FramePose("tool", X), K, posture=posture)
    run = ts.simulate(
        model, q0, duration=2.0, controller=law, pushes=[Push("tool", push, start=0.0, duration=3.0)], dt=2e-3
    )
    way = ts.frame_pose(model, run.q, "tool")[:, :3, 3] - X[:3, 3]
    assert np.allclose(way[-1], push / K[:3], rtol=0.01)
    assert (np.abs(way).max(axis=0) < 1.05 * np.abs(push / K[:3])).all()  # critically damped


def test_damping_of_a_diagonal_inertia_has_its_closed_form():
    inertia, K = np.diag([2.0, 0.5, 1.0]), np.array([100.0, 400.0, 25.0])
    assert np.allclose(damping_matrix(inertia, K, 0.7), np.diag(2 * 0.7 * np.sqrt(np.diag(inertia) * K)), atol=1e-12)


def test_every_mode_is_damped_alike_and_no_direction_gets_energy():
    """Poles of Lambda x'' + D x' + K x = 0 for a ratio of 0.5: all at 60 degrees from the negative axis."""
    rng = np.random.default_rng(0)
    for A in rng.normal(size=(10, 4, 4)):
        inertia, K = A @ A.T + 0.1 * np.eye(4), rng.uniform(1.0, 2000.0, 4)
        D = damping_matrix(inertia, K, 0.5)
        assert (np.linalg.eigvalsh(D) > 0).all()
        into = np.linalg.inv(inertia)
        poles = np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], [-into @ np.diag(K), -into @ D]]))
        assert np.allclose(-poles.real / np.abs(poles), 0.5, atol=1e-8)


def test_what_does_not_fit_is_refused_by_name():
    model = ts.robots.crops9()
    task = FramePose("tool", np.eye(4))
    with pytest.raises(ArgumentError, match="stiffness of Impedance"):
        Impedance(model, task, -1.0)
    with pytest.raises(ArgumentError, match="ratio of Impedance"):
        Impedance(model, task, 100.0, ratio=-1.0)
    with pytest.raises(ArgumentError, match="'base'"):
        Impedance(ts.robots.hrp2(), task, 100.0)
    with pytest.raises(SimulationError, match=r"stiffness of Impedance: found shape \(3,\)"):
        ts.simulate(model, duration=0.01, controller=Impedance(model, task, [1.0, 2.0, 3.0]))
