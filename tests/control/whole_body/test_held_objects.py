"""Contacts between bodies of one model, with free objects that are held (Bouyarmane and Kheddar 2012, VII)."""

import numpy as np
import pytest
from tests.control.whole_body.stances import CORNERS, contacts_at, farthest_out, residual, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.contact import contact_poses
from tarsus.control.whole_body.terms import contact_rows
from tarsus.errors import TarsusError
from tarsus.model.shapes import Box

POINT, EDGE = [[0.01, 0.0, 0.02]], [[0.0, -0.03, 0.01], [0.0, 0.03, 0.01]]
PATCH = 0.2 * np.array(CORNERS)
MASS = 2.0


def scene():
    """hrp2 with a box between its hands."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    middle = 0.5 * (ts.frame_pose(model, q, "l_hand") + ts.frame_pose(model, q, "r_hand"))[:3, 3]
    width = 2 * abs(ts.frame_pose(model, q, "l_hand")[1, 3])
    model = model.with_object(Box((0.1, width, 0.1)), MASS, ts.pose(middle), name="box")
    return model, np.array(model.reference)


def grips(model, q, points=PATCH, **options):
    """Both hands at the sides of the box, which pushes them apart."""
    found = []
    for side, out in (("l", 1.0), ("r", -1.0)):
        X_WF, X_WG = ts.frame_pose(model, q, f"{side}_hand"), ts.frame_pose(model, q, "box")
        normal = X_WF[:3, :3].T @ [0.0, out, 0.0]
        turned = np.linalg.svd(normal[None])[2]
        flat = np.array([[a, b, 0.0] for a, b, _ in np.asarray(points)]) @ np.stack([*turned[1:], turned[0]])
        pose = np.linalg.inv(X_WG) @ X_WF
        found.append(Contact(f"{side}_hand", flat, normal=normal, pose=pose, other="box", **options))
    return found


@pytest.mark.parametrize("points", [POINT, EDGE, PATCH])
@pytest.mark.parametrize("kept", [False, True])
def test_rows_are_the_rate_of_the_relative_twist_as_seen_from_the_frame(points, kept):
    """Against differences of the motion of F in G, which know nothing of Jacobians."""
    model, _ = scene()
    rng = np.random.default_rng(3)
    q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    plain = Contact("r_hand", points, other="box", gain=0.0)
    contact = plain.with_pose(np.linalg.inv(ts.frame_pose(model, q, "box")) @ ts.frame_pose(model, q, "r_hand"))
    if not kept:
        contact = plain
    C, c, _ = contact_rows(model, contact, q, v)
    h = 1e-5

    def seen(s):
        there = model.integrate(q, v + 0.5 * s * h * vdot, s * h)
        X_GF = np.linalg.inv(ts.frame_pose(model, there, "box")) @ ts.frame_pose(model, there, "r_hand")
        return X_GF @ contact.X_FC

    def twist(s):
        """Of C, which is fixed to F, as seen from G, in axes of C."""
        d = 1e-4
        before, after = seen(s - d / h), seen(s + d / h)
        R = seen(s)[:3, :3]
        turn = ts.spatial.rotation_vector_from_rotation_matrix(before[:3, :3].T @ after[:3, :3])
        return np.append(R.T @ (after[:3, 3] - before[:3, 3]), turn) / (2 * d)

    np.testing.assert_allclose(contact.rows @ twist(0), C @ v, atol=1e-6)
    rate = (twist(100) - twist(-100)) / (200 * h)
    np.testing.assert_allclose(contact.rows @ rate, C @ vdot - c, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("points", [POINT, EDGE, PATCH])
def test_forces_act_on_both_bodies_with_opposite_signs(points):
    model, _ = scene()
    rng = np.random.default_rng(5)
    q, v = model.random(rng), rng.normal(size=model.nv)
    contact = Contact("l_hand", points, other="box")
    C, _, F = contact_rows(model, contact, q, v)
    np.testing.assert_allclose(F, C.T, atol=1e-12)
    both = ts.momentum_matrix(model, q) @ np.linalg.solve(ts.mass_matrix(model, q), F)
    np.testing.assert_allclose(both, 0.0, atol=1e-9)  # no momentum from inside


@pytest.mark.parametrize("method", ["reduced", "eliminated", "multiplier"])
def test_a_box_is_held_between_two_hands(method):
    model, q = scene()
    v = np.zeros(model.nv)
    feet = contacts_at(model, q, ["l_sole", "r_sole"])
    contacts = [*feet, *grips(model, q, min_force=30.0, friction=0.6)]
    tasks = [*standing_tasks(model, q), ts.tasks.FramePose("box", ts.frame_pose(model, q, "box"), weight=3.0)]
    rng = np.random.default_rng(4)
    for there, speed in (
        (q, v),
        (model.integrate(q, 1e-3 * rng.normal(size=model.nv)), 5e-3 * rng.normal(size=model.nv)),
    ):
        command = WholeBody(model, tasks, contacts, method=method).solve(there, speed)
        assert command.success, command.reason
        assert residual(model, there, speed, command) < 1e-8
        assert farthest_out(model, there, contacts, command) < 1e-6
    command = WholeBody(model, tasks, contacts, method=method).solve(q, v)
    np.testing.assert_allclose(command.vdot, 0.0, atol=1e-5)
    np.testing.assert_allclose(command.wrenches["box"][:3], [0.0, 0.0, 9.81 * MASS], atol=1e-5)
    soles = command.wrenches["l_sole"] + command.wrenches["r_sole"]
    np.testing.assert_allclose(soles[2], 9.81 * model.total_mass, rtol=1e-6)  # the box included
    for contact in contacts[2:]:
        normal = contact.X_WC(*contact_poses(model, contact, q))[:3, 2]
        assert normal @ command.wrenches[contact.frame][:3] >= 30.0 - 1e-6


def test_friction_decides_how_hard_a_box_is_squeezed():
    """Two hands at the sides carry m g: by friction alone 2 mu N >= m g, and a pyramid inside the cone of mu."""
    model, q = scene()
    v = np.zeros(model.nv)
    squeezed = {}
    for friction in (0.2, 0.4):
        contacts = [*contacts_at(model, q, ["l_sole", "r_sole"]), *grips(model, q, friction=friction)]
        tasks = [*standing_tasks(model, q), ts.tasks.FramePose("box", ts.frame_pose(model, q, "box"), weight=3.0)]
        command = WholeBody(model, tasks, contacts).solve(q, v)
        assert command.success
        squeezed[friction] = abs(command.wrenches["l_hand"][1])
        assert (
            0.5 * 9.81 * MASS / friction * 0.999 < squeezed[friction] < 1.1 * np.sqrt(2) * 0.5 * 9.81 * MASS / friction
        )
    assert squeezed[0.2] > 1.8 * squeezed[0.4]


def test_two_contacts_between_the_same_bodies_ask_for_one_motion():
    """While they slip and turn as well: rows that depend on each other do not contradict each other."""
    model, q = scene()
    rng = np.random.default_rng(6)
    v = 0.3 * rng.normal(size=model.nv)
    halves = [PATCH - [0.02, 0.0, 0.0], PATCH + np.array([0.02, 0.0, 0.0])]
    once = [Contact("l_hand", np.vstack(halves), other="box")]
    twice = [Contact("l_hand", half, other="box") for half in halves]
    found = [WholeBody(model, standing_tasks(model, q), held, limits=False).solve(q, v) for held in (once, twice)]
    assert all(command.success for command in found)
    rows = [contact_rows(model, once[0], q, v)[:2], *(contact_rows(model, half, q, v)[:2] for half in twice)]
    vdot = np.linalg.lstsq(*rows[0], rcond=None)[0]
    for C, c in rows[1:]:
        np.testing.assert_allclose(C @ vdot, c, atol=1e-8)


def test_a_puppet_with_ball_joints_holds_a_ball():
    """Spherical joints and a held object in one program, by all formulations that know redundant parameters."""
    builder = ts.ModelBuilder("puppet", base="free").add_link("trunk", ts.Inertia.of_box(10.0, (0.3, 0.2, 0.4)))
    for side, y in (("l", 0.1), ("r", -0.1)):
        builder.add_link(f"{side}_leg", ts.Inertia.of_box(3.0, (0.1, 0.1, 0.5), com=(0.0, 0.0, -0.25)))
        builder.add_joint(f"{side}_hip", "spherical", "trunk", f"{side}_leg", position=(0.0, y, -0.2))
        builder.add_frame(f"{side}_foot", f"{side}_leg", ts.pose((0.0, 0.0, -0.5)))
    builder.add_link("arm", ts.Inertia.of_box(1.0, (0.4, 0.05, 0.05), com=(0.2, 0.0, 0.0)))
    builder.add_joint("shoulder", "spherical", "trunk", "arm", position=(0.1, 0.0, 0.1))
    builder.add_frame("palm", "arm", ts.pose((0.4, 0.0, 0.03)))
    model = builder.build().with_object(Box((0.1, 0.1, 0.1)), 0.5, ts.pose((0.5, 0.0, 0.18)), name="box")
    q, v = np.array(model.reference), np.zeros(model.nv)
    palm = Contact("palm", PATCH, normal=(0, 0, -1), other="box", pose=_relative(model, q, "box", "palm"))
    contacts = [*(Contact(f"{side}_foot", 0.5 * np.array(CORNERS)) for side in "lr"), palm]
    tasks = [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q)),
        ts.tasks.Orientation("trunk", np.eye(3)),
        ts.tasks.Position("box", ts.frame_pose(model, q, "box")[:3, 3]),
    ]
    found = [WholeBody(model, tasks, contacts, method=m).solve(q, v) for m in ("reduced", "eliminated", "multiplier")]
    for command in found:
        assert command.success, command.reason
        np.testing.assert_allclose(command.vdot, found[0].vdot, atol=1e-8)
        assert residual(model, q, v, command) < 1e-8
        assert farthest_out(model, q, contacts, command) < 1e-6
    assert found[0].wrenches["box"][2] == pytest.approx(0.5 * 9.81, rel=0.2)


def _relative(model, q, g, f):
    return np.linalg.inv(ts.frame_pose(model, q, g)) @ ts.frame_pose(model, q, f)


def test_contacts_with_nothing_are_refused_by_name():
    model, q = scene()
    tasks = standing_tasks(model, q)
    for call, word in (
        (lambda: Contact("l_hand", other="l_hand"), "other"),
        (lambda: Contact("l_hand", other=3), "other"),
        (lambda: WholeBody(model, tasks, [Contact("l_hand", other="bx")]), "'box'"),
        (lambda: WholeBody(model, tasks, [Contact("l_sole", other="l_sole_rear_left")]), "on one body"),
        (lambda: Contact("l_hand", other="box", pose=np.eye(4)).X_WC(np.eye(4)), "X_WG is missing"),
    ):
        with pytest.raises(TarsusError, match=word):
            call()
