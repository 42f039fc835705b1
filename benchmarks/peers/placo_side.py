"""Inverse kinematics and whole-body control with PlaCo, in its own environment."""

import numpy as np
import placo
import placo_body
from serving import serve, steps_of

here = {}


def humanoid(urdf, names, values, base, feet, dt, costs):
    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    for name, value in zip(names, values, strict=True):
        robot.set_joint(name, value)
    robot.update_kinematics()
    X = np.eye(4)
    w, x, y, z = base[3:7]
    X[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    X[:3, 3] = base[:3]
    robot.set_T_world_fbase(X)
    robot.update_kinematics()
    solver = placo.KinematicsSolver(robot)
    solver.dt = dt
    poses = {foot: robot.get_T_world_frame(foot).copy() for foot in feet}
    for foot, pose in poses.items():  # weights multiply squares of errors, costs of the others are squared
        solver.add_frame_task(foot, pose).configure(foot, "soft", costs["feet"] ** 2, costs["feet"] ** 2)
    com = robot.com_world().copy()
    com_task = solver.add_com_task(com)
    com_task.configure("com", "soft", costs["com"] ** 2)
    posture = solver.add_joints_task()
    posture.set_joints(dict(zip(names, values, strict=True)))
    posture.configure("posture", "soft", costs["posture"] ** 2)
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(True)
    here.update(
        robot=robot,
        solver=solver,
        com=com,
        com_task=com_task,
        q=np.array(robot.state.q),
        poses=poses,
        names=names,
        values=np.array(values),
    )
    return {"com": com.tolist()}


def steps(offsets, count):
    robot, solver = here["robot"], here["solver"]

    def begin(offset):
        robot.state.q = here["q"]
        robot.update_kinematics()
        here["com_task"].target_world = here["com"] + offset

    def step():
        solver.solve(True)
        robot.update_kinematics()

    return steps_of(offsets, begin, step, _errors, count)


def _errors():
    robot = here["robot"]
    left = []
    for foot, pose in here["poses"].items():
        X = robot.get_T_world_frame(foot)
        turn = pose[:3, :3] @ X[:3, :3].T
        angle = 0.5 * np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        left.append(float(np.hypot(np.linalg.norm(pose[:3, 3] - X[:3, 3]), angle)))
    joints = np.array([robot.get_joint(name) for name in here["names"]])
    com = float(np.linalg.norm(here["com_task"].target_world - robot.com_world()))
    return [*left, com, float(np.linalg.norm(joints - here["values"]))]


if __name__ == "__main__":
    body = {"stand": placo_body.stand, "limit": placo_body.limit, "commands": placo_body.commands}
    serve({"humanoid": humanoid, "steps": steps, **body})
