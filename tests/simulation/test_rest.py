"""What stands still stays: no creep, no chatter, the weight is carried."""

import numpy as np
import pytest
from simulation.bodies import GRAVITY, about_y, box

import tarsus as ts
from tarsus.contact import (
    Block,
    Compliant,
    Ground,
    LeastConstraint,
    PseudoCoulomb,
    ViscoElasticSole,
    points,
    slope,
)
from tarsus.errors import ArgumentError
from tarsus.simulation import JointLaw

ANGLE = np.deg2rad(20.0)
CREEP = 1e-6
"""Allowed in 60 s [m]."""


def box_on_slope(law, duration=62.0, **options):
    model = box()
    n = np.array([-np.sin(ANGLE), 0.0, np.cos(ANGLE)])
    q = np.r_[0.1 * n, about_y(-ANGLE)]
    return ts.simulate(model, q, ground=slope(ANGLE, law), duration=duration, sample_dt=0.1, **options)


@pytest.mark.parametrize("law", [Compliant(friction=1.0), ViscoElasticSole(friction=1.0)], ids=["compliant", "sole"])
def test_a_box_on_a_slope_does_not_creep_in_60_s(law):
    run = box_on_slope(law)
    settled = run.q[20:, :3]  # after 2 s
    assert np.linalg.norm(settled - settled[0], axis=1).max() < CREEP
    weight = 10.0 * GRAVITY
    np.testing.assert_allclose(
        run.contact_force[20:].sum(axis=1), np.tile([0, 0, weight], (len(settled), 1)), atol=1e-6
    )


def test_pseudo_coulomb_creeps_down_by_load_over_viscosity():
    viscosity = 500.0
    run = box_on_slope(PseudoCoulomb(friction=1.0, viscosity=viscosity), duration=10.0)
    speed = 10.0 * GRAVITY * np.sin(ANGLE) / (4 * viscosity)  # four corners share the load
    moved = np.linalg.norm(run.q[-1, :3] - run.q[50, :3])
    np.testing.assert_allclose(moved, speed * (10.0 - 5.0), rtol=1e-3)


def test_a_box_that_carries_too_much_slides_with_coulomb_friction():
    run = box_on_slope(Compliant(friction=0.2), duration=1.0)
    acceleration = GRAVITY * (np.sin(ANGLE) - 0.2 * np.cos(ANGLE))
    np.testing.assert_allclose(np.linalg.norm(run.v[-1, :3]), acceleration * 1.0, rtol=5e-3)


def test_hrp2_stands_for_a_minute_under_joint_control_without_moving_its_feet():
    """Drift of the feet below 1 mm in 60 s; the ground carries the weight."""
    model = ts.robots.hrp2()
    law = ts.simulation.JointLaw(kp=4000.0, kd=100.0)
    feet = ts.contact.contactors(model, ["LLEG_LINK5", "RLEG_LINK5"])
    run = ts.simulate(model, controller=law, ground=ts.contact.flat(), contacts=feet, duration=60.0, sample_dt=0.5)
    soles = ts.frame_poses(model, run.q, ["l_sole", "r_sole"])[..., :3, 3]
    assert np.linalg.norm(soles[4:] - soles[4], axis=-1).max() < 1e-3
    weight = model.total_mass * GRAVITY
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0.0, 0.0, weight], atol=1e-3 * weight)


def test_a_model_in_which_nothing_can_move_is_told():
    builder = ts.ModelBuilder("block")
    builder.add_link("block", ts.spatial.Inertia(1.0, (0.0, 0.0, 1.0)))
    with pytest.raises(ArgumentError, match="nothing in 'block' can move: nv is 0; load it with base='free'"):
        ts.simulate(builder.build(), duration=0.02)


@pytest.mark.parametrize("touching", ["soles", "points"])
def test_forces_of_a_robot_that_rests_on_both_kinds_of_ground_do_not_jump(touching):
    """One foot on a compliant block, the other on one that does not give: samples of every contact are smooth."""
    model = ts.robots.hrp2()
    corners = [(0.12, 0.06, 0), (0.12, -0.06, 0), (-0.1, -0.06, 0), (-0.1, 0.06, 0)]
    names = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    soles = [ts.contact.Sole(side, f"{side}_sole", corners) for side in "lr"]
    size = (2.0, 1.0, 0.1)
    ground = Ground([Block(size, ts.pose((0, 0.5, -0.05)), Compliant()),
                     Block(size, ts.pose((0, -0.5, -0.05)), LeastConstraint())])  # fmt: skip
    run = ts.simulate(model, controller=JointLaw(5000.0, 100.0, q=model.reference), ground=ground, duration=2.5,
                      sample_dt=1e-3, contacts=soles if touching == "soles" else points(model, names))  # fmt: skip
    force = run.contact_force[1500:]
    assert np.abs(np.diff(force, axis=0)).max() < 1e-4 * model.total_mass * 9.81
    np.testing.assert_allclose(force.sum(axis=1)[:, 2], model.total_mass * 9.81, rtol=1e-3)
    stored = run.energy["ground_stored"][-1]
    assert stored > 0.01  # the compliant block carries
