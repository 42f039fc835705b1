"""Properties that every robot of the package has."""

import numpy as np
import pytest

import tarsus as ts

ROBOTS = {
    "hrp2": ts.robots.hrp2,
    "lola": ts.robots.lola,
    "lola-rigid": lambda: ts.robots.lola(drives="rigid"),
    "lola-elastic": lambda: ts.robots.lola(drives="elastic"),
    "crops9": ts.robots.crops9,
    "feng18": ts.robots.feng18,
    "feng18-free": lambda: ts.robots.feng18("free"),
    "shah7": ts.robots.shah7,
    "rabbit-book": ts.robots.rabbit,
    "rabbit-hzd": lambda: ts.robots.rabbit("hzd"),
    "planar4": ts.robots.planar4,
    "quadruped": ts.robots.quadruped,
    "coil": lambda: ts.robots.coil(12),
    "dill": lambda: ts.robots.dill(4),
    "coil-driven": lambda: ts.robots.coil(12, drives=True),
    "dill-driven": lambda: ts.robots.dill(4, drives=True),
}
ROUND_OFF = 1e-12


@pytest.fixture(params=ROBOTS, name="model")
def _model(request):
    return ROBOTS[request.param]()


def test_model_gives_no_warning(model):
    assert model.warnings == ()


def test_reference_pose_is_inside_the_limits(model):
    assert np.all(model.reference >= model.q_min - ROUND_OFF)
    assert np.all(model.reference <= model.q_max + ROUND_OFF)


def test_mass_matrix_is_positive_definite_in_the_reference_pose(model):
    assert np.linalg.eigvalsh(ts.mass_matrix(model, model.reference)).min() > 0.0


def test_every_moving_body_has_visuals_and_the_same_collision_shapes(model):
    for body in list(model.bodies.values())[1:]:
        assert body.visuals
        assert [(s.geometry, s.pose.tolist()) for s in body.visuals] == [
            (s.geometry, s.pose.tolist()) for s in body.collisions
        ]


def test_base_is_not_actuated_and_drives_are(model):
    passive = {"feng18": {"joint1", "joint8"}}.get(model.name, set())
    for name, joint in model.joints.items():
        expected = name not in passive and name != "base" and not name.endswith("_elastic")
        assert np.all(model.actuated[joint.v_index] == expected)


@pytest.mark.parametrize("name", ["hrp2", "lola", "feng18"])
@pytest.mark.parametrize(("base", "nv"), [("fixed", 0), ("planar", 3), ("free", 6)])
def test_base_adds_its_degrees_of_freedom(name, base, nv):
    joints = {"hrp2": 30, "lola": 24, "feng18": 18}[name]
    assert getattr(ts.robots, name)(base).nv == joints + nv


@pytest.mark.parametrize("name", ["hrp2", "lola", "shah7"])
def test_planar_and_free_base_stand_in_the_same_reference_pose(name):
    poses = [
        ts.frame_pose(model, model.reference, "l_sole")
        for model in (getattr(ts.robots, name)(base=base) for base in ("planar", "free"))
    ]
    np.testing.assert_allclose(poses[0], poses[1], atol=ROUND_OFF)
