"""URDF files that must be refused, each with its rule and its line, and nothing else held against it."""

from pathlib import Path

import pytest

from tarsus.errors import ModelFileError
from tarsus.io.load import inspect_file, load

ARM = """<link name="a"/>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"""
"""Lines 2 to 5 of a sound robot."""

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
ENDS = '<parent link="a"/><child link="b"/>'
UNIT_INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


def robot(*lines: str) -> str:
    """A robot element with `lines` from line 2 on."""
    return "\n".join(['<robot name="r">', *lines, "</robot>"])


def arm(old: str = "", new: str = "") -> str:
    """The sound robot with one replacement."""
    assert old in ARM
    return robot(ARM.replace(old, new, 1))


def link_with(inertial: str) -> str:
    """A robot whose moving link, in line 3, has the given <inertial>."""
    joint = f'<joint name="j" type="revolute">{ENDS}{LIMIT}</joint>'
    return robot('<link name="a"/>', f'<link name="b"><inertial>{inertial}</inertial></link>', joint)


def joint_with(body: str, kind: str = "revolute") -> str:
    """A robot whose joint, in line 4, has the given body."""
    return robot('<link name="a"/>', '<link name="b"/>', f'<joint name="j" type="{kind}">{body}</joint>')


def shape_with(shape: str) -> str:
    """A robot whose only link, in line 2, has the given shape, in line 3."""
    return robot('<link name="a">', shape, "</link>")


def fingers(*mimics: str) -> str:
    """A star of revolute joints j0, j1, ... in lines 3, 5, ... with the given <mimic> elements."""
    lines = ['<link name="a"/>']
    for i, mimic in enumerate(mimics):
        ends = f'<parent link="a"/><child link="l{i}"/>'
        lines += [f'<joint name="j{i}" type="revolute">{ends}{LIMIT}{mimic}</joint>', f'<link name="l{i}"/>']
    return robot(*lines)


MASS = f'<mass value="1"/>{UNIT_INERTIA}'
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))
BOX = '<geometry><box size="{}"/></geometry>'

NOT_XML: dict[str, tuple[str | bytes, str, int]] = {
    "empty file": ("", "empty-file", 0),
    "white space": (" \n\t\n", "empty-file", 0),
    "plain text": ("hello, robot", "not-xml", 1),
    "json": ('{"robot": []}', "not-xml", 1),
    "binary": (bytes(range(1, 32)) * 8, "not-xml", 1),
    "truncated in a tag": (arm()[:120], "not-xml", 3),
    "truncated between tags": (robot(ARM).removesuffix("</robot>"), "not-xml", 6),
    "truncated in the declaration": ("<?xml version", "not-xml", 1),
    "truncated in a comment": ('<robot name="r">\n<!-- and then', "not-xml", 2),
    "crossed tags": (robot('<link name="a">', "<inertial></link></inertial>"), "not-xml", 3),
    "unquoted attribute": ("<robot name=r/>", "not-xml", 1),
    "trailing text": (robot(ARM) + "\nrubbish", "trailing-content", 7),
    "two documents": (robot(ARM) + "\n" + robot(ARM), "trailing-content", 7),
    "trailing end tag": (robot(ARM) + "\n</robot>", "trailing-content", 7),
    "duplicate attribute": (robot('<link name="a" name="b"/>'), "duplicate-attribute", 2),
    "NUL byte": (robot('<link name="a\0b"/>'), "nul-byte", 2),
    "NUL reference": (robot('<link name="&#0;"/>'), "not-xml", 2),
    "control character": (robot('<link name="a\x01b"/>'), "not-xml", 2),
    "invalid UTF-8": (b'<robot name="r">\n<link name="\xff\xfe"/></robot>', "encoding", 2),
    "overlong UTF-8": (b'<robot name="r">\n<link name="\xc0\xaf"/></robot>', "encoding", 2),
    "encoded surrogate": (b'<robot name="r">\n<link name="\xed\xa0\x80"/></robot>', "encoding", 2),
    "Latin-1 without saying so": ('<robot name="Müller"/>'.encode("latin-1"), "encoding", 1),
    "unknown encoding": ('<?xml version="1.0" encoding="klingon"?><robot name="r"/>', "encoding", 1),
    "encoding UTF-7": ('<?xml version="1.0" encoding="utf-7"?><robot name="r"/>', "encoding", 1),
    "encoding punycode": ('<?xml version="1.0" encoding="punycode"?><robot name="r"/>', "encoding", 1),
    "UTF-16 declared, not used": ('<?xml version="1.0" encoding="utf-16"?><robot name="r"/>', "encoding", 1),
    "UTF-16 cut off": (("\ufeff" + robot(ARM)).encode("utf-16-le")[:-1], "encoding", 6),
    "doctype": ("<!DOCTYPE robot>\n" + arm(), "doctype", 1),
    "doctype behind comment": ("<!-- \n -->\n<!DOCTYPE robot>\n" + arm(), "doctype", 3),
    "doctype in UTF-16": ("\ufeff<!DOCTYPE robot>\n<robot/>".encode("utf-16-be"), "doctype", 1),
    "doctype with entity": ('<!DOCTYPE robot [<!ENTITY x "y">]>\n<robot name="&x;"/>', "doctype", 1),
    "doctype with file": (
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<robot>&x;</robot>',
        "doctype",
        1,
    ),
    "doctype with network": ('<!DOCTYPE robot SYSTEM "http://example.com/robot.dtd">\n<robot/>', "doctype", 1),
    "doctype with parameter": ('<!DOCTYPE r [<!ENTITY % x SYSTEM "http://example.com/x"> %x;]>\n<r/>', "doctype", 1),
    "billion laughs": (f'<?xml version="1.0"?>\n<!DOCTYPE robot [{LAUGHS}]>\n<robot name="&l9;"/>', "doctype", 2),
    "undefined entity": (robot("<link>&lol;</link>"), "entity", 2),
    "undefined entity in attribute": (robot('<link name="&lol;"/>'), "entity", 2),
    "nesting": (robot("<a>" * 256, "</a>" * 256), "nesting", 2),
    "nesting without end": ("<robot>" + "<a>" * 100_000, "nesting", 1),
    "another root": ('<?xml version="1.0"?>\n<robots/>', "root-element", 2),
    "an SDF inside": ("<sdf/>", "root-element", 1),
}

STRUCTURE: dict[str, tuple[str | bytes, str, int]] = {
    "no links": ('<robot name="r"/>', "no-links", 1),
    "link without name": (robot("<link/>"), "missing-name", 2),
    "blank link name": (robot('<link name="  "/>'), "missing-name", 2),
    "joint without name": (arm('name="j"', ""), "missing-name", 4),
    "no parent": (joint_with(f'<child link="b"/>{LIMIT}'), "missing-parent", 4),
    "no child": (joint_with(f'<parent link="a"/>{LIMIT}'), "missing-child", 4),
    "parent without link": (joint_with(f'<parent/><child link="b"/>{LIMIT}'), "missing-parent", 4),
    "unknown parent": (arm('parent link="a"', 'parent link="z"'), "unknown-parent", 4),
    "unknown child": (arm('child link="b"', 'child link="z"'), "unknown-child", 4),
    "own parent": (arm('parent link="a"', 'parent link="b"'), "self-parent", 4),
    "two roots": (robot(ARM, '<link name="c"/>'), "two-roots", 6),
    "no type": (arm('type="revolute"', ""), "missing-attribute", 4),
    "unknown type": (arm('type="revolute"', 'type="revolt"'), "joint-kind", 4),
    "type of another format": (arm('type="revolute"', 'type="spherical"'), "joint-kind", 4),
    "capital type": (arm('type="revolute"', 'type="Revolute"'), "joint-kind", 4),
    "macro left": (
        robot(ARM, '<xacro:leg xmlns:xacro="http://www.ros.org/wiki/xacro" side="left"/>'),
        "xacro",
        6,
    ),
    "mimic of itself": (fingers("", '<mimic joint="j1"/>'), "coupling-self", 5),
    "mimic of nothing": (fingers("", '<mimic joint="thumb"/>'), "unknown-joint", 5),
    "mimic without joint": (fingers("", "<mimic/>"), "missing-attribute", 5),
    "mimic in a cycle": (fingers('<mimic joint="j1"/>', '<mimic joint="j0"/>'), "coupling-cycle", 3),
    "mimic that moves nothing": (fingers("", '<mimic joint="j0" multiplier="0"/>'), "zero-ratio", 5),
}

NUMBERS: dict[str, tuple[str | bytes, str, int]] = {
    f"{name}": (joint_with(f'{ENDS}\n<origin xyz="{text}"/>{LIMIT}'), rule, 5)
    for name, text, rule in [
        ("NaN", "nan 0 0", "number-not-finite"),
        ("capital NaN", "0 NaN 0", "number-not-finite"),
        ("infinity", "0 0 inf", "number-not-finite"),
        ("minus infinity", "-Infinity 0 0", "number-not-finite"),
        ("Windows infinity", "1.#INF 0 0", "number-not-finite"),
        ("overflow", "0 0 1e999", "number-overflow"),
        ("negative overflow", "0 0 -1e400", "number-overflow"),
        ("overflow by digits", "0 0 " + "9" * 400, "number-overflow"),
        ("hexadecimal", "0x10 0 0", "number-syntax"),
        ("hexadecimal float", "0x1p3 0 0", "number-syntax"),
        ("comma separated", "1, 2, 3", "number-syntax"),
        ("commas only", "1,2,3", "number-syntax"),
        ("decimal comma", "0,5 0 0", "number-syntax"),
        ("semicolons", "1;2;3", "number-syntax"),
        ("underscore", "1_000 0 0", "number-syntax"),
        ("Arabic digits", "\u0661 0 0", "number-syntax"),
        ("full-width digits", "\uff11 0 0", "number-syntax"),
        ("Unicode minus", "\u22121 0 0", "number-syntax"),
        ("no-break space", "1\u00a00 0", "number-syntax"),
        ("complex", "1j 0 0", "number-syntax"),
        ("unit", "1m 0 0", "number-syntax"),
        ("two points", "1.2.3 0 0", "number-syntax"),
        ("exponent without digits", "1e 0 0", "number-syntax"),
        ("a lone point", ". 0 0", "number-syntax"),
        ("a lone sign", "- 0 0", "number-syntax"),
        ("word", "zero 0 0", "number-syntax"),
        ("expression", "${pi/2} 0 0", "number-expression"),
        ("substitution", "$(arg x) 0 0", "number-expression"),
        ("code", "__import__('os') 0 0", "number-syntax"),
        ("too few", "0 0", "number-count"),
        ("too many", "0 0 0 0", "number-count"),
        ("empty", "", "number-count"),
        ("blank", "  ", "number-count"),
    ]
}

VALUES: dict[str, tuple[str | bytes, str, int]] = {
    "zero axis": (arm('xyz="0 0 1"', 'xyz="0 0 0"'), "zero-axis", 4),
    "vanishing axis": (arm('xyz="0 0 1"', 'xyz="0 0 1e-200"'), "zero-axis", 4),
    "zero axis of a planar joint": (joint_with(f'{ENDS}<axis xyz="0 0 0"/>', "planar"), "zero-axis", 4),
    "axis without numbers": (joint_with(f"{ENDS}<axis/>{LIMIT}"), "missing-attribute", 4),
    "swapped limits": (arm('lower="-1" upper="1"', 'lower="1" upper="-1"'), "swapped-limits", 4),
    "lower above the default": (arm('lower="-1" upper="1"', 'lower="1"'), "swapped-limits", 4),
    "negative effort": (arm('effort="1"', 'effort="-2"'), "negative-effort", 4),
    "negative velocity": (arm('velocity="1"', 'velocity="-2"'), "negative-velocity", 4),
    "negative damping": (joint_with(f'{ENDS}{LIMIT}<dynamics damping="-1"/>'), "negative-damping", 4),
    "negative friction": (joint_with(f'{ENDS}{LIMIT}<dynamics friction="-1"/>'), "negative-friction", 4),
    "NaN limit": (arm('lower="-1"', 'lower="nan"'), "number-not-finite", 5),
    "NaN mass": (link_with(f'<mass value="nan"/>{UNIT_INERTIA}'), "number-not-finite", 3),
    "mass without value": (link_with(f"<mass/>{UNIT_INERTIA}"), "missing-attribute", 3),
    "two masses": (link_with(f'<mass value="1 2"/>{UNIT_INERTIA}'), "number-count", 3),
    "negative mass": (link_with(f'<mass value="-1"/>{UNIT_INERTIA}'), "negative-mass", 3),
    "no ixx": (link_with(f'<mass value="1"/>{UNIT_INERTIA.replace("ixx", "xx")}'), "missing-attribute", 3),
    "negative moment": (link_with(f'<mass value="1"/>{UNIT_INERTIA.replace("1", "-1", 1)}'), "inertia-not-psd", 3),
    "indefinite inertia": (
        link_with('<mass value="1"/><inertia ixx="1" ixy="3" ixz="0" iyy="1" iyz="0" izz="1"/>'),
        "inertia-not-psd",
        3,
    ),
    "overflow in the product": (
        link_with(
            '<origin rpy="1 1 1"/><mass value="1"/>'
            '<inertia ixx="1.7e308" ixy="1.7e308" ixz="1.7e308" iyy="1.7e308" iyz="1.7e308" izz="1.7e308"/>'
        ),
        "non-finite",
        3,
    ),
    "unknown geometry": (
        shape_with('<visual><geometry><torus radius="1"/></geometry></visual>'),
        "unknown-geometry",
        3,
    ),
    "box without size": (shape_with("<visual><geometry><box/></geometry></visual>"), "missing-attribute", 3),
    "box with two sizes": (shape_with(f"<visual>{BOX.format('1 2')}</visual>"), "number-count", 3),
    "negative box": (shape_with(f"<collision>{BOX.format('1 2 -3')}</collision>"), "negative-size", 3),
    "negative radius": (shape_with('<visual><geometry><sphere radius="-1"/></geometry></visual>'), "negative-size", 3),
    "cylinder without length": (
        shape_with('<visual><geometry><cylinder radius="1"/></geometry></visual>'),
        "missing-attribute",
        3,
    ),
    "mesh without file": (shape_with("<visual><geometry><mesh/></geometry></visual>"), "missing-attribute", 3),
    "mesh with two scales": (
        shape_with('<visual><geometry><mesh filename="http://x/a.stl" scale="1 2"/></geometry></visual>'),
        "number-count",
        3,
    ),
    "colour with three numbers": (
        shape_with(f'<visual>{BOX.format("1 1 1")}<material name="m"><color rgba="1 1 1"/></material></visual>'),
        "number-count",
        3,
    ),
    "mesh out of the package": (
        shape_with('<visual><geometry><mesh filename="package://r/../../etc/passwd"/></geometry></visual>'),
        "path-outside-package",
        3,
    ),
    "mesh above the file": (
        shape_with('<visual><geometry><mesh filename="../../../../x.stl"/></geometry></visual>'),
        "path-outside-package",
        3,
    ),
    "mesh somewhere else": (
        shape_with('<visual><geometry><mesh filename="file:///dev/null"/></geometry></visual>'),
        "path-outside-package",
        3,
    ),
}

CASES = {**NOT_XML, **STRUCTURE, **NUMBERS, **VALUES}


def write(directory: Path, content: str | bytes) -> Path:
    """A file with the given content."""
    path = directory / "robot.urdf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.mark.parametrize("name", CASES)
def test_bad_file_is_refused_with_its_rule_and_line_and_no_other_error(name: str, tmp_path: Path) -> None:
    content, rule, line = CASES[name]
    path = write(tmp_path, content)
    _, problems = inspect_file(path)
    errors = [problem for problem in problems if problem.severity == "error"]
    assert [(problem.rule, problem.line) for problem in errors] == [(rule, line)]
    assert errors[0].file == str(path)
    assert errors[0].element
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert caught.value.first == errors[0]


def test_sound_robot_of_the_table_is_accepted(tmp_path: Path) -> None:
    _, problems = inspect_file(write(tmp_path, arm()))
    assert problems == ()


MANY = robot(
    '<link name="a"/>',
    f'<link name="b"><inertial><mass value="heavy"/>{UNIT_INERTIA.replace("1", "x", 1)}</inertial>',
    '<visual><geometry><box size="1 2"/></geometry></visual></link>',
    f'<joint name="j" type="hinge">{ENDS}</joint>',
    '<link name="a"/>',
    '<joint name="k" type="revolute"><parent link="a"/><child link="ghost"/>'
    '<limit lower="1" upper="-1" effort="1" velocity="1"/></joint>',
)


def test_all_errors_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError) as caught:
        load(write(tmp_path, MANY))
    told = [(problem.rule, problem.line) for problem in caught.value.problems if problem.severity == "error"]
    assert told == [
        ("duplicate-name", 2),
        ("number-syntax", 3),
        ("number-syntax", 3),
        ("number-count", 4),
        ("joint-kind", 5),
        ("duplicate-name", 6),
        ("swapped-limits", 7),
        ("unknown-child", 7),
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ['<link name="a"/>', '<link name="a"/>'],
            {("duplicate-name", 2), ("duplicate-name", 3)},
        ),
        (
            [ARM, '<joint name="j" type="fixed"><parent link="b"/><child link="c"/></joint>', '<link name="c"/>'],
            {("duplicate-name", 4), ("duplicate-name", 6)},
        ),
        (
            [ARM, '<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>'],
            {("two-parents", 6)},
        ),
    ],
    ids=["duplicate links", "duplicate joints", "two parents"],
)
def test_contradictions_are_told_where_they_stand(
    lines: list[str], expected: set[tuple[str, int]], tmp_path: Path
) -> None:
    _, problems = inspect_file(write(tmp_path, robot(*lines)))
    found = {(problem.rule, problem.line) for problem in problems if problem.severity == "error"}
    assert expected <= found
    assert {rule for rule, _ in found} <= {rule for rule, _ in expected} | {"two-roots"}


def test_cycle_is_refused(tmp_path: Path) -> None:
    joints = [
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{(i + 1) % 3}"/></joint>' for i in range(3)
    ]
    _, problems = inspect_file(write(tmp_path, robot(*(f'<link name="l{i}"/>' for i in range(3)), *joints)))
    assert "cycle" in {problem.rule for problem in problems}
