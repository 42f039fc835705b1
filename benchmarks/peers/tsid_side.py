"""Whole-body control with TSID, in its own environment."""

import numpy as np
import pinocchio as pin
import tsid
from serving import clock, serve

here = {}


def stand(urdf, names, q, feet, corners, friction, gains, weights, forces, torques, velocities, dt):
    """The robot on its feet: contacts with points, centre of mass, trunk, posture, bounds of torques and joints."""
    robot = tsid.RobotWrapper(urdf, pin.StdVec_StdString(), pin.JointModelFreeFlyer(), False)
    model = robot.model()
    order = np.array([model.joints[model.getJointId(name)].idx_v - 6 for name in names])
    here.update(robot=robot, model=model, order=order, kept=[])
    q0, v0 = _state(q, np.zeros(robot.nv))
    problem = tsid.InverseDynamicsFormulationAccForce("body", robot, False)
    problem.computeProblemData(0.0, q0, v0)
    data = problem.data()
    for foot in feet:
        points = np.asarray(corners).T
        contact = tsid.Contact6d(f"contact {foot}", robot, foot, points, np.array([0.0, 0.0, 1.0]), friction, *forces)
        contact.setKp(gains["contact"] ** 2 * np.ones(6))
        contact.setKd(2 * gains["contact"] * np.ones(6))
        contact.setReference(robot.framePosition(data, model.getFrameId(foot)))
        problem.addRigidContact(contact, weights["force"], 1.0, 0)
        here["kept"].append(contact)
    com = tsid.TaskComEquality("com", robot)
    _set_gain(com, gains["task"], 3)
    problem.addMotionTask(com, weights["com"], 1, 0.0)
    sample = tsid.TrajectorySample(3)
    sample.value(robot.com(data))
    com.setReference(sample)
    trunk = tsid.TaskSE3Equality("trunk", robot, weights["trunk_frame"])
    _set_gain(trunk, gains["task"], 6)
    trunk.setMask(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    problem.addMotionTask(trunk, weights["trunk"], 1, 0.0)
    pose = tsid.TrajectorySample(12, 6)
    place = robot.framePosition(data, model.getFrameId(weights["trunk_frame"]))
    pose.value(np.concatenate([place.translation, place.rotation.T.ravel()]))
    trunk.setReference(pose)
    posture = tsid.TaskJointPosture("posture", robot)
    _set_gain(posture, gains["task"], robot.nv - 6)
    problem.addMotionTask(posture, weights["posture"], 1, 0.0)
    wanted = tsid.TrajectorySample(robot.nv - 6)
    wanted.value(q0[7:])
    posture.setReference(wanted)
    torque = tsid.TaskActuationBounds("torques", robot)
    most = _ordered(torques)
    torque.setBounds(-most, most)
    problem.addActuationTask(torque, 1.0, 0, 0.0)
    bounds = tsid.TaskJointPosVelAccBounds("joints", robot, dt)
    fast = _ordered(velocities)
    bounds.setPositionBounds(np.array(model.lowerPositionLimit)[7:], np.array(model.upperPositionLimit)[7:])
    bounds.setVelocityBounds(fast)
    bounds.setAccelerationBounds(1e4 * np.ones(robot.nv - 6))
    problem.addMotionTask(bounds, 1.0, 0, 0.0)
    here["kept"] += [com, trunk, posture, torque, bounds]
    solver = tsid.SolverHQuadProgFast("solver")
    solver.resize(problem.nVar, problem.nEq, problem.nIn)
    here.update(problem=problem, solver=solver, torque=torque)
    return {"com": np.array(robot.com(data)).tolist(), "mass": float(pin.computeTotalMass(model))}


def limit(torques):
    """Other limits of the torques."""
    most = _ordered(torques)
    here["torque"].setBounds(-most, most)
    return None


def commands(states):
    """Times [s] of single steps, whether they were solved, and the accelerations of the joints."""
    problem, solver = here["problem"], here["solver"]
    seconds, solved, found = [], [], []
    for q, v in states:
        at, rate = _state(q, v)
        begin = clock()
        data = problem.computeProblemData(0.0, at, rate)
        answer = solver.solve(data)
        vdot, tau = problem.getAccelerations(answer), problem.getActuatorForces(answer)
        seconds.append((clock() - begin) * 1e-9)
        solved.append(answer.status == 0 and bool(np.isfinite(tau).all()))
        found.append(np.concatenate([vdot[:6], vdot[6:][here["order"]]]).tolist())
    return {"seconds": seconds, "solved": solved, "vdot": found}


def _set_gain(task, gain, size):
    task.setKp(gain**2 * np.ones(size))
    task.setKd(2 * gain * np.ones(size))


def _ordered(values):
    """Numbers of the joints in the order of the peer."""
    result = np.zeros(len(values))
    result[here["order"]] = values
    return result


def _state(q, v):
    w, x, y, z = q[3:7]
    at = np.concatenate([q[:3], [x, y, z, w], _ordered(q[7:])])
    return at, np.concatenate([v[:6], _ordered(v[6:])])


if __name__ == "__main__":
    serve({"stand": stand, "limit": limit, "commands": commands})
