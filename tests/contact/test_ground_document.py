"""Grounds as JSON: nothing is lost, and nothing that was read is trusted."""

import json

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import (
    Block,
    Compliant,
    Ground,
    HeightField,
    LeastConstraint,
    Plane,
    PseudoCoulomb,
    Rigid,
    ViscoElasticSole,
    flat,
    stairs,
)
from tarsus.contact.ground_document import MOST_HEIGHTS, ground_from_document, ground_to_document
from tarsus.errors import TarsusError

EVERYTHING = Ground(
    Plane(PseudoCoulomb(viscosity=123.0), (0.1, 0.2, 0.3), (0.0, 0.6, 0.8), "ramp"),
    Block((1.0, 2.0, 3.0), ts.pose((4.0, 5.0, 6.0)), ViscoElasticSole(stiffness=1.1e4), "box"),
    HeightField([[0.0, 0.1], [0.2, 1.0 / 3.0]], 0.1, (1.0, 2.0), Rigid(friction=0.3, restitution=0.5)),
    Plane(LeastConstraint(0.1, 0.2)),
    Plane(Compliant(tangential_damping=7.0)),
)


def test_every_surface_and_law_comes_back_bit_by_bit():
    again = ground_from_document(json.loads(json.dumps(ground_to_document(EVERYTHING), allow_nan=False)))
    assert len(again.surfaces) == len(EVERYTHING.surfaces)
    for found, expected in zip(again.surfaces, EVERYTHING.surfaces, strict=True):
        assert type(found) is type(expected) and found.law == expected.law
        for name in type(expected).__slots__:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.append(3), "one surface"),
        (lambda d: d[0].update(sphere={}), "one surface"),
        (lambda d: d.append({"sphere": {}}), "one of plane, block, height field"),
        (lambda d: d[0]["plane"].update(normal=[0, 0, 0]), "normal of Plane is zero"),
        (lambda d: d[0]["plane"].update(normal=[0, "up", 0]), "normal"),
        (lambda d: d[0]["plane"].pop("law"), "law"),
        (lambda d: d[0]["plane"]["law"]["PseudoCoulomb"].update(friction=-1.0), "friction"),
        (lambda d: d[1]["block"].update(size=["inf", 1, 1]), "size of Block"),
        (lambda d: d[2]["height field"].update(heights=[[1.0], [1.0, 2.0]]), "height"),
        (lambda d: d.clear(), "at least one surface"),
    ],
)
def test_documents_that_make_no_ground_are_refused(change, message):
    document = ground_to_document(EVERYTHING)
    change(document)
    with pytest.raises(TarsusError, match=message):
        ground_from_document(document)


def test_very_large_height_fields_are_left_out():
    side = int(MOST_HEIGHTS**0.5) + 1
    assert ground_to_document(Ground(HeightField(np.zeros((side, side)), 0.1))) is None


def test_recordings_and_parts_of_trajectories_know_their_ground(tmp_path):
    model = ts.robots.rabbit()
    ground = stairs(2, 0.1, 0.3, law=Compliant(stiffness=5e4))
    run = ts.simulate(model, duration=0.02, ground=ground, record=tmp_path / "a.h5")
    for known in (run, run[:1], ts.open_recording(tmp_path / "a.h5")):
        assert [surface.name for surface in known.ground.surfaces] == ["ground", "step 1", "step 2"]
        assert known.ground.surfaces[1].law == Compliant(stiffness=5e4)
    assert ts.simulate(model, duration=0.02).ground is None


def test_ground_of_a_trajectory_is_that_of_its_metadata():
    model = ts.robots.rabbit()
    arrays = {"time": [0.0], "q": model.reference[None], "v": np.zeros((1, model.nv))}
    assert ts.Trajectory(model, **arrays, metadata={"ground": "the lab's floor"}).ground is None
    run = ts.Trajectory(model, **arrays, metadata={"ground": ground_to_document(flat())})
    assert isinstance(run.ground, Ground)
    with pytest.raises(TarsusError, match="ground"):
        _ = ts.Trajectory(model, **arrays, metadata={"ground": [1]}).ground
