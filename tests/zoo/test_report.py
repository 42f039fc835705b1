"""What the zoo tells: every miss is a complaint, and the command says so."""

import json
from dataclasses import replace

import pytest
from benchmarks.zoo.__main__ import main
from benchmarks.zoo.outcome import MAX_GAIN, MAX_PENETRATION, Outcome, summarised

GOOD = Outcome("solo12", "limp", "tarsus", 3, failure="", gain=MAX_GAIN, rise=1.0, penetration=MAX_PENETRATION, cpu=0.1)


def test_an_outcome_at_the_bounds_is_good():
    assert GOOD.complaints == []
    assert summarised([GOOD]).good


@pytest.mark.parametrize(
    ("miss", "told"),
    [
        ({"failure": "simulation failed at 0.1 s"}, "failed: simulation failed at 0.1 s"),
        ({"gain": 1.01 * MAX_GAIN}, "gained 0.505 % of the energy of the fall"),
        ({"gain": float("nan")}, "gained nan %"),
        ({"penetration": 1.01 * MAX_PENETRATION}, "30.3 mm below the ground"),
        ({"penetration": float("inf")}, "inf mm below the ground"),
    ],
)
def test_a_miss_is_told_and_spoils_the_robot(miss, told):
    bad = replace(GOOD, **miss)
    (complaint,) = bad.complaints
    assert complaint.startswith("solo12, limp, seed 3: ")
    assert told in complaint
    assert not summarised([GOOD, bad]).good


def test_a_robot_that_is_slower_than_its_motion_is_not_good_but_no_complaint():
    slow = replace(GOOD, cpu=1.5)
    assert slow.complaints == []
    assert not summarised([GOOD, slow]).good
    assert summarised([GOOD, slow]).cpu == pytest.approx(0.8)


def test_the_command_writes_every_outcome(tmp_path, capsys):
    path = tmp_path / "zoo.json"
    main(["--robots", "ur5", "--seeds", "2", "--drives", "limp", "--peer", "mujoco", "--json", str(path)])
    found = json.loads(path.read_text())
    assert [(row["simulator"], row["seed"]) for row in found["outcomes"]] == [
        ("tarsus", 0), ("tarsus", 1), ("mujoco", 0), ("mujoco", 1)
    ]  # fmt: skip
    assert [row["seeds"] for row in found["robots"]] == [2, 2]
    assert "ur5" in capsys.readouterr().out
