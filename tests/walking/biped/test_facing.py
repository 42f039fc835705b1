"""Where a biped looks, where somebody tells it."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import Biped


@pytest.mark.parametrize("forward", [(0.0, 1.0), (0.0, -1.0), (1.0, 1.01), (-1.0, 1.01)])
def test_direction_that_feet_contradict_is_refused_with_both(forward):
    given = round(np.degrees(np.arctan2(forward[1], forward[0])))
    with pytest.raises(ArgumentError, match=rf"\{given:+d} degrees from the x axis .* looks to \+\d+ or \+?-?\d+ deg"):
        Biped.of(ts.robots.hrp2(), forward=forward)


@pytest.mark.parametrize(("forward", "turned", "told"), [((1.0, 0.5), 0.0, "+27"), ((-1.0, -0.9), np.pi, "-138")])
def test_direction_that_feet_do_not_quite_have_is_told(forward, turned, told):
    biped = Biped.of(ts.robots.hrp2(), forward=forward)
    assert abs(biped.turned) == pytest.approx(turned)
    assert (
        f"{round(np.degrees(biped.turned)):+d} degrees, square to the line between its feet, not {told} as given"
        in str(biped)
    )


@pytest.mark.parametrize("forward", [(1.0, 0.0), (3.0, 0.01), (-1.0, 0.0)])
def test_direction_that_feet_have_needs_no_words(forward):
    assert "as given" not in str(Biped.of(ts.robots.hrp2(), forward=forward))


def test_direction_is_one_of_the_base_wherever_the_file_turns_it():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    q[3:7] = ts.spatial.quaternion_from_rotation_vector([0.0, 0.0, 2.0])
    turned = model.with_reference(q)
    assert Biped.of(turned).turned == pytest.approx(0.0, abs=1e-6)
    back = Biped.of(turned, forward=(-1.0, 0.0))
    assert abs(back.turned) == pytest.approx(np.pi, abs=1e-6)
    with pytest.raises(ArgumentError, match=r"\+90 degrees from the x axis"):
        Biped.of(turned, forward=(0.0, 1.0))


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_direction_that_is_vertical_is_refused():
    human = ts.load(robot_data_path("human_description/robots/human.urdf"), base="free")
    with pytest.raises(ArgumentError, match="forward is .* vertical where 'human"):
        Biped.of(human, forward=(0.0, 1.0))
