"""Reading SDF: every element becomes what it says."""

from pathlib import Path

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from robot_data import robot_data_path

import tarsus as ts
from tarsus.io.load import inspect_file, load
from tarsus.io.sdf import read_sdf, read_sdf_text
from tarsus.model.derive import joint_transform
from tarsus.model.description import Description, JointSpec
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere

ROUND_OFF = 1e-14
"""Products of a few numbers near one."""
MULTIPLIERS = 1e-9
"""Two exact routes through a foot whose nearly parallel axes leave it a condition of size 1e-4."""
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
CASSIE = [f"cassie_description/robots/cassie{suffix}.sdf" for suffix in ("", "_v2", "_reduced", "_simple")]


def link(name: str, body: str = "") -> str:
    return f'<link name="{name}">{INERTIAL}{body}</link>'


def joint(name: str, parent: str, child: str, body: str = "<axis/>", kind: str = "revolute") -> str:
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{body}</joint>'


def read(body: str, version: str = "1.9", warnings: bool = False) -> Description:
    """Description of a model with the given contents, without errors (and warnings, unless allowed)."""
    text = f'<sdf version="{version}"><model name="m">{body}</model></sdf>'
    description, problems = read_sdf_text(text)
    assert [p for p in problems if p.severity == "error" or not warnings] == []
    return description


def hinge(body: str, kind: str = "revolute", version: str = "1.9", warnings: bool = False) -> JointSpec:
    """A joint between two links that stand at different places."""
    links = link("a", "<pose>1 0 0 0 0 0.5</pose>") + link("b", "<pose>0 2 0 0.3 0 0</pose>")
    return read(links + joint("j", "a", "b", body, kind), version, warnings).joints[0]


def drawn(description: Description) -> dict[str, np.ndarray]:
    """Pose of every link with all joints at zero."""
    roots = [link.name for link in description.links if link.name not in {j.child for j in description.joints}]
    poses = {name: np.eye(4) for name in roots}
    for spec in description.joints:
        zero = [1.0, 0.0, 0.0, 0.0] if spec.kind == "spherical" else [0.0] * (2 if spec.kind == "universal" else 1)
        moved = np.eye(4) if spec.kind in ("fixed", "free") else joint_transform(spec, zero)
        poses[spec.child] = poses[spec.parent] @ spec.pose @ moved @ spec.child_pose
    return poses


# Poses


def test_links_stand_where_they_are_drawn_when_joints_are_at_zero():
    description = read(
        link("a", "<pose>1 2 3 0.1 0.2 0.3</pose>")
        + link("b", "<pose>-1 0 2 0.5 -0.2 1</pose>")
        + link("c", "<pose relative_to='b'>0 0 1 0 0 1</pose>")
        + joint("j", "a", "b", "<pose>0.3 0.2 0.1 1 2 3</pose><axis><xyz>1 1 0</xyz></axis>")
        + joint("k", "b", "c", "<pose relative_to='a'>0.3 0.2 0.1 1 2 3</pose>", "ball")
    )
    poses = drawn(description)
    Z = np.array([[np.cos(1), -np.sin(1), 0, 0], [np.sin(1), np.cos(1), 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    np.testing.assert_allclose(np.linalg.inv(poses["b"]) @ poses["c"], Z, atol=ROUND_OFF)
    X_ab = np.linalg.inv(poses["a"]) @ poses["b"]
    R = X_ab[:3, :3]
    assert np.allclose(R @ R.T, np.eye(3), atol=ROUND_OFF)
    assert np.linalg.norm(X_ab[:3, 3]) == pytest.approx(np.linalg.norm((-2.0, -2.0, -1.0)))


def test_poses_may_be_in_degrees_or_quaternions():
    plain = hinge("<pose>0 0 1 0 0 1.5707963267948966</pose><axis/>")
    degrees = hinge("<pose degrees='true'>0 0 1 0 0 90</pose><axis/>")
    quaternion = hinge("<pose rotation_format='quat_xyzw'>0 0 1 0 0 2 2</pose><axis/>")
    np.testing.assert_allclose(degrees.pose, plain.pose, atol=ROUND_OFF)
    np.testing.assert_allclose(quaternion.pose, plain.pose, atol=ROUND_OFF)


def test_frames_are_kept_and_may_carry_joints():
    description = read(
        link("a")
        + link("b", "<pose>1 0 0 0 0 0</pose>")
        + "<frame name='f' attached_to='b'><pose>0 1 0 0 0 0</pose></frame>"
        + "<frame name='g'><pose relative_to='f'>0 0 1 0 0 0</pose></frame>"
        + joint("j", "a", "f")
    )
    assert [(frame.name, frame.link) for frame in description.frames] == [("f", "b"), ("g", "a")]
    np.testing.assert_allclose(description.frames[1].pose[:3, 3], (1.0, 1.0, 1.0), atol=ROUND_OFF)
    assert description.joints[0].child == "b"
    np.testing.assert_allclose(description.joints[0].pose[:3, 3], (1.0, 1.0, 0.0), atol=ROUND_OFF)


def test_nested_models_are_joined_by_colons():
    description = read(
        link("a")
        + f"<model name='n'><pose>0 0 1 0 0 0</pose>{link('a')}{link('b')}{joint('j', 'a', 'b')}</model>"
        + joint("k", "a", "n::a", "", "fixed")
        + "<frame name='f' attached_to='n'/>"
    )
    assert [spec.name for spec in description.links] == ["a", "n::a", "n::b"]
    assert [(spec.name, spec.parent, spec.child) for spec in description.joints] == [
        ("k", "a", "n::a"),
        ("n::j", "n::a", "n::b"),
    ]
    assert description.frames[0].link == "n::a"
    np.testing.assert_allclose(drawn(description)["n::b"][:3, 3], (0.0, 0.0, 1.0), atol=ROUND_OFF)


# Links


def test_inertia_is_turned_into_the_link_frame():
    moments = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia>"
    body = f"<pose>1 2 3 0 0 1.5707963267948966</pose><mass>2</mass>{moments}"
    inertia = read(f'<link name="a"><inertial>{body}</inertial></link>').links[0].inertia
    assert inertia is not None
    assert inertia.mass == 2.0
    np.testing.assert_array_equal(inertia.com, (1.0, 2.0, 3.0))
    np.testing.assert_allclose(inertia.moments, np.diag([2.0, 1.0, 3.0]), atol=ROUND_OFF)


def test_a_link_without_inertial_weighs_a_kilogram_with_a_warning():
    description, problems = read_sdf_text('<sdf version="1.6"><model name="m"><link name="a"/></model></sdf>')
    assert [(p.severity, p.rule) for p in problems] == [("warning", "missing-inertia")]
    assert description.links[0].inertia.mass == 1.0


@pytest.mark.parametrize(
    ("text", "geometry"),
    [
        ("<box><size>1 2 3</size></box>", Box((1.0, 2.0, 3.0))),
        ("<sphere><radius>2</radius></sphere>", Sphere(2.0)),
        ("<cylinder><radius>2</radius><length>3</length></cylinder>", Cylinder(2.0, 3.0)),
        ("<capsule><radius>2</radius><length>3</length></capsule>", Capsule(2.0, 3.0)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1.0, 2.0, 3.0))),
        ("<plane><normal>0 0 1</normal><size>2 4</size></plane>", Plane((1.0, 2.0))),
    ],
)
def test_geometries(text, geometry):
    body = f"<visual name='v'><pose>1 0 0 0 0 0</pose><geometry>{text}</geometry></visual>"
    shape = read(link("a", body)).links[0].visuals[0]
    assert shape.geometry == geometry
    np.testing.assert_allclose(shape.pose[:3, 3], (1.0, 0.0, 0.0))


def test_normal_of_a_plane_is_its_z_axis():
    body = "<collision name='c'><geometry><plane><normal>1 2 2</normal></plane></geometry></collision>"
    shape = read(link("a", body)).links[0].collisions[0]
    np.testing.assert_allclose(shape.pose[:3, 2], np.array([1.0, 2.0, 2.0]) / 3.0, atol=ROUND_OFF)
    assert np.linalg.det(shape.pose[:3, :3]) == pytest.approx(1.0)


def test_meshes_are_located(tmp_path: Path):
    (tmp_path / "m.stl").write_bytes(b"x")
    mesh = "<visual name='v'><geometry><mesh><uri>m.stl</uri><scale>1 2 3</scale></mesh></geometry></visual>"
    path = tmp_path / "robot.sdf"
    path.write_text(f'<sdf version="1.6"><model name="m">{link("a", mesh)}</model></sdf>')
    description, problems = read_sdf(path)
    assert problems == ()
    assert description.links[0].visuals[0].geometry == Mesh("m.stl", str(tmp_path / "m.stl"), (1.0, 2.0, 3.0))


# Joints


@pytest.mark.parametrize(
    ("word", "body", "kind"),
    [
        ("revolute", "<axis><limit><lower>-1</lower><upper>1</upper></limit></axis>", "revolute"),
        ("revolute", "<axis><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>", "continuous"),
        ("revolute", "<axis><limit><lower>-inf</lower><upper>inf</upper></limit></axis>", "continuous"),
        ("continuous", "<axis/>", "continuous"),
        ("prismatic", "<axis/>", "prismatic"),
        ("ball", "", "spherical"),
        ("universal", "<axis/><axis2><xyz>1 0 0</xyz></axis2>", "universal"),
        ("revolute2", "<axis/><axis2><xyz>1 0 0</xyz></axis2>", "universal"),
        ("screw", "<axis/>", "helical"),
        ("fixed", "", "fixed"),
    ],
)
def test_joint_types_become_kinds(word, body, kind):
    assert hinge(body, word).kind == kind


def test_limits_and_dynamics():
    body = """<axis><limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>
    <dynamics><damping>5</damping><friction>6</friction><spring_stiffness>7</spring_stiffness>
    <spring_reference>8</spring_reference></dynamics></axis>"""
    spec = hinge(body)
    assert (spec.q_min, spec.q_max, spec.tau_max, spec.v_max) == (-1.0, 2.0, 3.0, 4.0)
    assert (spec.damping, spec.friction, spec.stiffness, spec.rest) == (5.0, 6.0, 7.0, 8.0)
    free = hinge("<axis><limit><effort>-1</effort><velocity>-1</velocity></limit></axis>")
    assert (free.tau_max, free.v_max) == (np.inf, np.inf)


def test_both_axes_of_a_universal_joint_are_kept():
    body = "<axis><xyz>0 0 2</xyz><limit><upper>1</upper></limit></axis><axis2><xyz>1 0 0</xyz></axis2>"
    spec = hinge(body, "universal")
    assert (spec.axis, spec.axis2, spec.q_max) == ((0.0, 0.0, 2.0), (1.0, 0.0, 0.0), (1.0, np.inf))


def test_axes_of_extreme_length_have_a_direction():
    body = "<axis><xyz>0 0 1e308</xyz></axis><axis2><xyz>1e308 1e308 1e308</xyz></axis2>"
    text = link("a") + link("b") + joint("j", "a", "b", body, "universal")
    found = ts.model.assembly.assemble(read(text)).joints["j"]
    np.testing.assert_allclose(found.axis2, np.full(3, 3.0**-0.5), atol=ROUND_OFF)


def axis_in_model(spec: JointSpec) -> np.ndarray:
    """Axis in the model frame, given that link a is turned by 0.5 about z."""
    c, s = np.cos(0.5), np.sin(0.5)
    R_MA = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return R_MA @ spec.pose[:3, :3] @ spec.axis


AXIS = "<axis><xyz{}>0 1 0</xyz>{}</axis>"
IN_JOINT = (0.0, np.cos(0.3), np.sin(0.3))


@pytest.mark.parametrize(
    ("version", "attribute", "element", "expected"),
    [
        ("1.4", "", "", (0.0, 1.0, 0.0)),
        ("1.6", "", "", IN_JOINT),
        ("1.6", "", "<use_parent_model_frame>1</use_parent_model_frame>", (0.0, 1.0, 0.0)),
        ("1.9", "", "", IN_JOINT),
        ("1.9", " expressed_in='__model__'", "", (0.0, 1.0, 0.0)),
        ("1.9", " expressed_in='a'", "", (-np.sin(0.5), np.cos(0.5), 0.0)),
    ],
)
def test_frame_of_the_axis_depends_on_the_version(version, attribute, element, expected):
    spec = hinge(AXIS.format(attribute, element), version=version)
    np.testing.assert_allclose(axis_in_model(spec), expected, atol=ROUND_OFF)


def test_pitch_of_screws_in_both_conventions():
    new = hinge("<axis/><screw_thread_pitch>0.5</screw_thread_pitch>", "screw")
    old = hinge("<axis/><thread_pitch>-8</thread_pitch>", "screw")
    assert new.pitch == pytest.approx(0.5 / (2.0 * np.pi))
    assert old.pitch == pytest.approx(0.125)


def test_mimic_is_a_coupling():
    values = "<multiplier>2</multiplier><offset>3</offset><reference>0.5</reference>"
    axis = f"<axis><mimic joint='j'>{values}</mimic></axis>"
    description = read(link("a") + link("b") + link("c") + joint("j", "a", "b") + joint("k", "a", "c", axis), "1.11")
    (coupling,) = description.couplings
    assert (coupling.joint, coupling.leader, coupling.ratio, coupling.offset) == ("k", "j", 2.0, 2.0)


def test_gearbox_between_two_hinges_is_a_coupling():
    gear = """<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>
    <gearbox_reference_body>a</gearbox_reference_body>"""
    hinges = joint("j", "a", "b") + joint("k", "a", "c")
    description = read(link("a") + link("b") + link("c") + hinges + joint("g", "b", "c", gear, "gearbox"))
    (coupling,) = description.couplings
    assert (coupling.joint, coupling.leader, coupling.ratio) == ("k", "j", 3.0)
    assert description.loops == ()


# Loops and the base


def test_a_second_parent_is_a_loop():
    description = read(
        link("a")
        + link("b", "<pose>1 0 0 0 0 0</pose>")
        + link("c", "<pose>0 1 0 0 0 0</pose>")
        + joint("j", "a", "b")
        + joint("k", "a", "c")
        + joint("l", "b", "c", "<pose>0 0 1 0 0 0</pose><axis><xyz>0 1 0</xyz></axis>")
    )
    assert [spec.name for spec in description.joints] == ["j", "k"]
    (loop,) = description.loops
    assert (loop.name, loop.kind, loop.link_a, loop.link_b, loop.axis) == ("l", "revolute", "b", "c", (0.0, 1.0, 0.0))
    np.testing.assert_allclose(loop.pose_a[:3, 3], (-1.0, 1.0, 1.0), atol=ROUND_OFF)
    np.testing.assert_allclose(loop.pose_b[:3, 3], (0.0, 0.0, 1.0), atol=ROUND_OFF)


def test_a_cycle_is_cut_at_its_last_joint():
    links = link("a") + link("b") + link("c")
    description = read(links + joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "c", "a"))
    assert [spec.name for spec in description.joints] == ["j", "k"]
    assert [loop.name for loop in description.loops] == ["l"]


def test_a_model_that_nothing_holds_is_free():
    description = read("<pose>0 0 1 0 0 0</pose>" + link("a", "<pose>1 0 0 0 0 0</pose>"))
    assert description.base == "free"
    assert description.reference == {"base.x": 1.0, "base.y": 0.0, "base.z": 1.0, "base.rotation": (1.0, 0.0, 0.0, 0.0)}


def test_a_joint_with_the_world_fixes_the_base():
    body = link("a", "<pose>1 0 0 0 0 0</pose>") + joint("j", "world", "a")
    description = read("<pose>0 0 1 0 0 0</pose>" + body)
    assert description.base == "fixed"
    assert [spec.name for spec in description.links] == ["world", "a"]
    np.testing.assert_allclose(drawn(description)["a"][:3, 3], (1.0, 0.0, 1.0), atol=ROUND_OFF)


def test_a_link_fixed_at_the_origin_is_the_root():
    description = read(link("a") + joint("j", "world", "a", "", "fixed"))
    assert (description.base, [spec.name for spec in description.links], description.joints) == ("fixed", ["a"], ())


def test_initial_positions_are_the_reference_pose():
    axis = "<axis><initial_position>0.5</initial_position></axis>"
    links = link("a") + link("b") + joint("j", "a", "b", axis)
    upright = {"base.x": 0.0, "base.y": 0.0, "base.z": 0.0, "base.rotation": (1.0, 0.0, 0.0, 0.0)}
    assert read(links).reference == {"j": 0.5, **upright}
    assert read("<static>1</static>" + links).reference == {}


def test_a_static_model_does_not_move():
    links = link("a", "<pose>1 0 0 0 0 0</pose>") + link("b", "<pose>2 0 0 0 0 0</pose>")
    description = read("<static>true</static>" + links + joint("j", "a", "b"))
    assert description.base == "fixed"
    assert {spec.kind for spec in description.joints} == {"fixed"}
    np.testing.assert_allclose(drawn(description)["b"][:3, 3], (2.0, 0.0, 0.0), atol=ROUND_OFF)


def test_loose_links_hang_on_free_joints():
    description = read(link("a") + link("b"))
    assert [(spec.name, spec.kind, spec.parent) for spec in description.joints] == [
        ("a/free", "free", "world"),
        ("b/free", "free", "world"),
    ]


# Worlds and includes


def test_the_one_moving_model_of_a_world_is_meant():
    models = f'<model name="floor"><static>1</static>{link("a")}</model><model name="robot">{link("b")}</model>'
    text = f'<sdf version="1.6"><world name="w"><gravity>0 0 -1</gravity>{models}</world></sdf>'
    description, problems = read_sdf_text(text)
    assert (description.name, description.gravity) == ("robot", (0.0, 0.0, -1.0))
    assert [(p.severity, p.rule) for p in problems] == [("warning", "several-models")]


def test_local_includes_become_nested_models(tmp_path: Path):
    (tmp_path / "hand").mkdir()
    hand = f'<sdf version="1.4"><model name="h"><pose>9 9 9 0 0 0</pose>{link("palm")}</model></sdf>'
    (tmp_path / "hand" / "model.sdf").write_text(hand)
    include = "<include><uri>hand</uri><name>left</name><pose>0 0 1 0 0 0</pose></include>"
    path = tmp_path / "robot.sdf"
    weld = joint("j", "a", "left::palm", "", "fixed")
    path.write_text(f'<sdf version="1.9"><model name="m">{link("a")}{include}{weld}</model></sdf>')
    description, problems = read_sdf(path)
    assert problems == ()
    assert [spec.name for spec in description.links] == ["a", "left::palm"]
    np.testing.assert_allclose(drawn(description)["left::palm"][:3, 3], (0.0, 0.0, 1.0), atol=ROUND_OFF)
    assert description.links[1].source.file == str(tmp_path / "hand" / "model.sdf")


# A real robot with loops


@pytest.mark.parametrize("file", CASSIE)
def test_cassie_keeps_its_loops_by_name(file):
    description, problems = inspect_file(robot_data_path(file), check_meshes=False)
    assert [p for p in problems if p.severity == "error"] == []
    names = [loop.name for loop in description.loops]
    assert len(names) == len(set(names)) >= 4
    assert {"left-plantar-foot-joint", "right-plantar-foot-joint"} <= set(names)
    links = {spec.name for spec in description.links}
    assert all({loop.link_a, loop.link_b} <= links for loop in description.loops)


def test_cassie_loads_with_its_loops_closed_and_opened():
    model = load(robot_data_path(CASSIE[1]))
    assert (model.base, model.nv, len(model.loops)) == ("free", 18, 4)
    assert {"left-foot-op", "right-knee-op"} <= {
        j.name for j in model.joints.values() if j.v_index.stop > j.v_index.start
    }
    model = load(robot_data_path(CASSIE[1]), couplings="cut")
    assert (model.base, model.nv, len(model.loops)) == ("free", 28, 4)
    assert model.reference[2] == 1.01


def test_cassie_moves_with_its_loops_closed():
    model, tree = load(robot_data_path(CASSIE[1])), load(robot_data_path(CASSIE[1]), couplings="cut")
    rng = np.random.default_rng(0)
    q, v = model.integrate(model.reference, 0.02 * rng.normal(size=model.nv)), 0.1 * rng.normal(size=model.nv)
    energy = ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)
    for _ in range(100):
        q, v = runge_kutta_step(model, q, v, 1e-3)
    assert ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q) == pytest.approx(energy, rel=1e-6)
    Q = model.joint_positions(q)
    for loop in model.loops:
        ends = [
            ts.frame_pose(tree, Q, link) @ X for link, X in ((loop.link_a, loop.pose_a), (loop.link_b, loop.pose_b))
        ]
        np.testing.assert_allclose(ends[0][:3, 3], ends[1][:3, 3], atol=1e-12)


def test_cassie_with_rods_on_balls_moves_as_with_multipliers():
    model, tree = load(robot_data_path(CASSIE[3])), load(robot_data_path(CASSIE[3]), couplings="cut")
    free = [j.name for j in model.joints.values() if j.v_index.stop > j.v_index.start]
    assert {"left-knee-op", "right-knee-shin-joint"} <= set(free)
    assert model.joints["left-pitch-rod-joint"].kind == "spherical"
    independent = [tree.joints[name].v_index.start for name in free]
    rng = np.random.default_rng(1)
    q, (v, tau) = model.integrate(model.reference, 0.05 * rng.normal(size=model.nv)), rng.normal(size=(2, model.nv))
    forces = np.zeros(tree.nv)
    forces[independent] = tau
    Q, V = model.joint_positions(q), model.joint_velocities(q, v)
    motion = ts.constrained_dynamics(tree, Q, V, forces, ts.loop_constraints(tree))
    np.testing.assert_allclose(ts.forward_dynamics(model, q, v, tau), motion.vdot[independent], rtol=MULTIPLIERS)


def test_loops_that_close_for_want_of_digits_only_are_told():
    model = load(robot_data_path(CASSIE[0]))
    rules = {w.rule: w.element for w in model.warnings if w.file == "" or "right" in w.element}
    assert rules["inexact-loop"] == "loop 'right-shin-spring-joint', 'right-achilles-spring-joint'"


def test_loops_of_cassie_are_closed_as_drawn():
    description, _ = read_sdf(robot_data_path(CASSIE[1]))
    poses = drawn(description)
    for loop in description.loops:
        X_a, X_b = poses[loop.link_a] @ loop.pose_a, poses[loop.link_b] @ loop.pose_b
        np.testing.assert_allclose(X_a, X_b, atol=ROUND_OFF)


def test_gears_of_cassie_are_couplings():
    description, _ = read_sdf(robot_data_path(CASSIE[0]))
    assert len(description.couplings) == 10
    assert {round(1.0 / abs(coupling.ratio)) for coupling in description.couplings} == {16, 25, 50}
