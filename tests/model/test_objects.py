"""Free objects beside a robot."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry.triangles import Triangles
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere


def test_an_object_beside_a_robot_with_a_free_base_leaves_its_coordinates_and_motion_as_they_are() -> None:
    robot = ts.robots.hrp2()
    X = ts.pose((1.0, 2.0, 3.0))
    X[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    both = robot.with_object(Box((0.1, 0.2, 0.3)), 2.0, X, name="box")
    assert (both.nq, both.nv) == (robot.nq + 7, robot.nv + 6)
    assert np.isclose(both.total_mass, robot.total_mass + 2.0)
    assert np.allclose(both.reference[: robot.nq], robot.reference)
    assert np.allclose(ts.frame_pose(both, both.reference, "box"), X)
    rng = np.random.default_rng(0)
    q, v = robot.random(rng), rng.normal(size=robot.nv)
    tau = rng.normal(size=robot.nv)
    q2 = np.concatenate([q, both.reference[robot.nq :]])
    vdot = ts.forward_dynamics(both, q2, np.concatenate([v, np.zeros(6)]), np.concatenate([tau, np.zeros(6)]))
    assert np.allclose(vdot[: robot.nv], ts.forward_dynamics(robot, q, v, tau), atol=1e-8)
    assert np.allclose(vdot[robot.nv :], [0, 0, -9.81, 0, 0, 0], atol=1e-9)
    assert not both.actuated[:6].any() and not both.actuated[-6:].any()
    assert np.array_equal(both.actuated[6 : robot.nv], robot.actuated[6:])


@pytest.mark.parametrize(
    "geometry", [Sphere(0.1), Capsule(0.1, 0.3), Cylinder(0.1, 0.3), Ellipsoid((0.1, 0.2, 0.3)), Box((0.1, 0.2, 0.3))]
)
def test_objects_of_all_shapes_touch_a_robot(geometry) -> None:
    arm = ts.ModelBuilder("post").add_link("world").build()
    model = arm.with_object(geometry, 1.0, ts.pose((0, 0, 0.5)), name="a").with_object(
        Box((1.0, 1.0, 0.1)), 20.0, ts.pose((0, 0, 0.05)), name="table"
    )
    run = ts.simulate(model, duration=1.0, ground=ts.contact.flat(), pairs="all")
    assert run.q[-1, 2] > 0.15 and run.q[-1, 9] < 0.051  # it lies on the table
    on_it = [i for i, name in enumerate(run.contacts) if name.startswith("a/shape|table")]
    assert np.any(run.contact_force[-1, on_it, 2] > 0.0)


def test_a_mesh_is_an_object_where_its_inertia_is_told() -> None:
    corners = np.array([[0.0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    wedge = Mesh("wedge.stl", content=Triangles(corners, faces))
    world = ts.ModelBuilder("world").add_link("world").build()
    with pytest.raises(ts.errors.ArgumentError, match="needs inertia="):
        world.with_object(wedge, 1.0)
    inertia = ts.Inertia.of_box(1.0, (0.1, 0.1, 0.1), com=(0.05, 0.05, 0.05))
    model = world.with_object(Box((1.0, 1.0, 0.1)), 20.0, ts.pose((0, 0, 0.05)), name="table")
    model = model.with_object(wedge, pose=ts.pose((0, 0, 0.15)), inertia=inertia, name="wedge")
    run = ts.simulate(model, duration=1.0, ground=ts.contact.flat(), pairs="all")
    assert np.allclose(run.q[-1, 7:10], (0, 0, 0.1), atol=5e-3) and np.abs(run.v[-1]).max() < 1e-2


def test_objects_are_refused_by_name() -> None:
    robot = ts.robots.rabbit()
    with pytest.raises(ts.errors.ArgumentError, match="planar base"):
        robot.with_object(Sphere(0.1), 1.0)
    world = ts.ModelBuilder("world").add_link("world").build()
    with pytest.raises(ts.errors.ArgumentError, match="mass of the object is None"):
        world.with_object(Sphere(0.1))
    with pytest.raises(ts.errors.ModelError, match="another name"):
        world.with_object(Sphere(0.1), 1.0, name="a").with_object(Sphere(0.1), 1.0, name="a")


def test_free_bodies_of_a_file_touch_each_other(tmp_path) -> None:
    path = tmp_path / "two.xml"
    path.write_text(
        """<mujoco><worldbody>
        <geom name="table" type="box" size="0.5 0.5 0.05" pos="0 0 0.05"/>
        <body name="a" pos="0 0 0.2"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
        <body name="b" pos="0 0 0.45"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
        </worldbody></mujoco>"""
    )
    model = ts.load(path)
    q = np.array(model.reference)
    run = ts.simulate(model, q, duration=1.0, pairs="all")
    height = [ts.frame_pose(model, run.q[-1], name)[2, 3] for name in "ab"]
    assert np.allclose(height, (0.2, 0.4), atol=1e-3)
    assert np.abs(run.v[-1]).max() < 1e-2


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"mass": "a"}, ts.errors.ArgumentError, "mass of the object is 'a'; expected a number above 0"),
        ({"mass": [1.0, 2.0]}, ts.errors.ArgumentError, r"mass of the object is \[1.0, 2.0\]; expected a number"),
        ({"mass": 1.0, "pose": [1, 2, 3]}, ts.errors.ShapeError, r"pose has shape \(3,\); expected \(4, 4\)"),
        ({"mass": 1.0, "pose": "here"}, ts.errors.DtypeError, "pose is str; expected numbers"),
        ({"mass": 1.0, "name": 5}, ts.errors.DtypeError, "name of the object is 5; expected a str"),
        ({"inertia": 3}, ts.errors.DtypeError, "inertia of the object is 3; expected an Inertia"),
        ({"mass": 1.0, "geometry": 5}, ts.errors.DtypeError, "geometry of the object is 5; expected a shape"),
    ],
)
def test_what_is_no_object_is_refused_by_name(arguments, error, told) -> None:
    with pytest.raises(error, match=told):
        ts.ModelBuilder("post").add_link("world").build().with_object(**{"geometry": Box((1, 1, 1)), **arguments})


def test_poses_of_frames_payloads_and_merged_models_are_checked() -> None:
    model = ts.robots.hrp2()
    for call in (
        lambda X: model.with_frame("x", "BODY", X),
        lambda X: model.with_payload("BODY", ts.Inertia.of_box(1.0, (1, 1, 1)), X),
        lambda X: model.merged(model, "BODY", X, prefix="a"),
    ):
        with pytest.raises(ts.errors.ShapeError, match=r"pose has shape \(3,\); expected \(4, 4\)"):
            call([1, 2, 3])
