"""SDF files that must be refused, each with its rule and its line."""

from pathlib import Path

import pytest

from tarsus.errors import ModelFileError
from tarsus.io.load import inspect_file
from tarsus.io.sdf import read_sdf, read_sdf_text
from tarsus.model.validation import find_problems

INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
A, B = (f'<link name="{name}">{INERTIAL}</link>' for name in "ab")
ENDS = "<parent>a</parent><child>b</child>"


def model(*lines: str) -> str:
    """A document whose model has `lines` from line 3 on."""
    return "\n".join(['<sdf version="1.9">', '<model name="m">', *lines, "</model>", "</sdf>"])


def hinge(body: str, kind: str = "revolute") -> str:
    """A model whose joint is in line 5."""
    return model(A, B, f'<joint name="j" type="{kind}">{body}</joint>')


def shape(geometry: str) -> str:
    """A model whose link has the given geometry in line 4."""
    return model(f'<link name="a">{INERTIAL}<visual name="v"><geometry>', geometry, "</geometry></visual></link>")


REFUSED: dict[str, tuple[str, str, int]] = {
    "empty": ("", "empty-file", 0),
    "not xml": ("<sdf version='1.6'><model>", "not-xml", 1),
    "doctype": ("<!DOCTYPE sdf>\n" + model(A), "doctype", 1),
    "wrong root": ("<robot/>", "root-element", 1),
    "no model": ('<sdf version="1.6"/>', "missing-model", 1),
    "no model in the world": ('<sdf version="1.6">\n<world name="w"/></sdf>', "missing-model", 2),
    "several models": ('<sdf version="1.6"><model name="a"/>\n<model name="b"/></sdf>', "several-models", 2),
    "several moving models": (
        f'<sdf version="1.6"><world name="w"><model name="a">{A}</model>\n<model name="b">{A}</model></world></sdf>',
        "several-models",
        2,
    ),
    "nan": (model(A, '<link name="b"><pose>0 0 nan 0 0 0</pose></link>'), "number-not-finite", 4),
    "too few": (model(A, '<link name="b"><pose>0 0 0</pose></link>'), "number-count", 4),
    "comma": (model(A, '<link name="b"><pose>0,0,0,0,0,0</pose></link>'), "number-syntax", 4),
    "overflow": (model(A, '<link name="b"><inertial><mass>1e999</mass></inertial></link>'), "number-overflow", 4),
    "infinite mass": (model("<link name='b'><inertial>", "<mass>nan</mass></inertial></link>"), "number-not-finite", 4),
    "bad quaternion": (
        model(A, '<link name="b"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>'),
        "zero-rotation",
        4,
    ),
    "unknown rotation format": (model(A, '<link name="b"><pose rotation_format="x">0</pose></link>'), "keyword", 4),
    "unnamed link": (model(A, "<link/>"), "missing-name", 4),
    "unnamed joint": (model(A, B, f'<joint type="fixed">{ENDS}</joint>'), "missing-name", 5),
    "links of one name": (model(A, A), "duplicate-name", 4),
    "joints of one name": (model(A, B, *[f'<joint name="j" type="fixed">{ENDS}</joint>'] * 2), "duplicate-name", 6),
    "unknown joint type": (hinge(ENDS, "hinge"), "joint-kind", 5),
    "missing joint type": (model(A, B, f'<joint name="j">{ENDS}</joint>'), "joint-kind", 5),
    "no parent": (hinge("<child>b</child><axis/>"), "missing-parent", 5),
    "no child": (hinge("<parent>a</parent><axis/>"), "missing-child", 5),
    "unknown parent": (hinge("<parent>x</parent><child>b</child><axis/>"), "unknown-parent", 5),
    "unknown child": (hinge("<parent>a</parent><child>x</child><axis/>"), "unknown-child", 5),
    "world as child": (hinge("<parent>a</parent><child>world</child><axis/>"), "world-child", 5),
    "no axis": (hinge(ENDS), "missing-axis", 5),
    "one axis too few": (hinge(f"{ENDS}<axis/>", "universal"), "missing-axis", 5),
    "thread without pitch": (hinge(f"{ENDS}<axis/><thread_pitch>0</thread_pitch>", "screw"), "zero-pitch", 5),
    "axis in an unknown frame": (
        hinge(f"{ENDS}<axis><xyz expressed_in='x'>1 0 0</xyz></axis>"),
        "unknown-frame",
        5,
    ),
    "pose in an unknown frame": (model(A, '<link name="b"><pose relative_to="x"/></link>'), "unknown-frame", 4),
    "poses in a circle": (
        model('<link name="a"><pose relative_to="b"/></link>', '<link name="b"><pose relative_to="a"/></link>'),
        "pose-cycle",
        3,
    ),
    "frame on nothing": (model(A, '<frame name="f" attached_to="x"/>'), "unknown-frame", 4),
    "frames in a circle": (
        model(A, '<frame name="f" attached_to="g"/>', '<frame name="g" attached_to="f"/>'),
        "pose-cycle",
        4,
    ),
    "flag that is none": (model("<static>perhaps</static>", A), "keyword", 3),
    "no geometry": (model(A, '<link name="b"><visual name="v"/></link>'), "missing-geometry", 4),
    "unknown geometry": (shape("<pyramid/>"), "unknown-geometry", 4),
    "negative size": (shape("<sphere><radius>-1</radius></sphere>"), "negative-size", 4),
    "plane without a normal": (shape("<plane><normal>0 0 0</normal></plane>"), "zero-axis", 4),
    "mesh without a name": (shape("<mesh/>"), "missing-element", 4),
    "mimic of nobody": (hinge(f"{ENDS}<axis><mimic/></axis>"), "mimic", 5),
    "include from the network": (model("<include><uri>https://example.org/model</uri></include>"), "include-remote", 3),
    "include that is not there": (model("<include><uri>model://nobody</uri></include>"), "include-not-found", 3),
    "include of nothing": (model("<include/>"), "missing-element", 3),
}

INVALID: dict[str, tuple[str, str, int]] = {
    "zero axis": (hinge(f"{ENDS}<axis><xyz>0 0 0</xyz></axis>"), "zero-axis", 5),
    "parallel axes of extreme length": (
        hinge(f"{ENDS}<axis><xyz>0 0 1e308</xyz></axis><axis2><xyz>0 0 1e-10</xyz></axis2>", "universal"),
        "zero-axis",
        5,
    ),
    "swapped limits": (
        hinge(f"{ENDS}<axis><limit><lower>1</lower><upper>-1</upper></limit></axis>"),
        "swapped-limits",
        5,
    ),
    "negative mass": (model('<link name="a"><inertial><mass>-1</mass></inertial></link>'), "negative-mass", 3),
    "indefinite inertia": (
        model(f'<link name="a">{INERTIAL.replace("</ixx>", "</ixx><ixy>2</ixy>")}</link>'),
        "inertia-not-psd",
        3,
    ),
    "no links": (model(), "no-links", 2),
}


def problems_of(text: str):
    try:
        return read_sdf_text(text, name="robot.sdf")[1]
    except ModelFileError as error:
        return error.problems


@pytest.mark.parametrize("case", REFUSED)
def test_reader_refuses_with_rule_and_line(case):
    text, rule, line = REFUSED[case]
    problems = [p for p in problems_of(text) if p.severity == "error"]
    assert (problems[0].rule, problems[0].file, problems[0].line) == (rule, "robot.sdf", line)


@pytest.mark.parametrize("case", INVALID)
def test_validation_refuses_with_rule_and_line(case):
    text, rule, line = INVALID[case]
    description, noted = read_sdf_text(text, name="robot.sdf")
    assert [p for p in noted if p.severity == "error"] == []
    found = [(p.rule, p.line) for p in find_problems(description) if p.severity == "error"]
    assert (rule, line) in found


def test_joint_of_a_link_with_itself_is_a_loop_and_not_a_crash():
    description, _ = read_sdf_text(hinge("<parent>a</parent><child>a</child><axis/>"))
    assert [(loop.link_a, loop.link_b) for loop in description.loops] == [("a", "a")]


def write(directory: Path, **files: str) -> Path:
    for name, text in files.items():
        (directory / f"{name}.sdf").write_text(text)
    return directory / "robot.sdf"


def include(file: str) -> str:
    return f"<include><uri>{file}</uri></include>"


def test_a_model_that_includes_itself_is_refused(tmp_path):
    path = write(tmp_path, robot=model(A, include("part.sdf")), part=model(include("robot.sdf")))
    with pytest.raises(ModelFileError) as caught:
        read_sdf(path)
    assert (caught.value.first.rule, Path(caught.value.first.file).name) == ("include-cycle", "part.sdf")


def test_an_explosion_of_includes_is_refused(tmp_path):
    files = {f"f{i}": model(include(f"f{i + 1}.sdf") * 10) for i in range(20)}
    with pytest.raises(ModelFileError) as caught:
        read_sdf(write(tmp_path, robot=model(include("f0.sdf")), f20=model(A), **files))
    assert caught.value.first.rule == "include-size"


def test_includes_do_not_leave_the_package(tmp_path):
    (tmp_path / "package").mkdir()
    write(tmp_path, secret=model(A))
    path = write(tmp_path / "package", robot=model(A, include("../secret.sdf")))
    with pytest.raises(ModelFileError) as caught:
        read_sdf(path)
    assert caught.value.first.rule == "path-outside-package"


def test_meshes_do_not_leave_the_package(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "secret.stl").write_bytes(b"x")
    path = write(tmp_path / "package", robot=shape("<mesh><uri>../secret.stl</uri></mesh>"))
    _, problems = inspect_file(path)
    assert [p.rule for p in problems if p.severity == "error"] == ["path-outside-package"]


def test_long_chains_of_frames_are_resolved():
    frames = [f'<frame name="f{i}" attached_to="f{i - 1}"><pose>1 0 0 0 0 0</pose></frame>' for i in range(1, 5000)]
    description, problems = read_sdf_text(model(A, '<frame name="f0" attached_to="a"/>', *reversed(frames)))
    assert problems == ()
    last = next(frame for frame in description.frames if frame.name == "f4999")
    assert (last.link, last.pose[0, 3]) == ("a", 4999.0)
