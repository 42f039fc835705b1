"""Whole-body control: equations of motion, cones and limits hold; priorities; what is refused."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.whole_body.stances import CORNERS, contacts_at, random_state, residual, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.terms import contact_rows
from tarsus.errors import ShapeError, TarsusError

MOTION = 1e-8
"""Residual of the equation of motion, relative to its largest term."""
WITHIN = 1e-6
"""By how much rows may be missed, relative to the largest force."""


@pytest.mark.parametrize("forces", ["wrench", "points"])
@pytest.mark.parametrize("strict", [False, True])
def test_motion_torques_and_forces_belong_together_and_keep_their_bounds(forces, strict):
    model = ts.robots.hrp2()
    rng = np.random.default_rng(11)
    for _ in range(10):
        q, v = random_state(model, rng)
        contacts = contacts_at(model, q, ["l_sole", "r_sole", "r_hand"], forces=forces, max_force=800.0)
        tasks = standing_tasks(model, q)
        command = WholeBody(model, [[task] for task in tasks] if strict else tasks, contacts).solve(q, v)
        assert command.status in ("solved", "limits-missed"), command.reason
        assert residual(model, q, v, command) < MOTION
        assert (np.abs(command.tau) <= model.tau_max).all() and (command.tau[:6] == 0.0).all()
        for contact in contacts:
            X_WF = ts.frame_pose(model, q, contact.frame)
            X_WC, wrench = contact.X_WC(X_WF), command.wrenches[contact.frame]
            moment = wrench[3:] - np.cross(X_WC[:3, 3] - X_WF[:3, 3], wrench[:3])
            at_C = np.append(X_WC[:3, :3].T @ wrench[:3], X_WC[:3, :3].T @ moment)
            whole = Contact(contact.frame, contact.points, friction=contact.friction)
            y, size = whole.rows @ at_C, 9.81 * model.total_mass
            assert np.abs(whole.rows.T @ y - at_C).max() < WITHIN * size
            assert (whole.cone @ y).min() > -WITHIN * size
            assert whole.normal_row @ y < 800.0 * (1 + WITHIN)
            C, c, _ = contact_rows(model, contact, q, v)
            np.testing.assert_allclose(C @ command.vdot, c, atol=1e-7 * max(1.0, np.abs(c).max()))


def test_a_robot_that_stands_still_is_carried_by_its_weight():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    command = WholeBody(model, standing_tasks(model, q), contacts_at(model, q, ["l_sole", "r_sole"])).solve(q, v)
    total = sum(command.wrenches.values())
    np.testing.assert_allclose(total[:3], [0.0, 0.0, 9.81 * model.total_mass], atol=1e-6)
    np.testing.assert_allclose(command.vdot, 0.0, atol=1e-6)
    assert max(np.abs(missed).max() for missed in command.errors.values()) < 1e-6


def test_without_contacts_the_centre_of_mass_falls():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    command = WholeBody(model, standing_tasks(model, q)).solve(q, v)
    falling = ts.com_jacobian(model, q) @ command.vdot
    np.testing.assert_allclose(falling, model.gravity, atol=1e-8)


def test_strict_levels_are_not_disturbed_and_weights_are_a_compromise():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    contacts = contacts_at(model, q, ["l_sole", "r_sole"])
    above = ts.tasks.CenterOfMass(ts.center_of_mass(model, q), gain=5.0)
    away = ts.tasks.CenterOfMass(np.add(ts.center_of_mass(model, q), [0.0, 0.02, 0.0]), gain=5.0, weight=3.0)
    posture = ts.tasks.Posture(q, gain=5.0)
    strict = WholeBody(model, [[above], [away, posture]], contacts).solve(q, v)
    weighted = WholeBody(model, [above, away, posture], contacts).solve(q, v)
    assert strict.success and weighted.success
    assert np.abs(strict.errors["CenterOfMass"]).max() < 1e-9
    assert np.abs(weighted.errors["CenterOfMass"]).max() > 0.1


def test_low_torque_limits_are_kept_and_what_is_missed_is_told():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    limits = np.where(model.actuated, 5.0, np.inf)
    contacts = contacts_at(model, q, ["l_sole", "r_sole"])
    command = WholeBody(model, standing_tasks(model, q), contacts, torque_limits=limits).solve(q, v)
    assert command.success
    assert (np.abs(command.tau[6:]) <= 5.0).all()
    assert command.errors["CenterOfMass"][2] > 0.1  # it sinks


def test_forces_that_cannot_be_are_infeasible_and_named():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    sole = contacts_at(model, q, ["l_sole"], min_force=3000.0, max_force=4000.0)
    limits = np.where(model.actuated, 20.0, np.inf)
    for strict in (False, True):
        tasks = standing_tasks(model, q)
        body = WholeBody(model, [[t] for t in tasks] if strict else tasks, sole, torque_limits=limits)
        command = body.solve(q, v)
        assert command.status == "infeasible"
        assert "torque of" in command.reason or "normal force of l_sole" in command.reason
        assert np.isfinite(command.tau).all() and (np.abs(command.tau[6:]) <= 20.0).all()


def test_spherical_joints_are_controlled_like_others():
    builder = ts.ModelBuilder("puppet", base="free").add_link("trunk", ts.Inertia.of_box(10.0, (0.3, 0.2, 0.4)))
    for side, y in (("l", 0.1), ("r", -0.1)):
        builder.add_link(f"{side}_leg", ts.Inertia.of_box(3.0, (0.1, 0.1, 0.5), com=(0.0, 0.0, -0.25)))
        builder.add_joint(f"{side}_hip", "spherical", "trunk", f"{side}_leg", position=(0.0, y, -0.2))
        builder.add_frame(f"{side}_foot", f"{side}_leg", ts.pose((0.0, 0.0, -0.5)))
    model = builder.build()
    assert model.actuated[6:].all()
    q, v = model.neutral(), np.zeros(model.nv)
    feet = [Contact(f"{side}_foot", 0.5 * np.array(CORNERS)) for side in "lr"]
    tasks = [
        ts.tasks.CenterOfMass(np.add(ts.center_of_mass(model, q), [0.01, 0, 0])),
        ts.tasks.Orientation("trunk", np.eye(3)),
    ]
    found = [WholeBody(model, tasks, feet, method=m).solve(q, v) for m in ("reduced", "eliminated", "multiplier")]
    for command in found:
        assert command.success, command.reason
        np.testing.assert_allclose(command.vdot, found[0].vdot, atol=1e-8)
        assert residual(model, q, v, command) < MOTION


def test_bad_input_is_named():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    tasks, contacts = standing_tasks(model, q), contacts_at(model, q, ["l_sole"])
    for call, word in (
        (lambda: WholeBody(model, tasks, contacts, method="reduce"), "'reduced'"),
        (lambda: WholeBody(model, tasks, contacts, rotation="quaternion"), "rotation"),
        (lambda: WholeBody(model, [], contacts), "empty"),
        (lambda: WholeBody(model, [ts.tasks.Position("l_sole", [0, 0, 0]), 3], contacts), "tasks"),
        (lambda: WholeBody(model, tasks, ["l_sole"]), "contacts"),
        (lambda: WholeBody(model, tasks, [Contact("l_solle")]), "l_sole"),
        (lambda: WholeBody(model, tasks, contacts, torque_limits=np.ones(3)), "torque_limits"),
        (lambda: WholeBody(model, tasks, contacts, force_weight=0.0), "force_weight"),
        (lambda: WholeBody(model, [ts.tasks.Position("nowhere", [0, 0, 0])], contacts).solve(q, v), "nowhere"),
        (lambda: WholeBody(model, tasks, contacts).solve(np.full(model.nq, np.nan), v), "q"),
        (lambda: WholeBody(model, tasks, contacts).solve(q, np.full(model.nv, np.nan)), "v"),
        (lambda: WholeBody(model, tasks, contacts).solve(q, v[:3]), "v"),
    ):
        with pytest.raises(TarsusError, match=word):
            call()


@pytest.mark.parametrize("seed", [13, 45, 49])
def test_what_is_called_solved_holds_in_violent_states_too(seed):
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    stand = np.array(ts.ik.standing(model))
    sole = [[x, y, -0.107] for x in (-0.1, 0.1) for y in (-0.06, 0.06)]
    names = [f"leg_{side}_6_joint" for side in ("left", "right")]
    feet = [Contact(name, sole, pose=ts.frame_pose(model, stand, name)) for name in names]
    rng = np.random.default_rng(seed)
    q = model.integrate(stand, rng.normal(size=model.nv))
    v = 20.0 * rng.normal(size=model.nv)
    tasks = [[ts.tasks.CenterOfMass(ts.center_of_mass(model, stand))], [ts.tasks.Posture(stand)]]
    command = WholeBody(model, tasks, feet).solve(q, v)
    assert not command.success or residual(model, q, v, command) < 1e-6
    assert (np.abs(command.tau) <= model.tau_max).all()


def test_targets_of_many_robots_are_not_for_one():
    """They were read as zeros."""
    model = ts.robots.hrp2()
    body = WholeBody(model, [ts.tasks.CenterOfMass(np.array([[0.0, 0.0, 0.5]]))])
    with pytest.raises(ShapeError, match="solve_batch"):
        body.solve(model.reference, np.zeros(model.nv))
