"""SDF joints that make a tree whichever way they point."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.io.sdf import read_sdf_text
from tarsus.model.assembly import assemble
from tarsus.model.model import Model
from tarsus.spatial import inverse_pose

ROUND_OFF = 1e-13
"""Products of a few poses, and energies of some ten joules."""
INERTIAL = """<inertial><pose>0.1 0 0.2 0 0 0</pose><mass>2</mass>
<inertia><ixx>1</ixx><iyy>1.2</iyy><izz>1.3</izz><ixy>0.1</ixy></inertia></inertial>"""
LINKS = "".join(
    f'<link name="{name}"><pose>{pose}</pose>{INERTIAL}</link>'
    for name, pose in {"a": "1 0 0 0 0 1", "b": "0 1 0 0 1 0", "c": "0 0 1 1 0 0"}.items()
)
DRAKE_POTENTIAL, DRAKE_KINETIC = 84.34049192246269, 0.33515021252366795
"""What Drake 1.51, whose parser is libsdformat, says of the tree that grows from the world [J]."""
AXES = {
    "revolute": "<axis><xyz>0.6 0 0.8</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>",
    "prismatic": "<axis><xyz>0.6 0 0.8</xyz></axis>",
    "screw": "<axis><xyz>0.6 0 0.8</xyz></axis><screw_thread_pitch>0.5</screw_thread_pitch>",
    "universal": "<axis><xyz>1 0 0</xyz><limit><upper>1</upper></limit></axis><axis2><xyz>0 1 0</xyz></axis2>",
    "ball": "",
    "fixed": "",
}


def joint(name: str, parent: str, child: str, kind: str = "revolute") -> str:
    pose = "<pose>0.1 0.2 0.1 0.3 0.1 0</pose>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{pose}{ends}{AXES[kind]}</joint>'


def model(joints: str) -> Model:
    text = f'<sdf version="1.10"><model name="m"><pose>0 0 1 0.1 0.2 0.3</pose>{LINKS}{joints}</model></sdf>'
    description, problems = read_sdf_text(text)
    assert [p for p in problems if p.severity == "error"] == []
    assert description.loops == ()
    return assemble(description)


def as_in_file(kind: str, q: np.ndarray) -> np.ndarray:
    """Coordinates of a joint from parent to child, given those of the joint that is turned round."""
    if kind == "ball":
        return q * np.array([1.0, -1.0, -1.0, -1.0])
    return q[::-1] if kind == "universal" else q


def relative(m: Model, q: np.ndarray, a: str, b: str) -> np.ndarray:
    """Pose of link b seen from link a."""
    return inverse_pose(ts.frame_pose(m, q, a)) @ ts.frame_pose(m, q, b)


def test_two_joints_that_share_a_child_are_a_tree_where_they_close_nothing():
    m = model(joint("j", "a", "c") + joint("k", "b", "c"))
    assert (m.base, m.nv, m.joints["j"].child, m.joints["k"].parent) == ("free", 8, "c", "c")


@pytest.mark.parametrize("kind", AXES)
def test_a_joint_that_is_turned_round_moves_as_the_file_says(kind):
    """The joint from b to c behind a and c, against the same joint that leads away from the world."""
    turned = model(joint("j", "a", "c") + joint("k", "b", "c", kind))
    straight = model(joint("k", "b", "c", kind) + joint("j", "world", "b"))
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, p = turned.random(rng), straight.neutral()
        if kind != "fixed":  # fixed joints are merged
            p[straight.joints["k"].q_index] = as_in_file(kind, q[turned.joints["k"].q_index])
        np.testing.assert_allclose(relative(turned, q, "b", "c"), relative(straight, p, "b", "c"), atol=ROUND_OFF)


def test_limits_stay_with_their_angles_when_a_joint_is_turned_round():
    m = model(joint("j", "a", "c") + joint("k", "b", "c", "universal") + joint("w", "world", "a"))
    np.testing.assert_array_equal(m.joints["k"].q_max, (np.inf, 1.0))
    m = model(joint("j", "a", "c") + joint("k", "b", "c") + joint("w", "world", "a"))
    assert (m.joints["k"].q_min[0], m.joints["k"].q_max[0]) == (-1.0, 2.0)


def test_turned_ball_and_universal_joints_are_told():
    joints = joint("j", "a", "c") + joint("k", "b", "c", "ball")
    _, problems = read_sdf_text(f'<sdf version="1.10"><model name="m">{LINKS}{joints}</model></sdf>')
    assert [(p.severity, p.rule) for p in problems] == [("warning", "reversed-joint")]


def test_a_tree_with_a_late_joint_to_the_world_grows_from_the_world():
    m = model(joint("j", "a", "c") + joint("k", "b", "c") + joint("w", "world", "c"))
    assert (m.base, m.nv) == ("fixed", 3)
    assert {name: m.joints[name].parent for name in "jkw"} == {"j": "c", "k": "c", "w": "world"}
    q, v = np.zeros(3), np.zeros(3)
    for name, x, rate in (("j", 0.15, 0.4), ("k", 0.25, 0.5), ("w", 0.35, 0.6)):
        q[m.joints[name].q_index], v[m.joints[name].v_index] = x, rate
    assert ts.potential_energy(m, q) == pytest.approx(DRAKE_POTENTIAL, rel=ROUND_OFF)
    assert ts.kinetic_energy(m, q, v) == pytest.approx(DRAKE_KINETIC, rel=ROUND_OFF)


def test_a_joint_that_closes_a_cycle_stays_a_loop_where_the_world_is_part_of_it():
    joints = joint("j", "a", "c") + joint("k", "world", "a") + joint("w", "world", "c")
    links = LINKS.replace('name="b"', 'name="d"')
    description, _ = read_sdf_text(f'<sdf version="1.10"><model name="m">{links}{joints}</model></sdf>')
    assert [loop.name for loop in description.loops] == ["w"]


def test_a_gear_beside_a_turned_joint_keeps_its_sense():
    gear = """<joint name="g" type="gearbox"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
    <axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>
    <gearbox_reference_body>c</gearbox_reference_body></joint>"""
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in "abc")
    hinge = '<joint name="{}" type="continuous"><parent>{}</parent><child>{}</child><axis/></joint>'
    upright = hinge.format("j", "c", "a") + hinge.format("k", "c", "b")
    turned = hinge.format("j", "a", "c") + hinge.format("k", "b", "c")
    ratios = []
    for joints in (upright, turned, hinge.format("j", "c", "a") + hinge.format("k", "b", "c")):
        description, _ = read_sdf_text(f'<sdf version="1.10"><model name="m">{links}{joints}{gear}</model></sdf>')
        ratios += [(c.joint, c.leader, c.ratio) for c in description.couplings]
    assert ratios == [("k", "j", -3.0), ("k", "j", -3.0), ("k", "j", 3.0)]
