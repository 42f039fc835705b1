"""Feet of a biped that are found, and those that somebody names."""

from dataclasses import replace

import numpy as np
import pytest
from walking.biped.altered import altered
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import Biped


def with_shorter_left_leg(by):
    """The made biped with an ankle that much higher [m], and shapes on its feet alone."""

    def shorter(joint):
        if joint.name != "left_ankle_pitch":
            return joint
        return replace(joint, pose=ts.pose((0.0, 0.0, by)) @ joint.pose)

    def with_feet_alone(link):
        return link if link.name.endswith("_foot") else replace(link, collisions=())

    return altered(made_biped(), shorter, with_feet_alone)


@pytest.mark.parametrize(
    ("feet", "reason"),
    [
        (["LLEG_LINK0", "RLEG_LINK0"], "feet names '[LR]LEG_LINK0' of 'hrp2'.*'[LR]LEG_LINK5', a body that it carries"),
        (["LLEG_LINK3", "RLEG_LINK3"], "feet names '[LR]LEG_LINK3' of 'hrp2'.*the last ones of both legs"),
        (["LLEG_LINK5", "RLEG_LINK3"], "feet names 'RLEG_LINK3' of 'hrp2', which reaches the ground with 'RLEG_LINK5'"),
        (["BODY", "LLEG_LINK5"], "feet names 'BODY' and 'LLEG_LINK5' of 'hrp2', which the former carries"),
        (["LLEG_LINK5", "LLEG_LINK4"], "feet names 'LLEG_LINK4' and 'LLEG_LINK5'.*the last bodies of both legs"),
        (["LLEG_LINK5", "RARM_LINK6"], "'RARM_LINK6' is [0-9]+ mm higher with legs stretched"),
    ],
)
def test_bodies_that_are_no_feet_are_refused_by_their_names(feet, reason):
    with pytest.raises(ArgumentError, match=reason):
        Biped.of(ts.robots.hrp2(), feet=feet)


def test_feet_are_named_in_any_order():
    found = Biped.of(ts.robots.hrp2(), feet=["RLEG_LINK5", "LLEG_LINK5"])
    assert [leg.foot for leg in found.legs] == ["LLEG_LINK5", "RLEG_LINK5"]


@pytest.mark.parametrize("feet", [None, ["left_foot", "right_foot"]])
def test_leg_that_is_shorter_is_told_by_its_length(feet):
    """A robot whose file stands it on one foot does not lie, either: sides of feet are no soles."""
    reason = "'right_foot': 1 foot, and 'left_foot' is 30 mm higher with legs stretched"
    with pytest.raises(ArgumentError, match=reason):
        Biped.of(with_shorter_left_leg(0.03), feet=feet)


def with_feet(times, names=("left_foot", "right_foot")):
    """The made biped with soles that are larger in all directions."""

    def larger(link):
        if link.name not in names:
            return link
        (shape,) = link.collisions
        geometry = replace(shape.geometry, size=np.asarray(times) * shape.geometry.size)
        return replace(link, collisions=(replace(shape, geometry=geometry),))

    return altered(made_biped(), link=larger)


def test_soles_of_different_sizes_are_both_told():
    told = str(Biped.of(with_feet((0.5, 0.5, 1.0), names=("left_foot",))))
    assert "soles     98 x 39 mm (left), 196 x 78 mm (right)" in told
    assert "soles     196 x 78 mm\n" in str(Biped.of(made_biped()))


def test_soles_that_overlap_are_told():
    biped = Biped.of(with_feet((1.0, 3.0, 1.0)))
    assert "its soles overlap by 35 mm where it stands: its feet do not avoid each other" in biped.notes


def test_soles_in_millimetres_are_refused():
    with pytest.raises(
        ArgumentError, match=r"a sole of 'made' is 196 m long, and its legs 0\.\d+ m; .* scale of 0\.001"
    ):
        Biped.of(with_feet((1000.0, 1000.0, 1000.0)))


def test_legs_without_drives_are_refused():
    passive = altered(made_biped(), lambda joint: replace(joint, actuated=joint.name != "left_knee"))
    with pytest.raises(ArgumentError, match="joint 'left_knee' of a leg has no drive"):
        Biped.of(passive)
