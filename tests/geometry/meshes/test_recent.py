"""Each mesh file is opened once for checking, weighing, drawing, touching and recording; a changed file again."""

import os
import time
from collections import Counter

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import contactors
from tarsus.geometry.meshes import read
from tarsus.geometry.meshes.recent import RecentMeshes, identity
from tarsus.geometry.triangles import Triangles
from tarsus.io.model_document import model_to_document

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SETTLED = 0.05
"""Longer than the clock of the file system ticks [s]."""

URDF = """<robot name="r"><link name="a"><visual><geometry><mesh filename="part.obj"/></geometry></visual>
<collision><geometry><mesh filename="part.obj"/></geometry></collision><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
MJCF = """<mujoco><asset><mesh name="m" file="part.obj"/></asset><worldbody><body name="a"><freejoint/>
<geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"><visual name="v"><geometry><mesh><uri>part.obj</uri></mesh>
</geometry></visual><collision name="c"><geometry><mesh><uri>part.obj</uri></mesh></geometry></collision>
<inertial><mass>1</mass></inertial></link></model></sdf>"""


@pytest.fixture(name="opened")
def _opened(monkeypatch):
    counts = Counter()
    original = open

    def counting(file, *arguments, **keywords):
        counts[os.path.basename(os.fspath(file))] += 1
        return original(file, *arguments, **keywords)

    monkeypatch.setattr(read, "open", counting, raising=False)
    return counts


@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF), ("r.xml", MJCF), ("r.sdf", SDF)])
def test_checking_weighing_drawing_and_touching_open_a_mesh_once(name, text, opened, tmp_path):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    (tmp_path / name).write_text(text)
    time.sleep(SETTLED)
    model = ts.load(tmp_path / name, base="free", check_meshes=True)
    ts.draw(model, path=tmp_path / "picture.png")
    assert len(contactors(model)) == 4
    assert len(model_to_document(model).meshes) == 1
    assert opened == {"part.obj": 1}


def test_file_with_other_content_is_read_again_though_its_size_and_time_are_the_same(opened, tmp_path):
    path = tmp_path / "part.obj"
    for x in ("1", "2"):
        path.write_text(TETRAHEDRON.replace("v 1 0 0", f"v {x} 0 0"))
        os.utime(path, ns=(10**18, 10**18))
        assert read.read_mesh(path).vertices[1, 0] == float(x)
        time.sleep(SETTLED)
        assert read.read_mesh(path).vertices[1, 0] == float(x)
    assert opened["part.obj"] == 4  # what has just changed is not remembered


def test_defects_are_remembered_too(opened, tmp_path):
    path = tmp_path / "part.obj"
    path.write_text("v 0 0 nan\n" * 4 + "f 1 2 3\n")
    time.sleep(SETTLED)
    first, second = read.check_mesh(path), read.check_mesh(path)
    assert first == second != []
    assert opened["part.obj"] == 1


def test_meshes_that_are_shared_cannot_be_written_to(tmp_path):
    path = tmp_path / "part.obj"
    path.write_text(TETRAHEDRON)
    mesh = read.read_mesh(path)
    assert not mesh.vertices.flags.writeable
    assert not mesh.faces.flags.writeable


def test_oldest_are_forgotten_first_and_memory_is_bounded(tmp_path):
    mesh = Triangles(np.zeros((1000, 3)), np.zeros((0, 3), dtype=np.intp))
    recent = RecentMeshes(3 * (mesh.nbytes + 1000))
    statuses = []
    for k in range(4):
        path = tmp_path / f"{k}"
        path.touch()
        statuses.append(path.stat())
    time.sleep(SETTLED)
    for status in statuses:
        recent.put(status, ".obj", mesh)
    assert [recent.get(identity(status, ".obj")) is mesh for status in statuses] == [False, True, True, True]
    assert recent.get(identity(statuses[1], ".stl")) is None
    recent.put(statuses[0], ".obj", Triangles(np.zeros((10**4, 3)), mesh.faces))
    assert recent.get(identity(statuses[0], ".obj")) is None
