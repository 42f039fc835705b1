"""Reading URDF: every element becomes what it says."""

from pathlib import Path

import numpy as np
import pytest
from robot_data import robot_data_path, robots_directory, urdf_files

from tarsus.errors import ModelFileError
from tarsus.io.load import inspect_file
from tarsus.io.urdf import read_urdf, read_urdf_text
from tarsus.model.description import Description, JointSpec, LinkSpec
from tarsus.model.shapes import Box, Capsule, Cylinder, Mesh, Sphere

ROUND_OFF = 1e-15
"""Products of a few numbers near one."""

REFUSED = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "unknown-joint",  # fingers that mimic joints of another name
    "romeo_description/urdf/romeo_laas_small.urdf": "inertia-not-psd",  # thighs with a negative moment of inertia
    "ur_description/urdf/ur3.urdf": "no-links",  # a robot without anything in it
}
"""Files of example-robot-data that are wrong, and why."""


def read(*lines: str) -> Description:
    description, problems = read_urdf_text("\n".join(['<robot name="r">', *lines, "</robot>"]))
    assert [problem for problem in problems if problem.severity == "error"] == []
    return description


def link(body: str) -> LinkSpec:
    return read(f'<link name="a">{body}</link>').links[0]


def joint(body: str, kind: str = "revolute") -> JointSpec:
    ends = '<parent link="a"/><child link="b"/>'
    limit = "" if "<limit" in body else '<limit effort="1" velocity="1"/>'
    return read(f'<joint name="j" type="{kind}">{ends}{body}{limit}</joint>').joints[0]


def rotation(axis: int, angle: float) -> np.ndarray:
    """Return the elementary rotation about a coordinate axis."""
    R = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def test_robot_has_its_name_links_and_joints_with_their_lines() -> None:
    description = read(
        '<link name="a"/>',
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>',
        '<link name="b"/>',
    )
    assert description.name == "r"
    assert [(spec.name, spec.source.line) for spec in description.links] == [("a", 2), ("b", 4)]
    assert [(spec.name, spec.parent, spec.child, spec.source.line) for spec in description.joints] == [
        ("j", "a", "b", 3)
    ]
    assert description.base == "fixed"


def test_origin_turns_about_fixed_axes_roll_first() -> None:
    X = joint('<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/>').pose
    np.testing.assert_array_equal(X[:3, 3], (1, 2, 3))
    np.testing.assert_allclose(
        X[:3, :3], rotation(2, 0.3) @ rotation(1, -0.2) @ rotation(0, 0.1), rtol=0, atol=4 * ROUND_OFF
    )
    np.testing.assert_array_equal(X[3], (0, 0, 0, 1))


@pytest.mark.parametrize("origin", ["", "<origin/>", '<origin xyz="0 0 0"/>', '<origin rpy="0 0 0"/>'])
def test_missing_origin_is_the_identity(origin: str) -> None:
    np.testing.assert_array_equal(joint(origin).pose, np.eye(4))


def test_inertia_is_turned_into_the_axes_of_the_link() -> None:
    inertia = link(
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="2"/>'
        '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/></inertial>'
    ).inertia
    assert inertia is not None
    R = rotation(2, 0.6) @ rotation(1, 0.5) @ rotation(0, 0.4)
    J = np.array([[1, 0.1, 0.2], [0.1, 1.5, 0.3], [0.2, 0.3, 2]])
    assert inertia.mass == 2.0
    np.testing.assert_array_equal(inertia.com, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(inertia.moments, R @ J @ R.T, rtol=0, atol=10 * ROUND_OFF)
    np.testing.assert_array_equal(inertia.moments, inertia.moments.T)


def test_link_without_inertial_has_none() -> None:
    assert link("").inertia is None


def test_joint_types_become_joint_kinds() -> None:
    types = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
    kinds = [joint("", kind).kind for kind in types]
    assert kinds == ["revolute", "continuous", "prismatic", "fixed", "free", "planar"]


def test_axis_is_x_by_default_and_of_unit_length() -> None:
    assert joint("").axis == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(joint('<axis xyz="3 0 -4"/>').axis, (0.6, 0, -0.8), rtol=0, atol=ROUND_OFF)


def test_limits_and_dynamics_are_read() -> None:
    spec = joint('<limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="5" friction="6"/>')
    assert (spec.q_min, spec.q_max, spec.tau_max, spec.v_max) == (-1.0, 2.0, 3.0, 4.0)
    assert (spec.damping, spec.friction) == (5.0, 6.0)


def test_limits_left_out_are_zero_as_the_format_has_it() -> None:
    spec = joint('<limit effort="3" velocity="4"/>')
    assert (spec.q_min, spec.q_max) == (0.0, 0.0)


def test_continuous_joint_has_no_position_limits_but_others() -> None:
    spec = joint('<limit lower="-1" upper="2" effort="3" velocity="4"/>', "continuous")
    assert (spec.q_min, spec.q_max, spec.tau_max, spec.v_max) == (-np.inf, np.inf, 3.0, 4.0)


def test_mimic_becomes_a_coupling() -> None:
    def finger(name: str, mimic: str) -> str:
        limit = '<limit effort="1" velocity="1"/>'
        return f'<joint name="{name}" type="revolute"><parent link="a"/><child link="{name}"/>{limit}{mimic}</joint>'

    description = read(
        finger("thumb", ""),
        finger("index", '<mimic joint="thumb" multiplier="-0.5" offset="0.1"/>'),
        finger("ring", '<mimic joint="index"/>'),
    )
    couplings = [(c.joint, c.leader, c.ratio, c.offset, c.source.line) for c in description.couplings]
    assert couplings == [("index", "thumb", -0.5, 0.1, 3), ("ring", "index", 1.0, 0.0, 4)]


def test_mimic_left_behind_on_a_fixed_joint_is_ignored() -> None:
    description = read(
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/><mimic joint="other"/></joint>',
    )
    assert description.couplings == ()


def test_shapes_are_read_in_order_with_their_poses() -> None:
    spec = link(
        '<visual name="v"><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry></visual>'
        '<visual><geometry><sphere radius="2"/></geometry></visual>'
        '<collision><geometry><cylinder radius="1" length="4"/></geometry></collision>'
        '<collision><geometry><capsule radius="1" length="4"/></geometry></collision>'
        '<collision><geometry><mesh filename="package://p/m.stl" scale="1 -2 3"/></geometry></collision>'
        '<collision><geometry><mesh filename="package://p/m.stl" scale="0.001"/></geometry></collision>'
    )
    assert [shape.geometry for shape in spec.visuals] == [Box((1.0, 2.0, 3.0)), Sphere(2.0)]
    assert [shape.geometry for shape in spec.collisions] == [
        Cylinder(1.0, 4.0),
        Capsule(1.0, 4.0),
        Mesh("package://p/m.stl", None, (1.0, -2.0, 3.0)),
        Mesh("package://p/m.stl", None, (0.001, 0.001, 0.001)),
    ]
    assert [shape.name for shape in spec.visuals] == ["v", ""]
    np.testing.assert_array_equal(spec.visuals[0].pose[:3, 3], (1, 0, 0))


def test_materials_are_found_wherever_they_are_defined() -> None:
    box = '<geometry><box size="1 1 1"/></geometry>'
    description = read(
        f'<link name="a"><visual>{box}<material name="late"/></visual>',
        f'<visual>{box}<material name="own"><color rgba="0 1 0 1"/></material></visual>',
        f'<visual>{box}<material name=""><color rgba="0 0 1 0.5"/></material></visual></link>',
        f'<link name="b"><visual>{box}<material name="own"/></visual></link>',
        '<material name="late"><color rgba="1 0 0 1"/></material>',
    )
    colors = [shape.color for spec in description.links for shape in spec.visuals]
    assert colors == [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 0.5), (0, 1, 0, 1)]


def test_colour_that_is_wrong_is_told_once() -> None:
    text = (
        '<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry>'
        '<material name="m"><color rgba="red"/></material></visual></link></robot>'
    )
    assert [problem.rule for problem in read_urdf_text(text)[1]] == ["number-syntax"]


def test_bad_mesh_is_an_error_only_when_meshes_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(b"x" * 100)
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a">\n<visual><geometry><mesh filename="a.stl"/></geometry></visual>\n'
        '<collision><geometry><mesh filename="a.stl"/></geometry></collision></link></robot>'
    )
    description, problems = read_urdf(path)
    assert problems == ()
    assert description.links[0].visuals[0].geometry == Mesh("a.stl", str(tmp_path / "a.stl"))
    _, problems = read_urdf(path, check_meshes=True)
    assert [(problem.severity, problem.rule, problem.line) for problem in problems] == [("error", "mesh-header", 2)]


def test_reading_a_robot_opens_nothing_but_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real_open = open

    def spy(file: str, *arguments: str) -> object:
        opened.append(str(file))
        return real_open(file, *arguments)

    monkeypatch.setattr("builtins.open", spy)
    path = robot_data_path("talos_data/robots/talos_reduced.urdf")
    description, _ = read_urdf(path)
    assert opened == [str(path)]
    assert any(isinstance(shape.geometry, Mesh) and shape.geometry.path for shape in description.links[1].visuals)


def test_chain_of_ten_thousand_links_is_read() -> None:
    lines = ['<link name="l0"/>']
    for i in range(1, 10_000):
        ends = f'<parent link="l{i - 1}"/><child link="l{i}"/>'
        lines += [f'<link name="l{i}"/>', f'<joint name="j{i}" type="continuous">{ends}</joint>']
    description = read(*lines)
    assert len(description.joints) == 9_999
    assert description.joints[-1].child == "l9999"


@pytest.mark.parametrize("file", urdf_files())
def test_robot_of_example_robot_data_is_accepted_with_all_its_meshes(file: str) -> None:
    description, problems = inspect_file(robots_directory() / file, check_meshes=False)
    errors = {problem.rule for problem in problems if problem.severity == "error"}
    assert errors == ({REFUSED[file]} if file in REFUSED else set())
    assert description is not None
    remote = {problem.rule for problem in problems} & {"path-outside-package", "mesh-remote"}
    assert remote == set()


def test_parse_error_raises() -> None:
    with pytest.raises(ModelFileError):
        read_urdf_text("<robot>")
