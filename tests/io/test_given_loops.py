"""Loops that are told beside a file: by pairs of frames, by a TOML file, on a model, and on the command line."""

import json

import numpy as np
import pytest
from parallel_robots import delta, five_bar_urdf
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.dynamics.constraints import LoopJoint
from tarsus.errors import (
    ArgumentError,
    LoopError,
    ModelError,
    ModelFileError,
    NonFiniteError,
    RedundantConstraintWarning,
    UnknownNameError,
)
from tarsus.model import Loop

pytestmark = pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
GROUND, INNER, OUTER = 0.3, 0.35, 0.5
REFERENCE = {"left_shoulder": 2.0, "right_shoulder": 1.1, "left_elbow": -1.0, "right_elbow": 1.0}
TOML = """
independent = ["left_shoulder", "right_shoulder"]

[[loop]]
name = "tip"
frames = ["left_tip", "right_tip"]
kind = "revolute"
axis = [0, 1, 0]

[reference]
left_shoulder = 2.0
right_shoulder = 1.1
left_elbow = -1.0
right_elbow = 1.0
"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "five_bar.urdf"
    path.write_text(five_bar_urdf(GROUND, INNER, OUTER))
    return path


@pytest.fixture
def toml(tmp_path):
    path = tmp_path / "loops.toml"
    path.write_text(TOML)
    return path


def leaders(model):
    return [joint.name for joint in model.joints.values() if joint.v_index.stop > joint.v_index.start]


def tip(left, right):
    """Where the rods meet above the line of the elbows: the triangle of both rods."""
    elbows = np.array([[-0.5 * GROUND, 0.0], [0.5 * GROUND, 0.0]])
    elbows += INNER * np.array([[np.cos(left), np.sin(left)], [np.cos(right), np.sin(right)]])
    d = elbows[1] - elbows[0]
    height = np.sqrt(OUTER**2 - 0.25 * d @ d)
    return elbows.mean(axis=0) + height * np.array([-d[1], d[0]]) / np.hypot(*d)


WAYS = {
    "pair": lambda urdf, toml: ts.load(urdf, loops=[("left_tip", "right_tip")], reference=REFERENCE),
    "mapping": lambda urdf, toml: ts.load(
        urdf, loops=[{"frames": ["left_tip", "right_tip"], "kind": "revolute", "axis": [0, 1, 0]}],
        reference=REFERENCE),
    "Loop": lambda urdf, toml: ts.load(urdf, loops=[Loop("x", "spherical", "left_tip", "right_tip")],
                                       reference=REFERENCE),
    "file": lambda urdf, toml: ts.load(urdf, loops=toml),
    "file by its name": lambda urdf, toml: ts.load(urdf, loops=str(toml)),
    "model": lambda urdf, toml: ts.load(urdf).with_loop("left_tip", "right_tip", reference=REFERENCE),
    "points of links": lambda urdf, toml: ts.load(urdf).with_loop(
        "left_rod", "right_rod", "revolute", axis=(0, 1, 0), position_a=(OUTER, 0, 0), position_b=(OUTER, 0, 0),
        reference=REFERENCE),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_five_bar_of_the_closed_form(way, urdf, toml):
    model = WAYS[way](urdf, toml)
    assert leaders(model) == ["left_shoulder", "right_shoulder"]
    for left, right in ((2.0, 1.1), (2.4, 0.9), (1.8, 1.2)):
        x, _, z = ts.frame_pose(model, [left, right], "right_tip")[:3, 3]
        np.testing.assert_allclose([x, z], tip(left, right), atol=1e-9)
        np.testing.assert_allclose(ts.frame_pose(model, [left, right], "left_tip")[:3, 3], [x, 0.0, z], atol=1e-9)


@pytest.mark.parametrize("joints", [("left_elbow", "right_elbow"), ("left_shoulder", "left_elbow")])
def test_joints_that_are_asked_for_lead_with_the_same_motion(joints, urdf, toml):
    model, other = ts.load(urdf, loops=toml), ts.load(urdf, loops=toml, independent=joints)
    assert sorted(leaders(other)) == sorted(joints)
    q, v = np.array([2.1, 1.0]), np.array([0.3, -0.5])
    tree, rates = model.joint_positions(q), model.joint_velocities(q, v)
    places = [other.joints[name].index for name in leaders(other)]
    start = other.coordinates.tree_q_start
    q_other, v_other = tree[start[places]], rates[start[places]]
    np.testing.assert_allclose(other.joint_positions(q_other), tree, atol=1e-9)
    assert ts.kinetic_energy(other, q_other, v_other) == pytest.approx(float(ts.kinetic_energy(model, q, v)), rel=1e-9)


def test_arguments_win_over_the_file(urdf, toml):
    model = ts.load(urdf, loops=toml, reference={"left_shoulder": 2.3}, independent=["left_shoulder", "left_elbow"])
    assert leaders(model) == ["left_shoulder", "left_elbow"]
    assert model.reference[0] == pytest.approx(2.3)


def test_the_loop_is_the_constraint_by_multipliers(urdf, toml):
    model, tree = ts.load(urdf, loops=toml), ts.load(urdf)
    q, v, tau = np.array([2.2, 1.0]), np.array([0.4, -0.7]), np.array([0.3, -0.2])
    q_tree, v_tree = model.joint_positions(q), model.joint_velocities(q, v)
    lead = [model.joints[name].index - 1 for name in leaders(model)]
    tau_tree = np.zeros(4)
    tau_tree[lead] = tau
    loop = LoopJoint("left_tip", "right_tip", "revolute", axis=(0, 1, 0))
    with pytest.warns(RedundantConstraintWarning, match="5 rows have the rank 2"):
        answer = ts.constrained_dynamics(tree, q_tree, v_tree, tau_tree, [loop])
    np.testing.assert_allclose(ts.forward_dynamics(model, q, v, tau), answer.vdot[lead], rtol=1e-8, atol=1e-8)


def test_a_reference_without_numbers_for_all_joints_is_completed(urdf):
    model = ts.load(urdf, loops=[("left_tip", "right_tip")], reference={"left_shoulder": 2.0, "right_shoulder": 1.1})
    np.testing.assert_allclose(model.reference, [2.0, 1.1], atol=1e-9)


REFUSED = {
    "frame": (dict(loops=[("left_tip", "right_top")]), UnknownNameError, "'right_top'.*close: 'right_tip'"),
    "kind": (dict(loops=[("left_tip", "right_tip", "revolut")]), ArgumentError, "'revolut'.*close: 'revolute'"),
    "entry": (dict(loops=[("left_tip",)]), ArgumentError, "expected two frames"),
    "leader": (dict(loops=[("left_tip", "right_tip")], independent=["elbow"]), UnknownNameError, "'elbow'"),
    "leaders without loops": (dict(independent=["left_elbow"]), ArgumentError, "this model has none"),
    "too many leaders": (
        dict(loops=[("left_tip", "right_tip")], independent=["left_elbow", "right_elbow", "left_shoulder"]),
        LoopError,
        "2 degrees of freedom, and cannot be led by 'left_shoulder', 'left_elbow', 'right_elbow'",
    ),
    "reference": (dict(loops=[("left_tip", "right_tip")], reference={"elbow": 1.0}), UnknownNameError, "'elbow'"),
    "not finite": (
        dict(loops=[("left_tip", "right_tip")], reference={"left_elbow": np.nan}),
        NonFiniteError,
        "reference of joint 'left_elbow'",
    ),
    "two numbers": (
        dict(loops=[("left_tip", "right_tip")], reference={"left_elbow": [1.0, 2.0]}),
        ModelError,
        "'left_elbow' has 2 numbers; expected 1",
    ),
    "world": (dict(base="free", loops=[("left_tip", "world")]), UnknownNameError, "not fixed to the world"),
    "twice": (dict(loops=[("left_tip", "right_tip")] * 2), ArgumentError, "loop named .* already"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name(case, urdf):
    keywords, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        ts.load(urdf, **keywords)


BAD_FILES = {
    "no TOML": ("loop = [", "no TOML"),
    "key": ("lops = 1", "'lops'.*close: 'loop'"),
    "key of a loop": ('[[loop]]\nframes = ["left_tip", "right_tip"]\nkin = "fixed"', "'kin'"),
    "one frame": ('[[loop]]\nframes = ["left_tip"]', "expected two names"),
    "frame": ('[[loop]]\nframes = ["left_tip", "nowhere"]', "'nowhere'"),
    "no table": ("loop = 3", "expected tables"),
    "axis": ('[[loop]]\nframes = ["left_tip", "right_tip"]\naxis = [1, 0]', r"shape \(2,\)"),
    "binary": ("\x00\x01", "no TOML"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_of_loops_are_refused_with_their_name(case, urdf, tmp_path):
    text, message = BAD_FILES[case]
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=f"bad.toml.*{message}"):
        ts.load(urdf, loops=path)


def test_a_missing_file_of_loops_is_named(urdf):
    with pytest.raises(ModelFileError, match="nowhere.toml"):
        ts.load(urdf, loops="nowhere.toml")


def test_the_command_line_takes_a_file_of_loops_and_tells_who_leads(urdf, toml):
    told = CliRunner().invoke(app, ["info", str(urdf), "--loops", str(toml)])
    assert told.exit_code == 0
    assert "right_elbow, left_elbow led by left_shoulder, right_shoulder; largest slope of a follower" in told.stdout
    report = json.loads(CliRunner().invoke(app, ["info", str(urdf), "--loops", str(toml), "--json"]).stdout)
    (lead,) = report["leading"]
    model = ts.load(urdf, loops=toml)
    assert lead["independent"] == ["left_shoulder", "right_shoulder"]
    G = np.abs(model.coupling_matrix(model.reference))
    assert lead["largest_slope"] == pytest.approx(max(G[1].max(), G[3].max()))


def test_the_command_line_does_not_open_loops_that_were_asked_for(urdf, tmp_path):
    path = tmp_path / "far.toml"
    path.write_text('[[loop]]\nframes = ["left_tip", "right_tip"]\nposition_a = [5, 0, 0]')
    told = CliRunner().invoke(app, ["info", str(urdf), "--loops", str(path)])
    assert told.exit_code != 0 and "cannot be closed" in told.output


def test_a_loop_can_be_added_to_a_model_with_loops():
    """A fourth rod of the delta robot, which the other three determine: redundant in position, and closed."""
    model = delta().build()
    p_WP = ts.frame_pose(model, model.reference, "platform")[:3, 3]
    held = model.with_loop("platform", "frame", "planar", axis=(1, 0, 0), position_b=p_WP, name="rail")
    assert held.nv == model.nv - 1
    q = held.random(np.random.default_rng(2))
    assert ts.frame_pose(held, q, "platform")[0, 3] == pytest.approx(p_WP[0], abs=1e-9)
