"""The comparison with programs in environments of their own: one robot for all, an honest clock, named failures."""

import sys

import numpy as np
import pytest
from benchmarks.peers import environment, worker
from benchmarks.peers.plain_urdf import write_plain
from robot_data import robot_data_path

import tarsus as ts

PATH = robot_data_path("talos_data/robots/talos_reduced.urdf")


def test_the_plain_robot_is_the_same_robot(tmp_path):
    plain = ts.load(write_plain(PATH, tmp_path / "plain.urdf"), base="free")
    whole = ts.load(PATH, base="free")
    q = whole.random(np.random.default_rng(0))
    assert list(plain.joints) == list(whole.joints)
    assert np.abs(ts.frame_pose(plain, q, "left_sole_link") - ts.frame_pose(whole, q, "left_sole_link")).max() < 1e-12
    assert np.abs(ts.center_of_mass(plain, q) - ts.center_of_mass(whole, q)).max() < 1e-12


def test_every_peer_has_requirements_and_a_side():
    assert environment.peers() == ["crocoddyl", "mink", "pink", "placo", "tsid"]
    for peer in environment.peers():
        assert (environment.HERE / f"{peer}_side.py").is_file()


def test_unknown_peers_are_named():
    with pytest.raises(environment.PeerUnavailable, match="'drake' has no drake.txt; there are crocoddyl, mink"):
        environment.python_of("drake")


@pytest.fixture(name="side")
def _side(tmp_path, monkeypatch):
    """Puts a script in the place of a peer's side, run by this interpreter."""
    (tmp_path / "serving.py").write_text((environment.HERE / "serving.py").read_text())
    monkeypatch.setattr(worker, "HERE", tmp_path)
    monkeypatch.setattr(worker, "python_of", lambda peer: sys.executable)
    return lambda text: (tmp_path / "other_side.py").write_text(text)


def test_questions_are_answered_and_errors_are_told_with_the_name_of_the_peer(side):
    side(
        "from serving import serve\n"
        "def add(a, b):\n    print('noise')\n    return a + b\n"
        "def fail():\n    raise ValueError('no such robot')\n"
        "serve({'add': add, 'fail': fail})\n"
    )
    with worker.Worker("other") as peer:
        assert peer.ask("add", a=2, b=3) == 5
        with pytest.raises(environment.PeerUnavailable, match="other: ValueError: no such robot"):
            peer.ask("fail")
        assert peer.ask("add", a=[1], b=[2]) == [1, 2]


def test_a_peer_that_ends_is_told(side):
    side("import sys\nsys.exit(0)\n")
    with worker.Worker("other") as peer, pytest.raises(environment.PeerUnavailable, match="ended without an answer"):
        peer.ask("add")


def test_steps_are_counted_until_the_tolerance_is_met(side):
    """Newton's method for a root of x^2 = target, from 1; a negative target has none."""
    side(
        "from serving import reach, serve\n"
        "here = {}\n"
        "def first(target):\n    here.update(x=1.0, target=target)\n"
        "def step():\n    here['x'] -= (here['x'] ** 2 - here['target']) / (2 * here['x'])\n"
        "def error():\n    return abs(here['x'] ** 2 - here['target'])\n"
        "serve({'roots': lambda targets: reach(targets, first, step, error, 1e-6, 7)})\n"
    )
    with worker.Worker("other") as peer:
        answer = peer.ask("roots", targets=[1.0, 4.0, -1.0])
    assert answer["solved"] == [True, True, False]
    assert answer["steps"][0] == 0
    assert answer["steps"][1] == 4  # 1, 2.5, 2.05, 2.0006, 2.0000001
    assert all(seconds >= 0 for seconds in answer["seconds"])
