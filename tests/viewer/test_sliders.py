"""Sliders: limits, loops, rotations."""

import numpy as np
import pytest
from loop_models import four_bar
from sample_models import double_pendulum, zoo

import tarsus as ts
from tarsus.spatial import pose, rotation_matrix_from_rotation_vector
from tarsus.viewer.live.sliders import configuration, obstacle, sliders_of

ROUNDING = 1e-12  # sums and products of a few numbers of order one


def start_values(model, q):
    return [slider.value for slider in sliders_of(model, q)]


@pytest.mark.parametrize("seed", range(3))
def test_sliders_start_at_the_configuration_they_were_made_for(seed):
    model = zoo().build()
    q = model.random(np.random.default_rng(seed))
    sliders = sliders_of(model, q)
    assert len(sliders) == model.nv
    assert all(s.low <= s.value <= s.high for s in sliders)
    np.testing.assert_allclose(configuration(model, q, start_values(model, q)), q, atol=ROUNDING)


def test_ranges_are_the_limits_of_the_model():
    model = double_pendulum().build()
    sliders = sliders_of(model, model.reference)
    assert [(s.label, s.low, s.high, s.unit) for s in sliders] == [
        ("shoulder", -2.0, 1.0, "rad"),
        ("elbow", -1.5, 1.5, "rad"),
    ]


def test_coordinates_without_limits_get_a_range_around_where_they_are():
    builder = ts.ModelBuilder("slide").add_link("a").add_link("b", ts.Inertia.of_sphere(1.0, 0.1))
    builder.add_joint("rail", "prismatic", "a", "b", axis=(1.0, 0.0, 0.0))
    (slider,) = sliders_of(builder.build(), np.array([5.0]))
    assert (slider.low, slider.value, slider.high, slider.unit) == (4.0, 5.0, 6.0, "m")


@pytest.mark.parametrize("rotation", ["quaternion", "rotation-vector"])
def test_base_moves_along_the_world_and_turns_about_its_own_axes(rotation):
    builder = ts.ModelBuilder("brick", base="free", rotation=rotation)
    model = builder.add_link("brick", ts.Inertia.of_sphere(1.0, 0.1)).build()
    start = model.integrate(model.reference, [0.1, 0.2, 0.3, 0.0, 0.0, np.pi / 2.0])
    labels = [slider.label for slider in sliders_of(model, start)]
    assert labels == ["base x", "base y", "base z", "base turn x", "base turn y", "base turn z"]
    values = start_values(model, start)
    values[0], values[3] = 1.5, 0.7
    X_WB = ts.body_poses(model, configuration(model, start, values))[0]
    X_start = ts.body_poses(model, start)[0]
    expected = X_start @ pose((0.0, 0.0, 0.0), rotation_matrix_from_rotation_vector((0.7, 0.0, 0.0)))
    expected[0, 3] = 1.5
    np.testing.assert_allclose(X_WB, expected, atol=ROUNDING)


def test_loop_has_one_slider_and_stays_closed_wherever_it_goes():
    model = four_bar().build()
    (slider,) = sliders_of(model, model.reference)
    tree = four_bar().build(couplings="cut")
    for value in np.linspace(slider.low, slider.high, 9)[1:-1]:
        q = configuration(model, model.reference, [value])
        assert obstacle(model, q) == ""
        rows = ts.constraint_rows(tree, model.joint_positions(q), np.zeros(3), ts.loop_constraints(tree))
        assert np.abs(rows.violation).max() < 1e-10  # closure is iterated to this


def test_joint_that_follows_beyond_its_limits_is_an_obstacle():
    builder = double_pendulum()
    model = builder.build()
    assert obstacle(model, np.array([0.0, 0.0])) == ""
    assert "elbow" in obstacle(model, np.array([0.0, 1.6]))


def test_configuration_at_a_limit_is_none():
    model = double_pendulum().build()
    assert obstacle(model, np.array([1.0, -1.5])) == ""
