"""Loading files of any format, and looking for problems without raising."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from robot_data import robot_data_path

from tarsus.errors import ArgumentError, DtypeError, ModelFileError, ModelWarning
from tarsus.io.load import inspect_file, load

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = (
    f'<robot name="pendulum"><link name="ground"/><link name="bob">{INERTIAL}</link><joint name="pivot" '
    'type="continuous"><parent link="ground"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>'
)
MJCF = (
    '<mujoco model="pendulum"><worldbody><body name="ground"><body name="bob"><joint name="pivot" axis="0 1 0"/>'
    '<geom size="0.1"/></body></body></worldbody></mujoco>'
)
SDF = (
    '<sdf version="1.7"><model name="pendulum"><link name="ground"/>'
    '<link name="bob"><inertial><mass>1</mass></inertial></link>'
    '<joint name="pivot" type="revolute"><parent>ground</parent><child>bob</child><axis><xyz>0 1 0</xyz></axis></joint>'
    "</model></sdf>"
)
MASSLESS = URDF.replace(INERTIAL, "")


def write(directory: Path, name: str, text: str) -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.urdf", URDF),
        ("a.URDF", URDF),
        ("a.xml", URDF),
        ("robot_description", URDF),
        ("a.xml", MJCF),
        ("a.mjcf", MJCF),
        ("a.sdf", SDF),
        ("a.xml", SDF),
        ("model.world", SDF),
    ],
)
def test_format_follows_from_suffix_or_root_element(name: str, text: str, tmp_path: Path) -> None:
    description, problems = inspect_file(write(tmp_path, name, text))
    assert [problem for problem in problems if problem.severity == "error"] == []
    assert description is not None
    assert description.name == "pendulum"
    assert "pivot" in {joint.name for joint in description.joints}


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("a.urdf", MJCF, "root-element"),
        ("a.xml", "<svg/>", "file-format"),
        ("a.xml", "svg", "not-xml"),
        ("a.xacro", URDF, "file-format"),
    ],
)
def test_wrong_format_is_refused(name: str, text: str, rule: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ModelFileError) as caught:
        load(path)
    assert caught.value.first.rule == rule
    description, problems = inspect_file(path)
    assert description is None
    assert [problem.rule for problem in problems] == [rule]


def test_missing_file_is_inspected_without_raising(tmp_path: Path) -> None:
    description, problems = inspect_file(tmp_path / "no.urdf")
    assert description is None
    assert [problem.rule for problem in problems] == ["file-not-found"]


def test_model_has_the_base_that_was_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "a.urdf", URDF)
    assert load(path).nv == 1
    assert load(path, base="fixed").base == "fixed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # a free root without mass
        assert load(path, "free").nv == 7
        assert load(path, base="planar").nv == 4


def test_rotation_changes_nq_but_not_nv(tmp_path: Path) -> None:
    path = robot_data_path("solo_description/robots/solo12.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        quaternion, matrix = load(path, "free"), load(path, "free", rotation="rotation-matrix")
    assert quaternion.nv == matrix.nv
    assert matrix.nq == quaternion.nq + 5


@pytest.mark.parametrize("base", ["floating", "", "Free"])
def test_unknown_base_is_refused(base: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="base must be one of"):
        load(write(tmp_path, "a.urdf", URDF), base)


def test_unknown_rotation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="quaternion"):
        load(write(tmp_path, "a.urdf", URDF), "free", rotation="quaternions")


def test_sound_file_loads_without_a_warning(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = load(write(tmp_path, "a.urdf", URDF))
    assert model.warnings == ()


def test_warnings_are_told_in_one_and_kept_on_the_model(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    path = write(tmp_path, "a.urdf", URDF.replace(INERTIAL, mesh))
    with pytest.warns(ModelWarning) as caught:
        model = load(path)
    assert len(caught) == 1
    assert Path(caught[0].filename) == Path(__file__)
    assert {problem.rule for problem in model.warnings} == {"massless", "mesh-not-found"}
    assert str(path) in str(caught[0].message)


def test_strict_refuses_what_is_suspicious(tmp_path: Path) -> None:
    for text, rule in (
        (MASSLESS, "massless"),
        (
            URDF.replace("</inertial>", '</inertial><visual><geometry><mesh filename="x.stl"/></geometry></visual>'),
            "mesh-not-found",
        ),
    ):
        with pytest.raises(ModelFileError) as caught:
            load(write(tmp_path, "a.urdf", text), strict=True)
        assert [(problem.severity, problem.rule) for problem in caught.value.problems] == [("error", rule)]


def test_repair_mends_an_impossible_inertia(tmp_path: Path) -> None:
    path = write(tmp_path, "a.urdf", URDF.replace('ixx="1"', 'ixx="-1"'))
    with pytest.raises(ModelFileError):
        load(path)
    model = load(path, repair=True)
    assert model.nv == 1


def test_couplings_reduce_cut_or_lock(tmp_path: Path) -> None:
    second = (
        f'<link name="c">{INERTIAL}</link><joint name="follower" type="continuous"><parent link="ground"/>'
        '<child link="c"/><mimic joint="pivot" multiplier="2"/></joint></robot>'
    )
    path = write(tmp_path, "a.urdf", URDF.replace("</robot>", second))
    assert [load(path, couplings=mode).nv for mode in ("reduce", "cut", "lock")] == [1, 2, 1]


def test_package_dirs_may_be_one_path(tmp_path: Path) -> None:
    (tmp_path / "else" / "p").mkdir(parents=True)
    (tmp_path / "else" / "p" / "m.stl").write_text("x")
    mesh = '</inertial><visual><geometry><mesh filename="package://p/m.stl"/></geometry></visual>'
    path = write(tmp_path, "a.urdf", URDF.replace("</inertial>", mesh))
    _, problems = inspect_file(path, package_dirs=str(tmp_path / "else"), check_meshes=False)
    assert problems == ()
    assert load(path, package_dirs=[tmp_path / "else"]).warnings == ()


def test_size_limit_is_passed_on(tmp_path: Path) -> None:
    path = write(tmp_path, "a.urdf", URDF)
    _, problems = inspect_file(path, max_size=100)
    assert [problem.rule for problem in problems] == ["file-size"]
    with pytest.raises(ModelFileError):
        load(path, max_size=100)


def test_meshes_are_looked_into_on_request(tmp_path: Path) -> None:
    (tmp_path / "m.stl").write_bytes(b"")
    mesh = '</inertial><visual><geometry><mesh filename="m.stl"/></geometry></visual>'
    path = write(tmp_path, "a.urdf", URDF.replace("</inertial>", mesh))
    assert load(path).nv == 1
    with pytest.raises(ModelFileError, match="mesh-empty"):
        load(path, check_meshes=True)


VERDICT_PROGRAM = """
import json, locale, sys
locale.setlocale(locale.LC_ALL, sys.argv[1])
from tarsus.io.load import inspect_file
description, problems = inspect_file(sys.argv[2])
inertias = [link.inertia for link in description.links if link.inertia]
print(json.dumps([[str(p) for p in problems], [i.mass for i in inertias]]))
"""


def test_verdict_does_not_depend_on_the_locale(tmp_path: Path) -> None:
    text = URDF.replace('value="1"', 'value="1.5"').replace("0 1 0", "0,5 1 0")
    path = write(tmp_path, "a.urdf", text)
    available = {"C", "C.UTF-8"} | set(_comma_locales())
    verdicts = set()
    for name in sorted(available):
        command = [sys.executable, "-c", VERDICT_PROGRAM, name, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=True, env=_environment())
        verdicts.add(result.stdout)
    assert len(verdicts) == 1
    problems, masses = json.loads(verdicts.pop())
    assert masses == [1.5]
    assert len(problems) == 1 and "number-syntax" in problems[0]


def _comma_locales() -> list[str]:
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    return [name for name in listed if name.startswith(("de_", "fr_", "tr_"))][:3]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _tree(star: bool, count: int) -> str:
    lines = ['<robot name="r"><link name="l0"/>']
    for i in range(1, count):
        ends = f'<parent link="l{0 if star else i - 1}"/><child link="l{i}"/>'
        lines.append(f'<link name="l{i}">{INERTIAL}</link><joint name="j{i}" type="continuous">{ends}</joint>')
    return "\n".join(lines) + "</robot>"


@pytest.mark.parametrize("star", [False, True], ids=["chain", "star"])
def test_tree_of_ten_thousand_links_loads(star: bool, tmp_path: Path) -> None:
    model = load(write(tmp_path, "a.urdf", _tree(star, 10_000)))
    assert (model.nb, model.nv) == (10_000, 9_999)


@pytest.mark.parametrize(("suffix", "text"), [(".urdf", URDF), (".xml", MJCF), (".sdf", SDF)])
def test_names_and_paths_that_are_no_text_are_refused(tmp_path, suffix, text):
    path = tmp_path / f"pendulum{suffix}"
    path.write_text(text)
    with pytest.raises(DtypeError, match="name is 5; expected the name of a model"):
        load(path, name=5)
    with pytest.raises(DtypeError, match="path is 5; expected the path of a model file"):
        load(5)
