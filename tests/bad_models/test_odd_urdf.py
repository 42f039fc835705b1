"""URDF files that are strange but legal, and must load."""

from pathlib import Path

import numpy as np
import pytest

from tarsus.io.load import inspect_file
from tarsus.model.description import Description

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(joint: str = "", *, kind: str = "revolute", link: str = "b", name: str = "j") -> str:
    """Return a two-link robot whose joint has the given further elements."""
    ends = f'<parent link="a"/><child link="{link}"/>'
    return (
        f'<robot name="r"><link name="a"/><link name="{link}">{INERTIAL}</link>'
        f'<joint name="{name}" type="{kind}">{ends}{joint}{LIMIT}</joint></robot>'
    )


DECLARATION = '<?xml version="1.0" encoding="{}"?>'

ODDITIES: dict[str, str | bytes] = {
    "link and joint of the same name": robot(name="b"),
    "link called like its robot": robot(link="r"),
    "non-unit axis": robot('<axis xyz="0 0 -250"/>'),
    "huge axis": robot('<axis xyz="1e300 1e300 1e300"/>'),
    "zero axis of a fixed joint": robot('<axis xyz="0 0 0"/>', kind="fixed"),
    "axis left out": robot(),
    "floating joint": robot(kind="floating"),
    "planar joint": robot('<axis xyz="0 0 1"/>', kind="planar"),
    "continuous joint with a limit": robot(kind="continuous"),
    "Unicode names": robot(link="Schlüsselbein_左手_🦾", name="Gelenk α"),
    "names with spaces and quotes": robot(link="left &quot;hand&quot; &amp; &lt;tool&gt;", name="a/b:c d"),
    "byte-order mark": b"\xef\xbb\xbf" + robot().encode(),
    "UTF-16 with byte-order mark": robot().encode("utf-16"),
    "declared UTF-8": DECLARATION.format("UTF-8") + robot(link="ü"),
    "declared ASCII": DECLARATION.format("us-ascii") + robot(),
    "declared Latin-1": (DECLARATION.format("ISO-8859-1") + robot(link="ü")).encode("latin-1"),
    "white space before the declaration": "\n\n  " + DECLARATION.format("utf-8") + robot(),
    "white space inside tags": robot().replace("<link ", "\n\n<link\n\t ").replace("/>", "\n />").replace("=", " = "),
    "Windows line ends": robot().replace("><", ">\r\n<"),
    "old Mac line ends": robot().replace("><", ">\r<"),
    "white space inside numbers": robot('<origin xyz="\n\t 1   2\n3  "/>'),
    "comments everywhere": "<!--x-->" + robot("<!-- <!DOCTYPE robot> -->").replace("><", "><!-- - --><") + "<!--y-->",
    "processing instructions": '<?go <!DOCTYPE?><?xml-stylesheet href="x"?>' + robot("<?stop?>") + "<?end?>",
    "CDATA": robot("<![CDATA[ <robot> ]]>"),
    "text between elements": robot("some words"),
    "character references": robot().replace('"b"', '"&#98;"'),
    "plus signs, points, exponents": robot('<origin xyz="+1. .5 -1E-3"/>'),
    "many digits": robot(f'<origin xyz="0.{"3" * 500} 0 0"/>'),
    "denormal number": robot('<origin xyz="1e-320 0 0"/>'),
    "equal limits": robot().replace('lower="-1" upper="1"', 'lower="1" upper="1"'),
    "limits left at their default": robot().replace('lower="-1" upper="1"', ""),
    "zero effort": robot().replace('effort="1"', 'effort="0"'),
    "unknown elements": robot("<hovercraft eels='many'/>").replace(
        "</robot>", "<transmission/><gazebo><a/></gazebo></robot>"
    ),
    "unknown attributes": robot().replace("<link ", '<link colour="blue" '),
    "other namespaces": robot().replace("</robot>", '<x:y xmlns:x="urn:x"/></robot>'),
    "safety and calibration": robot('<safety_controller k_velocity="1"/><calibration rising="0"/>'),
    "nesting up to the limit": robot("<a>" * 254 + "</a>" * 254),
    "one link": '<robot name="r"><link name="a"/></robot>',
    "joints before links": '<robot name="r"><joint name="j" type="fixed"><child link="b"/><parent link="a"/></joint>'
    '<link name="b"/><link name="a"/></robot>',
    "capsule": robot().replace(
        "</inertial>", '</inertial><collision><geometry><capsule radius="1" length="2"/></geometry></collision>'
    ),
    "flat box": robot().replace("</inertial>", '</inertial><visual><geometry><box size="1 1 0"/></geometry></visual>'),
}


def inspect(content: str | bytes, directory: Path) -> tuple[Description, tuple[str, ...]]:
    """Return the description of a file and the rules of its problems."""
    path = directory / "robot.urdf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    description, problems = inspect_file(path)
    assert description is not None, problems
    return description, tuple(f"{problem.severity}: {problem.rule}" for problem in problems)


@pytest.mark.parametrize("name", ODDITIES)
def test_legal_oddity_loads_without_complaint(name: str, tmp_path: Path) -> None:
    description, problems = inspect(ODDITIES[name], tmp_path)
    assert problems == ()
    assert description.name == "r"
    assert len(description.links) == len(description.joints) + 1


SUSPICIOUS: dict[str, tuple[str, str]] = {
    "robot without name": (robot().replace(' name="r"', ""), "missing-name"),
    "moving link without inertia": (robot().replace(INERTIAL, ""), "massless"),
    "massless moving link": (robot().replace('value="1"', 'value="0"'), "massless"),
    "inertial without mass": (robot().replace('<mass value="1"/>', ""), "missing-mass"),
    "inertial without inertia": (
        robot().replace(INERTIAL, '<inertial><mass value="1"/></inertial>'),
        "missing-inertia",
    ),
    "triangle inequality": (robot().replace('ixx="1"', 'ixx="3"'), "triangle-inequality"),
    "no ixy": (robot().replace('ixy="0"', ""), "missing-attribute"),
    "limit without effort": (robot().replace('effort="1"', ""), "missing-attribute"),
    "second inertial": (robot().replace(INERTIAL, INERTIAL * 2), "duplicate-element"),
    "second origin": (robot('<origin xyz="1 0 0"/><origin xyz="2 0 0"/>'), "duplicate-element"),
    "misspelled inertial": (
        robot().replace('<link name="a"/>', '<link name="a"><inertal/></link>'),
        "misspelled-element",
    ),
    "misspelled joint": (robot().replace("</robot>", "<jiont/></robot>"), "misspelled-element"),
    "misspelled origin": (robot('<orign xyz="1 0 0"/>'), "misspelled-element"),
    "undeclared prefix": (robot().replace("</robot>", "<controller:gazebo/></robot>"), "undeclared-prefix"),
    "unknown material": (
        robot().replace(
            "</inertial>",
            '</inertial><visual><geometry><sphere radius="1"/></geometry><material name="unobtainium"/></visual>',
        ),
        "unknown-material",
    ),
    "colour out of range": (
        robot().replace("</robot>", '<material name="m"><color rgba="255 0 0 1"/></material></robot>'),
        "color-range",
    ),
    "mesh not there": (
        robot().replace("</inertial>", '</inertial><visual><geometry><mesh filename="no.stl"/></geometry></visual>'),
        "mesh-not-found",
    ),
    "mesh on the network": (
        robot().replace(
            "</inertial>", '</inertial><visual><geometry><mesh filename="https://x/a.stl"/></geometry></visual>'
        ),
        "mesh-remote",
    ),
    "extreme mass ratio": (
        robot().replace(
            "</robot>",
            f'<link name="c">{INERTIAL.replace("1", "1e-9", 1)}</link><joint name="k" type="continuous">'
            '<parent link="b"/><child link="c"/></joint></robot>',
        ),
        "mass-ratio",
    ),
}


@pytest.mark.parametrize("name", SUSPICIOUS)
def test_suspicious_file_loads_with_its_warning(name: str, tmp_path: Path) -> None:
    content, rule = SUSPICIOUS[name]
    _, problems = inspect(content, tmp_path)
    assert f"warning: {rule}" in problems
    assert not [problem for problem in problems if problem.startswith("error")]


def test_sound_composite_of_an_impossible_link_is_a_warning(tmp_path: Path) -> None:
    bad = INERTIAL.replace('value="1"', 'value="-0.5"')
    content = robot().replace(
        "</robot>",
        f'<link name="c">{bad}</link><joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>',
    )
    _, problems = inspect(content, tmp_path)
    assert "warning: negative-mass" in problems
    assert not [problem for problem in problems if problem.startswith("error")]


def test_non_unit_axis_is_normalised(tmp_path: Path) -> None:
    description, _ = inspect(ODDITIES["huge axis"], tmp_path)
    np.testing.assert_allclose(description.joints[0].axis, np.full(3, 3**-0.5), rtol=1e-15)


def test_floating_and_planar_joints_keep_their_kind(tmp_path: Path) -> None:
    assert inspect(ODDITIES["floating joint"], tmp_path)[0].joints[0].kind == "free"
    assert inspect(ODDITIES["planar joint"], tmp_path)[0].joints[0].kind == "planar"
