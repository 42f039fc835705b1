"""Robots of sizes that nobody has tried are told so."""

import re
from pathlib import Path

import pytest
from walking.biped.altered import altered
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.biped.tried_size import LEGS, MASSES, untried

PAGE = Path(__file__).parents[3] / "docs" / "walking.md"


def test_sizes_that_were_tried_are_those_of_the_table_of_the_page():
    rows = re.findall(r"\| (\d+) kg \| ([\d.]+) m \|", PAGE.read_text(encoding="utf-8"))
    assert len(rows) > 20
    masses, legs = [float(mass) for mass, _ in rows], [float(leg) for _, leg in rows]
    assert (min(masses), max(masses)) == MASSES and (min(legs), max(legs)) == LEGS
    assert not any(untried(mass, leg, 9.81) for mass, leg in zip(masses, legs, strict=True))


@pytest.mark.parametrize(
    ("mass", "leg", "gravity", "told"),
    [
        (1.5, 0.5, 9.81, "a mass of 1.5 kg:"),
        (1e4, 0.5, 9.81, "a mass of 1e+04 kg:"),
        (50.0, 3.0, 9.81, "legs of 3 m:"),
        (50.0, 0.5, 1.62, "a gravity of 1.62 m/s^2:"),
        (0.5, 0.1, 9.81, "a mass of 0.5 kg and legs of 0.1 m:"),
    ],
)
def test_others_are_told_what_was_tried(mass, leg, gravity, told):
    said = untried(mass, leg, gravity)
    assert f"nothing is known of robots with {told} those that were tried have 3 to 93 kg" in said
    assert said.endswith("in a gravity of 9.81 m/s^2")


def test_biped_says_that_nothing_of_its_size_was_tried():
    assert "nothing is known" not in str(Biped.of(ts.robots.hrp2()))
    assert "  assumed   nothing is known of robots with a mass of 0.5" in str(Biped.of(made_biped(size=0.3)))
    moon = altered(ts.robots.hrp2(), gravity=(0.0, 0.0, -1.62))
    assert "  assumed   nothing is known of robots with a gravity of 1.62 m/s^2" in str(Biped.of(moon))
