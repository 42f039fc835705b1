"""Rates of legs whose feet stand while the body moves on."""

import numpy as np

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.stabilizer.standing_rates import standing_rates


def test_the_foot_stays_where_it_is_while_base_and_other_joints_move():
    biped = Biped.of(ts.robots.hrp2())
    rng = np.random.default_rng(0)
    for foot in (0, 1):
        v = 0.3 * rng.standard_normal(biped.model.nv)
        v[biped.legs[foot].v] = standing_rates(biped, foot, biped.q, v)
        twist = ts.frame_velocity(biped.model, biped.q, v, biped.legs[foot].sole)
        still = np.array(v)
        still[biped.legs[foot].v] = 0.0
        carried = ts.frame_velocity(biped.model, biped.q, still, biped.legs[foot].sole)
        assert np.linalg.norm(twist) < 0.05 * np.linalg.norm(carried)  # what the damping leaves
