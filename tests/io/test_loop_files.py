"""Loops and couplings of model files in minimal coordinates."""

import mujoco
import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import LoopError, ModelWarning

CLOSED = 1e-12
PENDULA = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
<body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="1"/>
 <body name="coupler" pos="0.4 0 0"><joint name="b" axis="0 1 0"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0.9 0 0" mass="1"/></body></body>
<body name="rocker" pos="1 0 0"><joint name="d" axis="0 1 0"/>
 <geom type="capsule" size="0.02" fromto="0 0 0 0.7 0 0" mass="1"/></body>
</worldbody><equality>{}</equality>
<keyframe><key name="home" qpos="-1 0.586 -1.514"/></keyframe></mujoco>"""
CONNECT = '<connect name="knee" body1="coupler" body2="rocker" anchor="0.9 0 0"/>'


def pendula(equality, text=PENDULA):
    return text.format(equality)


def with_sites():
    """A connection between sites, which may be apart where the model is drawn."""
    text = PENDULA.replace(
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.9 0 0" mass="1"/>',
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.9 0 0" mass="1"/><site name="s" pos="0.9 0 0"/>',
    ).replace(
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.7 0 0" mass="1"/>',
        '<geom type="capsule" size="0.02" fromto="0 0 0 0.7 0 0" mass="1"/><site name="t" pos="0.7 0 0"/>',
    )
    return text.format('<connect name="knee" site1="s" site2="t"/>')


def polynomial():
    return pendula('<joint name="cam" joint1="d" joint2="a" polycoef="0.1 0.5 -0.2 0.05 0"/>')


@pytest.mark.parametrize("make", [with_sites, polynomial])
def test_accelerations_are_those_of_the_tree_of_mujoco_projected(make, tmp_path):
    """Mass matrix and forces come from MuJoCo, whose own constraints are soft."""
    path = tmp_path / "model.xml"
    path.write_text(make())
    model = ts.load(path)
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    rng = np.random.default_rng(0)
    q, v = model.integrate(model.reference, 0.1 * rng.normal(size=model.nv)), rng.normal(size=model.nv)
    data.qpos[:], data.qvel[:] = model.joint_positions(q), model.joint_velocities(q, v)
    mujoco.mj_forward(mj, data)
    M = np.zeros((mj.nv, mj.nv))
    for row, unit in zip(M, np.eye(mj.nv), strict=True):
        mujoco.mj_mulM(mj, data, row, unit)
    G, h = model.coupling_matrix(q), 1e-5
    later, before = (model.joint_velocities(q + s * h * v, v) for s in (1.0, -1.0))
    bias = (later - before) / (2.0 * h)
    expected = np.linalg.solve(G.T @ M @ G, -G.T @ (data.qfrc_bias + M @ bias))
    found = ts.forward_dynamics(model, q, v, np.zeros(model.nv))
    np.testing.assert_allclose(found, expected, rtol=1e-7)  # the bias is a finite difference
    assert np.abs(data.efc_pos[: data.ne]).max() < 1e-9  # closed for MuJoCo, too


def test_weld_that_leaves_no_freedom_is_told(tmp_path):
    path = tmp_path / "model.xml"
    text = PENDULA.replace('name="rocker" pos="1 0 0"', 'name="rocker" pos="1 0 0.3"')
    path.write_text(pendula('<weld name="stiff" body1="coupler" body2="rocker"/>', text))
    with pytest.warns(ModelWarning, match="'stiff' leaves its joints no freedom"):
        model = ts.load(path)
    assert model.nv == 0


def test_weld_of_pendula_in_line_is_refused_because_it_only_shakes(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(pendula('<weld name="stiff" body1="coupler" body2="rocker"/>'))
    with pytest.raises(LoopError, match="'stiff' with the joints 'a', 'b', 'd' .* infinitesimal"):
        ts.load(path)


def test_anchored_connection_closes(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(pendula(CONNECT))
    model = ts.load(path)
    tree = ts.load(path, couplings="cut")
    assert model.nv == 1
    (loop,) = model.loops
    Q = model.joint_positions(model.random(np.random.default_rng(1), 20))
    ends = [ts.frame_pose(tree, Q, link) @ X for link, X in ((loop.link_a, loop.pose_a), (loop.link_b, loop.pose_b))]
    np.testing.assert_allclose(ends[0][:, :3, 3], ends[1][:, :3, 3], atol=CLOSED)


def test_mimic_of_urdf_is_a_coupling_in_minimal_coordinates(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in ("base", "left", "right"))
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    joints = "".join(
        f'<joint name="{name}_joint" type="revolute"><parent link="base"/><child link="{name}"/><axis xyz="0 0 1"/>'
        f"{limit}{mimic}</joint>"
        for name, mimic in (("left", ""), ("right", '<mimic joint="left_joint" multiplier="-2" offset="0.1"/>'))
    )
    path = tmp_path / "gripper.urdf"
    path.write_text(f'<robot name="gripper">{links}{joints}</robot>')
    model = ts.load(path)
    assert model.nv == 1
    np.testing.assert_allclose(model.joint_positions([0.3]), [0.3, -0.5])
    assert ts.mass_matrix(model, [0.3])[0, 0] == pytest.approx(1.0 + 4.0)
    np.testing.assert_allclose([model.q_min, model.q_max], [[-0.45], [0.55]])
