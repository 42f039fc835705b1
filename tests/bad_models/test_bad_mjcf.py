"""MJCF files that must be refused, each with its rule and its line."""

from pathlib import Path

import pytest

from tarsus.errors import ModelFileError
from tarsus.io.load import inspect_file
from tarsus.io.mjcf import read_mjcf, read_mjcf_text
from tarsus.model.validation import find_problems

GEOM = '<geom size="0.1"/>'


def document(*lines: str) -> str:
    """A document with `lines` from line 2 on."""
    return "\n".join(["<mujoco>", *lines, "</mujoco>"])


def world(*lines: str) -> str:
    """A document whose <worldbody> has `lines` from line 3 on."""
    return document("<worldbody>", *lines, "</worldbody>")


def hinge(attributes: str) -> str:
    """A document with a body in line 3 whose joint is in line 4."""
    return world('<body name="b" pos="1 0 0">', f'<joint name="j" {attributes}/>', f"{GEOM}</body>")


def geom(attributes: str) -> str:
    """A document with a geom of a hinged body in line 4."""
    return world('<body name="b"><joint name="j"/>', f"<geom {attributes}/>", "</body>")


def inertial(attributes: str) -> str:
    """A document with a hinged body whose <inertial> is in line 4."""
    return world('<body name="b"><joint name="j"/>', f"<inertial {attributes}/>", "</body>")


def equality(constraint: str) -> str:
    """A document with two hinges x and y and a constraint in line 6."""
    bodies = (f'<body name="{n}"><joint name="{j}"/>{GEOM}</body>' for n, j in (("a", "x"), ("b", "y")))
    return document("<worldbody>", *bodies, "</worldbody><equality>", constraint, "</equality>")


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))
NESTED = "<body>" * 255 + "</body>" * 255

REFUSED: dict[str, tuple[str | bytes, str, int]] = {
    # not a document
    "empty": ("", "empty-file", 0),
    "not xml": ("hello", "not-xml", 1),
    "truncated": (world(GEOM)[:-12], "not-xml", 4),
    "trailing garbage": (world(GEOM) + "\nrubbish", "trailing-content", 6),
    "duplicate attribute": (hinge('axis="1 0 0" axis="0 1 0"'), "duplicate-attribute", 4),
    "NUL": (world("<body name='a\0'/>"), "nul-byte", 3),
    "invalid UTF-8": (world(GEOM).encode() + b"\xff\xfe", "encoding", 5),
    "doctype": ("<!DOCTYPE mujoco>\n" + world(GEOM), "doctype", 1),
    "entities": (f"<!DOCTYPE mujoco [{LAUGHS}]>\n<mujoco>&l9;</mujoco>", "doctype", 1),
    "nesting": (world(NESTED), "nesting", 3),
    "wrong root": ("<robot/>", "root-element", 1),
    "no world": (document("<option/>"), "missing-worldbody", 1),
    # numbers
    "nan": (hinge('axis="nan 0 1"'), "number-not-finite", 4),
    "infinite": (hinge('range="-inf inf"'), "number-not-finite", 4),
    "overflow": (hinge('pos="1e999 0 0"'), "number-overflow", 4),
    "hexadecimal": (hinge('pos="0x1 0 0"'), "number-syntax", 4),
    "comma": (hinge('pos="0,0,1"'), "number-syntax", 4),
    "too few": (hinge('pos="0 0"'), "number-count", 4),
    "too many": (hinge('range="0 1 2"'), "number-count", 4),
    "expression": (hinge('damping="${d}"'), "number-expression", 4),
    "fraction of a group": (geom('size="1" group="0.5"'), "number-syntax", 4),
    "inertia that overflows": (geom('size="1e200"'), "number-overflow", 4),
    # names and words
    "unknown joint type": (hinge('type="screw"'), "joint-kind", 4),
    "unknown geom type": (geom('type="cone" size="1"'), "unknown-geometry", 4),
    "unknown word": (hinge('limited="perhaps"'), "keyword", 4),
    "unknown class": (hinge('class="nobody"'), "unknown-default-class", 4),
    "unknown child class": (world(f'<body childclass="nobody">{GEOM}</body>'), "unknown-default-class", 3),
    "class without a name": (document("<default><default/></default><worldbody/>"), "missing-attribute", 2),
    "class defined twice": (
        document("<default>", '<default class="a"/>', '<default class="a"/></default><worldbody/>'),
        "duplicate-name",
        4,
    ),
    "top class renamed": (
        document('<default class="a"/>', '<default class="b"/><worldbody/>'),
        "default-class-renamed",
        3,
    ),
    "bad euler sequence": (document('<compiler eulerseq="xyw"/><worldbody/>'), "euler-sequence", 2),
    "global coordinates": (document('<compiler coordinate="global"/><worldbody/>'), "global-coordinates", 2),
    "body called world": (world('<body name="world"/>'), "reserved-name", 3),
    "unknown mesh": (geom('type="mesh" mesh="m"'), "unknown-mesh", 4),
    "mesh twice": (
        document("<asset>", '<mesh name="m" file="a.stl"/>', '<mesh name="m" file="a.stl"/></asset><worldbody/>'),
        "duplicate-name",
        4,
    ),
    "site twice": (world('<site name="s"/>', '<site name="s"/>'), "duplicate-name", 4),
    # orientations
    "two orientations": (world('<body euler="0 0 0" zaxis="0 0 1"/>'), "several-orientations", 3),
    "zero quaternion": (geom('size="1" quat="0 0 0 0"'), "zero-rotation", 4),
    "zero axis of a rotation": (geom('size="1" axisangle="0 0 0 1"'), "zero-rotation", 4),
    "parallel axes": (geom('size="1" xyaxes="1 0 0 2 0 0"'), "zero-rotation", 4),
    "fromto of a sphere": (geom('size="1" fromto="0 0 0 1 0 0"'), "fromto", 4),
    "fromto without length": (geom('type="capsule" size="1" fromto="1 0 0 1 0 0"'), "fromto", 4),
    # masses
    "no size": (geom('type="box" size="1 1"'), "negative-size", 4),
    "negative size": (geom('size="-1"'), "negative-size", 4),
    "negative mass of a geom": (geom('size="1" mass="-1"'), "negative-mass", 4),
    "negative density": (geom('size="1" density="-1"'), "negative-mass", 4),
    "inertial without mass": (inertial('pos="0 0 0" diaginertia="1 1 1"'), "missing-attribute", 4),
    "inertial without position": (inertial('mass="1" diaginertia="1 1 1"'), "missing-attribute", 4),
    "two kinds of inertia": (
        inertial('pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"'),
        "several-inertias",
        4,
    ),
    "oriented full inertia": (
        inertial('pos="0 0 0" mass="1" euler="0 0 0" fullinertia="1 1 1 0 0 0"'),
        "several-orientations",
        4,
    ),
    "two inertials": (
        world("<body>", '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>' * 2, "</body>"),
        "duplicate-element",
        4,
    ),
    # places
    "joint of the world": (world("<joint/>"), "world-element", 3),
    "free joint below": (world(f"<body>{GEOM}", f"<body><freejoint/>{GEOM}</body></body>"), "free-joint-place", 4),
    "free joint with others": (world(f"<body><freejoint/><joint/>{GEOM}</body>"), "free-joint-place", 3),
    "sprung free joint with others": (
        world(f'<body><joint type="free" stiffness="1"/><joint/>{GEOM}</body>'),
        "free-joint-place",
        3,
    ),
    "ball with a hinge": (world(f'<body><joint type="ball"/><joint/>{GEOM}</body>'), "ball-joint-place", 3),
    "attach an unknown model": (world('<body><attach model="m" prefix="a"/></body>'), "unknown-model", 3),
    "attach a part of the same model": (world('<body><attach body="b" prefix="a"/></body>'), "not-supported", 3),
    "attached file is missing": (
        document(
            '<asset><model name="m" file="f.xml"/></asset>', '<worldbody><attach model="m" prefix="a"/></worldbody>'
        ),
        "include-not-found",
        2,
    ),
    # replicas
    "replicate without count": (world(f"<replicate>{GEOM}</replicate>"), "replicate-count", 3),
    "replicate zero times": (world(f'<replicate count="0">{GEOM}</replicate>'), "replicate-count", 3),
    "replicate a fraction": (world(f'<replicate count="1.5">{GEOM}</replicate>'), "replicate-count", 3),
    "replicate too often": (world(f'<replicate count="999999999">{GEOM}</replicate>'), "replicate-size", 3),
    "replicas of replicas": (
        world('<replicate count="99">' * 5, GEOM, "</replicate>" * 5),
        "replicate-size",
        3,
    ),
    "replicate a joint": (world('<replicate count="2"><joint/></replicate>'), "replicate-joint", 3),
    # references
    "equality of nothing": (equality('<joint joint1="z"/>'), "unknown-joint", 6),
    "equality without a joint": (equality('<joint joint2="x"/>'), "missing-attribute", 6),
    "equality with nothing": (equality('<joint joint1="x" joint2="z"/>'), "unknown-joint", 6),
    "connect nothing": (equality('<connect body1="z" anchor="0 0 0"/>'), "unknown-body", 6),
    "connect without a point": (equality('<connect body1="a"/>'), "missing-attribute", 6),
    "weld unknown sites": (equality('<weld site1="s" site2="t"/>'), "unknown-site", 6),
    "actuator of nothing": (
        document('<worldbody/><actuator><motor joint="z"/></actuator>'),
        "unknown-joint",
        2,
    ),
    "key with too many numbers": (
        document('<worldbody/><keyframe><key qpos="1"/></keyframe>'),
        "keyframe-size",
        2,
    ),
    "include of nothing": (document("<include/>"), "missing-attribute", 2),
    "include without a directory": (document('<include file="a.xml"/>'), "include-not-found", 2),
}

INVALID: dict[str, tuple[str, str, int]] = {
    "zero axis": (hinge('axis="0 0 0"'), "zero-axis", 4),
    "swapped limits": (hinge('range="1 -1"'), "swapped-limits", 4),
    "negative damping": (hinge('damping="-1"'), "negative-damping", 4),
    "negative mass": (inertial('pos="0 0 0" mass="-1" diaginertia="1 1 1"'), "negative-mass", 3),
    "indefinite inertia": (
        inertial('pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"'),
        "inertia-not-psd",
        3,
    ),
    "bodies of one name": (world('<body name="a"/>', '<body name="a"/>'), "duplicate-name", 3),
    "joints of one name": (
        world(f'<body pos="1 0 0"><joint name="a"/><joint name="a" axis="1 0 0"/>{GEOM}</body>'),
        "duplicate-name",
        3,
    ),
    "joint that follows itself": (equality('<joint joint1="x" joint2="x"/>'), "coupling-self", 6),
    "joints that follow each other": (
        equality('<joint joint1="x" joint2="y"/><joint joint1="y" joint2="x"/>'),
        "coupling-cycle",
        6,
    ),
}


def errors_of(text: str | bytes) -> list[tuple[str, int]]:
    """Rules and lines of the errors the reader notes or raises."""
    try:
        _, problems = read_mjcf_text(text, name="robot.xml")
    except ModelFileError as error:
        problems = error.problems
    assert all(p.file == "robot.xml" for p in problems)
    return [(p.rule, p.line) for p in problems if p.severity == "error"]


@pytest.mark.parametrize("case", REFUSED)
def test_reader_refuses_with_rule_and_line(case):
    text, rule, line = REFUSED[case]
    assert errors_of(text)[0] == (rule, line)


@pytest.mark.parametrize("case", INVALID)
def test_validation_refuses_with_rule_and_line(case):
    text, rule, line = INVALID[case]
    description, problems = read_mjcf_text(text, name="robot.xml")
    assert [p for p in problems if p.severity == "error"] == []
    found = [(p.rule, p.file, p.line) for p in find_problems(description) if p.severity == "error"]
    assert (rule, "robot.xml", line) in found


def test_all_errors_are_told_at_once():
    text = world(
        '<body name="a" pos="x">',
        '<joint name="j" type="screw"/>',
        '<geom type="cone" size="1"/>',
        "</body>",
    )
    assert [rule for rule, _ in errors_of(text)] == ["number-syntax", "joint-kind", "unknown-geometry"]


def test_an_error_in_a_default_class_is_told_once():
    bodies = f"<body><joint/>{GEOM}</body>" * 9
    text = document('<default><joint damping="x"/></default>', f"<worldbody>{bodies}</worldbody>")
    assert errors_of(text) == [("number-syntax", 2)]


def write(directory: Path, **files: str) -> Path:
    for name, text in files.items():
        (directory / f"{name}.xml").write_text(text)
    return directory / "robot.xml"


def refusal(path: Path, **keywords: int) -> tuple[str, str, int]:
    with pytest.raises(ModelFileError) as caught:
        read_mjcf(path, **keywords)
    problem = caught.value.first
    return problem.rule, Path(problem.file).name, problem.line


def test_a_file_that_includes_itself_is_refused(tmp_path):
    path = write(tmp_path, robot=document('<include file="robot.xml"/>'))
    assert refusal(path) == ("include-cycle", "robot.xml", 2)


def test_files_that_include_each_other_are_refused(tmp_path):
    path = write(
        tmp_path,
        robot=document('<include file="a.xml"/>'),
        a=document('<include file="b.xml"/>'),
        b=document("", '<include file="a.xml"/>'),
    )
    assert refusal(path) == ("include-cycle", "b.xml", 3)


def test_a_file_is_included_once(tmp_path):
    path = write(tmp_path, robot=document('<include file="a.xml"/>' * 2, "<worldbody/>"), a=document("<option/>"))
    assert refusal(path) == ("include-repeated", "robot.xml", 2)


def test_an_explosion_of_includes_is_refused(tmp_path):
    files = {f"f{i}": document(f'<include file="f{i + 1}.xml"/>' * 10) for i in range(30)}
    path = write(tmp_path, robot=document('<include file="f0.xml"/>'), f30=document("<option/>"), **files)
    assert refusal(path)[0] == "include-repeated"


def test_size_of_included_files_counts(tmp_path):
    big = document("<worldbody>" + GEOM * 1000 + "</worldbody>")
    path = write(tmp_path, robot=document('<include file="big.xml"/>'), big=big)
    assert refusal(path, max_size=10_000) == ("include-size", "robot.xml", 2)


def test_depth_of_included_files_counts(tmp_path):
    inner = "<mujoco>" + "<body>" * 200 + "</body>" * 200 + "</mujoco>"
    outer = world("<body>" * 100 + '<include file="inner.xml"/>' + "</body>" * 100)
    assert refusal(write(tmp_path, robot=outer, inner=inner)) == ("nesting", "robot.xml", 3)


@pytest.mark.parametrize("target", ["../secret.xml", "/etc/passwd"])
def test_includes_do_not_leave_the_directory(tmp_path, target):
    (tmp_path / "package").mkdir()
    (tmp_path / "secret.xml").write_text(document("<option/>"))
    path = write(tmp_path / "package", robot=document(f'<include file="{target}"/>'))
    assert refusal(path) == ("path-outside-package", "robot.xml", 2)


def test_links_do_not_lead_out_of_the_directory(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "secret.xml").write_text(document("<option/>"))
    (tmp_path / "package" / "link.xml").symlink_to(tmp_path / "secret.xml")
    path = write(tmp_path / "package", robot=document('<include file="link.xml"/>'))
    assert refusal(path)[0] == "path-outside-package"


def test_a_defect_in_an_included_file_is_told_with_that_file(tmp_path):
    path = write(
        tmp_path,
        robot=document("<worldbody>", '<include file="part.xml"/>', "</worldbody>"),
        part="<mujoco>\n\n\n<body pos='a b c'/></mujoco>",
    )
    _, problems = inspect_file(path)
    assert [(p.rule, Path(p.file).name, p.line) for p in problems] == [("number-syntax", "part.xml", 4)]


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("empty.stl", b"", "mesh-empty"),
        ("lying.stl", b"\0" * 80 + (10**6).to_bytes(4, "little") + b"\0" * 50, "mesh-header"),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "mesh-index"),
        ("nan.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "mesh-nan"),
    ],
)
def test_a_broken_mesh_that_an_inertia_depends_on_is_refused(tmp_path, name, content, rule):
    (tmp_path / name).write_bytes(content)
    path = write(
        tmp_path,
        robot=document(
            f'<asset><mesh name="m" file="{name}"/></asset>',
            '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody>',
        ),
    )
    _, problems = read_mjcf(path)
    assert [(p.rule, p.line) for p in problems if p.severity == "error"] == [(rule, 2)]


def test_a_star_of_bodies_loads():
    bodies = "".join(f'<body name="b{i}"><joint name="j{i}"/>{GEOM}</body>' for i in range(2000))
    description, problems = read_mjcf_text(world(bodies))
    assert problems == ()
    assert len(description.joints) == 2000
