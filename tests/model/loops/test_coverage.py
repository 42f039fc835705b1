"""How much of the box between the limits of several leaders is reached."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import at, rod

import tarsus as ts
from tarsus.model import Loop
from tarsus.model.loops import independents
from tarsus.model.loops.coverage import covered_shares

EVEN = 0.35
"""By which 150 steps of a walk miss the share of an evenly covered box."""


def five_bar(**limits):
    """Two cranks on the ground whose rods meet, with limits around the reference."""
    b = ts.ModelBuilder("five-bar").add_link("ground")
    b.add_link("l1", rod(0.4)).add_link("l2", rod(0.6)).add_link("r1", rod(0.4)).add_link("r2", rod(0.6))
    b.add_joint("a", "revolute", "ground", "l1").add_joint("b", "revolute", "l1", "l2", position=(0.4, 0.0, 0.0))
    b.add_joint("d", "revolute", "ground", "r1", position=(0.5, 0.0, 0.0))
    b.add_joint("e", "revolute", "r1", "r2", position=(0.4, 0.0, 0.0))
    b.add_loop(Loop("tip", "revolute", "l2", "r2", at(0.6), at(0.6)))
    b.reference = {"a": 2.2, "b": -1.2, "d": 1.0, "e": 1.0}
    free = b.build().joint_positions(b.build().reference)
    for k, name in enumerate("abde"):
        if name in limits:
            joint = next(j for j in b._joints if j.name == name)
            b._joints[b._joints.index(joint)] = replace(
                joint, q_min=free[k] - limits[name], q_max=free[k] + limits[name]
            )
    return b


def shares_of(builder, monkeypatch):
    """Shares by names of the leaders, as they are found when the model is made."""
    found = {}

    def noted(solver, reference, freedoms, choices):
        shares = covered_shares(solver, reference, freedoms, choices)
        found.update({frozenset(solver.tree.joints[j].name for j in c): share for c, share in shares.items()})
        return shares

    monkeypatch.setattr(independents, "covered_shares", noted)
    builder.build()
    return found


def test_a_box_that_the_loop_reaches_everywhere_is_covered(monkeypatch):
    """Cranks of 0.2 rad, rods without limits: every place of the box closes."""
    shares = shares_of(five_bar(a=0.1, d=0.1), monkeypatch)
    assert shares[frozenset("ad")] == pytest.approx(1.0, abs=EVEN)
    assert all(share < 0.1 for choice, share in shares.items() if choice == frozenset("be"))


def test_narrow_limits_of_followers_leave_little_of_the_box_of_their_leaders(monkeypatch):
    """Rods of 0.02 rad: what they allow is a hundredth of the box of the cranks, but all of their own."""
    shares = shares_of(five_bar(a=1.0, d=1.0, b=0.01, e=0.01), monkeypatch)
    assert shares[frozenset("be")] == pytest.approx(1.0, abs=EVEN)
    assert shares[frozenset("ad")] < 0.02


def test_the_narrow_ones_lead():
    model = five_bar(a=1.0, d=1.0, b=0.01, e=0.01).build()
    assert [j.name for j in model.joints.values() if j.v_index.stop > j.v_index.start] == ["b", "e"]
    q = model.random(np.random.default_rng(0), 20)
    assert np.isfinite(model.coupling_matrix(q)).all()


def test_without_limits_nothing_is_walked(monkeypatch):
    assert shares_of(five_bar(), monkeypatch) == {}
