"""A planar biped on one flat foot."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, PATH, states

import tarsus as ts
from tarsus.contact import Rigid, flat, points
from tarsus.errors import ArgumentError
from tarsus.model.assembly import assemble
from tarsus.walking import PlanarBiped

ROUNDING = 1e-10
"""Of sums of a hundred terms of about 100."""
SAGITTAL = [0, 2, 4]


def test_foot_that_stands_is_level_at_the_origin_and_at_rest():
    theta, rates, q, v = states(20)
    X = ts.frame_pose(BIPED.model, q, "r_sole")
    assert np.abs(X[:, :3, :3] - np.eye(3)).max() < ROUNDING
    assert np.abs(X[:, [0, 2], 3]).max() < ROUNDING
    assert np.abs(ts.frame_velocity(BIPED.model, q, v, "r_sole")).max() < ROUNDING
    vdot = BIPED.acceleration(q, v, rates[::-1])
    assert np.abs(ts.frame_acceleration(BIPED.model, q, v, vdot, "r_sole")[:, SAGITTAL]).max() < ROUNDING
    assert np.array_equal(q[:, 3:], theta)
    assert np.array_equal(v[:, 3:], rates)
    assert np.array_equal(vdot[:, 3:], rates[::-1])


def test_wrench_and_torques_together_make_the_motion_by_inverse_dynamics():
    _, rates, q, v = states(20)
    vdot = BIPED.acceleration(q, v, rates[::-1])
    found = BIPED.grounded(q, v, vdot)
    wrench = np.zeros((20, 6))
    wrench[:, SAGITTAL] = found.wrench
    external = ts.body_wrenches(BIPED.model, q, {"r_sole": wrench})
    assert np.abs(ts.inverse_dynamics(BIPED.model, q, v, vdot, external) - found.tau).max() < ROUNDING
    assert np.all(found.tau[:, :3] == 0.0)


def test_driven_is_the_reverse_of_grounded():
    _, rates, q, v = states(5)
    vdot = BIPED.acceleration(q, v, rates[::-1])
    found = BIPED.grounded(q, v, vdot)
    for k in range(5):
        again = BIPED.driven(q[k], v[k], found.tau[k])
        assert np.abs(again.vdot - vdot[k]).max() < 1e-8  # light feet: M has a condition of 1e5
        assert np.abs(again.wrench - found.wrench[k]).max() < ROUNDING


def test_joint_friction_is_carried_by_the_drives():
    model = damped()
    biped = PlanarBiped(model)
    _, rates, q, v = states(1)
    vdot = biped.acceleration(q[0], v[0], rates[0])
    found = biped.grounded(q[0], v[0], vdot)
    assert np.abs(found.tau - BIPED.grounded(q[0], v[0], vdot).tau - np.r_[0, 0, 0, 0.3 * rates[0]]).max() < ROUNDING
    assert np.abs(biped.driven(q[0], v[0], found.tau).vdot - vdot).max() < 1e-8


def damped():
    """shah7 with 0.3 N m s/rad in each joint."""
    description = ts.robots.shah7().description
    joints = tuple(replace(j, damping=0.3) if j.kind == "revolute" else j for j in description.joints)
    return assemble(replace(description, joints=joints))


def test_impact_is_that_of_rigid_ground_where_the_other_foot_lifts():
    end = PATH.at(1.0)
    q = BIPED.placed(end.theta)
    v = BIPED.velocity(q, 2.5 * end.slope)
    found = BIPED.impact(q, v)
    contacts = points(BIPED.model, ["r_heel", "r_toe", "l_heel", "l_toe"])
    oracle = ts.contact.rigid_impact(BIPED.model, q, v, ground=flat(Rigid(friction=0.7)), contacts=contacts)
    assert np.abs(found.v - oracle.v).max() < 1e-8
    assert np.abs(ts.frame_velocity(BIPED.model, q, found.v, "l_sole")).max() < ROUNDING
    change = ts.mass_matrix(BIPED.model, q) @ (found.v - v)
    whole = BIPED.model.total_mass * (ts.com_jacobian(BIPED.model, q) @ (found.v - v))
    assert np.abs(whole[[0, 2]] - found.impulse[:2]).max() < ROUNDING
    assert np.abs(change - BIPED.foot_jacobian(q, 1).T @ found.impulse).max() < ROUNDING
    assert ts.kinetic_energy(BIPED.model, q, found.v) < ts.kinetic_energy(BIPED.model, q, v)


def test_sole_and_its_limits_are_those_of_the_model():
    assert BIPED.sole == pytest.approx((-0.075, 0.075), abs=1e-15)
    assert BIPED.limits(0.4).friction == 0.4
    assert BIPED.weight == pytest.approx(9.4 * 9.81)


@pytest.mark.parametrize(
    ("model", "options", "told"),
    [
        (ts.robots.shah7("free"), {}, "free base and 12 degrees of freedom; expected a planar base"),
        (ts.robots.shah7(), {"heel": "r_toe", "toe": "r_heel"}, "expected the heel behind and the toe before it"),
        (ts.robots.shah7().with_payload("l_shank", ts.Inertia.of_sphere(0.1, 0.02)), {}, "legs of 'shah7' differ"),
    ],
)
def test_robots_that_are_no_planar_bipeds_are_refused(model, options, told):
    with pytest.raises(ArgumentError, match=told):
        PlanarBiped(model, **options)
