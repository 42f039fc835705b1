"""What other readers bear in URDF files, and real files have: warnings, not errors."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelFileError, ModelWarning

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
ENDS = '<parent link="a"/><child link="b"/>'


def robot(*, before="", attributes="", parts="", limit=LIMIT):
    links = f'<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>'
    joint = f'<joint name="j" type="revolute">{ENDS}<axis xyz="0 0 1"/>{limit}</joint>'
    return f'{before}<robot name="r" {attributes}>{links}{joint}{parts}</robot>'


def fixed(link):
    return f'{link}<joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>'


FORGIVEN = {
    "no such version of XML": (robot(before='<?xml version="0.0"?>'), "xml-version"),
    "hyphens in a comment": (robot(parts="<!-- a -- b --->"), "comment"),
    "a NUL at the end": (robot() + "\r\n\0", "nul-byte"),
    "a foreign namespace": (robot(attributes='xmlns="http://www.ros.org"'), "namespace"),
    "a visual without geometry": (robot(parts=fixed('<link name="c"><visual/></link>')), "missing-geometry"),
    "a collision without geometry": (
        robot(parts=fixed('<link name="c"><collision><geometry/></collision></link>')),
        "missing-geometry",
    ),
    "no limit": (robot(limit=""), "missing-limit"),
    "effort -1": (robot(limit=LIMIT.replace('effort="1"', 'effort="-1"')), "unlimited"),
    "a parent called world": (
        robot(parts='<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>'),
        "undeclared-world",
    ),
}


@pytest.mark.parametrize("case", FORGIVEN)
def test_it_loads_with_a_warning_and_means_the_same(case, tmp_path):
    text, rule = FORGIVEN[case]
    plain, odd = tmp_path / "plain.urdf", tmp_path / "odd.urdf"
    plain.write_text(robot())
    odd.write_text(text)
    with pytest.warns(ModelWarning):
        model = ts.load(odd)
    assert rule in [problem.rule for problem in model.warnings]
    expected = ts.load(plain)
    assert (model.nv, model.total_mass) == (expected.nv, expected.total_mass)
    np.testing.assert_allclose(ts.frame_pose(model, [0.3], "b"), ts.frame_pose(expected, [0.3], "b"))
    if rule in ("missing-limit", "unlimited"):
        assert np.isinf(model.tau_max[0])
    with pytest.raises(ModelFileError, match=rule):
        ts.load(odd, strict=True)


def test_lines_behind_a_comment_with_hyphens_stay(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot(parts='\n<!-- a\n--\n b -->\n<link name="a"/>'))
    with pytest.raises(ModelFileError) as found:
        ts.load(path)
    assert {p.line for p in found.value.problems if p.rule == "duplicate-name"} <= {1, 5}
    assert any(p.line == 5 for p in found.value.problems)


def test_what_looks_like_a_comment_in_a_section_is_text(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot(parts="<gazebo><![CDATA[<!-- a -- b -->]]></gazebo>"))
    assert ts.load(path).warnings == ()


@pytest.mark.parametrize("limit", [
    '<limit lower="1" upper="-1" effort="1" velocity="1"/>',
    '<limit lower="-1" upper="1" effort="-2" velocity="1"/>',
    '<limit lower="${low}" upper="1" effort="1" velocity="1"/>',
])  # fmt: skip
def test_what_cannot_be_meant_stays_an_error(limit, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(robot(limit=limit))
    with pytest.raises(ModelFileError):
        ts.load(path)
