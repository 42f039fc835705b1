"""The motion between the samples of a trajectory."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, hinge

import tarsus as ts
from tarsus.devices.sensors import Contacts
from tarsus.devices.sensors.motion import between, checked_motion, sampled
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError

EXACT = 1e-12
"""Exponential and logarithm of rigid motions, to rounding."""


def test_free_body_moves_along_the_manifold_between_samples():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(0)
    q, v = model.random(rng, 2), rng.normal(size=(2, model.nv))
    later = model.integrate(q, v, 0.02)
    recording = Recording(model, np.array([0.0, 0.02]), np.stack([q, later]), np.stack([v, v + 1.0]))
    motion = sampled(recording, [0.0, 0.005, 0.02])
    np.testing.assert_allclose(motion.q[1], model.integrate(q, v, 0.005), atol=1e-9)
    np.testing.assert_allclose(motion.v[1], v + 0.25, atol=EXACT)
    np.testing.assert_allclose(motion.vdot, 50.0, atol=1e-9)


def test_moment_that_occurs_twice_is_an_impact_without_a_time():
    model = hinge()
    time = np.array([0.0, 1.0, 1.0, 2.0])
    recording = Recording(model, time, np.array([[0.0], [1.0], [1.0], [0.0]]), np.array([[1.0], [1.0], [-1.0], [-1.0]]))
    motion = sampled(recording, [0.5, 1.0, 1.5, 2.0])
    np.testing.assert_allclose(motion.v[:, 0], [1.0, 1.0, -1.0, -1.0], atol=EXACT)
    np.testing.assert_allclose(motion.vdot, 0.0, atol=EXACT)
    at_once = Recording(model, np.zeros(2), np.zeros((2, 1)), np.array([[1.0], [-1.0]]))
    np.testing.assert_allclose(sampled(at_once, [0.0]).vdot, 0.0)


def test_two_ways_to_look_between_instants_agree():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(1)
    q, v = model.random(rng, 2), rng.normal(size=(2, model.nv))
    q[1] = model.integrate(q[0], v[0], 0.01)
    first, second = (checked_motion(model, q[i], v[i], None, None) for i in (0, 1))
    one, other = between(first, second, 0.3, 0.01), sampled(Recording(model, np.array([0.0, 0.01]), q, v), [0.003])
    for name in ("q", "v", "vdot"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name)[0], rtol=1e-9, atol=1e-10)


def test_bad_input_is_named():
    model = hinge()
    recording = Recording(model, np.array([0.0, 1.0]), np.zeros((2, 1)), np.zeros((2, 1)))
    with pytest.raises(ArgumentError, match="of a trajectory from 0.0 to 1.0 s"):
        sampled(recording, [2.0])
    with pytest.raises(ShapeError, match=r"force of contacts has shape \(2, 3\), expected \(..., 1, 3\)"):
        Contacts(("a",), np.zeros((1, 3)), np.zeros((2, 3)))
    with pytest.raises(NonFiniteError, match="force of contacts"):
        Contacts(("a",), np.zeros((1, 3)), np.full((1, 3), np.nan))
    with pytest.raises(NonFiniteError, match="v of a motion"):
        checked_motion(model, [0.0], [np.inf], None, None)
