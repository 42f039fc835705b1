"""Whole-body control with PlaCo, in its own environment."""

import numpy as np
import placo
from serving import clock

here = {}


def stand(urdf, names, q, feet, corners, friction, gains, weights, forces, torques, velocities, dt):
    """The robot on its feet: planar contacts, centre of mass, trunk, posture, limits of torques and joints."""
    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    here.update(robot=robot, names=names, kept=[])
    here["places"] = np.array([robot.get_joint_offset(name) for name in names])
    here["rates"] = np.array([robot.get_joint_v_offset(name) for name in names])
    _place(q, np.zeros(6 + len(names)))
    solver = placo.DynamicsSolver(robot)
    solver.dt = dt
    points = np.asarray(corners)
    length, width = np.ptp(points[:, 0]), np.ptp(points[:, 1])
    for foot in feet:
        task = solver.add_frame_task(foot, robot.get_T_world_frame(foot))
        task.configure(foot, "hard", 1.0, 1.0)
        _set_gain([task.position(), task.orientation()], gains["contact"])
        contact = solver.add_planar_contact(task)
        contact.length, contact.width, contact.mu, contact.weight_forces = length, width, friction, weights["force"]
        here["kept"] += [task, contact]
    com = solver.add_com_task(robot.com_world())
    com.configure("com", "soft", weights["com"])
    trunk = solver.add_orientation_task(weights["trunk_frame"], robot.get_T_world_frame(weights["trunk_frame"])[:3, :3])
    trunk.configure("trunk", "soft", weights["trunk"])
    posture = solver.add_joints_task()
    posture.set_joints(dict(zip(names, q[7:], strict=True)))
    posture.configure("posture", "soft", weights["posture"])
    _set_gain([com, trunk, posture], gains["task"])
    for name, speed in zip(names, velocities, strict=True):
        robot.set_velocity_limit(name, speed)
    solver.enable_torque_limits(True)
    solver.enable_velocity_limits(True)
    solver.enable_joint_limits(True)
    here.update(solver=solver, com=com, trunk=trunk, posture=posture)
    limit(torques)
    return {"com": robot.com_world().tolist(), "mass": float(robot.total_mass())}


def limit(torques):
    """Other limits of the torques."""
    for name, most in zip(here["names"], torques, strict=True):
        here["robot"].set_torque_limit(name, most)
    return None


def commands(states):
    """Times [s] of single steps, whether they were solved, and the accelerations of the joints."""
    robot, solver = here["robot"], here["solver"]
    seconds, solved, found = [], [], []
    for q, v in states:
        _fill(q, v)
        begin = clock()
        robot.update_kinematics()
        answer = solver.solve(False)
        seconds.append((clock() - begin) * 1e-9)
        solved.append(bool(answer.success))
        vdot = np.array(answer.qdd)
        found.append(np.concatenate([vdot[:6], vdot[here["rates"]]]).tolist() if len(vdot) else [])
    return {"seconds": seconds, "solved": solved, "vdot": found}


def _set_gain(tasks, gain):
    for task in tasks:
        task.kp, task.kd = gain**2, 2 * gain


def _fill(q, v):
    robot = here["robot"]
    w, x, y, z = q[3:7]
    at, rate = np.array(robot.state.q), np.array(robot.state.qd)
    at[:7], rate[:6] = [*q[:3], x, y, z, w], v[:6]
    at[here["places"]], rate[here["rates"]] = q[7:], v[6:]
    robot.state.q, robot.state.qd = at, rate


def _place(q, v):
    _fill(q, v)
    here["robot"].update_kinematics()
