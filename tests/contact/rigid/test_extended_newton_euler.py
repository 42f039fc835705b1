"""Feng et al. 2015, section 4, beside the general solver in every state of figures 3 and 4."""

import numpy as np
import pytest
from papers.test_feng_contact import HEEL, MODEL, NV, SWING_HEEL, SWING_TOE, dynamics, swing_pose

import tarsus as ts
from tarsus.contact import extended_newton_euler
from tarsus.errors import ArgumentError, ShapeError

EQUAL = 1e-10
"""Of accelerations and forces, relative to the largest one."""
K = 0.1
FLAT = MODEL.locked({"joint1": 0.0})
"""The model of 17 joints, whose supporting foot is flat."""


def assert_equal(found, expected):
    np.testing.assert_allclose(found, expected, atol=EQUAL * max(1.0, np.abs(expected).max()))


def moving(q, rows, values, seed):
    """Random velocities with given values of some rows; the supporting foot is at rest."""
    v = np.random.default_rng(seed).normal(scale=0.1, size=NV)
    rows = np.vstack([rows, np.eye(NV)[0]])
    return v + np.linalg.pinv(rows) @ (np.array([*values, 0.0]) - rows @ v)


def pressed(seed):
    """Torques that press the swing foot down, with noise; the toe joints are free."""
    tau = np.random.default_rng(seed).normal(scale=2.0, size=NV)
    tau[4] += 150.0
    tau[[0, 7]] = 0.0
    return tau


def together(force, names):
    return sum(force[name] for name in names)


@pytest.mark.parametrize("seed", range(5))
def test_surface_support_of_17_joints(seed):
    """Figure 3 (a)."""
    q, v, tau = swing_pose(0.1, 0.05), moving(MODEL.reference, np.empty((0, NV)), [], seed), pressed(seed)
    motion, _, _ = dynamics(q, v, tau)
    assert motion.dof == 17
    found = extended_newton_euler(FLAT, q[1:], v[1:], tau[1:])
    assert_equal(found.vdot, motion.vdot[1:])


@pytest.mark.parametrize("seed", range(5))
def test_heel_off_of_18_joints(seed):
    """Figure 3 (b)."""
    q, tau = swing_pose(0.1, 0.05), pressed(seed)
    v = moving(q, np.empty((0, NV)), [], seed)
    tau[1] = -150.0
    motion, mode, _ = dynamics(q, v, tau)
    assert [mode[name] for name in HEEL] == ["open", "open"]
    assert_equal(extended_newton_euler(MODEL, q, v, tau).vdot, motion.vdot)


@pytest.mark.parametrize("lifted", [False, True], ids=["17", "18"])
@pytest.mark.parametrize("slide", [0.2, -0.2])
@pytest.mark.parametrize(("pitch", "end"), [(-0.15, SWING_HEEL), (0.2, SWING_TOE)], ids=["heel", "toe"])
def test_heel_or_toe_that_slides(pitch, end, slide, lifted):
    """Figure 4: one end of the contacting foot, either direction, with the supporting foot flat and on its toe."""
    q, tau = swing_pose(pitch, 0.0), pressed(1)
    tau[7] = 3.0 * (end == SWING_TOE)  # the toe is so light that it would give way
    if lifted:
        tau[1] = -200.0
    J = ts.jacobian(MODEL, q, end[0])
    v = moving(q, np.vstack([J[[0, 2]], np.eye(NV)[[8, 9, 10]]]), [slide, 0.0, 0.0, 0.0, 0.0], 2)
    motion, mode, force = dynamics(q, v, tau, friction=K)
    assert [mode[name] for name in end] == ["slip", "slip"]
    assert [mode[name] for name in HEEL] == ["open" if lifted else "stick"] * 2
    skip = 0 if lifted else 1
    model = MODEL if lifted else FLAT
    found = extended_newton_euler(model, q[skip:], v[skip:], tau[skip:], contact=end[0], friction=K)
    assert_equal(found.vdot, motion.vdot[skip:])
    f = together(force, end)
    assert found.normal_force > 0.0
    assert_equal(found.normal_force, f[2])
    assert_equal(-np.sign(slide) * found.friction_force, f[0])


@pytest.mark.parametrize("slide", [0.2, -0.2])
def test_flat_foot_that_slides(slide):
    """Figure 4 with C1 and C2: the moment is that of all forces on the sole about the heel."""
    q, tau = swing_pose(0.0, 0.0, lean=0.15), pressed(3)
    tau[4], tau[6] = 40.0, 5.0
    locked = MODEL.locked({"joint8": 0.0})  # a flat foot is one body: its toe joint is held by the floor
    keep = [k for k in range(NV) if k != 7]
    J = ts.jacobian(MODEL, q, SWING_HEEL[0])
    rows = np.vstack([J[[0, 2, 4]], np.eye(NV)[[7, 8, 9, 10]]])
    v = moving(q, rows, [slide] + [0.0] * 6, 4)
    motion = ts.contact.rigid_dynamics(
        locked, q[keep], v[keep], tau[keep], ground=ts.contact.flat(ts.contact.Rigid(K)),
        contacts=ts.contact.points(locked, HEEL + SWING_HEEL + SWING_TOE),
    )  # fmt: skip
    assert motion.mode == ("stick",) * 2 + ("slip",) * 4
    rest = MODEL.locked({"joint1": 0.0, "joint8": 0.0})
    keep = [k for k in range(NV) if k not in (0, 7)]
    found = extended_newton_euler(rest, q[keep], v[keep], tau[keep], contact=SWING_HEEL[0], friction=K, flat=True)
    assert_equal(found.vdot, motion.vdot[1:])
    force, position = motion.force[2:], motion.position[2:]
    assert_equal(found.normal_force, force[:, 2].sum())
    arm = position - ts.frame_pose(MODEL, q, SWING_HEEL[0])[:3, 3]
    assert_equal(found.moment, np.cross(arm, force)[:, 1].sum())


def test_constraints_hold_at_the_found_accelerations():
    q, tau = swing_pose(-0.15, 0.0), pressed(5)
    J = ts.jacobian(MODEL, q, SWING_HEEL[0])
    v = moving(q, J[[0, 2]], [0.3, 0.0], 6)
    found = extended_newton_euler(MODEL, q, v, tau, contact=SWING_HEEL[0], friction=K)
    rate = ts.frame_acceleration(MODEL, q, v, found.vdot, SWING_HEEL[0])
    assert rate[2] == pytest.approx(0.0, abs=1e-9)


def test_what_the_paper_does_not_define_is_refused():
    q, still = swing_pose(-0.15, 0.0), np.zeros(NV)
    with pytest.raises(ArgumentError, match="does not slide"):
        extended_newton_euler(MODEL, q, still, still, contact=SWING_HEEL[0], friction=0.5)
    with pytest.raises(ArgumentError, match="K from 0 to 1"):
        extended_newton_euler(MODEL, q, still, still, contact=SWING_HEEL[0], friction=1.5)
    with pytest.raises(ArgumentError, match="without a contact"):
        extended_newton_euler(MODEL, q, still, still, flat=True)
    with pytest.raises(ShapeError, match="expected"):
        extended_newton_euler(MODEL, q[1:], still, still)
