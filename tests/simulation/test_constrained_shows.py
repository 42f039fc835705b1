"""Motions under constraints that have closed forms: a rolling disc, a crank and slider with a drive."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.simulation import JointLaw

MASS, RADIUS, GRAVITY = 2.0, 0.3, 9.81


def disc():
    return ts.ModelBuilder("disc", base="free").add_link("disc", ts.Inertia.of_cylinder(MASS, RADIUS, 1e-3)).build()


ROLLING = ts.constraints.RollingWheel("world", "disc", radius=RADIUS, axis=(0.0, 0.0, 1.0))


def steady_rolling(model, tilt, turn):
    """Start of a disc whose axis is tilted against the vertical and turns about it, and the radius of its circle.

    With the axis a, u up the disc, and the angular velocity w a + turn sin(tilt) u, moments about the centre give
    (I3 + m r^2) w turn sin = I1 turn^2 sin cos - m g r cos; the centre runs with r w (Routh 1905, article 244).
    """
    I1, _, I3 = np.diag(model.bodies["disc"].inertia.moments)
    s, c = np.sin(tilt), np.cos(tilt)
    w = (I1 * turn**2 * s * c - MASS * GRAVITY * RADIUS * c) / ((I3 + MASS * RADIUS**2) * turn * s)
    R = np.array([[-c, 0.0, s], [0.0, -1.0, 0.0], [s, 0.0, c]])  # columns u, a x u, a
    q = model.neutral()
    q[:3] = 0.0, 0.0, RADIUS * s
    q[3:7] = ts.spatial.quaternion_from_rotation_matrix(R)
    v = np.array([0.0, RADIUS * w, 0.0, turn * s, 0.0, w])
    return q, v, RADIUS * abs(w / turn)


def axis_height(model, q):
    return ts.frame_pose(model, q, "disc")[..., 2, 2]


@pytest.mark.parametrize(("tilt", "turn"), [(1.2, 1.5), (0.3, 8.0), (1.0, 3.0)])
def test_a_disc_rolls_in_a_circle_as_the_closed_form_says(tilt, turn):
    model = disc()
    q, v, radius = steady_rolling(model, tilt, turn)
    run = ts.simulate(model, q, v, duration=5.0, constraints=[ROLLING], integrator="dormand-prince")
    np.testing.assert_allclose(axis_height(model, run.q), np.cos(tilt), atol=1e-6)
    centre = run.q[:, :2]
    middle = np.linalg.lstsq(np.c_[2.0 * centre, np.ones(len(centre))], (centre**2).sum(axis=1), rcond=None)[0][:2]
    np.testing.assert_allclose(np.linalg.norm(centre - middle, axis=1), radius, rtol=1e-5)
    assert np.ptp(centre, axis=0).min() > 0.5 * radius  # it goes round, or far
    assert np.abs(run.energy["integration"]).max() < 1e-7 * run.energy["kinetic"].max()


def test_a_disc_that_wobbles_keeps_its_energy_and_does_not_slip():
    model = disc()
    q, v, _ = steady_rolling(model, 1.2, 1.5)
    v[3] += 0.5  # off the steady motion, still without slip
    for integrator, left in (("dormand-prince", 1e-7), ("implicit-midpoint", 1e-4), ("semi-implicit-euler", 5e-3)):
        run = ts.simulate(model, q, v, duration=3.0, constraints=[ROLLING], integrator=integrator)
        assert np.abs(run.energy["integration"]).max() < left * run.energy["kinetic"].max(), integrator
        rows = ts.constraint_rows(model, run.q, run.v, [ROLLING])
        assert max(np.abs(rows.violation).max(), np.abs(rows.velocity).max()) < 2e-12
        assert np.ptp(axis_height(model, run.q)) > 0.05


CRANK, ROD = 0.2, 0.7


def crank_slider():
    b = ts.ModelBuilder("crank-slider").add_link("ground")
    b.add_link("crank", ts.Inertia.of_box(1.0, (CRANK, 0.03, 0.03), com=(CRANK / 2, 0, 0)))
    b.add_link("rod", ts.Inertia.of_box(1.5, (ROD, 0.03, 0.03), com=(ROD / 2, 0, 0)))
    b.add_link("slider", ts.Inertia.of_box(2.0, (0.1, 0.1, 0.1)))
    b.add_joint("turn", "continuous", "ground", "crank", axis=(0, -1, 0))
    b.add_joint("pin", "continuous", "crank", "rod", axis=(0, -1, 0), position=(CRANK, 0, 0))
    b.add_joint("slide", "prismatic", "ground", "slider", axis=(1, 0, 0))
    return b.build()


def crank_slider_at(angle):
    """Joint coordinates (..., 3) by the triangle of crank, rod and slide."""
    angle = np.asarray(angle)
    rise = CRANK * np.sin(angle)
    lean = -np.arcsin(rise / ROD)
    return np.stack([angle, lean - angle, CRANK * np.cos(angle) + ROD * np.cos(lean)], axis=-1)


@pytest.mark.parametrize(("integrator", "near"), [("semi-implicit-euler", 2e-2), ("dormand-prince", 1e-6)])
def test_a_driven_crank_moves_the_slider_and_needs_the_torque_of_the_closed_form(integrator, near):
    model, rate = crank_slider(), 4.0
    wrist = ts.constraints.LoopJoint("rod", "slider", kind="spherical", pose_a=ts.pose((ROD, 0, 0)), name="wrist")
    drive = ts.constraints.PrescribedJoint("turn", lambda t: (0.3 + rate * t, rate + 0.0 * t, 0.0 * t), name="drive")
    run = ts.simulate(model, crank_slider_at(0.3), [rate, 0.0, 0.0], duration=2.0, constraints=[wrist, drive],
                      integrator=integrator, project_start=True)  # fmt: skip
    angle = 0.3 + rate * run.time
    np.testing.assert_allclose(run.q, crank_slider_at(angle), atol=1e-10)

    # kinetic and potential energy as functions of the angle: torque = d(T + U) / d angle at a constant rate
    def energy(angle):
        q = crank_slider_at(angle)
        lean = q[..., 1] + angle
        leans = -CRANK * np.cos(angle) / (ROD * np.cos(lean))
        slides = -CRANK * np.sin(angle) - ROD * np.sin(lean) * leans
        v = rate * np.stack([np.ones_like(angle), leans - 1.0, slides], axis=-1)
        return ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)

    torque = (energy(angle + 1e-4) - energy(angle - 1e-4)) / 2e-4
    found = run.signals["constraint_force"][:, 3]
    np.testing.assert_allclose(found[1:], torque[1:], atol=near * np.abs(torque).max())


def test_a_closed_chain_of_a_robot_holds_under_its_controller():
    """Both hands of a humanoid on one bar, by two welds to the world; feet on the ground."""
    model = ts.robots.hrp2()
    q = model.reference
    hands = [name for name in ("l_hand", "r_hand", "l_wrist", "r_wrist") if name in model.frames][:2]
    assert len(hands) == 2
    welds = [ts.constraints.weld("world", hand, ts.frame_pose(model, q, hand), name=hand) for hand in hands]
    law = JointLaw(kp=2000.0, kd=100.0, q=q)
    run = ts.simulate(model, q, duration=0.5, constraints=welds, controller=law, ground=ts.contact.flat())
    rows = ts.constraint_rows(model, run.q, run.v, welds)
    assert max(np.abs(rows.violation).max(), np.abs(rows.velocity).max()) < 2e-12
    assert run.energy["integration"].max() < 0.01 * (run.energy["kinetic"].max() + 1.0)
