"""Talos stands in MuJoCo as it does here."""

import mujoco
import numpy as np
import pytest
from benchmarks.standing import FEET, _peer_forces, judge_standing, mujoco_model, talos

import tarsus as ts
from tarsus.io.interop import to_mujoco

RELATIVE = 1e-9
"""Both are rigid-body dynamics of the same numbers, told in decimals that round-trip."""


def test_the_peer_has_the_same_kinetic_energy():
    model, q, corners = talos()
    peer = mujoco_model(model, corners)
    data = mujoco.MjData(peer)
    data.qpos[:] = q
    mujoco.mj_forward(peer, data)
    probe = np.random.default_rng(1).normal(size=model.nv)
    data.qvel[:] = to_mujoco(model, q, probe, peer)[1]
    image = np.zeros(peer.nv)
    mujoco.mj_mulM(peer, data, image, data.qvel)
    kinetic = 0.5 * float(data.qvel @ image)
    assert kinetic == pytest.approx(float(ts.kinetic_energy(model, q, probe)), rel=RELATIVE)


def test_the_peer_stands_on_both_feet():
    model, q, corners = talos()
    peer = mujoco_model(model, corners)
    forces = _peer_forces(peer, mujoco.MjData(peer), q)
    assert len(forces) == len(FEET)
    assert forces.sum() == pytest.approx(model.total_mass * 9.81, rel=0.01)


def test_targets_without_a_run_are_open():
    assert all(target.reached is None for target in judge_standing(None))
