"""Every rule of validation, each with an example that breaks it and one that just does not."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sample_models import BRICK, chain, double_pendulum, pendulum

import tarsus as ts
from tarsus.errors import ModelError, ModelFileError
from tarsus.model import Coupling, Loop, Source, find_problems

NAN = float("nan")
INF = float("inf")
MODELS_PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def joint(kind="revolute", **properties):
    """A pendulum whose one joint has the given properties."""
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", BRICK)
    return builder.add_joint("j", kind, "a", "b", **properties)


def body(inertia, base="fixed", scale=1.0):
    """A pendulum whose bob has the given inertia, times `scale`."""
    if inertia is not None and scale != 1.0:
        inertia = ts.Inertia(scale * inertia.mass, inertia.com, scale * inertia.moments)
    builder = ts.ModelBuilder(base=base).add_link("a", BRICK).add_link("b", inertia)
    return builder.add_joint("j", "revolute", "a", "b")


def coupled(joint="elbow", leader="shoulder", ratio=1.0, offset=0.0):
    return double_pendulum().add_coupling(joint, leader, ratio, offset)


def led_by(kind):
    """A double pendulum whose elbow follows a joint of the given kind."""
    builder = double_pendulum().add_link("x", BRICK).add_joint("leader", kind, "lower", "x")
    return builder.add_coupling("elbow", "leader")


def moments(*diagonal):
    return ts.Inertia(1.0, moments=np.diag(diagonal))


def bad_pose(value):
    X = np.eye(4)
    X[0, 3] = value
    return X


def three_links(*joints):
    builder = ts.ModelBuilder()
    for name in "abc":
        builder.add_link(name, BRICK)
    for name, (parent, child) in zip("jkl", joints, strict=False):
        builder.add_joint(name, "revolute", parent, child)
    return builder


ERRORS = [
    # rule, builder that breaks it, builder that does not
    ("base", pendulum(base="floating"), pendulum(base="free")),
    ("rotation", pendulum(base="free", rotation="euler-xxx"), pendulum(base="free", rotation="zxz")),
    ("non-finite", pendulum(gravity=(0, 0, -INF)), pendulum(gravity=(0, 0, 0))),
    ("non-finite", body(ts.Inertia(NAN)), body(ts.Inertia(1e99, moments=np.eye(3)))),
    ("non-finite", body(ts.Inertia(1e101, moments=np.eye(3))), body(ts.Inertia(1e100, moments=np.eye(3)))),
    ("non-finite", body(ts.Inertia(1.0, com=(NAN, 0, 0), moments=np.eye(3))), body(BRICK)),
    ("non-finite", body(moments(INF, 1, 1)), body(moments(1, 1, 1))),
    ("non-finite", joint(pose=bad_pose(NAN)), joint(pose=bad_pose(1e9))),
    ("non-finite", joint(child_pose=bad_pose(INF)), joint(child_pose=bad_pose(-1e9))),
    ("non-finite", joint(axis=(NAN, 0, 1)), joint(axis=(0, 0, 1))),
    ("non-finite", joint("helical", pitch=INF), joint("helical", pitch=0.0)),
    ("non-finite", joint(q_min=NAN), joint(q_min=-INF)),
    ("non-finite", joint(tau_max=NAN), joint(tau_max=INF)),
    ("non-finite", joint(damping=INF), joint(damping=0.0)),
    ("non-finite", joint(rest=INF), joint(rest=-3.0)),
    ("non-finite", pendulum().add_frame("f", "bob", bad_pose(NAN)), pendulum().add_frame("f", "bob", bad_pose(1.0))),
    ("non-finite", coupled(ratio=NAN), coupled(ratio=-1e-3)),
    ("non-finite", coupled(offset=INF), coupled(offset=3.0)),
    ("no-links", ts.ModelBuilder(), ts.ModelBuilder().add_link("a", BRICK)),
    ("missing-name", ts.ModelBuilder().add_link("", BRICK), ts.ModelBuilder().add_link(" ", BRICK)),
    ("missing-name", pendulum().add_link("x", BRICK).add_joint("", "revolute", "bob", "x"), pendulum()),
    ("duplicate-name", ts.ModelBuilder().add_link("a").add_link("a"), ts.ModelBuilder().add_link("a")),
    (
        "duplicate-name",
        pendulum().add_link("x", BRICK).add_joint("hinge", "revolute", "bob", "x"),
        pendulum().add_link("x", BRICK).add_joint("bob", "revolute", "bob", "x"),
    ),
    ("duplicate-name", pendulum().add_frame("f", "bob").add_frame("f", "ground"), pendulum().add_frame("f", "bob")),
    ("duplicate-name", pendulum().add_frame("bob", "ground"), pendulum().add_frame("hinge", "ground")),
    ("joint-kind", joint("rotary"), joint("continuous")),
    ("zero-axis", joint(axis=(0, 0, 0)), joint(axis=(0, 0, 1e-6))),
    ("zero-axis", joint("prismatic", axis=(0, 0, 1e-13)), joint("prismatic", axis=(0, 0, 5))),
    ("zero-axis", joint("universal", axis=(0, 0, 1), axis2=(0, 0, 2)), joint("universal", axis2=(0, 1, 1))),
    ("zero-axis", joint("universal", axis=(0, 0, 1), axis2=(0, 0, 0)), joint("universal", axis2=(1, 0, 0))),
    ("zero-axis", joint("planar", axis=(0, 0, 0)), joint("spherical", axis=(0, 0, 0))),
    ("limit-count", joint("universal", q_min=(-1.0, -1.0, -1.0)), joint("universal", q_min=(-1.0, -2.0))),
    ("limit-count", joint("spherical", v_max=(1.0,) * 4), joint("spherical", v_max=(1.0,) * 3)),
    ("swapped-limits", joint(q_min=1.0, q_max=-1.0), joint(q_min=1.0, q_max=1.0)),
    ("negative-effort", joint(tau_max=-1.0), joint(tau_max=0.0)),
    ("negative-velocity", joint(v_max=-1.0), joint(v_max=0.0)),
    ("negative-damping", joint(damping=-1.0), joint(damping=1.0)),
    ("negative-friction", joint(friction=-1.0), joint(friction=1.0)),
    ("negative-armature", joint(armature=-1.0), joint(armature=1.0)),
    ("armature-kind", joint("free", armature=(1.0, 1.0, 2.0, 3.0, 3.0, 3.0)), joint("free", armature=(1.0,) * 6)),
    ("armature-kind", joint("planar", armature=(1.0, 2.0, 2.0)), joint("planar", armature=(1.0, 1.0, 2.0))),
    ("negative-stiffness", joint(stiffness=-1.0), joint(stiffness=1.0)),
    ("unknown-link", pendulum().add_frame("f", "bobb"), pendulum().add_frame("f", "bob")),
    ("unknown-parent", three_links("ab", "xc"), three_links("ab", "ac")),
    ("unknown-child", three_links("ab", "bc", "cx"), three_links("ab", "bc")),
    ("self-parent", three_links("ab", "cc"), three_links("ab", "bc")),
    ("two-parents", three_links("ab", "ac", "bc"), three_links("ab", "ac")),
    ("two-roots", three_links("ab"), three_links("ab", "bc")),
    ("cycle", three_links("bc", "cb"), three_links("ab", "bc")),
    ("cycle", three_links("ab", "bc", "ca"), three_links("ca", "ab")),
    ("unknown-joint", coupled(joint="wrist"), coupled()),
    ("unknown-joint", coupled(leader="shoulders"), coupled(joint="shoulder", leader="elbow")),
    ("coupling-kind", led_by("spherical"), led_by("prismatic")),
    ("coupling-self", coupled(joint="elbow", leader="elbow"), coupled()),
    ("zero-ratio", coupled(ratio=0.0), coupled(ratio=1e-3)),
    ("coupling-twice", coupled().add_coupling("elbow", "shoulder", 2.0), coupled()),
    ("coupling-cycle", coupled().add_coupling("shoulder", "elbow"), coupled()),
    (
        "coupling-cycle",
        chain(3).add_coupling("joint1", "joint2").add_coupling("joint2", "joint3").add_coupling("joint3", "joint1"),
        chain(3).add_coupling("joint1", "joint2").add_coupling("joint2", "joint3"),
    ),
    ("negative-mass", body(ts.Inertia(-1.0, moments=np.eye(3))), body(ts.Inertia(1e-9, moments=np.eye(3) * 1e-9))),
    ("inertia-not-psd", body(moments(1.0, 1.0, -1e-3)), body(moments(1.0, 1.0, -1e-12))),
    ("inertia-not-psd", body(moments(-1e-3, -1e-3, -1e-3)), body(moments(0.0, 1.0, 1.0))),
]

WARNINGS = [
    ("massless", body(None), body(BRICK)),
    ("triangle-inequality", body(moments(1.0, 1.0, 2.1)), body(moments(1.0, 1.0, 2.0))),
    ("mass-ratio", body(moments(1, 1, 1), "free", 1e-7), body(moments(1, 1, 1), "free", 1e-3)),
    # A root that is fixed to the world never moves, so its inertia does no harm.
    ("negative-mass", ts.ModelBuilder().add_link("a", ts.Inertia(-1.0)), ts.ModelBuilder().add_link("a")),
    ("inertia-not-psd", ts.ModelBuilder().add_link("a", moments(-1, 1, 1)), ts.ModelBuilder().add_link("a", BRICK)),
]


def numbered(cases):
    return [pytest.param(*case, id=f"{case[0]}-{index}") for index, case in enumerate(cases)]


@pytest.mark.parametrize(("rule", "bad", "good"), numbered(ERRORS))
def test_error_is_found_and_refuses_the_model(rule, bad, good):
    errors = [p for p in bad.problems() if p.severity == "error"]
    assert rule in {p.rule for p in errors}
    with pytest.raises(ModelError) as caught:
        bad.build()
    assert rule in {p.rule for p in caught.value.problems}
    assert all(p.message for p in caught.value.problems)


@pytest.mark.parametrize(("rule", "bad", "good"), numbered(ERRORS))
def test_neighbour_of_an_error_is_accepted(rule, bad, good):
    assert [p for p in good.problems() if p.severity == "error"] == []
    assert good.build().nb >= 1


@pytest.mark.parametrize(("rule", "bad", "good"), numbered(WARNINGS))
def test_warning_is_kept_with_the_model_and_is_an_error_when_strict(rule, bad, good):
    model = bad.build()
    assert rule in {p.rule for p in model.warnings}
    assert {p.severity for p in model.warnings} == {"warning"}
    with pytest.raises(ModelError) as caught:
        bad.build(strict=True)
    assert rule in {p.rule for p in caught.value.problems}
    assert {p.severity for p in caught.value.problems} == {"error"}


@pytest.mark.parametrize(("rule", "bad", "good"), numbered(WARNINGS))
def test_neighbour_of_a_warning_is_sound_even_when_strict(rule, bad, good):
    assert good.build(strict=True).warnings == ()


def test_documentation_lists_the_rules_that_are_tested_here():
    text = MODELS_PAGE.read_text(encoding="utf-8").split("<!-- rules -->")[1]
    documented = set(re.findall(r"^\| `([a-z-]+)` ", text, flags=re.MULTILINE))
    assert documented == {case[0] for case in (*ERRORS, *WARNINGS)} | {"loop"}


def test_all_problems_of_structure_are_reported_at_once():
    builder = ts.ModelBuilder(base="flying").add_link("a", ts.Inertia(NAN)).add_link("b").add_link("b")
    builder.add_joint("j", "revolute", "a", "b", axis=(0, 0, 0), q_min=1.0, q_max=-1.0, tau_max=-3.0)
    builder.add_joint("k", "spin", "a", "nowhere").add_coupling("j", "j").add_frame("f", "gone")
    with pytest.raises(ModelError) as caught:
        builder.build()
    assert {p.rule for p in caught.value.problems} >= {
        "base",
        "non-finite",
        "duplicate-name",
        "zero-axis",
        "swapped-limits",
        "negative-effort",
        "joint-kind",
        "unknown-child",
        "coupling-self",
        "unknown-link",
    }


def test_inertias_are_judged_in_the_same_go_as_joints():
    builder = body(ts.Inertia(-1.0, moments=np.diag([1.0, 1.0, -1.0])))
    builder.add_link("c", BRICK).add_joint("k", "revolute", "b", "c", q_min=1.0, q_max=-1.0)
    rules = {p.rule for p in builder.problems()}
    assert rules >= {"swapped-limits", "negative-mass", "inertia-not-psd"}


def test_errors_come_before_warnings():
    builder = double_pendulum().add_link("x").add_joint("j", "revolute", "lower", "x")
    builder.add_link("y", ts.Inertia(-1.0)).add_joint("k", "revolute", "lower", "y")
    severities = [p.severity for p in builder.problems()]
    assert severities == sorted(severities)
    assert set(severities) == {"error", "warning"}


def test_message_names_the_part_the_value_and_a_close_name():
    problem = pendulum().add_frame("f", "bobb").problems()[0]
    assert "frame 'f'" in problem.message
    assert "close: 'bob'" in problem.message
    assert problem.value == "bobb"
    assert problem.element == "frame 'f'"


def test_place_of_a_part_is_told():
    source = Source("robot.urdf", 41)
    builder = ts.ModelBuilder(source=Source("robot.urdf", 1)).add_link("a", BRICK)
    builder.add_link("tibia", moments(1.0, 1.0, -1.0), source=source).add_joint("j", "revolute", "a", "tibia")
    with pytest.raises(
        ModelFileError, match=r"robot\.urdf:41: error: inertia of link 'tibia' is not positive"
    ) as caught:
        builder.build()
    assert (caught.value.first.file, caught.value.first.line) == ("robot.urdf", 41)


def test_models_made_in_code_raise_the_plain_model_error():
    with pytest.raises(ModelError) as caught:
        ts.ModelBuilder().build()
    assert type(caught.value) is ModelError


def test_long_cycles_are_shortened():
    builder = ts.ModelBuilder()
    for i in range(1000):
        builder.add_link(f"l{i}").add_joint(f"j{i}", "revolute", f"l{i}", f"l{(i + 1) % 1000}")
    problems = builder.problems()
    assert [p.rule for p in problems] == ["cycle"]
    assert len(problems[0].message) < 200


def test_long_cycle_of_couplings_is_found_without_recursion():
    count = 3000
    builder = chain(count)
    for i in range(1, count + 1):
        builder.add_coupling(f"joint{i}", f"joint{i % count + 1}")
    assert {p.rule for p in builder.problems()} == {"coupling-cycle"}


def test_defective_link_in_a_sound_body_is_a_warning():
    builder = body(BRICK).add_link("flag", ts.Inertia(-0.1, moments=np.diag([1e-4, 1e-4, -1e-4])))
    builder.add_joint("weld", "fixed", "b", "flag")
    model = builder.build()
    assert sorted(p.rule for p in model.warnings) == ["inertia-not-psd", "negative-mass"]
    assert {p.element for p in model.warnings} == {"link 'flag'"}


def test_defective_links_that_make_a_defective_body_are_an_error():
    builder = body(BRICK).add_link("flag", ts.Inertia(-10.0)).add_joint("weld", "fixed", "b", "flag")
    with pytest.raises(ModelError, match="mass of link 'b' is negative: -8"):
        builder.build()


def test_massless_link_fixed_to_a_body_with_mass_is_fine():
    builder = body(BRICK).add_link("marker").add_joint("weld", "fixed", "b", "marker")
    assert builder.build(strict=True).warnings == ()


def test_virtual_link_between_two_joints_may_be_massless():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("between", virtual=True).add_link("b", BRICK)
    builder.add_joint("j", "revolute", "a", "between", axis=(1, 0, 0))
    builder.add_joint("k", "revolute", "between", "b", axis=(0, 1, 0))
    assert builder.build(strict=True).warnings == ()


def test_legal_oddities_are_accepted():
    builder = ts.ModelBuilder("機械").add_link("fuß", BRICK).add_link("knöchel", BRICK)
    builder.add_joint("knöchel", "revolute", "fuß", "knöchel", axis=(0, 0, -7.0), q_min=-math.inf)
    model = builder.build(strict=True)
    assert model.joints["knöchel"].child == "knöchel"


def test_coupling_objects_are_checked_like_those_of_the_builder():
    description = replace(double_pendulum().describe(), couplings=(Coupling("elbow", "nobody"),))
    assert [p.rule for p in find_problems(description)] == ["unknown-joint"]


def test_loop_that_names_an_unknown_link_is_an_error():
    builder = double_pendulum().add_loop(Loop("close", "revolute", "lower", "nothing"))
    assert "unknown-link" in {p.rule for p in builder.problems() if p.severity == "error"}


def test_pose_that_is_no_rigid_motion_is_an_error():
    X = np.eye(4)
    X[0, 0] = 2.0
    assert {p.severity for p in joint(pose=X).problems()} == {"error"}


def test_negative_mass_is_told_in_a_broken_tree_too():
    builder = ts.ModelBuilder().add_link("a", BRICK).add_link("b", ts.Inertia(-1.0))
    rules = {problem.rule for problem in builder.add_joint("j", "revolute", "a", "c").problems()}
    assert {"unknown-child", "negative-mass"} <= rules
