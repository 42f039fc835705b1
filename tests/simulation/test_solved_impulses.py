"""Impulses of the law of least constraint where sweeps over contacts do not settle, and with dependent joints."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from loop_models import LENGTHS, at, four_bar
from sample_models import BRICK
from simulation.bodies import GRAVITY
from simulation.implicit_oracle import MEAN, SHARE
from simulation.told_simulator import told_simulator

import tarsus as ts
from tarsus import _native
from tarsus.contact import ContactPoint, Ground, LeastConstraint, Plane, Rigid, flat, points
from tarsus.errors import SimulationWarning
from tarsus.simulation import JointLaw

DT = 1e-3
ROUND_OFF = 1e-10
"""Residual of the equations of motion, relative to the largest force."""
SPEED = 2e-7
"""Of contact points that should rest [m/s]: 1e-6 of what gravity and impacts give in a step, and the last sweep."""
ON_CONE = 1e-6
"""Relative distance from the cone of a force that counts as friction at its limit."""


def geared_arm() -> ts.Model:
    """A pendulum whose elbow turns back twice as fast as its shoulder."""
    b = ts.ModelBuilder("geared").add_link("ground", BRICK).add_link("upper", BRICK).add_link("lower", BRICK)
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0.0, 1.0, 0.0))
    b.add_joint("elbow", "revolute", "upper", "lower", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, -0.5), armature=0.03)
    b.add_frame("hand", "lower", at(0.0, 0.0, -0.3)).add_frame("tip", "upper", at(0.1, 0.0, -0.4))
    return b.add_coupling("elbow", "shoulder", -2.0, 0.3).build()


def geared_walker() -> ts.Model:
    """Three links in the plane on a free base: the last joint follows the first one."""
    b = ts.ModelBuilder("walker", base="free").add_link("body", BRICK).add_link("thigh", BRICK).add_link("shank", BRICK)
    b.add_link("arm", BRICK)
    b.add_joint("hip", "revolute", "body", "thigh", axis=(0.0, 1.0, 0.0), position=(0.1, 0.1, -0.2))
    b.add_joint("knee", "revolute", "thigh", "shank", axis=(0.0, 1.0, 0.0), position=(0.0, 0.0, -0.3))
    b.add_joint("shoulder", "revolute", "body", "arm", axis=(1.0, 0.0, 0.0), position=(-0.2, -0.1, 0.1), armature=0.05)
    b.add_frame("toe", "shank", at(0.1, 0.0, -0.3)).add_frame("heel", "shank", at(-0.1, 0.05, -0.3))
    b.add_frame("hand", "arm", at(0.0, 0.0, -0.4)).add_frame("back", "body", at(-0.2, 0.0, -0.1))
    return b.add_coupling("shoulder", "hip", 1.5, 0.1).add_coupling("knee", "hip", -0.8, 0.2).build()


def velocities(run: Any, k: int, frames: Sequence[str]) -> npt.NDArray[np.float64]:
    """Of the points at the end of step k, with the positions at its start: what the impulses decide about."""
    v = run.v[k + 1].copy()
    if run.model.joints and next(iter(run.model.joints.values())).kind == "free":
        base = next(iter(run.model.bodies))
        start, end = ts.frame_poses(run.model, run.q[k : k + 2], [base])[:, 0, :3, :3]
        v[:3], v[3:6] = start.T @ end @ v[:3], start.T @ end @ v[3:6]
    return np.array([ts.jacobian(run.model, run.q[k], frame)[:3] @ v for frame in frames])


def check_contact(run: Any, frames: Sequence[str], mu: float, gap: float = 1e-4) -> tuple[int, int]:
    """Signorini's and Coulomb's conditions at every step; numbers of sticking and of slipping contacts."""
    sticking = slipping = 0
    largest = np.abs(run.contact_force).max()
    for k in range(len(run.time) - 1):
        u, force = velocities(run, k, frames), run.contact_force[k + 1]
        heights = np.array([ts.frame_pose(run.model, run.q[k], frame)[2, 3] for frame in frames])
        for speed, f, height in zip(u, force, heights, strict=True):
            across, normal = float(np.linalg.norm(f[:2])), float(f[2])
            assert normal >= 0.0 and across <= mu * normal * (1 + 1e-12) + 1e-12 * largest
            if height < gap:  # on the ground: it leaves it or stays, and is pushed out at most by its depth
                assert height + DT * speed[2] > min(height, 0.0) - DT * SPEED
            if normal < 1e-5 * largest:
                continue
            slide = float(np.linalg.norm(speed[:2]))
            if across < mu * normal * (1 - ON_CONE):
                assert slide < SPEED, f"step {k}"
                sticking += 1
            elif slide > 1e-3:
                np.testing.assert_allclose(f[:2] / across, -speed[:2] / slide, atol=1e-3, err_msg=f"step {k}")
                slipping += 1
    return sticking, slipping


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8])
def test_a_pendulum_of_one_axis_comes_to_rest_on_the_ground_whatever_the_friction(mu: float) -> None:
    """A point that moves along one line alone: the ground carries it, friction has nothing to hold."""
    inertia = ts.Inertia.of_box(1.0, (0.1, 0.1, 0.5), com=(0.0, 0.0, -0.3))
    b = ts.ModelBuilder("pendulum").add_link("ground").add_link("arm", inertia)
    b.add_joint("shoulder", "revolute", "ground", "arm", axis=(0.0, 1.0, 0.0))
    b.add_frame("hand", "arm", at(0.1, 0.0, -0.6))
    model = b.build()
    run = ts.simulate(model, [-0.9], [2.0], ground=flat(LeastConstraint(mu), height=-0.5), sample_dt=DT, duration=1.0,
                      contacts=points(model, ["hand"]), stops=False)  # fmt: skip
    energy = run.energy["kinetic"] + run.energy["potential"]
    assert energy.max() < energy[0] + 1e-2
    assert abs(run.v[-1, 0]) < SPEED
    assert run.contact_force[-1, 0, 2] > 1.0


@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("mechanism", ["gears", "four-bar"])
def test_impulses_of_dependent_joints_are_what_moves_the_reduced_model(mechanism: str, mu: float) -> None:
    """M (v+ - v) / dt + bias = J^T f in independent coordinates, with M, bias and J of other kernels, at every step.

    The bias is that of the mean velocity.
    """
    if mechanism == "gears":
        model, frames, q, v = geared_arm(), ("hand", "tip"), -0.6, 2.0
        ground = flat(LeastConstraint(mu), height=-0.7)
    else:
        builder = four_bar()
        builder.add_frame("middle", "coupler", at(0.5 * LENGTHS[2], -0.1))
        model, frames, q, v = builder.build(), ("middle",), -0.6, -0.5  # so slow that no step is halved
        ground = Ground(Plane(LeastConstraint(mu), point=(0.0, 0.1, 0.0), normal=(0.0, 1.0, 0.0)))
    run = ts.simulate(model, [q], [v], ground=ground, contacts=points(model, frames), duration=0.4, sample_dt=DT,
                      stops=False)  # fmt: skip
    assert run.contact_force.max() > 10.0
    for k in range(len(run.time) - 1):
        pose, rate = run.q[k], (run.v[k + 1] - run.v[k]) / DT
        push = sum(ts.jacobian(model, pose, name)[:3].T @ run.contact_force[k + 1, i] for i, name in enumerate(frames))
        M, mean = ts.mass_matrix(model, pose), 0.5 * (run.v[k] + run.v[k + 1])
        residual = M @ rate + ts.bias_force(model, pose, mean) - push
        fastest = float(np.abs(run.v[k : k + 2]).max())
        allowed = max(MEAN, SHARE * fastest / DT) * float(np.abs(M).max())
        allowed += ROUND_OFF * max(1.0, float(np.abs(run.contact_force[k + 1]).max()))
        assert np.abs(residual).max() < allowed, f"step {k}"


def test_a_robot_with_gears_lands_under_the_conditions_of_contact() -> None:
    model, frames = geared_walker(), ("toe", "heel", "hand", "back")
    q = np.array(model.neutral())
    q[2] = 0.9
    run = ts.simulate(model, q, [0.5, 0.2, 0, 0.3, 1.0, 0, 0.5], duration=0.8, sample_dt=DT, stops=False,
                      ground=flat(LeastConstraint(0.4)), contacts=points(model, frames))  # fmt: skip
    sticking, slipping = check_contact(run, frames, 0.4)
    assert sticking > 20
    assert slipping > 20
    energy = run.energy["kinetic"] + run.energy["potential"]
    assert energy.max() < energy[0] + 1e-3 * model.total_mass * GRAVITY


def test_gears_land_where_they_land_on_rigid_ground() -> None:
    """The same fall by events, as the limit of small steps."""
    model, frames = geared_walker(), ("toe", "heel", "hand", "back")
    q = np.array(model.neutral())
    q[2] = 0.83
    keywords: dict[str, Any] = {"duration": 0.25, "sample_dt": 0.01, "contacts": points(model, frames), "stops": False}
    exact = ts.simulate(model, q, ground=flat(Rigid(0.5)), **keywords)
    errors = []
    for dt in (4e-4, 1e-4):
        run = ts.simulate(model, q, ground=flat(LeastConstraint(0.5)), dt=dt, **keywords)
        errors.append(float(np.abs(run.q[-1] - exact.q[-1]).max()))
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 1e-3


def test_lola_with_rigid_drives_stands_on_ground_that_does_not_give() -> None:
    model = ts.robots.lola(drives="rigid")
    soles = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    run = ts.simulate(model, controller=JointLaw(kp=8000.0, kd=200.0), ground=flat(LeastConstraint()), duration=3.0,
                      contacts=points(model, soles), sample_dt=0.5)  # fmt: skip
    weight = model.total_mass * GRAVITY
    np.testing.assert_allclose(run.contact_force[-1].sum(axis=0), [0.0, 0.0, weight], atol=1e-5 * weight)
    assert run.energy["kinetic"][-1] < 1e-8


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_feet_that_squeeze_the_ground_between_their_corners_fulfil_the_conditions_at_every_step(seed: int) -> None:
    """Stiff legs that find their stance: by sweeps from contact to contact, corners that stick move at 5e-5 m/s."""
    model = ts.robots.hrp2()
    frames = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    q = np.array(model.reference)
    q[7:] += np.random.default_rng(seed).normal(scale=3e-3, size=model.nq - 7)
    law = JointLaw(kp=5000.0, kd=200.0, q=model.reference, limited=False)
    run = ts.simulate(model, q, controller=law, duration=0.06, sample_dt=DT, ground=flat(LeastConstraint(0.8)),
                      contacts=points(model, frames), stops=False)  # fmt: skip
    sticking, slipping = check_contact(run, frames, 0.8)
    assert sticking > 100
    assert slipping > 5


@pytest.mark.parametrize("mass", [0.1, 1.0])
def test_light_rods_never_gain_energy(mass: float) -> None:
    size = (0.02, 0.02, 0.2)
    model = ts.ModelBuilder("rod", base="free").add_link("rod", ts.Inertia.of_box(mass, size)).build()
    signs = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    corners = [ContactPoint(f"c{i}", "rod", np.array(s) * size) for i, s in enumerate(signs)]
    rng = np.random.default_rng(0)
    q = np.array([model.random(rng) for _ in range(16)])
    q[:, :3] = (0.0, 0.0, 0.4)
    run = ts.simulate(model, q, duration=2.0, ground=flat(LeastConstraint()), contacts=corners, sample_dt=0.01)
    energy = run.energy["kinetic"] + run.energy["potential"]
    assert np.all(energy.max(axis=0) - energy[0] < 5e-3 * mass * GRAVITY * 0.3)


def test_steps_without_a_solution_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step of an ordinary fall; where the native core counts some, a warning tells how many."""
    model = geared_walker()
    q = np.array(model.neutral())
    q[2] = 0.9
    keywords: dict[str, Any] = {"ground": flat(LeastConstraint(0.4)), "contacts": points(model, ["toe", "heel"])}
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        ts.simulate(model, q, duration=0.5, **keywords)

    def unsettled(first_step: int, steps: int, answer: Any) -> Any:
        return (*answer[:4], 3 if steps else 0)

    monkeypatch.setattr(_native, "SimulatorCore", told_simulator(unsettled))
    with pytest.warns(SimulationWarning, match="did not settle in 3 of 10 steps"):
        ts.simulate(model, q, duration=0.01, **keywords)


@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_the_motion_follows_from_the_state_whatever_the_forces_were_before(speed: float) -> None:
    """A box that rests or slides on four corners: regimes are found from none as from those of the last step.

    While all stick, forces are shared most evenly; how four slipping corners share theirs is open.
    """
    box = ts.ModelBuilder("box", base="free").add_link("box", ts.Inertia.of_box(5.0, (0.4, 0.3, 0.2))).build()
    corners = [ContactPoint(f"{x},{y}", "box", (x, y, -0.1)) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
    keywords: dict[str, Any] = {"ground": flat(LeastConstraint(0.5)), "contacts": corners, "sample_dt": DT}
    start = [speed, 0.3 * speed, 0.0, 0.0, 0.0, 0.0]
    run = ts.simulate(box, [0, 0, 0.1, 1, 0, 0, 0], start, duration=0.1, **keywords)
    for k in (20, 60, 90):
        fresh = ts.simulate(box, run.q[k], run.v[k], duration=DT, **keywords)
        largest = np.abs(run.contact_force[k + 1]).max()
        if speed == 0.0:
            np.testing.assert_allclose(fresh.contact_force[1], run.contact_force[k + 1], atol=1e-5 * largest, rtol=0)
        np.testing.assert_allclose(fresh.v[1], run.v[k + 1], atol=SPEED, rtol=0)
