"""Finding referenced files, and never leaving the package."""

import os
from pathlib import Path

import pytest

from tarsus.errors import ModelFileError
from tarsus.io.load import load
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import parse_xml_text

ENVIRONMENT = (
    "ROS_PACKAGE_PATH",
    "AMENT_PREFIX_PATH",
    "GAZEBO_MODEL_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "SDF_PATH",
)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


def touch(path: Path) -> Path:
    """Create a file with all directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mesh")
    return path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package without package.xml: nao/urdf/nao.urdf, nao/meshes/head.stl."""
    touch(tmp_path / "ws" / "nao" / "urdf" / "nao.urdf")
    touch(tmp_path / "ws" / "nao" / "meshes" / "head.stl")
    touch(tmp_path / "ws" / "nao" / "urdf" / "beside.stl")
    return tmp_path / "ws" / "nao"


def finder(package: Path, *package_dirs: Path | str) -> PackageFinder:
    return PackageFinder(package / "urdf" / "nao.urdf", package_dirs)


@pytest.mark.parametrize(
    "uri",
    [
        "package://nao/meshes/head.stl",
        "package:///nao/meshes/head.stl",
        "package://nao/./meshes//head.stl",
        "package://nao/urdf/../meshes/head.stl",
        "PACKAGE://nao/meshes/head.stl",
        "package://nao/meshes/he%61d.stl",
        "model://nao/meshes/head.stl",
        "../meshes/head.stl",
        "file://../meshes/head.stl",
        "  ../meshes/head.stl ",
    ],
)
def test_mesh_of_the_own_package_is_found_from_the_ancestors(uri: str, package: Path) -> None:
    assert finder(package).resolve(uri).path == str(package / "meshes" / "head.stl")


def test_absolute_paths_inside_the_package_are_found(package: Path) -> None:
    mesh = package / "meshes" / "head.stl"
    assert finder(package).resolve(mesh.as_uri()).path == str(mesh)
    assert finder(package).resolve(str(mesh)).path == str(mesh)
    assert finder(package).resolve(f"file://localhost{mesh}").path == str(mesh)


@pytest.mark.parametrize("mark", ["package.xml", "model.config"])
def test_sibling_package_is_found_from_the_ancestors_if_it_says_that_it_is_one(package: Path, mark: str) -> None:
    mesh = touch(package.parent / "hands" / "thumb.stl")
    assert finder(package).resolve("package://hands/thumb.stl").verdict == "missing"
    touch(package.parent / "hands" / mark)
    assert finder(package).resolve("package://hands/thumb.stl").path == str(mesh)


@pytest.mark.parametrize(
    "uri",
    ["package://.ssh/key.stl", "package://user/.ssh/key.stl", "model://user/.ssh/key.stl", "package:///.ssh/key.stl"],
)
def test_files_beside_and_in_directories_above_are_not_read(uri: str, tmp_path: Path) -> None:
    home = tmp_path / "user"
    touch(home / ".ssh" / "key.stl")
    file = touch(home / "downloads" / "robot" / "urdf" / "robot.urdf")
    assert PackageFinder(file).resolve(uri).path is None
    assert PackageFinder(file, [home]).resolve("package://user/.ssh/key.stl").path == str(home / ".ssh" / "key.stl")


def test_files_in_several_directories_beside_the_package_are_told_once(package: Path, tmp_path: Path) -> None:
    uris = [f"../../beside/{name}/{k}.stl" for name in ("arm", "leg", "leg/foot") for k in range(3)]
    for uri in uris:
        touch(package / "urdf" / uri)
    root, report = parse_xml_text("<mesh/>")
    search = finder(package)
    assert all(search.locate(report, root, uri) is None for uri in uris)
    (problem,) = report.problems
    assert problem.rule == "path-outside-package"
    assert f"package_dirs=[{str(package.parent / 'beside')!r}]" in problem.message
    assert "--package-dir" in problem.message
    assert all(finder(package, package.parent / "beside").resolve(uri).path for uri in uris)


def test_a_path_without_a_package_is_in_the_own_one(package: Path) -> None:
    assert finder(package).resolve("package:///meshes/head.stl").path == str(package / "meshes" / "head.stl")
    touch(package.parent / "secret.stl")
    assert finder(package).resolve("package:///../secret.stl").path is None


def test_a_package_that_is_not_found_is_told_with_the_option_that_helps(package: Path) -> None:
    root, report = parse_xml_text("<mesh/>")
    finder(package).locate(report, root, "package://arm/a.stl")
    assert "package_dirs=" in report.problems[0].message
    assert "--package-dir" in report.problems[0].message


def test_package_dirs_may_be_parents_of_packages_or_packages(package: Path, tmp_path: Path) -> None:
    mesh = touch(tmp_path / "elsewhere" / "arm" / "a.stl")
    for directory in (tmp_path / "elsewhere", tmp_path / "elsewhere" / "arm", str(tmp_path / "elsewhere")):
        assert finder(package, directory).resolve("package://arm/a.stl").path == str(mesh)
    assert PackageFinder(package / "urdf" / "nao.urdf", str(tmp_path / "elsewhere")).resolve("package://arm/a.stl").path


def test_package_dirs_come_before_ancestors_and_environment(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = touch(tmp_path / "given" / "nao" / "meshes" / "head.stl")
    touch(tmp_path / "ros" / "nao" / "meshes" / "head.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    uri = "package://nao/meshes/head.stl"
    assert finder(package, tmp_path / "given").resolve(uri).path == str(given)
    assert finder(package).resolve(uri).path == str(package / "meshes" / "head.stl")


@pytest.mark.parametrize(
    ("variable", "place", "scheme"),
    [
        ("ROS_PACKAGE_PATH", "arm", "package"),
        ("ROS_PACKAGE_PATH", "arm", "model"),
        ("AMENT_PREFIX_PATH", "share/arm", "package"),
        ("AMENT_PREFIX_PATH", "share/arm", "model"),
        ("GAZEBO_MODEL_PATH", "arm", "model"),
        ("GZ_SIM_RESOURCE_PATH", "arm", "model"),
        ("SDF_PATH", "arm", "model"),
    ],
)
def test_environment_names_directories_with_packages(
    variable: str, place: str, scheme: str, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = touch(tmp_path / "env" / place / "a.stl")
    assert finder(package).resolve(f"{scheme}://arm/a.stl").verdict == "missing"
    monkeypatch.setenv(variable, os.pathsep.join(["", str(tmp_path / "nowhere"), str(tmp_path / "env")]))
    assert finder(package).resolve(f"{scheme}://arm/a.stl").path == str(mesh)


def test_missing_mesh_lists_all_paths_tried(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ament"))
    root, report = parse_xml_text('<mesh filename="x"/>')
    assert finder(package, tmp_path / "given").locate(report, root, "package://arm/a.stl") is None
    problem = report.problems[0]
    assert (problem.severity, problem.rule, problem.value) == ("warning", "mesh-not-found", "package://arm/a.stl")
    places = [tmp_path / "given", package / "urdf", package, tmp_path / "ros"]
    tried = [str(place / "arm" / "a.stl") for place in places] + [str(tmp_path / "ament" / "share" / "arm" / "a.stl")]
    positions = [problem.message.index(path) for path in tried]
    assert positions == sorted(positions)


def test_problem_of_a_mesh_is_told_once(package: Path) -> None:
    root, report = parse_xml_text("<mesh/>")
    search = finder(package)
    for _ in range(3):
        search.locate(report, root, "package://arm/a.stl")
    assert len(report.problems) == 1


@pytest.mark.parametrize(
    "uri",
    [
        "package://nao/../other/secret.stl",
        "package://nao/../../secret.stl",
        "package://../secret.stl",
        "package://./secret.stl",
        "package://nao//../../secret.stl",
        "package://nao/meshes/../../../secret.stl",
        "package://nao/%2e%2e/other/secret.stl",
        "package://nao/%2e%2e%2fother/secret.stl",
        "model://nao/../other/secret.stl",
        "../../other/secret.stl",
        "../../../secret.stl",
        "file://../../other/secret.stl",
        "file:///dev/null",
        "/dev/null",
        "/etc/../dev/null",
    ],
)
def test_path_out_of_the_package_is_an_error(uri: str, package: Path, tmp_path: Path) -> None:
    touch(tmp_path / "secret.stl")
    touch(tmp_path / "ws" / "other" / "secret.stl")
    root, report = parse_xml_text("<mesh/>")
    assert finder(package).locate(report, root, uri) is None
    assert [(problem.severity, problem.rule) for problem in report.problems] == [("error", "path-outside-package")]


def test_symbolic_link_out_of_the_package_is_an_error_unless_its_target_may_be_read(
    package: Path, tmp_path: Path
) -> None:
    secret = touch(tmp_path / "store" / "secret.stl")
    (package / "meshes" / "link.stl").symlink_to(secret)
    (package / "linked").symlink_to(secret.parent, target_is_directory=True)
    for uri in ("package://nao/meshes/link.stl", "../meshes/link.stl", "package://nao/linked/secret.stl"):
        assert finder(package).resolve(uri).verdict == "outside"
        assert finder(package, tmp_path / "store").resolve(uri).path == str(secret)


def test_symbolic_link_inside_the_package_is_followed(package: Path) -> None:
    (package / "meshes" / "same.stl").symlink_to(package / "meshes" / "head.stl")
    assert finder(package).resolve("package://nao/meshes/same.stl").path == str(package / "meshes" / "head.stl")


def test_package_reached_by_a_symbolic_link_is_a_package(package: Path, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "robot").symlink_to(package, target_is_directory=True)
    found = finder(package, tmp_path / "workspace").resolve("package://robot/meshes/head.stl")
    assert found.path == str(package / "meshes" / "head.stl")


def test_package_xml_marks_the_package_of_the_file(tmp_path: Path) -> None:
    file = touch(tmp_path / "ws" / "nao" / "deep" / "down" / "nao.urdf")
    mesh = touch(tmp_path / "ws" / "nao" / "meshes" / "head.stl")
    assert PackageFinder(file).resolve("../../meshes/head.stl").verdict == "outside"
    touch(tmp_path / "ws" / "nao" / "package.xml")
    assert PackageFinder(file).resolve("../../meshes/head.stl").path == str(mesh)
    assert PackageFinder(file).resolve("../../../secret.stl").verdict == "outside"


def test_file_outside_a_package_reads_only_its_own_directory(tmp_path: Path) -> None:
    file = touch(tmp_path / "downloads" / "nao.urdf")
    mesh = touch(tmp_path / "downloads" / "meshes" / "head.stl")
    touch(tmp_path / "secret.stl")
    assert PackageFinder(file).resolve("meshes/head.stl").path == str(mesh)
    assert PackageFinder(file).resolve("../secret.stl").verdict == "outside"


@pytest.mark.parametrize("uri", ["http://x/a.stl", "https://x/a.stl", "HTTP://x/a.stl", "ftp://x/a.stl", "data:,x"])
def test_nothing_is_fetched(uri: str, package: Path) -> None:
    root, report = parse_xml_text("<mesh/>")
    assert finder(package).locate(report, root, uri) is None
    assert [(problem.severity, problem.rule) for problem in report.problems] == [("warning", "mesh-remote")]


@pytest.mark.parametrize(
    "uri", ["", "package://", "package://nao", "package://nao/", "package://nao/%00", "a\ufffdb.stl"]
)
def test_reference_to_no_file_is_not_found(uri: str, package: Path) -> None:
    assert finder(package).resolve(uri).path is None


def test_absolute_path_of_another_machine_is_not_found_rather_than_forbidden(package: Path) -> None:
    assert finder(package).resolve("file:///home/somebody/else/head.mesh").verdict == "missing"


def test_directory_is_no_mesh(package: Path) -> None:
    assert finder(package).resolve("package://nao/meshes").verdict == "missing"


def test_text_without_a_file_finds_meshes_in_package_dirs_only(package: Path) -> None:
    nowhere = PackageFinder(None, [package.parent])
    assert nowhere.resolve("package://nao/meshes/head.stl").path == str(package / "meshes" / "head.stl")
    assert nowhere.resolve("meshes/head.stl").verdict == "missing"


def test_relative_paths_may_start_in_another_directory(package: Path) -> None:
    search = finder(package)
    assert search.resolve("head.stl", directory="../meshes").path == str(package / "meshes" / "head.stl")
    assert search.resolve("head.stl", directory="../../other").verdict == "outside"


def test_files_outside_are_told_once_a_directory_with_the_option_that_helps(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "package" / "robots" / "one").mkdir(parents=True)
    for k in range(3):
        (tmp_path / "meshes" / f"m{k}.stl").write_text("solid x\nendsolid x\n")
    visuals = "".join(
        f'<visual><geometry><mesh filename="../../../meshes/m{k}.stl"/></geometry></visual>' for k in range(3)
    )
    path = tmp_path / "package" / "robots" / "one" / "r.urdf"
    path.write_text(f'<robot name="r"><link name="a">{visuals}</link></robot>')
    with pytest.raises(ModelFileError) as found:
        load(path)
    (problem,) = [p for p in found.value.problems if p.rule == "path-outside-package"]
    directory = str(tmp_path / "meshes")
    assert f"package_dirs=[{directory!r}]" in problem.message and "--package-dir" in problem.message
    assert len(load(path, package_dirs=[directory]).bodies["a"].visuals) == 3
