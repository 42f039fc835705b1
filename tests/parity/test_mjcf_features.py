"""Parts of MJCF that put models together or name shapes: small models of our own, read here and compiled by MuJoCo."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from corpus.comparison import compare
from parity.test_mujoco import mass_matrix

import tarsus as ts
from tarsus.io.interop import MujocoLayout
from tarsus.io.mjcf import read_mjcf, read_mjcf_text
from tarsus.io.mjcf.tree.alignment import principal_axes

RELATIVE = 1e-9

LEG = """<mujoco model="leg">
  <compiler angle="{angle}" eulerseq="zyx" autolimits="true" meshdir="shapes"/>
  <default>
    <geom density="700"/>
    <joint armature="0.02" range="{range}"/>
    <default class="thin"><geom size="0.02"/></default>
  </default>
  <asset><mesh file="lump.obj"/><material name="skin" rgba="1 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="hip" pos="0 0 0.1" euler="{euler}">
      <joint name="swing" axis="0 1 0"/>
      <geom type="capsule" size="0.03 0.1" material="skin"/>
      <body name="shin" pos="0 0 -0.3" childclass="thin">
        <joint name="knee" axis="0 1 0" ref="{ref}"/>
        <geom type="capsule" fromto="0 0 0 0.01 0 -0.2"/>
        <geom type="mesh" mesh="lump"/>
        <site name="sole" pos="0 0 -0.2"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="knee" joint2="swing" polycoef="0 0.5 0 0 0"/></equality>
  <actuator><motor joint="knee" gear="3" forcerange="-2 2" armature="0.001"/></actuator>
  <keyframe><key name="bent" qpos="0.3 -0.4"/></keyframe>
</mujoco>"""
DEGREES = dict(angle="degree", range="-100 100", euler="10 20 30", ref="20")
RADIANS = dict(angle="radian", range="-1.5 1.5", euler="0.1 0.2 0.3", ref="0.4")

ROBOT = """<mujoco>
  <compiler angle="{}"/>
  <default><geom density="100"/><joint armature="5" range="-30 30"/></default>
  <asset><model name="leg" file="parts/leg.xml"/></asset>
  <worldbody>
    <body name="trunk" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.2 0.1"/>
      <frame pos="0 0.1 0" euler="0 0 0.5"><attach model="leg" body="hip" prefix="left_"/></frame>
      <attach model="leg" body="hip" prefix="right_"/>
      <body name="tail"><joint name="wag" range="-10 10"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <keyframe><key name="home" qpos="0 0 2 1 0 0 0  0.1 0.2 0.3 0.4 0.5"/></keyframe>
</mujoco>"""
MANY = """<mujoco>
  <asset><model name="leg" file="parts/leg.xml"/></asset>
  <worldbody>
    <replicate count="3" offset="0.5 0 0" euler="0 0 20" sep="-"><attach model="leg" prefix="a_"/></replicate>
  </worldbody>
</mujoco>"""
LUMP = """o body
v 0 0 0
v 0.1 0 0
v 0.12 0.1 0
v 0 0.1 0.03
v 0 0 0.1
v 0.1 0 0.13
v 0.1 0.1 0.1
v 0 0.15 0.1
f 4 3 2 1
f 5/1/1 6/2/1 7/3/1 8/4/1
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""
SECOND = "o other\nv 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\nf 9 11 10\nf 9 10 12\nf 10 11 12\nf 11 9 12\n"


@pytest.fixture(name="parts")
def _parts(tmp_path: Path) -> Path:
    (tmp_path / "parts" / "shapes").mkdir(parents=True)
    (tmp_path / "parts" / "shapes" / "lump.obj").write_text(LUMP)
    return tmp_path


def agrees(directory: Path, text: str) -> None:
    """Masses, kinematics, inverse dynamics and key frames are those of MuJoCo, and nothing was left out."""
    path = directory / "robot.xml"
    path.write_text(text)
    outcome = compare(path, directory)
    assert (outcome.verdict, outcome.detail) == ("agrees", "")


@pytest.mark.parametrize("units", [DEGREES, RADIANS], ids=["degrees", "radians"])
@pytest.mark.parametrize("around", ["degree", "radian"])
def test_attached_models_keep_their_own_settings_defaults_and_key_frames(parts, units, around):
    (parts / "parts" / "leg.xml").write_text(LEG.format(**units))
    agrees(parts, ROBOT.format(around))
    description, _ = read_mjcf(parts / "robot.xml")
    assert [coupling.joint for coupling in description.couplings] == ["left_knee", "right_knee"]
    assert set(description.poses) == {"home", "left_bent", "right_bent"}
    driven = {joint.name: joint.tau_max for joint in description.joints if joint.actuated}
    assert driven == {"left_knee": 6.0, "right_knee": 6.0}


def test_replicas_of_an_attached_world_agree(parts):
    (parts / "parts" / "leg.xml").write_text(LEG.format(**RADIANS))
    agrees(parts, MANY)


def test_models_attached_to_attached_models_agree(parts):
    (parts / "parts" / "leg.xml").write_text(LEG.format(**RADIANS))
    half = ROBOT.format("degree").replace("<freejoint/>", "").partition("<keyframe>")[0] + "</mujoco>"
    (parts / "half.xml").write_text(half)
    whole = """<mujoco><asset><model name="half" file="half.xml"/></asset><worldbody><body name="top"><joint/>
      <geom size="0.1"/><attach model="half" body="trunk" prefix="half_"/></body></worldbody></mujoco>"""
    agrees(parts, whole)
    model = ts.load(parts / "robot.xml", couplings="cut")
    assert {"half_left_swing", "half_right_knee", "half_wag"} <= set(model.joints)


def test_a_model_that_attaches_itself_and_attachments_beyond_the_bound_are_refused(parts, monkeypatch):
    path = parts / "robot.xml"
    path.write_text("""<mujoco><asset><model name="me" file="robot.xml"/></asset>
      <worldbody><attach model="me" prefix="a"/></worldbody></mujoco>""")
    with pytest.raises(ts.errors.ModelFileError, match="include-cycle"):
        ts.load(path)
    monkeypatch.setattr("tarsus.io.mjcf.expansion.attachment.MAX_ATTACHED_ELEMENTS", 30)
    (parts / "parts" / "leg.xml").write_text(LEG.format(**RADIANS))
    path.write_text(ROBOT.format("degree"))
    with pytest.raises(ts.errors.ModelFileError, match="attach-size"):
        ts.load(path)


def test_models_attached_too_deep_and_ever_more_often_are_refused(tmp_path):
    link = """<mujoco><asset><model name="m" file="{}.xml"/></asset><worldbody><body name="b"><joint/><geom size="1"/>
      <attach model="m" body="b" prefix="x"/>{}</body></worldbody></mujoco>"""
    for k in range(60):
        (tmp_path / f"{k}.xml").write_text(link.format(k + 1, ""))
    with pytest.raises(ts.errors.ModelFileError, match="nesting"):
        ts.load(tmp_path / "0.xml")
    again = '<attach model="m" body="b" prefix="y"/>'
    for k in range(25):
        (tmp_path / f"{k}.xml").write_text(link.format(k + 1, again))
    (tmp_path / "25.xml").write_text('<mujoco><worldbody><body name="b"><geom size="1"/></body></worldbody></mujoco>')
    with pytest.raises(ts.errors.ModelFileError, match="attach-size"):
        ts.load(tmp_path / "0.xml")


BUILTINS = {
    "sphere": "2",
    "hemisphere": "3",
    "cone": "5 0.3",
    "pointed cone": "7 0",
    "supersphere": "8 0.5 1.2",
    "supertorus": "9 0.3 0.8 1.1",
}


@pytest.mark.parametrize("inertia", ["exact", "legacy", "shell", "convex"])
@pytest.mark.parametrize("kind", BUILTINS)
def test_builtin_meshes_weigh_what_they_weigh_in_mujoco(tmp_path, kind, inertia):
    agrees(
        tmp_path,
        f"""<mujoco><asset><mesh name="m" builtin="{kind.split()[-1]}" params="{BUILTINS[kind]}" inertia="{inertia}"
          scale="0.2 0.1 0.3"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m" pos="0.1 0 0"/>
          </body></worldbody></mujoco>""",
    )


@pytest.mark.parametrize(
    "kind, params", [("cone", "2 0"), ("sphere", "5"), ("wedge", "4 4 30 30 0"), ("sphere", "1 1")]
)
def test_builtin_meshes_that_cannot_be_made_are_told(tmp_path, kind, params):
    path = tmp_path / "robot.xml"
    path.write_text(f"""<mujoco><asset><mesh name="m" builtin="{kind}" params="{params}"/></asset><worldbody>
      <body name="b"><freejoint/><geom size="0.1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>""")
    _, problems = read_mjcf(path)
    assert [problem.rule for problem in problems] == ["not-supported"]
    assert kind in problems[0].message


MESHED = """<mujoco><compiler {}/><asset><mesh file="lump.{}" scale="1 -2 1"/></asset><worldbody><body><freejoint/>
  <geom type="{}" mesh="lump" pos="0.1 0 0" euler="10 20 30"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("text", [LUMP, LUMP + SECOND], ids=["one object", "two objects"])
def test_quadrilaterals_that_are_not_flat_and_files_of_several_objects_weigh_what_they_weigh_in_mujoco(tmp_path, text):
    (tmp_path / "lump.obj").write_text(text)
    agrees(tmp_path, MESHED.format("", "obj", "mesh"))
    agrees(tmp_path, MESHED.format("", "obj", "sdf"))


@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_primitives_around_a_mesh_are_those_of_mujoco(tmp_path, kind):
    (tmp_path / "lump.obj").write_text(LUMP)
    agrees(tmp_path, MESHED.format('fitaabb="true"', "obj", kind))


def msh(vertices, faces, normals=0, texture=0) -> bytes:
    counts = np.array([len(vertices), normals, texture, len(faces)], "<i4")
    filler = np.zeros(3 * normals + 2 * texture, "<f4")
    return counts.tobytes() + vertices.astype("<f4").tobytes() + filler.tobytes() + faces.astype("<i4").tobytes()


def test_msh_files_agree(tmp_path):
    vertices = np.array([[0, 0, 0], [0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    (tmp_path / "lump.msh").write_bytes(msh(vertices, faces, normals=4, texture=4))
    agrees(tmp_path, MESHED.format("", "msh", "mesh"))


def test_height_fields_weigh_what_they_weigh_in_mujoco(tmp_path):
    agrees(
        tmp_path,
        """<mujoco><asset><hfield name="h" nrow="3" ncol="4" size="0.5 0.3 0.2 0.1"/></asset><worldbody>
        <body pos="0 0 1"><freejoint/><geom type="hfield" hfield="h" pos="0.1 0 0"/></body></worldbody></mujoco>""",
    )


def test_sites_between_two_points_agree(tmp_path):
    agrees(
        tmp_path,
        """<mujoco><worldbody><site name="w" type="capsule" size="0.1" fromto="0 0 0 1 2 3"/>
        <body><joint/><geom size="0.1"/><site name="s" type="box" size="0.1" fromto="0.1 0.2 0.3 0.1 -0.2 0.5"/>
        <site name="down" type="capsule" size="0.1" fromto="0 0 0 0 0 -1"/></body></worldbody></mujoco>""",
    )


def test_meshes_of_an_included_file_are_found_where_mujoco_finds_them(tmp_path):
    (tmp_path / "inner" / "shapes").mkdir(parents=True)
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "lump.obj").write_text(LUMP)
    (tmp_path / "inner" / "body.xml").write_text("""<mujocoinclude><asset><mesh file="lump.obj"/></asset><worldbody>
      <body><freejoint/><geom type="mesh" mesh="lump"/></body></worldbody></mujocoinclude>""")
    agrees(tmp_path, '<mujoco><compiler meshdir="shapes"/><include file="inner/body.xml"/></mujoco>')


KEYS = """<mujoco><worldbody>
  <body name="a"><joint name="x" ref="10"/><geom size="0.1" pos="0.1 0 0"/>
    <body name="b"><joint name="y" type="ball"/><geom size="0.1" pos="0.1 0 0"/>
      <body name="c"><joint name="z" type="slide"/><geom size="0.1" pos="0.1 0 0"/></body></body></body></worldbody>
  <keyframe><key name="{}" qpos="0.3 0.8 0.6 0 0 0.5"/><key name="still"/></keyframe></mujoco>"""


@pytest.mark.parametrize("first", ["home", "bent"])
def test_a_key_frame_without_coordinates_is_the_robot_as_drawn_not_the_first_one(tmp_path, first):
    agrees(tmp_path, KEYS.format(first))
    model = ts.load(tmp_path / "robot.xml")
    np.testing.assert_allclose(model.poses["still"], [np.radians(10.0), 1.0, 0.0, 0.0, 0.0, 0.0])


def test_a_weld_to_a_mocap_body_leaves_the_robot_free(tmp_path):
    text = """<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom size="0.1"/></body>
      <body name="arm"><joint name="j"/><geom size="0.1" pos="0.1 0 0"/>
        <body name="tip" pos="0.2 0 0"><joint name="k" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body></body>
      </worldbody>
      <equality><weld body1="hand" body2="tip"/><connect body1="tip" body2="hand" anchor="0 0 0"/></equality>
      </mujoco>"""
    agrees(tmp_path, text)
    model = ts.load(tmp_path / "robot.xml")
    assert model.nv == 2
    assert [problem.rule for problem in model.warnings] == ["mocap", "mocap"]


TENDONS = """<mujoco><compiler angle="radian"/>
  <default><tendon damping="0.2"/></default><worldbody>
  <body name="a"><joint name="x" ref="0.3" stiffness="2" springref="0.1" armature="0.01"/><geom size="0.1"/>
    <body name="b" pos="0.2 0 0"><joint name="y" type="slide"/><geom size="0.1"/></body></body></worldbody>
  <tendon>
    <fixed stiffness="3" springlength="0.5" armature="0.05"><joint joint="x" coef="-2"/></fixed>
    <fixed stiffness="4"><joint joint="x" coef="0.5"/></fixed>
    <fixed stiffness="7" springlength="0.2"><joint joint="y" coef="1.5"/></fixed>
  </tendon></mujoco>"""


def test_tendons_along_one_joint_act_on_it_as_in_mujoco(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(TENDONS)
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert model.warnings == ()
    layout, rng = MujocoLayout(model, theirs), np.random.default_rng(0)
    for _ in range(5):
        q, v = model.random(rng), rng.normal(size=model.nv)
        data = mujoco.MjData(theirs)
        data.qpos, data.qvel = layout.q(q), layout.v(v, q)
        mujoco.mj_forward(theirs, data)
        np.testing.assert_allclose(ts.passive_force(model, q, v), data.qfrc_passive, rtol=RELATIVE)
        np.testing.assert_allclose(ts.mass_matrix(model, q), mass_matrix(theirs, data), rtol=RELATIVE)


LIMITED = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="x"/><geom size="0.1"/>
    <body name="b" pos="0.2 0 0"><joint name="y" type="slide" range="-1 0.2"/><geom size="0.1"/></body></body>
  </worldbody><tendon>
    <fixed range="-1 0.5"><joint joint="x" coef="-2"/></fixed>
    <fixed range="-0.6 0.9" limited="true"><joint joint="y" coef="1.5"/></fixed>
    <fixed range="-0.1 0.1" limited="false"><joint joint="y" coef="1"/></fixed>
  </tendon></mujoco>"""


def test_limits_of_tendons_along_one_joint_are_limits_of_the_joint(tmp_path):
    """Just inside them MuJoCo has no active limit, just outside it has one."""
    path = tmp_path / "robot.xml"
    path.write_text(LIMITED)
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_allclose(model.q_min, [-0.25, -0.4], rtol=RELATIVE)
    np.testing.assert_allclose(model.q_max, [0.5, 0.2], rtol=RELATIVE)
    for k, bound, outwards in [(k, b[k], s) for k in (0, 1) for b, s in ((model.q_min, -1.0), (model.q_max, 1.0))]:
        for beyond in (-1e-6, 1e-6):
            data = mujoco.MjData(theirs)
            data.qpos[k] = bound + beyond * outwards
            mujoco.mj_forward(theirs, data)
            assert (data.nefc > 0) == (beyond > 0.0)


SPRING_DAMPERS = """<mujoco><compiler angle="radian" {}/><worldbody>
  <body name="a" pos="0 0 1" euler="0.1 0.2 0.3">
    <joint name="h" axis="0 1 0.3" pos="0.1 0 0" springdamper="0.2 0.7" armature="0.1" ref="0.3" springref="0.2"/>
    <joint name="i" axis="1 0 0" pos="0.1 0.2 0" ref="0.1" springdamper="0.5 0.4" stiffness="3" damping="7"/>
    <geom size="0.1" pos="0.3 0 0"/>
    <body name="b" pos="0.5 0 0"><geom size="0.1"/>
      <joint name="s" type="slide" axis="1 0 0" springdamper="0.1 1" ref="0.05"/>
      <body pos="0.2 0.1 0"><geom type="box" size="0.1 0.2 0.3"/>
        <joint name="ball" type="ball" pos="0 0 0.1"/></body></body></body>
  <body name="f" pos="1 1 1"><freejoint/><geom size="0.2"/>
    <body pos="0.1 0.2 0.3"><geom type="box" size="0.1 0.2 0.3"/>
      <joint name="k" springdamper="0.3 1" axis="0 1 0"/></body></body></worldbody>
  <tendon><fixed armature="3" stiffness="2"><joint joint="s" coef="2"/></fixed></tendon></mujoco>"""


@pytest.mark.parametrize("settings", ["", 'settotalmass="10"'])
def test_time_constants_and_damping_ratios_give_the_springs_and_dampers_of_mujoco(tmp_path, settings):
    path = tmp_path / "robot.xml"
    path.write_text(SPRING_DAMPERS.format(settings))
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert model.warnings == ()
    layout, rng = MujocoLayout(model, theirs), np.random.default_rng(0)
    for _ in range(5):
        q, v = model.random(rng), rng.normal(size=model.nv)
        data = mujoco.MjData(theirs)
        data.qpos, data.qvel = layout.q(q), layout.v(v, q)
        mujoco.mj_forward(theirs, data)
        assert np.abs(data.qfrc_passive).max() > 1.0
        ours, scale = ts.passive_force(model, q, v), np.abs(data.qfrc_passive).max()
        np.testing.assert_allclose(ours, layout.from_tau(data.qfrc_passive, q), atol=RELATIVE * scale)


def test_springdamper_of_a_ball_joint_gives_its_spring():
    """A solid sphere of mass 2.5 and radius 0.2 turns about its centre: stiffness 0.4 m r^2 / (T z)^2 = 1."""
    geom = '<geom size="0.2" mass="2.5"/>'
    text = f'<mujoco><worldbody><body><joint type="ball" springdamper="0.1 2"/>{geom}</body></worldbody></mujoco>'
    description, problems = read_mjcf_text(text)
    assert list(problems) == []
    assert description.joints[0].stiffness == pytest.approx(1.0)
    assert description.joints[0].damping == pytest.approx(0.8)


def test_a_rigid_flexcomp_is_a_skin_without_mass_and_joints_as_in_mujoco(tmp_path):
    text = """<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><geom size="0.1"/>
      <flexcomp name="skin" type="grid" count="3 3 1" spacing="1 1 1" mass="2" rigid="true" dim="2" radius="0.01"/>
      </body></worldbody><keyframe><key name="home" qpos="0 0 2 1 0 0 0"/></keyframe></mujoco>"""
    agrees(tmp_path, text)
    model = ts.load(tmp_path / "robot.xml")
    assert [problem.rule for problem in model.warnings] == ["left-out"]
    assert model.poses["home"][2] == 2.0


PINNED = {
    "none": ("", 12.0),
    "numbers": ('<pin id="0 1"/>', 10.0),
    "ranges": ('<pin range="0 3 6 7"/>', 6.0),
    "grid": ('<pin grid="1 0 0 0 1 0"/>', 10.0),
    "block": ('<pin gridrange="0 0 0 1 1 1"/>', 4.0),
    "several": ('<pin id="11"/><pin range="0 3"/><pin gridrange="0 0 0 1 0 1"/>', 5.0),
    "all": ('<pin gridrange="0 0 0 1 2 1"/>', 0.0),
}


@pytest.mark.parametrize("case", PINNED)
def test_the_mass_of_a_flexcomp_that_is_left_out_is_that_of_points_that_are_not_pinned(tmp_path, case):
    pins, left = PINNED[case]
    text = f"""<mujoco><worldbody><body name="b"><geom size="0.1"/><joint name="x"/></body>
      <body name="c"><geom size="0.1"/>
      <flexcomp name="soft" type="grid" count="2 3 2" spacing="0.1 0.1 0.1" mass="12" dim="3" radius="0.01">{pins}
      </flexcomp></body></worldbody></mujoco>"""
    path = tmp_path / "robot.xml"
    path.write_text(text)
    theirs, model = mujoco.MjModel.from_xml_path(str(path)), ts.load(path)
    mass = {theirs.body(i).name: theirs.body_mass[i] for i in range(theirs.nbody)}
    assert sum(m for name, m in mass.items() if name.startswith("soft")) == pytest.approx(left)
    assert model.total_mass == pytest.approx(mass["b"] + mass["c"])
    (warning,) = model.warnings
    assert f"with its mass of {left:g} kg" in warning.message if left else "is rigid" in warning.message


def test_composites_are_not_known_to_the_mujoco_that_parity_is_with():
    text = '<mujoco><worldbody><body name="b"><composite type="cable" prefix="rope"/></body></worldbody></mujoco>'
    with pytest.raises(ValueError, match="composite"):
        mujoco.MjModel.from_xml_string(text)


def test_negative_gravcomp_beside_a_positive_one_makes_a_body_heavier_as_in_mujoco(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(CARRIED.replace('gravcomp="{0}"', 'gravcomp="0.5"', 1).format(-2))
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    data, q = mujoco.MjData(theirs), np.array([0.3, -0.4])
    data.qpos = q
    mujoco.mj_forward(theirs, data)
    assert np.abs(data.qfrc_gravcomp).max() > 1.0
    np.testing.assert_allclose(ts.passive_force(model, q, np.zeros(2)), data.qfrc_passive, rtol=RELATIVE)
    assert model.warnings == ()


CARRIED = """<mujoco><option gravity="1 2 -9"/><worldbody><body name="stand"><geom size="0.1"/>
  <body name="a" pos="0 0 1" gravcomp="{0}"><joint name="x" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
    <body name="b" pos="0.6 0 0" gravcomp="{0}"><joint name="y" axis="1 1 0"/><geom size="0.1" pos="0.2 0.1 0"/>
      <site name="massless"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("part", [0.25, 1.0, 3.0])
def test_weights_that_are_carried_need_no_forces_of_the_joints(tmp_path, part):
    path = tmp_path / "robot.xml"
    path.write_text(CARRIED.format(part))
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_array_equal(model.gravity, theirs.opt.gravity)
    layout, rng = MujocoLayout(model, theirs), np.random.default_rng(0)
    for _ in range(5):
        q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        data = mujoco.MjData(theirs)
        data.qpos, data.qvel, data.qacc = layout.q(q), layout.v(v, q), layout.acceleration(vdot, q, v)
        mujoco.mj_inverse(theirs, data)
        assert np.abs(data.qfrc_gravcomp).max() > 0.1
        ours, expected = ts.inverse_dynamics(model, q, v, vdot, passive=True), layout.from_tau(data.qfrc_inverse, q)
        np.testing.assert_allclose(ours, expected, atol=RELATIVE * np.abs(data.qfrc_bias).max())
        carried, weight = ts.passive_force(model, q, v), ts.gravity_force(model, q)
        np.testing.assert_allclose(carried, part * weight, atol=RELATIVE * 100)


HELD = """<mujoco><compiler angle="radian"/><default><geom contype="0" conaffinity="0"/></default><worldbody>
  <body name="a" pos="0 0 1"><joint name="x" axis="0 1 0" ref="0.2"/><geom size="0.1" pos="0.1 0 0"/>
    <body name="b" pos="0.3 0 0"><joint name="y" axis="0 1 0" ref="-0.1"/><geom size="0.1" pos="0.1 0 0"/>
      <body name="c" pos="0.3 0 0"><joint name="z" type="slide" axis="1 0 0" ref="0.3"/><geom size="0.1"/>
        <body name="d" pos="0.3 0 0"><joint name="w" axis="1 0 0"/><geom size="0.1" pos="0 0.2 0"/></body>
  </body></body></body>
  </worldbody><tendon>
    <fixed name="s"{}><joint joint="x" coef="0.5"/><joint joint="y" coef="-2"/><joint joint="z" coef="4"/></fixed>
    <fixed name="t"><joint joint="x" coef="3"/></fixed><fixed name="u"><joint joint="w" coef="0.5"/></fixed>
  </tendon><equality>{}</equality>{}</mujoco>"""
TIES = {
    "one tendon": '<tendon tendon1="s" polycoef="0.3"/>',
    "two tendons": '<tendon tendon1="u" tendon2="t" polycoef="0.1 0.7"/>',
    "both": '<tendon tendon1="s"/><tendon tendon1="u" tendon2="t" polycoef="0.1 0.7"/>',
    "two with a joint in common": '<tendon tendon1="s" tendon2="t" polycoef="0.2 -1"/>',
}


@pytest.mark.parametrize("drive", ["", '<actuator><motor joint="z"/><motor joint="w"/></actuator>'])
@pytest.mark.parametrize("case", TIES)
def test_tendons_that_are_held_tie_their_joints_as_in_mujoco(tmp_path, case, drive):
    """Every configuration here keeps the constraints of MuJoCo, every velocity their rates."""
    path = tmp_path / "robot.xml"
    forces = ' stiffness="3" damping="2" range="-5 5"' if "tendon2" not in TIES[case] else ""  # which nobody feels
    path.write_text(HELD.format(forces, TIES[case], drive))
    model, theirs = ts.load(path), mujoco.MjModel.from_xml_path(str(path))
    assert model.warnings == ()
    assert model.nv == 4 - TIES[case].count("<tendon")
    follows = {coupling.joint for coupling in model.description.couplings}
    assert follows.isdisjoint({"z", "w"}) or not drive
    names = [name for name, joint in model.joints.items() if joint.traits.one_axis]
    places = [names.index(theirs.joint(i).name) for i in range(theirs.njnt)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        data = mujoco.MjData(theirs)
        q, v = model.random(rng), rng.normal(size=model.nv)
        data.qpos, data.qvel = model.joint_positions(q)[places], model.joint_velocities(q, v)[places]
        mujoco.mj_forward(theirs, data)
        assert data.ne == TIES[case].count("<tendon")
        np.testing.assert_allclose(data.efc_pos[: data.ne], 0.0, atol=1e-12)
        np.testing.assert_allclose(data.efc_vel[: data.ne], 0.0, atol=1e-12)


ALIGNED = {
    "one geom": '<geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 0 20"/>',
    "one capsule": '<geom type="capsule" size=".1" fromto="0 .1 .2 .3 .1 .5"/>',
    "two geoms": '<geom type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 9 20"/><geom size=".1" pos="0 .2 .3"/>',
    "one geom with mass": '<geom type="box" size=".1 .2 .3" pos=".1 0 0"/><geom size=".1" group="5"/>',
    "diagonal moments": '<inertial pos=".1 0 .2" euler="5 6 7" mass="2" diaginertia="1 2 2.5"/>',
    "full moments": '<inertial pos=".1 0 .2" mass="2" fullinertia="1 2 2.5 .1 .2 .3"/><geom size=".1"/>',
    "other full moments": '<inertial pos="0 0 0" mass="2" fullinertia="2.5 2 1 .2 -.2 .1"/>',
    "a child": '<geom type="box" size=".1 .2 .3" pos=".1 0 0"/><body pos="0 0 1"><geom size=".1"/></body>',
}


@pytest.mark.parametrize("body", ALIGNED)
@pytest.mark.parametrize("how", ["align", "alignfree", "not"])
def test_aligned_free_bodies_have_the_frames_of_mujoco(tmp_path, body, how):
    compiler = f'<compiler inertiagrouprange="0 4" alignfree="{"true" if how != "align" else "false"}"/>'
    joint = f'<freejoint align="{dict(align="true", alignfree="auto").get(how, "false")}"/>'
    site = '<site name="s" pos=".5 0 0" euler="9 0 0"/>'
    text = f"""<mujoco>{compiler}<worldbody><body name="first"><freejoint/><geom size="1"/><body><geom size="1"/></body>
      </body><body name="b" pos="1 2 3" euler="10 20 30">{joint}{ALIGNED[body]}{site}
      </body></worldbody><keyframe><key name="home" qpos="0 0 0 1 0 0 0 0 0 5 1 0 0 0"/></keyframe></mujoco>"""
    agrees(tmp_path, text)


def test_principal_axes_are_those_of_mujoco():
    rng = np.random.default_rng(0)
    for _ in range(200):
        A = rng.normal(size=(3, 3))
        moments = A @ A.T
        values, axes, turn = np.zeros(3), np.zeros(9), np.zeros(4)
        mujoco.mju_eig3(values, axes, turn, moments.ravel())
        np.testing.assert_allclose(principal_axes(moments), axes.reshape(3, 3), atol=1e-9)


LEFT_OUT = {
    "negative gravity compensation": (
        '<body gravcomp="-2"><joint name="x"/><geom size="0.1"/></body>',
        "",
        ("gravcomp", "is negative, that of no body is positive: it is ignored"),
    ),
    "springdamper without a damping ratio": (
        '<body><joint name="x" springdamper="0.5 0"/><geom size="0.1"/></body>',
        "",
        ("left-out", "springdamper needs a time constant"),
    ),
    "limits of a tendon through space": (
        '<body><joint name="x"/><geom size="0.1"/><site name="a"/></body><site name="b" pos="0 0 1"/>',
        '<tendon><spatial range="0 3" stiffness="3"><site site="a"/><site site="b"/></spatial></tendon>',
        ("not-supported", "of a tendon through space"),
    ),
    "tendon in a loop": (
        '<body><joint name="x"/><geom size="0.1"/><body><joint name="y"/><geom size="0.1"/></body></body>',
        '<tendon><fixed stiffness="3"><joint joint="x" coef="1"/><joint joint="y" coef="1"/></fixed></tendon>'
        '<equality><joint joint1="x" joint2="y" polycoef="0 0 1 0 0"/></equality>',
        ("not-supported", "stiffness 3 of a tendon through space or in loops"),
    ),
    "flexible body": (
        '<body name="b"><freejoint/><geom size="0.1"/><flexcomp name="cloth" count="3 3 1" spacing="1 1 1"/></body>',
        '<equality><connect body1="cloth_0" anchor="0 0 0"/></equality>',
        ("left-out", "<flexcomp> 'cloth' is flexible and left out with its mass of 1 kg"),
    ),
    "composite": (
        '<body name="b"><freejoint/><geom size="0.1"/><composite type="cable" prefix="rope"/></body>',
        "",
        ("left-out", "<composite> 'rope' of type 'cable', which MuJoCo dropped with version 4"),
    ),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_left_out_is_told_and_the_rest_is_loaded(tmp_path, case):
    bodies, after, (rule, words) = LEFT_OUT[case]
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody>{after}</mujoco>")
    model = ts.load(path)
    assert model.total_mass == pytest.approx(bodies.count("<geom") * 4188.79 * 0.001, rel=1e-6)
    assert any(problem.rule == rule and words in problem.message for problem in model.warnings)
    assert all(problem.rule == rule for problem in model.warnings)
