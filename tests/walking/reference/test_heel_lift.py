"""Heels that rise before long steps."""

import numpy as np

from tarsus.spatial import pose
from tarsus.walking import Gait, StepLimits, footsteps
from tarsus.walking.reference.foot_paths import foot_paths
from tarsus.walking.reference.heel_lift import lift_of, on_toes


def paths(length, leg=1.0):
    feet = footsteps([length, 0.0, 0.0], 1.0, 4, 0.2, StepLimits(1.0, 0.3, 0.4))
    gait = Gait(1.0, settling=1.0)
    times = np.arange(0.0, 6.0, 0.01)
    return foot_paths(gait.phases(feet), times, gait.pressure_path(feet).at(times), 0.05, leg)


def test_feet_stay_flat_in_short_steps_and_rise_with_the_length_of_long_ones():
    assert not paths(0.4).pitch.any()
    assert 0.0 < paths(0.5).pitch.max() < paths(0.7).pitch.max() <= lift_of(10.0, 1.0)


def test_feet_land_level_and_turn_without_jumps():
    walk = paths(0.7)
    landed = np.flatnonzero(np.diff(walk.standing.astype(int), axis=0) == 1)
    assert len(landed) and np.abs(walk.pitch.ravel()[2 + landed]).max() < 1e-12
    assert np.abs(np.diff(walk.pitch, axis=0)).max() < 0.05  # a hundredth of a second


def test_the_front_edge_stays_where_it_is_while_the_heel_rises():
    X = pose((0.3, 0.1, 0.0))
    turned = on_toes(np.tile(X, (5, 1, 1)), np.linspace(0.0, 0.5, 5), 0.12)
    edge, heel = turned @ [0.12, 0.0, 0.0, 1.0], turned @ [-0.12, 0.0, 0.0, 1.0]
    assert np.abs(edge - X @ [0.12, 0.0, 0.0, 1.0]).max() < 1e-14
    assert (np.diff(heel[:, 2]) > 0).all()
