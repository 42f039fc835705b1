"""The four-legged robot."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import flat
from tarsus.robots.quadruped import LEGS
from tarsus.simulation import JointLaw

model = ts.robots.quadruped()


def test_mass_joints_and_height_are_those_of_its_docstring():
    assert model.total_mass == pytest.approx(12.0)
    assert (model.nq, model.nv) == (19, 18)
    assert model.reference[2] == pytest.approx(0.299, abs=5e-4)


def test_feet_stand_on_the_ground_below_their_thighs():
    for leg in LEGS:
        sole, foot, thigh = (ts.frame_pose(model, model.reference, f"{leg}_{part}")[:3, 3]
                             for part in ("sole", "foot", "thigh_link"))  # fmt: skip
        np.testing.assert_allclose(sole, [thigh[0], thigh[1], 0.0], atol=1e-12)
        np.testing.assert_allclose(foot - sole, [0.0, 0.0, 0.02], atol=1e-12)


def test_it_stands_on_its_feet_alone():
    run = ts.simulate(model, duration=3.0, controller=JointLaw(60.0, 4.0, q=model.reference), ground=flat())
    force = run.contact_force[-1]
    names = [name for name, f in zip(run.contacts, force, strict=True) if f[2] > 0.0]
    assert len(names) == 4 and all("shank" in name for name in names)
    assert force[:, 2].sum() == pytest.approx(12.0 * 9.81, rel=1e-3)
