"""Drawing is measured on the robots that the targets name."""

from benchmarks.drawing import DRAWN, judge_drawing, measure_drawing


def test_pictures_of_panda_are_measured_and_judged():
    found = measure_drawing("panda")
    assert 0.0 < found.picture < found.preparation
    judged = {target.text: target.measured for target in judge_drawing([found])}
    assert len(judged) == len(DRAWN)
    assert found.rate in judged.values()
