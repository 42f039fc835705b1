"""Impacts on rigid ground: closed forms, momentum, and energy that never grows."""

import numpy as np
import pytest
from simulation.bodies import about_y, box, particle, rod

import tarsus as ts
from tarsus.contact import ContactPoint, Rigid, flat, points, rigid_impact

MOMENTUM = 1e-10
"""[N s], of a few kg at a few m/s."""


def test_a_rod_at_45_degrees_hits_with_one_end():
    """Plastic, without friction, 2 m/s: omega 3.3941, speed of the centre 1.2, impulse 0.8 per kg."""
    model, pitch = rod(), np.pi / 4
    q = np.array([0.0, 0.5 * np.cos(pitch), pitch])
    v = np.array([2 * np.sin(pitch), -2 * np.cos(pitch), 0.0])
    found = rigid_impact(model, q, v, ground=flat(Rigid(0.0)), contacts=points(model, ["low", "high"]))
    np.testing.assert_allclose(abs(found.v[2]), 3.39411254969542812, rtol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(found.v[:2]), 1.2, rtol=1e-13)
    np.testing.assert_allclose(found.impulse, [[0, 0, 0.8], [0, 0, 0]], atol=1e-13)
    np.testing.assert_allclose(found.loss, 0.5 * (4.0 - 1.2**2 - 3.39411254969542812**2 / 12), rtol=1e-12)


def test_a_unit_impulse_at_the_tip_of_a_rod():
    """1 kg, 1 m: v = 1, omega = 6, tip speed 4. A level rod at 4 m/s that is stopped at its end gets it."""
    model = rod()
    q, v = np.array([0.0, 0.0, np.pi / 2]), np.array([4.0, 0.0, 0.0])
    before = ts.frame_velocity(model, q, v, "low")[2]
    found = rigid_impact(model, q, v, ground=flat(Rigid(0.0)), contacts=points(model, ["low"]))
    change = found.v - v
    np.testing.assert_allclose(before, -4.0, atol=1e-12)
    np.testing.assert_allclose(found.impulse[0], [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(np.abs(change), [1.0, 0.0, 6.0], atol=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_a_ball_rebounds_with_its_restitution(restitution):
    found = rigid_impact(particle(2.0), np.zeros(3), [0.0, 0.0, -3.0], ground=flat(Rigid(0.0, restitution)),
                         contacts=[ContactPoint("tip", "point")])  # fmt: skip
    np.testing.assert_allclose(found.v, [0.0, 0.0, 3.0 * restitution], atol=1e-14)
    np.testing.assert_allclose(found.loss, 9.0 * (1 - restitution**2), atol=1e-12)


@pytest.mark.parametrize(("friction", "expected"), [(0.1, 1.0 - 0.1 * 2.0), (0.9, 0.0)])
def test_friction_takes_what_its_cone_allows(friction, expected):
    found = rigid_impact(particle(), np.zeros(3), [1.0, 0.0, -2.0], ground=flat(Rigid(friction)),
                         contacts=[ContactPoint("tip", "point")])  # fmt: skip
    np.testing.assert_allclose(found.v, [expected, 0.0, 0.0], atol=1e-14)


def test_four_corners_at_once_stop_a_box():
    model = box()
    v = np.array([0.5, 0.2, -2.0, 0.0, 0.0, 0.0])
    found = rigid_impact(model, [0, 0, 0.1, 1, 0, 0, 0], v, ground=flat(Rigid(0.8, 0.5)))
    np.testing.assert_allclose(found.v[2], 1.0, atol=1e-12)
    np.testing.assert_allclose(found.impulse.sum(axis=0), 10.0 * (found.v[:3] - v[:3]), atol=MOMENTUM)
    assert np.count_nonzero(found.impulse[:, 2] > 1e-6) == 4


@pytest.mark.parametrize("seed", range(40))
def test_momentum_is_kept_and_energy_never_grows(seed):
    rng = np.random.default_rng(seed)
    friction, restitution = rng.uniform(0.0, 1.5), rng.uniform(0.0, 1.0)
    ground = flat(Rigid(friction, restitution))
    if seed % 2:
        model, q = ts.robots.hrp2(), None
        q = np.array(model.reference)
        q[7:] += rng.uniform(-0.3, 0.3, model.nv - 6)
        frames = [f for f in model.frames if "sole_" in f]
        height = ts.frame_poses(model, q, frames)[:, 2, 3]
        q[2] -= np.sort(height)[int(rng.integers(0, 8))]  # several corners are below: all of them touch
        contacts = points(model, frames)
    else:
        model, contacts = box(), None
        q = np.r_[rng.normal(size=2), 0.05, about_y(rng.uniform(-1, 1))]
        frames = []
    v = rng.normal(size=model.nv)
    found = rigid_impact(model, q, v, ground=ground, contacts=contacts)
    assert found.residual <= 1e-9
    before, after = ts.kinetic_energy(model, q, v), ts.kinetic_energy(model, q, found.v)
    assert after <= before * (1 + 1e-12)
    np.testing.assert_allclose(before - after, found.loss, atol=1e-9 * before)
    impulse = ts.mass_matrix(model, q) @ (found.v - v)
    R = ts.frame_pose(model, q, next(iter(model.bodies)))[:3, :3]
    np.testing.assert_allclose(R @ impulse[:3], found.impulse.sum(axis=0), atol=1e-9 * np.abs(impulse).max())
    assert np.all(np.hypot(found.impulse[:, 0], found.impulse[:, 1]) <= friction * found.impulse[:, 2] + 1e-8)
    for name in frames:  # Newton's law where an impulse acts, never less
        i = found.contacts.index(name)
        if ts.frame_pose(model, q, name)[2, 3] > 1e-6:
            assert np.all(found.impulse[i] == 0.0)
            continue
        u, w = ts.frame_velocity(model, q, v, name)[2], ts.frame_velocity(model, q, found.v, name)[2]
        least = -restitution * found.restitution * u if u < 0 else 0.0
        assert w >= least - 1e-8
        if found.impulse[i, 2] > 1e-6:
            np.testing.assert_allclose(w, least, atol=1e-8)


def test_restitution_that_would_add_energy_is_scaled_down():
    """Kane and Levinson: a slip that reverses during the impact. Among tilted rods there are such cases."""
    model, scaled = rod(), 0
    rng = np.random.default_rng(3)
    for _ in range(300):
        pitch = rng.uniform(0.2, 1.2)
        q = np.array([0.0, 0.5 * np.cos(pitch), pitch])
        v = rng.normal(size=3) * [2.0, 1.0, 4.0]
        found = rigid_impact(model, q, v, ground=flat(Rigid(0.8, 0.9)), contacts=points(model, ["low"]))
        assert found.loss >= -1e-12
        scaled += found.restitution < 1.0
    assert scaled > 0
