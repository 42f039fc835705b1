"""Why bipeds do not stand as low as they are to walk: the limits that are in the way, and no others."""

from dataclasses import replace

import numpy as np
import pytest
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.model.assembly import assemble
from tarsus.model.coupling import Coupling
from tarsus.model.description import JointSpec, LinkSpec
from tarsus.spatial import Inertia
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position
from tarsus.walking import Biped
from tarsus.walking.biped.short_of_height import short_of_height

TOLERANCE = 1e-6


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        # the search ends 0.2 degrees before these
        ({"knees": (40.0, 40.0)}, ["left_knee' at its limit of 40 ", "right_knee' at its limit of 40 "]),
        # each leg gets there by itself, with the other one as a counterweight
        ({"knees": (40.5, 140.0)}, ["left_knee' at its limit of 40.5 "]),
        ({"raised": (17.0, 17.0)}, ["left_hip_pitch' at its limit of -17 ", "right_hip_pitch' at its limit of -17 "]),
        (
            {"knees": (30.0, 30.0), "raised": (10.0, 100.0)},
            ["left_hip_pitch' at its limit of -10 ", "left_knee' at its limit of 30 ", "right_knee' at its"],
        ),
    ],
)
def test_the_limits_that_are_in_the_way_are_named_and_no_others(limits, told):
    with pytest.raises(ArgumentError, match="cannot bend its legs by 6%") as caught:
        Biped.of(made_biped(**limits))
    assert all(words in str(caught.value) for words in told), caught.value
    assert str(caught.value).count("at its limit") == len(told)
    assert "none of its joints" not in str(caught.value)


def test_a_biped_whose_knees_bend_a_degree_further_stands():
    assert Biped.of(made_biped(knees=(41.0, 41.0))).q.size


@pytest.fixture(name="biped", scope="module")
def _biped():
    return Biped.of(made_biped())


def asked(biped, height):
    """Why a biped does not stand with its trunk at a height above the soles [m]."""
    model = biped.lower.model
    q = biped.q[biped.lower.q]
    places = [ts.frame_pose(model, q, leg.sole) for leg in biped.legs]
    middle = np.mean([place[:3, 3] for place in places], axis=0)
    soles = [FramePose(leg.sole, place) for leg, place in zip(biped.legs, places, strict=True)]
    others = [
        Orientation("trunk", np.eye(3)),
        Position("trunk", np.array([[0.0, 0.0, middle[2] + height]]), axes=[False, False, True]),
        CenterOfMass(middle, axes=[True, True, False]),
    ]
    return short_of_height(model, "trunk", [leg.foot for leg in biped.legs], soles, others, q, TOLERANCE)


def test_legs_that_are_too_short_are_not_said_to_be_held_by_limits(biped):
    told = asked(biped, 0.9)
    assert told.count("leg does not get there, not even beyond the limits of its joints") == 2
    assert "at its limit" not in told


def test_where_no_limit_is_in_the_way_none_is_named(biped):
    assert asked(biped, 0.7).startswith("no limit of its joints is in the way")


def test_joints_that_follow_others_are_named_where_their_limits_are_in_the_way():
    """A rod on the left thigh that turns by the sum of knee and ankle, by 20 degrees where the biped is to stand."""
    description = made_biped().description
    rod = JointSpec("rod", "revolute", "left_thigh", "rod", axis=(0.0, 1.0, 0.0), q_min=-1.0, q_max=np.radians(18.0))
    link = LinkSpec("rod", Inertia(1e-3, np.zeros(3), 1e-6 * np.eye(3)))
    model = assemble(
        replace(
            description,
            links=(*description.links, link),
            joints=(*description.joints, replace(rod, actuated=False)),
            couplings=(*description.couplings, Coupling("rod", "left_knee", further=(("left_ankle_pitch", 1.0),))),
        )
    )
    with pytest.raises(ArgumentError, match="its legs do not get there, with 'rod' at its limit of 18 degrees$"):
        Biped.of(model)
