"""Robots of a batch are the same bits in any company: who shares a pack with them decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from robot_data import robot_data_path
from simulation.bodies import pose

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, PseudoCoulomb, ViscoElasticSole, flat, on_ground

Array = npt.NDArray[np.float64]
LAWS = (Compliant(), PseudoCoulomb(2e4, 100.0, 0.6, 200.0), ViscoElasticSole(2e4, 100.0, 0.6, 2e4, 100.0))
ROBOTS = {
    "solo12": "solo_description/robots/solo12.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}


def load(name: str) -> ts.Model:
    return ts.robots.hrp2() if name == "hrp2" else ts.load(robot_data_path(ROBOTS[name]), base="free")


def tumbling(model: ts.Model, count: int, seed: int, **options: Any) -> tuple[Array, Array]:
    """Limp robots just above the ground in random attitudes, on their way down."""
    rng = np.random.default_rng(seed)
    q = np.array([model.random(rng) for _ in range(count)])
    turns = rng.normal(size=(count, 4))
    q[:, :2], q[:, 3:7] = 0.0, turns / np.linalg.norm(turns, axis=1, keepdims=True)
    q = np.array([on_ground(model, robot, **options) for robot in q])
    q[:, 2] += 5e-3
    v = 2.0 * rng.normal(size=(count, model.nv))
    v[:, :3] = -2.0 * ts.frame_pose(model, q, next(iter(model.bodies)))[:, 2, :3]
    return q, v


def assert_alone_as_in_company(run: Callable[[Array], ts.Trajectory], count: int, alone: list[int]) -> ts.Trajectory:
    """The batch, the batch in another order, and some of the robots, each in a pack of its own copies."""
    whole, order = run(np.arange(count)), np.random.default_rng(count).permutation(count)
    mixed = run(order)
    for name in ("q", "v", "contact_force"):
        assert getattr(mixed, name).tobytes() == np.ascontiguousarray(getattr(whole, name)[:, order]).tobytes(), name
    for robot in alone:
        copies = run(np.full(8, robot))
        for name in ("q", "v", "contact_force"):
            expected = np.ascontiguousarray(getattr(whole, name)[:, robot])
            assert all(getattr(copies, name)[:, k].tobytes() == expected.tobytes() for k in range(8)), (robot, name)
    return whole


def test_an_end_that_is_swung_to_the_ground_within_a_step_is_woken_in_its_own_lane_only() -> None:
    """Light bars that fall at 3 m/s: one end strikes, and some of the other ends come down within the same step."""
    builder = ts.ModelBuilder("bar", base="free").add_link("bar", ts.Inertia.of_box(0.1, (0.5, 0.05, 0.05)))
    builder.add_frame("left", "bar", pose((-0.25, 0, 0))).add_frame("right", "bar", pose((0.25, 0, 0)))
    model, count = builder.build(), 64
    tilt = np.linspace(0.0, 0.03, count)
    q, v = np.tile(model.neutral(), (count, 1)), np.zeros((count, 6))
    q[:, 2], q[:, 3], q[:, 5] = 0.25 * np.sin(tilt) + 5e-4, np.cos(0.5 * tilt), -np.sin(0.5 * tilt)
    v[:, 2] = -3.0

    def run(chosen: Array) -> ts.Trajectory:
        return ts.simulate(model, q[chosen], v[chosen], ground=flat(), duration=0.01, dt=1e-3, sample_dt=1e-3,
                           contacts=(ContactPoint("left", "left"), ContactPoint("right", "right")))  # fmt: skip

    assert_alone_as_in_company(run, count, list(range(8, 24)))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("name", ["solo12", "go2"])
def test_limp_quadrupeds_on_their_feet_and_corners(name: str, law: Any) -> None:
    model, count = load(name), 24
    names = list(model.frames)
    frames = names[:: len(names) // 8]
    options = {"ground": flat(law), "contacts": tuple(ContactPoint(frame, frame, radius=0.02) for frame in frames)}
    q, v = tumbling(model, count, 3, **options)

    def run(chosen: Array) -> ts.Trajectory:
        return ts.simulate(model, q[chosen], v[chosen], duration=0.1, dt=2e-3, sample_dt=2e-3, **options)

    whole = assert_alone_as_in_company(run, count, [0, 7, 19])
    assert (whole.contact_force[..., 2] > 0).any(axis=(0, 2)).mean() > 0.8


@pytest.mark.parametrize("name", ["hrp2", "talos"])
def test_limp_humanoids_with_all_their_contacts_on_a_floor(name: str) -> None:
    model, count = load(name), 12
    q, v = tumbling(model, count, 4, ground=flat())

    def run(chosen: Array) -> ts.Trajectory:
        return ts.simulate(model, q[chosen], v[chosen], duration=0.1, dt=2e-3, sample_dt=2e-3, ground=flat())

    whole = assert_alone_as_in_company(run, count, [5])
    assert (whole.contact_force[..., 2] > 0).any(axis=(0, 2)).mean() > 0.8
