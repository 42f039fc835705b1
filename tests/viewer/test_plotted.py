"""Choice of curves."""

import numpy as np

from tarsus.viewer.playback import Curves
from tarsus.viewer.plotted import PLOT_CURVES, picked_curves, without_gaps

SPANS = np.array([5.0, 1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0, 0.0])
CURVES = Curves("m", [f"joint {k}" for k in range(10)], np.outer([0.0, 1.0], SPANS))


def test_the_most_varying_curves_are_shown_in_their_order():
    assert picked_curves(CURVES) == [0, 2, 3, 4, 5, 6, 7, 8]
    assert len(picked_curves(CURVES)) == PLOT_CURVES


def test_words_choose_by_part_of_the_label():
    assert picked_curves(CURVES, "1, JOINT 9,") == [1, 9]
    assert picked_curves(CURVES, "knee") == []
    assert len(picked_curves(CURVES, "JOINT")) == PLOT_CURVES


def test_curves_with_gaps_can_be_chosen_from():
    values = np.array(CURVES.values)
    values[0, 9], values[:, 1] = np.nan, [0.0, 100.0]
    assert 1 in picked_curves(CURVES._replace(values=values))


def test_gaps_hold_the_last_value():
    values = np.array([np.nan, 1.0, np.nan, np.inf, 2.0, np.nan])
    np.testing.assert_array_equal(without_gaps(values), [0.0, 1.0, 1.0, 1.0, 2.0, 2.0])
