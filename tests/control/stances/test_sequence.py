"""Sequences of stances: robots rest with and without the contact that changes; what fails is named."""

from dataclasses import replace

import numpy as np
import pytest
from tests.control.whole_body.stances import contacts_at

import tarsus as ts
from tarsus.control import (
    Contact,
    ContactSequence,
    Move,
    Place,
    Release,
    Surface,
    first_stance,
    search_stances,
    stance_sequence,
    static_equilibrium,
    transfers,
)
from tarsus.control.whole_body.terms import slip
from tarsus.errors import ArgumentError, TarsusError

TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def model():
    return ts.robots.hrp2()


def standing(model):
    return first_stance(model, model.reference, contacts_at(model, model.reference, ["l_sole", "r_sole"]))


def shifted(contact, way):
    X = np.array(contact.pose)
    X[:3, 3] += way
    return replace(contact, pose=X)


def in_place(model, q, contacts):
    return all(np.abs(slip(c, ts.frame_pose(model, q, c.frame))).max() < TOLERANCE for c in contacts)


def test_a_step_is_in_balance_with_and_without_the_foot_that_moves(model):
    start = standing(model)
    left, right = start.contacts
    ahead = shifted(right, [0.2, 0.0, 0.0])
    found = stance_sequence(model, start, [Release("r_sole"), Place(ahead), Move(model.reference, "rest")])
    assert found.success, found.reason
    _, off, on, rest = found.stances
    assert [c.frame for c in off.contacts] == ["l_sole"] and off.moved == on.moved == "r_sole"
    assert in_place(model, off.q, [left, right]) and in_place(model, on.q, [left, ahead])
    for stance, other in ((off, right), (on, ahead)):  # the left foot alone carries both
        assert stance.equilibrium.feasible and set(stance.equilibrium.wrenches) == {"l_sole"}
        assert static_equilibrium(model, stance.q, [left, other]).feasible
    assert rest.contacts == on.contacts and rest.name == "rest"
    assert np.linalg.norm(model.difference(rest.q, model.reference)) < np.linalg.norm(
        model.difference(on.q, model.reference)
    )


def test_a_foot_rolls_from_its_toes_to_its_sole(model):
    X = np.array(ts.frame_pose(model, model.reference, "r_sole"))
    whole = Contact("r_sole", [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)], pose=X)
    edge = replace(whole, points=[[0.1, y, 0.0] for y in (-0.05, 0.05)])
    left = contacts_at(model, model.reference, ["l_sole"])[0]
    raised = first_stance(model, model.reference, [left, edge])
    found = stance_sequence(model, raised, [Place(whole), Place(edge, name="on toes")])
    assert found.success, found.reason
    down, up = found.stances[1:]
    assert down.contact("r_sole") is whole and up.contact("r_sole") is edge
    assert in_place(model, down.q, [left, whole]) and in_place(model, up.q, [left, whole])
    for stance in (down, up):
        assert static_equilibrium(model, stance.q, [left, edge]).feasible


def test_what_fails_is_named_with_its_stance(model):
    start = standing(model)
    far = shifted(start.contacts[1], [0.0, -3.0, 0.0])
    found = stance_sequence(model, start, [Release("r_sole"), Place(far, name="a giant step")], starts=2)
    assert not found.success and len(found.stances) == 2
    assert "stance 2" in found.reason and "'a giant step'" in found.reason and "place of" in found.reason
    assert found.posture is not None and found.posture.failed == "place"


def test_changes_that_make_no_sense_are_refused(model):
    start = standing(model)
    moved = shifted(start.contacts[1], [0.1, 0.0, 0.0])
    for change, word in (
        (Release("r_hand"), "'r_hand'"),
        (Place(Contact("r_hand")), "without a pose"),
        (Place(moved), "released first"),
    ):
        with pytest.raises(TarsusError, match=word):
            stance_sequence(model, start, [change])
    with pytest.raises(TarsusError, match="in place"):
        first_stance(model, model.reference, [moved])
    with pytest.raises(TarsusError, match="cannot rest"):
        first_stance(model, model.reference, [Contact("r_hand")])
    with pytest.raises(TarsusError, match="2 contacts of 'l_sole'"):
        first_stance(model, model.reference, [*start.contacts, start.contacts[0]])


@pytest.mark.parametrize("given", [None, 3, "stand", [3], [None]])
def test_what_are_no_stances_changes_surfaces_or_limbs_is_refused_by_name(model, given):
    start = standing(model)
    floor = [Surface("floor", np.eye(4).tolist(), (2.0, 2.0))]
    calls = {
        "stances": [lambda: ContactSequence(model, given), lambda: transfers(model, given)],
        "changes": [lambda: stance_sequence(model, start, given)],
        "start": [lambda: stance_sequence(model, given, []), lambda: search_stances(model, given, [], floor, [])],
        "surfaces": [lambda: search_stances(model, start, start.contacts, given, [])],
        "limbs": [lambda: search_stances(model, start, start.contacts, floor, given)],
    }
    for name, group in calls.items():
        for call in group:
            with pytest.raises(ArgumentError, match=f"^{name} (is|holds) .*; expected"):
                call()


def test_a_sequence_of_no_stances_is_refused(model):
    with pytest.raises(ArgumentError, match="stances is empty; expected at least one"):
        ContactSequence(model, [])


def test_postures_may_be_lists(model):
    start = first_stance(model, list(model.reference), standing(model).contacts)
    found = stance_sequence(model, start, [Move(list(model.reference), "rest")])
    assert found.success
    assert static_equilibrium(model, list(model.reference), list(start.contacts)).feasible
