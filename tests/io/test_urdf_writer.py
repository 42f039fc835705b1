"""Written URDF reads back as the same description."""

import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_data import robot_data_path, robots_directory, urdf_files

from tarsus.errors import ModelError, ModelWarning
from tarsus.io.load import load
from tarsus.io.urdf import read_urdf, read_urdf_text
from tarsus.io.urdf.writer import write_urdf
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.derive import joint_transform
from tarsus.model.description import Description, FrameSpec, JointSpec, LinkSpec
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from tarsus.model.validation import find_problems
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import inverse_pose

ROUND_OFF = 1e-14
"""Rotation matrix to angles and back."""
GIMBAL_ROUND_OFF = 2e-12
"""Within 1e-12 of pitch = 90 degrees the yaw angle is written as zero."""


def random_pose(rng: np.random.Generator) -> np.ndarray:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    X = np.eye(4)
    X[:3, :3] = Q * np.sign(np.diag(R))
    X[:3, :3] *= np.linalg.det(X[:3, :3])
    X[:3, 3] = rng.normal(size=3)
    return X


def two_links(joint: JointSpec, **keywords: object) -> Description:
    links = (LinkSpec("a"), LinkSpec("b", Inertia.of_box(2.0, (0.1, 0.2, 0.3), (0.01, 0.02, 0.03))))
    return Description("robot", links, (joint,), **keywords)


def reread(description: Description) -> Description:
    found, problems = read_urdf_text(write_urdf(description))
    assert problems == ()
    assert [problem for problem in find_problems(found) if problem.severity == "error"] == []
    return found


def assert_same_joint(found: JointSpec, expected: JointSpec) -> None:
    assert (found.name, found.kind, found.parent, found.child) == (
        expected.name,
        expected.kind,
        expected.parent,
        expected.child,
    )
    np.testing.assert_allclose(found.pose, expected.pose, rtol=0, atol=GIMBAL_ROUND_OFF)
    if found.kind not in ("fixed", "free"):
        np.testing.assert_allclose(found.axis, expected.axis, rtol=0, atol=ROUND_OFF)
    for name in ("q_min", "q_max", "v_max", "tau_max", "damping", "friction"):
        assert getattr(found, name) == getattr(expected, name), name


def assert_same_link(found: LinkSpec, expected: LinkSpec) -> None:
    assert found.name == expected.name
    assert (found.inertia is None) == (expected.inertia is None)
    if found.inertia is not None and expected.inertia is not None:
        assert found.inertia.mass == expected.inertia.mass
        np.testing.assert_array_equal(found.inertia.com, expected.inertia.com)
        np.testing.assert_allclose(found.inertia.moments, expected.inertia.moments, rtol=ROUND_OFF)
    for mine, other in ((found.visuals, expected.visuals), (found.collisions, expected.collisions)):
        assert [(shape.geometry, shape.name) for shape in mine] == [(shape.geometry, shape.name) for shape in other]
        for one, two in zip(mine, other, strict=True):
            np.testing.assert_allclose(one.pose, two.pose, rtol=0, atol=GIMBAL_ROUND_OFF)
    assert [shape.color for shape in found.visuals] == [shape.color for shape in expected.visuals]


def without_paths(description: Description) -> Description:
    """Forget where meshes were found."""

    def forget(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
        return tuple(
            replace(shape, geometry=replace(shape.geometry, path=None)) if isinstance(shape.geometry, Mesh) else shape
            for shape in shapes
        )

    links = tuple(
        replace(link, visuals=forget(link.visuals), collisions=forget(link.collisions)) for link in description.links
    )
    return replace(description, links=links)


@pytest.mark.parametrize("file", [file for file in urdf_files() if file != "ur_description/urdf/ur3.urdf"])
def test_real_robot_survives_the_round_trip(file: str) -> None:
    original = without_paths(read_urdf(robots_directory() / file)[0])
    found = without_paths(read_urdf_text(write_urdf(original))[0])
    assert found.name == original.name
    for link, expected in zip(found.links, original.links, strict=True):
        assert_same_link(link, expected)
    for joint, expected_joint in zip(found.joints, original.joints, strict=True):
        if (expected_joint.q_min, expected_joint.q_max) != (-np.inf, np.inf):
            assert_same_joint(joint, expected_joint)
    couplings = [(c.joint, c.leader, c.ratio, c.offset) for c in found.couplings]
    assert couplings == [(c.joint, c.leader, c.ratio, c.offset) for c in original.couplings]


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "continuous", "fixed", "planar", "free"])
def test_joint_survives_the_round_trip(kind: str) -> None:
    rng = np.random.default_rng(4)
    limits = {"q_min": -1.25, "q_max": 0.75} if kind in ("revolute", "prismatic") else {}
    rates = {"v_max": 3.0, "tau_max": 100.0, "damping": 0.5, "friction": 0.25}
    one_axis = rates if kind in ("revolute", "prismatic", "continuous") else {}
    joint = JointSpec("j", kind, "a", "b", pose=random_pose(rng), axis=(0.6, 0.0, 0.8), **limits, **one_axis)
    assert_same_joint(reread(two_links(joint)).joints[0], joint)


def test_gimbal_lock_keeps_the_rotation() -> None:
    for pitch in (np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, -np.pi / 2 + 1e-12):
        c, s = np.cos(pitch), np.sin(pitch)
        X = np.eye(4)
        yaw = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]])
        X[:3, :3] = yaw @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        found = reread(two_links(JointSpec("j", "fixed", "a", "b", pose=X))).joints[0]
        np.testing.assert_allclose(found.pose, X, rtol=0, atol=GIMBAL_ROUND_OFF)


def test_numbers_survive_to_the_last_bit() -> None:
    joint = JointSpec(
        "j", "prismatic", "a", "b", q_min=-1 / 3, q_max=0.1 + 0.2, v_max=1e-300, tau_max=12345678901234567.0
    )
    assert_same_joint(reread(two_links(joint)).joints[0], joint)


def test_missing_limits_stay_missing() -> None:
    turning = reread(two_links(JointSpec("j", "revolute", "a", "b"))).joints[0]
    assert (turning.kind, turning.q_min, turning.q_max) == ("continuous", -np.inf, np.inf)
    sliding = reread(two_links(JointSpec("j", "prismatic", "a", "b", q_min=0.0))).joints[0]
    assert (sliding.q_min, sliding.q_max, sliding.v_max, sliding.tau_max) == (0.0, np.inf, np.inf, np.inf)


def test_shapes_and_colours_survive() -> None:
    rng = np.random.default_rng(5)
    solids = (
        Box((1, 2, 3)),
        Sphere(0.5),
        Cylinder(0.1, 2.0),
        Capsule(0.1, 2.0),
        Mesh("package://p/m.stl", None, (1, 1, -2)),
    )
    shapes = tuple(Shape(solid, random_pose(rng), (0.1, 0.2, 0.3, 1.0), f"s{i}") for i, solid in enumerate(solids))
    link = LinkSpec("a", visuals=shapes, collisions=shapes)
    found, _ = read_urdf_text(write_urdf(Description("r", (link,))))
    assert_same_link(found.links[0], link)


def test_names_are_escaped() -> None:
    name = "<&\"'> ü 左 \t\n"
    description = Description(name, (LinkSpec(name),))
    found = reread(description)
    assert (found.name, found.links[0].name) == (name, name)


def test_name_that_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ModelError):
        write_urdf(Description("r", (LinkSpec("a\0"),)))


def motion(description: Description, q: dict[str, list[float]]) -> np.ndarray:
    """Pose of link b in link a."""
    carrier = {joint.child: joint for joint in description.joints}
    X, link = np.eye(4), "b"
    while link != "a":
        joint = carrier[link]
        X = joint.pose @ joint_transform(joint, q.get(joint.name, [])) @ joint.child_pose @ X
        link = joint.parent
    return X


@pytest.mark.parametrize("kind", ["universal", "cylindrical", "helical", "revolute"])
def test_joint_with_massless_links_in_between_moves_alike(kind: str) -> None:
    rng = np.random.default_rng(6)
    pitch = 0.3 if kind == "helical" else 0.0
    poses = {"pose": random_pose(rng), "child_pose": random_pose(rng)}
    joint = JointSpec("j", kind, "a", "b", axis=(0.0, 0.6, 0.8), axis2=(1.0, 0.0, 0.0), pitch=pitch, **poses)
    original = two_links(joint)
    q = [0.4, -0.7] if kind in ("universal", "cylindrical") else [0.4]
    split = {"j": q[:1], "j_2": [pitch * q[0]] if kind == "helical" else q[1:]}
    written = reread(original)
    np.testing.assert_allclose(motion(written, split), motion(original, {"j": q}), rtol=0, atol=ROUND_OFF)
    expected = [("j_2", "j", pitch)] if kind == "helical" else []
    assert [(c.joint, c.leader, c.ratio) for c in written.couplings] == expected


def test_limits_of_a_universal_joint_go_to_their_halves() -> None:
    joint = JointSpec("j", "universal", "a", "b", q_min=(-1.0, -2.0), q_max=(1.0, 2.0), tau_max=(3.0, 4.0))
    first, second = reread(two_links(joint)).joints
    assert (first.q_min, first.q_max, first.tau_max) == (-1.0, 1.0, 3.0)
    assert (second.q_min, second.q_max, second.tau_max) == (-2.0, 2.0, 4.0)


def test_added_names_do_not_collide_with_given_ones() -> None:
    joint = JointSpec("j", "universal", "a", "b", axis=(1.0, 0.0, 0.0))
    links = (LinkSpec("a"), LinkSpec("b"), LinkSpec("j_link"), LinkSpec("j_2"))
    joints = (joint, JointSpec("x", "fixed", "a", "j_link"), JointSpec("y", "fixed", "a", "j_2"))
    found = reread(Description("r", links, joints))
    assert len({link.name for link in found.links}) == 5
    assert len({spec.name for spec in found.joints}) == 4


def test_frames_become_links_behind_fixed_joints() -> None:
    X = random_pose(np.random.default_rng(8))
    found = reread(two_links(JointSpec("j", "fixed", "a", "b"), frames=(FrameSpec("tool", "b", X),)))
    joint = next(spec for spec in found.joints if spec.child == "tool")
    assert (joint.kind, joint.parent) == ("fixed", "b")
    np.testing.assert_allclose(inverse_pose(joint.pose) @ X, np.eye(4), rtol=0, atol=ROUND_OFF)


def test_couplings_become_mimic_joints() -> None:
    description = Description(
        "r",
        (LinkSpec("a"), LinkSpec("b"), LinkSpec("c")),
        (JointSpec("j", "revolute", "a", "b"), JointSpec("k", "prismatic", "a", "c")),
        couplings=(Coupling("k", "j", -0.25, 0.5),),
    )
    assert [(c.joint, c.leader, c.ratio, c.offset) for c in reread(description).couplings] == [("k", "j", -0.25, 0.5)]


def test_spherical_joint_and_loop_are_refused_by_name() -> None:
    description = two_links(JointSpec("hip", "spherical", "a", "b"), loops=(Loop("bar", "revolute", "a", "b"),))
    with pytest.raises(ModelError) as caught:
        write_urdf(description)
    assert [problem.element for problem in caught.value.problems] == ["joint 'hip'", "loop 'bar'"]


def test_what_is_left_out_is_told() -> None:
    joint = JointSpec("j", "revolute", "a", "b", armature=0.1, stiffness=2.0, actuated=False)
    description = two_links(joint)
    egg = LinkSpec("a", visuals=(Shape(Ellipsoid((1, 2, 3))),))
    with pytest.warns(ModelWarning) as caught:
        write_urdf(replace(description, links=(egg, description.links[1])))
    message = str(caught[0].message)
    for lost in (
        "ellipsoid of link 'a'",
        "armature of joint 'j'",
        "stiffness of joint 'j'",
        "missing drive of joint 'j'",
    ):
        assert lost in message


def test_nothing_is_told_when_nothing_is_left_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_urdf(two_links(JointSpec("j", "revolute", "a", "b", q_min=0.0)))


def test_model_is_written_like_the_description_it_was_made_from() -> None:
    model = load(robot_data_path("talos_data/robots/talos_reduced.urdf"), "free")
    assert write_urdf(model) == write_urdf(model.description)


def test_file_holds_what_is_returned(tmp_path: Path) -> None:
    description = two_links(JointSpec("j", "revolute", "a", "b"))
    text = write_urdf(description, tmp_path / "out.urdf")
    assert (tmp_path / "out.urdf").read_text(encoding="utf-8") == text
    assert os.listdir(tmp_path) == ["out.urdf"]


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.urdf"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_urdf(two_links(JointSpec("j", "revolute", "a", "b")), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.urdf"]


def test_permissions_of_a_replaced_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "out.urdf"
    path.write_text("old")
    path.chmod(0o640)
    write_urdf(two_links(JointSpec("j", "revolute", "a", "b")), path)
    assert path.stat().st_mode & 0o777 == 0o640
