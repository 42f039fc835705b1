"""Reading MJCF: every element becomes what it says; agreement with MuJoCo itself is in tests/parity."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelWarning
from tarsus.io.load import load
from tarsus.io.mjcf import read_mjcf, read_mjcf_text
from tarsus.model.description import Description, JointSpec
from tarsus.model.shapes import Box, Capsule, Ellipsoid, Mesh, Plane, Sphere
from tarsus.spatial.inertia import Inertia

ROUND_OFF = 1e-14
"""Products of a few numbers near one."""


def read(body: str, before: str = "", after: str = "", warnings: bool = False) -> Description:
    """Description of a document with the given <worldbody>, without errors (and warnings, unless allowed)."""
    text = f"<mujoco>{before}<worldbody>{body}</worldbody>{after}</mujoco>"
    description, problems = read_mjcf_text(text)
    assert [p for p in problems if p.severity == "error" or not warnings] == []
    return description


def joint(attributes: str, before: str = "", after: str = "", warnings: bool = False) -> JointSpec:
    """The only joint of a body that weighs something."""
    body = f'<body name="b"><joint name="j" {attributes}/><geom size="1"/></body>'
    return read(body, before, after, warnings).joints[0]


def inertia(geoms: str, before: str = "") -> Inertia:
    result = read(f'<body name="b"><joint/>{geoms}</body>', before).links[1].inertia
    assert result is not None
    return result


def names(description: Description) -> list[str]:
    return [link.name for link in description.links]


# The base


def test_a_single_body_with_a_free_joint_is_a_free_base():
    description = read('<body name="torso" pos="1 2 3"><freejoint name="root"/><geom size="1"/></body>')
    assert (description.base, names(description), description.joints) == ("free", ["torso"], ())
    assert description.reference == {"base.x": 1.0, "base.y": 2.0, "base.z": 3.0, "base.rotation": (1.0, 0.0, 0.0, 0.0)}


def test_a_single_body_without_joints_at_the_origin_is_a_fixed_base():
    description = read('<body name="a"><body name="b"><joint/><geom size="1"/></body></body>')
    assert (description.base, names(description)) == ("fixed", ["a", "b"])


@pytest.mark.parametrize(
    "body",
    [
        '<body name="a" pos="0 0 1"/>',
        '<body name="a"><joint/><geom size="1"/></body>',
        '<body name="a"/><body name="b"/>',
        '<body name="a"><freejoint/><geom size="1"/></body><body name="b"><geom size="1"/></body>',
        '<body name="a"><freejoint/><geom size="1"/></body><body name="b" mocap="true"/>',
        "",
    ],
    ids=["moved", "hinged", "two", "free and fixed", "free and led", "none"],
)
def test_otherwise_the_world_is_a_link(body):
    description = read(body)
    assert description.base == "fixed"
    assert names(description)[0] == "world"
    assert description.links[0].virtual


def test_empty_bodies_of_the_world_beside_a_free_one_are_passed_over():
    description = read(
        '<body name="a" pos="0 0 1"><freejoint/><geom size="1"/></body><body name="origin"><site name="o"/></body>'
    )
    assert (description.base, names(description), description.joints) == ("free", ["a"], ())
    assert not description.frames and description.reference["base.z"] == 1.0


def test_geoms_that_a_pair_lets_touch_the_world_collide_whatever_their_masks_are():
    masked = 'size="1" contype="0" conaffinity="0"'
    world = (
        '<geom name="floor" type="plane" size="1 1 1"/>'
        f'<body name="a"><freejoint/><geom name="sole" {masked}/><geom name="knee" {masked}/>'
        f'<body name="b" pos="3 0 0"><joint/><geom name="hand" {masked}/></body></body>'
    )
    pairs = '<contact><pair geom1="floor" geom2="sole"/><pair geom1="knee" geom2="hand"/></contact>'
    text = f"<mujoco><worldbody>{world}</worldbody>{pairs}</mujoco>"
    links = {link.name: link for link in read_mjcf_text(text)[0].links}
    assert [shape.name for shape in links["a"].collisions] == ["sole"]
    assert not links["b"].collisions
    moving = text.replace('<geom name="floor" type="plane" size="1 1 1"/>', "").replace(
        "</worldbody>", '<body name="floor_body"><freejoint/><geom name="floor" size="1"/></body></worldbody>'
    )
    assert not next(link for link in read_mjcf_text(moving)[0].links if link.name == "a").collisions


def test_base_can_be_chosen():
    assert read_mjcf_text("<mujoco><worldbody/></mujoco>", base="free")[0].base == "free"


def test_what_stands_in_the_world_belongs_to_the_world_link():
    description = read('<geom type="plane" size="1 2 3"/><site name="s" pos="1 0 0"/><body name="a" pos="1 0 0"/>')
    assert description.links[0].collisions[0].geometry == Plane((1.0, 2.0))
    assert (description.frames[0].name, description.frames[0].link) == ("s", "world")


def test_a_file_loads_as_a_model(tmp_path: Path):
    (tmp_path / "robot.xml").write_text(
        """<mujoco model="walker"><worldbody><body name="torso" pos="0 0 1"><freejoint name="root"/><geom size="0.1"/>
        <body name="leg"><joint name="roll" axis="1 0 0"/><joint name="pitch" axis="0 1 0"/><geom size="0.1"/></body>
        </body></worldbody><keyframe><key name="home" qpos="0 0 0.8 1 0 0 0 0.1 0.2"/></keyframe></mujoco>"""
    )
    model = load(tmp_path / "robot.xml")
    assert (model.name, model.base, model.nq, model.nv, model.warnings) == ("walker", "free", 9, 8, ())
    np.testing.assert_allclose(model.reference, (0.0, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0, 0.1, 0.2))
    assert load(tmp_path / "robot.xml", base="fixed").nv == 2


# Joints


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ("", "continuous"),
        ('range="-1 1"', "revolute"),
        ('type="slide"', "prismatic"),
        ('type="ball"', "spherical"),
        ('type="hinge" range="-1 1" limited="false"', "continuous"),
    ],
)
def test_joint_types_become_kinds(attributes, kind):
    assert joint(attributes).kind == kind


def test_angles_are_degrees_unless_the_compiler_says_radians():
    assert joint('range="-90 45"').q_max == pytest.approx(np.pi / 4)
    assert joint('range="-1 2"', '<compiler angle="radian"/>').q_max == 2.0
    assert joint('type="slide" range="-1 2"').q_max == 2.0


def test_range_without_autolimits_needs_limited():
    before = '<compiler autolimits="false" angle="radian"/>'
    assert joint('range="-1 1" limited="true"', before).q_max == 1.0
    assert joint('range="-1 1"', before, warnings=True).q_max == np.inf


def test_passive_forces_are_kept():
    spec = joint('damping="1" frictionloss="2" armature="3" stiffness="4" springref="90"')
    assert (spec.damping, spec.friction, spec.armature, spec.stiffness) == (1.0, 2.0, 3.0, 4.0)
    assert spec.rest == pytest.approx(np.pi / 2)


def test_several_joints_of_a_body_make_a_chain_of_virtual_links():
    joints = '<joint name="x" type="slide"/><joint name="r" pos="0 1 0"/><joint/>'
    description = read(f'<body name="b" pos="1 0 0">{joints}<geom size="1"/></body>')
    assert names(description) == ["world", "b/x", "b/r", "b"]
    assert [link.virtual for link in description.links] == [True, True, True, False]
    assert [(j.name, j.parent, j.child) for j in description.joints] == [
        ("x", "world", "b/x"),
        ("r", "b/x", "b/r"),
        ("b/joint2", "b/r", "b"),
    ]
    np.testing.assert_array_equal(description.joints[0].pose[:3, 3], (1.0, 0.0, 0.0))
    np.testing.assert_array_equal(description.joints[1].pose[:3, 3], (0.0, 1.0, 0.0))
    np.testing.assert_array_equal(description.joints[1].child_pose[:3, 3], (0.0, -1.0, 0.0))


def test_coordinate_ref_is_where_the_body_is_drawn():
    spec = joint('type="slide" axis="0 0 2" ref="0.5"')
    np.testing.assert_allclose(spec.child_pose[:3, 3], (0.0, 0.0, -0.5), atol=ROUND_OFF)
    description = read('<body name="b"><joint name="j" ref="90"/><geom size="1"/></body>')
    assert description.reference == {"j": pytest.approx(np.pi / 2)}


# Defaults


def test_a_class_says_what_an_element_does_not():
    before = """<default><joint damping="1" armature="5"/><default class="sub"><joint damping="2"/>
    <default class="subsub"><joint frictionloss="3"/></default></default></default>"""
    main, sub, subsub = joint("", before), joint('class="sub"', before), joint('class="subsub" damping="7"', before)
    assert (main.damping, main.armature, main.friction) == (1.0, 5.0, 0.0)
    assert (sub.damping, sub.armature, sub.friction) == (2.0, 5.0, 0.0)
    assert (subsub.damping, subsub.armature, subsub.friction) == (7.0, 5.0, 3.0)


def test_childclass_reaches_down_until_the_next_one():
    classes = '<default class="a"><geom size="2"/></default><default class="b"><geom size="3"/></default>'
    inner = '<body childclass="b"><geom/><geom class="a"/></body>'
    body = f'<body childclass="a"><geom/><body><geom/>{inner}</body></body>'
    links = read(body, f"<default>{classes}</default>").links
    radii = [shape.geometry.radius for link in links for shape in link.visuals]
    assert radii == [2.0, 2.0, 3.0, 2.0]


def test_a_later_section_does_not_reach_classes_opened_before():
    before = '<default><default class="a"/></default><default><joint damping="1"/></default>'
    assert joint('class="a"', before).damping == 0.0
    assert joint("", before).damping == 1.0


def test_sizes_may_be_given_in_part():
    before = '<default><geom type="box" size="1 2 3"/></default>'
    assert read('<geom size="5"/>', before).links[0].visuals[0].geometry == Box((10.0, 4.0, 6.0))


def test_own_orientation_wins_over_the_one_of_the_class():
    before = '<default><geom quat="0 1 0 0"/></default>'
    shape = read('<geom size="1" euler="0 0 90"/>', before).links[0].visuals[0]
    np.testing.assert_allclose(shape.pose[:3, 0], (0.0, 1.0, 0.0), atol=ROUND_OFF)


def test_free_joint_ignores_the_defaults():
    before = '<default><joint armature="1"/></default>'
    assert read('<body><freejoint/><geom size="1"/></body>', before).base == "free"
    kept = read('<body><joint type="free"/><geom size="1"/></body>', before)
    assert kept.base == "free" and kept.base_forces == {"armature": 1.0}


# Geoms


def test_half_sizes_become_sizes():
    body = """<geom type="box" size="1 2 3"/><geom type="capsule" size="1 2"/><geom type="ellipsoid" size="1 2 3"/>
    <geom size="2"/><geom type="capsule" size="1" fromto="0 0 0 0 0 -4"/>"""
    shapes = read(body).links[0].visuals
    solids = [Box((2.0, 4.0, 6.0)), Capsule(1.0, 4.0), Ellipsoid((1.0, 2.0, 3.0)), Sphere(2.0), Capsule(1.0, 4.0)]
    assert [shape.geometry for shape in shapes] == solids
    np.testing.assert_allclose(shapes[4].pose[:3, 2:], [[0, 0], [0, 0], [1, -2]], atol=ROUND_OFF)


def test_contact_masks_tell_visual_from_collision_geoms():
    body = """<geom size="1"/><geom size="2" contype="0" conaffinity="0"/><geom size="3" group="3"/>
    <geom size="4" contype="0"/>"""
    link = read(body).links[0]
    assert [shape.geometry.radius for shape in link.visuals] == [1.0, 2.0, 4.0]
    assert [shape.geometry.radius for shape in link.collisions] == [1.0, 3.0, 4.0]
    discarded = read(body, '<compiler discardvisual="true"/>').links[0]
    assert [shape.geometry.radius for shape in discarded.visuals] == [1.0, 4.0]


def test_colour_comes_from_rgba_else_from_the_material():
    assets = '<asset><material name="m" rgba="1 0 0 1"/></asset>'
    shapes = read('<geom size="1" material="m"/><geom size="1" material="m" rgba="0 1 0 1"/>', assets).links[0].visuals
    assert [shape.color for shape in shapes] == [(1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0)]


def test_density_and_mass_of_geoms():
    assert inertia('<geom type="box" size="0.5 0.5 0.5"/>').mass == pytest.approx(1000.0)
    assert inertia('<geom type="box" size="0.5 0.5 0.5" density="2"/>').mass == pytest.approx(2.0)
    assert inertia('<geom type="box" size="0.5 0.5 0.5" mass="3" density="2"/>').mass == 3.0
    two = inertia('<geom size="1" mass="1" pos="1 0 0"/><geom size="1" mass="3" pos="-1 0 0"/>')
    np.testing.assert_allclose(two.com, (-0.5, 0.0, 0.0), atol=ROUND_OFF)


def test_inertial_wins_over_geoms_unless_the_compiler_says_otherwise():
    given = '<inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/><geom size="1" mass="2"/>'
    assert inertia(given).mass == 5.0
    assert inertia(given, '<compiler inertiafromgeom="true"/>').mass == 2.0


def test_a_body_without_geoms_and_inertial_has_no_inertia():
    assert read("<body/>").links[0].inertia is None


def test_meshes_are_found_and_weighed(tmp_path: Path):
    (tmp_path / "assets").mkdir()
    vertices = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {face}" for face in faces]
    (tmp_path / "assets" / "cube.obj").write_text("\n".join(lines))
    text = """<mujoco><compiler meshdir="assets"/><asset><mesh file="cube.obj" scale="1 2 3"/></asset><worldbody>
    <body name="b" pos="1 0 0"><geom type="mesh" mesh="cube" density="10"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(text)
    description, problems = read_mjcf(tmp_path / "robot.xml")
    assert problems == ()
    link = description.links[1]
    path = str(tmp_path / "assets" / "cube.obj")
    assert link.visuals[0].geometry == Mesh("assets/cube.obj", path, (1.0, 2.0, 3.0), own_colors=False)
    assert link.inertia is not None
    assert link.inertia.mass == pytest.approx(60.0)
    np.testing.assert_allclose(link.inertia.com, (0.5, 1.0, 1.5))
    np.testing.assert_allclose(link.inertia.moments, Inertia.of_box(60.0, (1.0, 2.0, 3.0)).moments, atol=1e-12)


def test_a_cloud_of_points_stands_for_its_convex_hull(tmp_path: Path):
    corners = [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    (tmp_path / "cloud.obj").write_text("\n".join([*corners, "v 0.5 0.5 0.5"]))
    text = """<mujoco><asset><mesh file="cloud.obj"/></asset><worldbody><body name="b" pos="1 0 0">
    <geom type="mesh" mesh="cloud" density="2"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(text)
    description, problems = read_mjcf(tmp_path / "robot.xml", check_meshes=True)
    assert problems == ()
    assert description.links[1].inertia.mass == pytest.approx(2.0)


def test_a_missing_mesh_is_a_warning_and_its_mass_is_left_out(tmp_path: Path):
    text = """<mujoco><asset><mesh file="no.stl"/></asset><worldbody><body name="b"><joint/>
    <geom type="mesh" mesh="no"/><geom size="1" mass="1"/></body></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(text)
    description, problems = read_mjcf(tmp_path / "robot.xml")
    assert sorted(p.rule for p in problems) == ["mesh-not-found", "missing-inertia"]
    assert {p.severity for p in problems} == {"warning"}
    assert description.links[1].inertia.mass == 1.0


# Frames, sites, replicas, includes


def test_sites_become_frames():
    description = read('<body name="a"><site name="s" pos="1 2 3" euler="0 0 90"/><site/></body>')
    (frame,) = description.frames
    assert (frame.name, frame.link) == ("s", "a")
    np.testing.assert_allclose(frame.pose[:3, (0, 3)], [[0, 1], [1, 2], [0, 3]], atol=ROUND_OFF)


def test_a_site_with_the_name_of_a_body_is_renamed_with_a_warning():
    text = '<mujoco><worldbody><body name="a"><site name="a"/></body></worldbody></mujoco>'
    description, problems = read_mjcf_text(text)
    assert [frame.name for frame in description.frames] == ["a/a"]
    assert [(p.severity, p.rule) for p in problems] == [("warning", "renamed-site")]


def test_replicas_get_suffixes_and_so_does_what_refers_to_them():
    body = '<replicate count="2" sep="_"><body name="b"><joint name="j"/><geom size="1"/></body></replicate>'
    description = read(body, after='<actuator><motor joint="j" gear="2" forcerange="-3 3"/></actuator>')
    assert [j.name for j in description.joints] == ["j_0", "j_1"]
    assert [j.tau_max for j in description.joints] == [6.0, 6.0]


def test_includes_are_read_relative_to_the_main_file(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    world = '<worldbody><include file="parts/arm.xml"/></worldbody>'
    (tmp_path / "robot.xml").write_text(f'<mujoco><include file="parts/defaults.xml"/>{world}</mujoco>')
    defaults = '<mujocoinclude><default><geom size="2"/></default></mujocoinclude>'
    (tmp_path / "parts" / "defaults.xml").write_text(defaults)
    (tmp_path / "parts" / "arm.xml").write_text('<mujoco>\n\n<body name="arm" pos="1 0 0"><geom/></body></mujoco>')
    description, problems = read_mjcf(tmp_path / "robot.xml")
    assert problems == ()
    assert description.links[1].visuals[0].geometry == Sphere(2.0)
    assert description.links[1].source == (str(tmp_path / "parts" / "arm.xml"), 3)


# Equality constraints, actuators, key frames

TWO_HINGES = """<body name="a" pos="0 0 1"><joint name="x" ref="90"/><geom size="1"/><site name="s1"/></body>
<body name="b" pos="1 0 1"><joint name="y"/><geom size="1"/><site name="s2" pos="1 0 0"/></body>"""


def equality(constraint: str, warnings: bool = False) -> Description:
    return read(TWO_HINGES, after=f"<equality>{constraint}</equality>", warnings=warnings)


def test_linear_joint_equality_is_a_coupling_of_displacements():
    (coupling,) = equality('<joint joint1="y" joint2="x" polycoef="0.5 2 0 0 0"/>').couplings
    assert (coupling.joint, coupling.leader, coupling.ratio) == ("y", "x", 2.0)
    assert coupling.offset == pytest.approx(0.5 - np.pi)


def test_higher_joint_equality_is_a_polynomial_loop_in_the_coordinates():
    (loop,) = equality('<joint name="cam" joint1="x" joint2="y" polycoef="1 0 3 0 0"/>').loops
    assert (loop.name, loop.kind, loop.link_a, loop.link_b) == ("cam", "polynomial", "x", "y")
    np.testing.assert_allclose(loop.coefficients, (1.0 + np.pi / 2, 0.0, 3.0))


def test_joint_equality_with_one_joint_fixes_it():
    description = equality('<joint joint1="y" polycoef="0.5 0 0 0 0"/>')
    fixed = next(j for j in description.joints if j.name == "y")
    assert fixed.kind == "fixed"
    np.testing.assert_allclose(fixed.pose[:2, 0], (np.cos(0.5), np.sin(0.5)), atol=ROUND_OFF)


def test_a_joint_fixed_at_a_huge_angle_still_has_a_rotation():
    description = equality('<joint joint1="y" polycoef="1e300 0 0 0 0"/>')
    R = next(j for j in description.joints if j.name == "y").pose[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=ROUND_OFF)


def test_connect_is_a_spherical_loop_where_the_bodies_are_drawn():
    (loop,) = equality('<connect name="pin" body1="a" body2="b" anchor="0.5 0 0"/>').loops
    assert (loop.name, loop.kind, loop.link_a, loop.link_b) == ("pin", "spherical", "a", "b")
    np.testing.assert_allclose(loop.pose_a[:3, 3], (0.5, 0.0, 0.0), atol=ROUND_OFF)
    np.testing.assert_allclose(loop.pose_b[:3, 3], (-0.5, 0.0, 0.0), atol=ROUND_OFF)


def test_weld_is_a_fixed_loop_and_may_end_at_the_world():
    (loop,) = equality('<weld body1="b"/>').loops
    assert (loop.kind, loop.link_a, loop.link_b) == ("fixed", "b", "world")
    np.testing.assert_allclose(loop.pose_a[:3, 3], (-1.0, 0.0, -1.0), atol=ROUND_OFF)
    (loop,) = equality('<weld site1="s1" site2="s2"/>').loops
    np.testing.assert_allclose(loop.pose_b[:3, 3], (1.0, 0.0, 0.0), atol=ROUND_OFF)
    (loop,) = equality('<weld body1="a" body2="b" relpose="1 2 3 0 1 0 0" anchor="4 5 6"/>').loops
    np.testing.assert_allclose(loop.pose_a[:3, 3], (1.0, 2.0, 3.0), atol=ROUND_OFF)
    np.testing.assert_allclose(loop.pose_b[:3, 3], (4.0, 5.0, 6.0), atol=ROUND_OFF)


def test_a_free_base_tied_to_the_world_keeps_the_world_link():
    body = '<body name="a" pos="0 0 1"><freejoint name="root"/><geom size="1"/></body>'
    description = read(body, after='<equality><connect body1="a" anchor="0 0 0"/></equality>')
    assert names(description) == ["world", "a"]
    assert [(j.name, j.kind) for j in description.joints] == [("root", "free")]


def test_constraints_that_are_not_active_are_left_out():
    assert equality('<weld body1="b" active="false"/>').loops == ()
    after = '<equality><weld body1="b"/></equality>'
    assert read(TWO_HINGES, '<default><equality active="false"/></default>', after).loops == ()


def test_tendon_equality_is_a_warning():
    _, problems = read_mjcf_text("<mujoco><worldbody/><equality><tendon tendon1='t'/></equality></mujoco>")
    assert [(p.severity, p.rule) for p in problems] == [("warning", "not-supported")]


def test_tendons_that_pull_are_a_warning():
    text = '<mujoco><worldbody/><tendon><fixed stiffness="0"/><spatial damping="1"/></tendon></mujoco>'
    _, problems = read_mjcf_text(text)
    assert [(p.severity, p.rule, p.value) for p in problems] == [("warning", "not-supported", "1")]


@pytest.mark.parametrize(
    ("actuator", "limit"),
    [
        ('<motor joint="x"/>', np.inf),
        ('<motor joint="x" ctrlrange="-2 3" gear="10"/>', 30.0),
        ('<motor joint="x" ctrlrange="-2 3" gear="-10" forcerange="-1 1"/>', 10.0),
        ('<motor joint="x" ctrlrange="-2 3" ctrllimited="false"/>', np.inf),
        ('<position joint="x" ctrlrange="-2 3" forcerange="-5 4"/>', 5.0),
        ('<general joint="x" ctrlrange="-2 2" gainprm="7"/>', 14.0),
        ('<general joint="x" ctrlrange="-2 2" gainprm="7" biastype="affine"/>', np.inf),
        ('<motor joint="x" ctrlrange="-1 1"/><motor joint="x" ctrlrange="-2 2"/>', 3.0),
        ('<motor tendon="t" ctrlrange="-1 1"/>', 4.0),
    ],
)
def test_actuators_limit_efforts(actuator, limit):
    tendon = '<tendon><fixed name="t"><joint joint="x" coef="4"/></fixed></tendon>'
    description = read(TWO_HINGES, after=f"{tendon}<actuator>{actuator}</actuator>")
    assert [(j.actuated, j.tau_max) for j in description.joints] == [(True, limit), (False, np.inf)]


def test_without_actuators_every_joint_is_actuated():
    assert [j.actuated for j in read(TWO_HINGES).joints] == [True, True]


def test_rotors_of_actuators_count_by_the_square_of_the_gear():
    actuator = '<actuator><motor joint="x" gear="10" armature="0.2" damping="0.1"/></actuator>'
    first = read(TWO_HINGES, after=actuator).joints[0]
    assert (first.armature, first.damping) == (pytest.approx(20.0), pytest.approx(10.0))


def test_the_key_called_home_is_the_reference_pose():
    keys = '<keyframe><key name="a" qpos="1 2"/><key name="home" qpos="3 4"/></keyframe>'
    assert read(TWO_HINGES, after=keys).reference == {"x": 3.0, "y": 4.0}
    short = read(TWO_HINGES, after='<keyframe><key qpos="1"/></keyframe>', warnings=True)
    assert short.reference == {"x": 1.0, "y": 0.0}


def test_a_key_frame_that_is_too_short_is_filled_up_as_drawn_like_in_mujoco_and_told(tmp_path):
    path = tmp_path / "short.xml"
    path.write_text(
        '<mujoco><worldbody><body name="base" pos="1 2 3" euler="10 20 30"><freejoint/><geom size="0.1"/>'
        '<body name="arm"><joint name="y"/><geom size="0.1"/></body></body></worldbody>'
        '<keyframe><key name="home" qpos="7 8 9 0.8"/></keyframe></mujoco>'
    )
    theirs = mujoco.MjModel.from_xml_path(str(path)).key_qpos[0]
    with pytest.warns(ts.errors.ModelWarning, match="qpos of a key has 4 numbers, the model 8 coordinates; the others"):
        ours = ts.load(path).poses["home"]
    np.testing.assert_allclose(ours[:3], theirs[:3])
    np.testing.assert_allclose(ours[3:7], theirs[3:7] / np.linalg.norm(theirs[3:7]), atol=1e-12)
    assert ours[7] == theirs[7]


def test_gravity_is_read():
    assert read("", '<option gravity="1 2 3"/>').gravity == (1.0, 2.0, 3.0)
    assert read("", '<option><flag gravity="disable"/></option>').gravity == (0.0, 0.0, 0.0)
    assert read("").gravity == (0.0, 0.0, -9.81)


KEYED = """<mujoco><worldbody>
  <body name="base" pos="1 2 3" euler="10 20 30"><freejoint name="root"/><geom size="0.1"/>
    <body name="ball" pos="0 0 0.2"><joint name="b" type="ball" pos="0.01 0 0"/><geom size="0.1"/>
      <body name="arm" pos="0 0 0.3"><joint name="h" ref="20"/><geom size="0.1"/></body></body></body>
  <body name="box" pos="-1 0 0.5" euler="0 45 0"><joint name="boxed" type="free"/><geom size="0.1"/></body>
  {}</worldbody>
  <keyframe>
    <key name="there" qpos="0 0 1 0.6 0.8 0 0  0.8 0 0.6 0  0.3   2 0 1 0 0 3 0"/>
    <key name="home" qpos="0 1 1 1 1 0 0  1 0 0 0  -0.3   2 1 1 0 0 0 2"/>
    <key/>
  </keyframe></mujoco>"""


@pytest.mark.parametrize("post", ["", '<body name="post" pos="0 0 1"><geom size="0.1"/></body>'])
def test_every_key_frame_is_a_pose_and_home_is_the_reference(post, tmp_path):
    path = tmp_path / "keys.xml"
    path.write_text(KEYED.format(post))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    ours = ts.load(path)
    assert list(ours.poses) == ["there", "home", "key2"]
    np.testing.assert_array_equal(ours.reference, ours.poses["home"])
    for number, q in enumerate(ours.poses.values()):
        data = mujoco.MjData(theirs)
        mujoco.mj_resetDataKeyframe(theirs, data, number)
        mujoco.mj_kinematics(theirs, data)
        for name in ("base", "ball", "arm", "box"):
            body = data.body(name)
            X = ts.frame_pose(ours, q, name)
            np.testing.assert_allclose(X[:3, 3], body.xpos, atol=1e-12)
            np.testing.assert_allclose(X[:3, :3].ravel(), body.xmat, atol=1e-12)


def test_a_single_free_body_starts_as_it_is_drawn(tmp_path):
    body = '<body name="b" pos="0 0 1" euler="30 0 0"><freejoint/><geom size="0.1"/></body>'
    (tmp_path / "b.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    model = load(tmp_path / "b.xml")
    np.testing.assert_allclose(model.reference, [0, 0, 1, np.cos(np.pi / 12), np.sin(np.pi / 12), 0, 0], atol=1e-15)


def test_a_site_between_two_points_is_placed_as_in_mujoco(tmp_path):
    path = tmp_path / "s.xml"
    path.write_text("""<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1" rgba=""/>
      <site name="s" type="capsule" size="0.01" fromto="0 0 0 0.2 0.1 0.2"/>
      <site name="t" type="box" size="0.01" fromto="0 0 0 0 0 -0.3"/></body></worldbody></mujoco>""")
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), load(path)
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    for name in ("s", "t"):
        X = ts.frame_pose(ours, ours.reference, name)
        np.testing.assert_allclose(X[:3, 3], data.site(name).xpos, atol=1e-14)
        np.testing.assert_allclose(X[:3, :3].ravel(), data.site(name).xmat, atol=1e-14)


@pytest.mark.parametrize("both", [True, False])
def test_meshes_of_an_included_file_are_beside_the_main_file_or_it(tmp_path, both):
    (tmp_path / "parts").mkdir()
    for name, size in (("parts/t.obj", 1.0), ("t.obj", 2.0))[: 1 + both]:
        points = [(0, 0, 0), (size, 0, 0), (0, size, 0), (0, 0, size)]
        lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
        (tmp_path / name).write_text("\n".join(lines))
    (tmp_path / "main.xml").write_text('<mujoco><include file="parts/part.xml"/></mujoco>')
    body = '<body name="b"><freejoint/><geom type="mesh" mesh="t"/></body>'
    (tmp_path / "parts" / "part.xml").write_text(
        f'<mujoco><asset><mesh name="t" file="t.obj"/></asset><worldbody>{body}</worldbody></mujoco>'
    )
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
    np.testing.assert_allclose(load(tmp_path / "main.xml").total_mass, theirs.body_mass.sum(), rtol=1e-12)


def test_a_weld_to_a_mocap_body_does_not_lock_the_robot(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text("""<mujoco><worldbody>
      <body name="arm"><joint name="j"/><geom size="0.1"/>
        <body name="hand" pos="1 0 0"><joint name="k"/><geom size="0.1"/></body></body>
      <body name="target" mocap="true" pos="1 0 0"><geom size="0.1"/></body></worldbody>
      <equality><weld body1="hand" body2="target"/></equality></mujoco>""")
    with pytest.warns(ModelWarning, match="holds on to the mocap body 'target', which others move"):
        model = load(path)
    assert model.nv == mujoco.MjModel.from_xml_path(str(path)).nv == 2


def test_what_a_free_base_and_a_ball_lose_is_told_with_its_size():
    free = '<body><joint type="free" damping="2" frictionloss="0.5"/><geom size="1"/></body>'
    ball = '<body><joint type="ball" limited="true" range="0 30"/><geom size="1"/></body>'
    told = {}
    for body in (free, ball):
        (problem,) = read_mjcf_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")[1]
        told[body] = problem.message
    assert told[free] == "friction loss 0.5 of a free joint is left out"
    assert "range 0 30" in told[ball]
