"""Places that feet keep."""

import numpy as np

from tarsus.walking.stabilizer.sensing.steady_place import SteadyPlace

LOADS = {"left": 300.0, "right": 100.0}


def test_a_turn_of_the_whole_way_about_its_start_does_not_move_feet_that_stand():
    place, foot = SteadyPlace(), np.array([10.0, 0.1, 0.0])
    assert not place.offset({"left": foot}, LOADS).any()
    turned = np.array([10.0, 0.12, 0.0])
    np.testing.assert_allclose(turned + place.offset({"left": turned}, LOADS), foot, atol=1e-15)


def test_offsets_last_when_feet_are_lifted_and_a_new_foot_begins_where_it_is():
    place = SteadyPlace()
    place.offset({"left": np.zeros(3)}, LOADS)
    kept = place.offset({"left": np.array([0.0, 0.02, 0.0])}, LOADS).copy()
    np.testing.assert_array_equal(place.offset({}, LOADS), kept)
    np.testing.assert_array_equal(place.offset({"right": np.ones(3)}, LOADS), kept)
    moved = place.offset({"right": np.array([1.0, 1.0, 1.01])}, LOADS)
    np.testing.assert_allclose(moved - kept, [0.0, 0.0, -0.01], atol=1e-15)


def test_feet_count_by_their_loads():
    place = SteadyPlace()
    place.offset({"left": np.zeros(3), "right": np.zeros(3)}, LOADS)
    found = place.offset({"left": np.array([0.004, 0.0, 0.0]), "right": np.zeros(3)}, LOADS)
    np.testing.assert_allclose(found, [-0.003, 0.0, 0.0], atol=1e-15)
