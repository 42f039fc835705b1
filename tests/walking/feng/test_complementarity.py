"""Signorini's conditions along a walk: gap >= 0, force >= 0, gap times force = 0, and the constraints C1 and C2."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking.feng.contacting_foot import (
    BALL,
    FENG_CONTACTS,
    HEEL,
    SUPPORT_HEEL,
    TIP,
    foot_points,
    support_model,
)

CONSTRAINT = 1e-9
"""Of heights C1 [m] and angles C2 [rad] of feet that touch; 8e-11 was found."""
SOLVERS = 1e-9
"""Of forces of two solvers [N]; 2e-11 was found."""
STEPS = 6
NAMES = [contact.name for contact in FENG_CONTACTS]


def closed_points(step):
    """Which contacts the events of a step hold closed at its samples, (N, 4), and which samples are far from events."""
    time = step.run.time
    closed, far = np.zeros((len(time), len(NAMES)), dtype=bool), np.ones(len(time), dtype=bool)
    for event in step.events:
        if event["event"] in ("touch-down", "lift-off"):
            closed[time >= event["time"], NAMES.index(event["contact"])] = event["event"] == "touch-down"
            far &= (np.abs(time - event["time"]) > 1e-9) | (time == 0.0)
    return closed, far


@pytest.fixture(scope="module")
def steps(right_walk):
    return right_walk.steps[:STEPS]


@pytest.fixture(scope="module")
def gaps(steps):
    """Heights of all contacts [m], from the poses of their bodies."""
    found = []
    for step in steps:
        model, q = support_model(step.support), step.run.q
        poses = [ts.frame_pose(model, q, contact.frame) for contact in FENG_CONTACTS]
        found.append(
            np.stack([(pose @ [*c.position, 1.0])[:, 2] for pose, c in zip(poses, FENG_CONTACTS, strict=True)], axis=-1)
        )
    return found


def test_gap_and_force_are_complementary(steps, gaps):
    """The residual gap * force is relative to the weight, so that it is a length [m]."""
    for step, gap in zip(steps, gaps, strict=True):
        force = step.run.contact_force[..., 2]
        weight = -step.run.model.total_mass * step.run.model.gravity[2]
        assert gap.min() >= -CONSTRAINT
        assert force.min() >= 0.0
        assert np.abs(gap * force).max() / weight < CONSTRAINT
        assert (force > 0.0).any()
        assert gap.max() > 1e-3  # and something is open


def test_points_that_are_closed_are_on_the_ground_and_open_ones_carry_nothing(steps, gaps):
    """C1, by the events of the run and not by its forces."""
    for step, gap in zip(steps, gaps, strict=True):
        closed, far = closed_points(step)
        assert np.abs(gap[far][closed[far]]).max() < CONSTRAINT
        assert (step.run.contact_force[far][~closed[far]] == 0.0).all()
        for k in range(len(NAMES)):
            assert closed[far, k].any()


def test_feet_that_are_flat_are_level(steps):
    """C2: angles of the sole, of the toes, and of the supporting foot."""
    seen = dict.fromkeys(("sole", "toes", "support"), 0)
    for step in steps:
        model, q = support_model(step.support), step.run.q
        closed, far = closed_points(step)
        at = {name: closed[:, NAMES.index(name)] & far for name in (SUPPORT_HEEL, HEEL, BALL, TIP)}
        flat = {
            "sole": ("swing_foot", at[HEEL] & at[BALL]),
            "toes": ("swing_toe", at[BALL] & at[TIP]),
            "support": ("support_foot", at[SUPPORT_HEEL]),
        }
        for part, (body, when) in flat.items():
            x_axis = ts.frame_pose(model, q[when], body)[:, :3, 0]
            assert np.abs(np.arctan2(-x_axis[:, 2], x_axis[:, 0])).max(initial=0.0) < CONSTRAINT, part
            seen[part] += int(when.sum())
    assert min(seen.values()) > 0


def test_forces_of_toes_that_slide_are_those_of_section_4(steps):
    """Sampled moments beside the extended Newton-Euler method of Feng et al. 2015, (24) to (37), 17 joints."""
    friction, compared = 0.7, 0
    for step in steps[2:5]:
        run, model = step.run, support_model(step.support)
        flat = model.locked({"joint1": 0.0})
        tip = f"{'l' if step.support == 'right' else 'r'}_sole_front_left"  # of the same height and x as the tip
        speed = foot_points(model, run.q, run.v).velocity[:, 2, 0]
        pressed = run.contact_force[..., 2] > 1.0
        slides = pressed[:, 0] & ~pressed[:, 1] & ~pressed[:, 2] & pressed[:, 3] & (np.abs(speed) > 0.01)
        for i in np.flatnonzero(slides & (run.time < 0.1)):
            x = (run.q[i, 1:], run.v[i, 1:], run.tau[i, 1:])
            found = ts.contact.extended_newton_euler(flat, *x, contact=tip, friction=friction)
            tangential, _, normal = run.contact_force[i, 3]
            assert found.normal_force == pytest.approx(normal, abs=SOLVERS)
            assert -np.sign(speed[i]) * found.friction_force == pytest.approx(tangential, abs=SOLVERS)
            compared += 1
    assert compared > 10
