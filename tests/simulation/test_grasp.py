"""A gripper of a public model closes on a cube, lifts it and puts it down; limp robots lie on their own limbs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from robot_data import robot_data_path, robots_directory
from simulation.lifting_arm import LIFT, MASS, PLACE, SIDE, TOOL, lifting

import tarsus as ts
from tarsus.contact import contactors, flat


def test_a_gripper_lifts_a_cube_and_puts_it_down() -> None:
    model, start, law = lifting()
    with pytest.warns(ts.errors.SimulationWarning, match="panda_link5 and panda_link7"):
        run = ts.simulate(model, start, duration=4.1, controller=law, pairs="all", ground=flat(),
                          contacts=contactors(model, ["cube"]))  # fmt: skip
    tool, cube = np.moveaxis(ts.frame_poses(model, run.q, [TOOL, "cube"]), 1, 0)
    held = slice(60, 330)  # between closing and opening
    between = (np.linalg.inv(tool) @ cube)[held]
    assert cube[:, 2, 3].max() > 0.5 * SIDE + LIFT - 2e-3  # it was lifted,
    assert np.abs(between[:, :3, 3] - between[0, :3, 3]).max() < 1e-4  # did not slip [m],
    assert np.abs(between[:, :3, :3] - between[0, :3, :3]).max() < 1e-3
    assert abs(cube[-1, 2, 3] - 0.5 * SIDE) < 1e-4 and np.abs(cube[-1, :2, 3] - (PLACE, 0.0)).max() < 2e-3  # and stands
    assert not any(np.any(run.contact_force[-1, i]) for i, n in enumerate(run.contacts) if n.startswith("cube/shape|"))
    balance = run.total_energy - run.total_energy[0]
    assert np.abs(balance).max() < 0.02  # [J]; the arm gives the cube 0.3 J and moves 60 J of its own up and down


def test_fingers_press_from_both_sides_and_carry_the_weight_by_friction() -> None:
    model, start, law = lifting()
    run = ts.simulate(model, start, duration=2.2, controller=law, pairs=["cube"], ground=flat(),
                      contacts=contactors(model, ["cube"]))  # fmt: skip
    on = {side: [i for i, name in enumerate(run.contacts) if name.startswith(f"cube/shape|panda_{side}finger")]
          for side in ("left", "right")}  # fmt: skip
    left, right = (run.contact_force[-1, on[side]].sum(axis=0) for side in ("left", "right"))
    assert np.isclose(left[2] + right[2], MASS * 9.81, rtol=1e-2)
    assert abs(left[1] + right[1]) < 0.2 and abs(left[1]) > 5.0  # squeezed [N]


ROBOTS = ["hrp2"]


@pytest.mark.long
@pytest.mark.parametrize("name", [*ROBOTS, "talos_data/robots/talos_reduced.urdf", "icub_description/robots/icub.urdf"])
def test_limp_robots_fall_onto_their_own_limbs_and_gain_nothing(name: str) -> None:
    if name in ROBOTS:
        model = getattr(ts.robots, name)()
    else:
        model = ts.load(robot_data_path(name), base="free", package_dirs=[robots_directory()])
    q = np.array(model.reference)
    q[7:] = np.clip(q[7:], model.q_min[7:], model.q_max[7:])
    q[2] = max(q[2], 1.0)
    q[3:7] = np.array([1.0, 0.3, 0.4, 0.2]) / np.linalg.norm([1.0, 0.3, 0.4, 0.2])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*overlap in the reference pose")  # any other one fails
        warnings.filterwarnings("ignore", message=".*without volume")
        run = ts.simulate(model, q, duration=3.0, ground=flat(), pairs="all")
    pressed = {n for i, n in enumerate(run.contacts) if "|" in n and np.any(run.contact_force[:, i])}
    assert pressed  # limbs met
    fallen = run.energy["ground_dissipated"][-1] + run.energy["joint_dissipated"][-1]
    assert (run.total_energy - run.total_energy[0]).max() < 0.01 * fallen
