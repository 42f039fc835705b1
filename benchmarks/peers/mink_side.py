"""Inverse kinematics with mink, in its own environment."""

import mink
import mujoco
import numpy as np
from serving import reach, serve, steps_of

here = {}


def _configuration(model, names, values, base=None):
    q = model.qpos0.copy()
    if base is not None:
        q[:7] = base
    for name, value in zip(names, values, strict=True):
        q[model.joint(name).qposadr[0]] = value
    return q


def _velocity_limit(model, velocities):
    return mink.VelocityLimit(model, velocities)


def arm(urdf, frame, names, start, dt, lm_damping, velocities):
    model = mujoco.MjModel.from_xml_path(urdf)
    q = _configuration(model, names, start)
    configuration = mink.Configuration(model)
    configuration.update(q)
    task = mink.FrameTask(frame, "body", 1.0, 1.0, lm_damping=lm_damping)
    limits = [mink.ConfigurationLimit(model), _velocity_limit(model, velocities)]
    here.update(configuration=configuration, task=task, q=q, dt=dt, limits=limits)
    return {"nq": model.nq}


def targets(poses, tolerance, max_steps):
    configuration, task = here["configuration"], here["task"]

    def first(X):
        task.set_target(mink.SE3.from_matrix(np.array(X)))
        configuration.update(here["q"])

    def step():
        v = mink.solve_ik(configuration, [task], here["dt"], "daqp", limits=here["limits"])
        configuration.integrate_inplace(v, here["dt"])

    return reach(poses, first, step, lambda: np.abs(task.compute_error(configuration)).max(), tolerance, max_steps)


def humanoid(urdf, names, values, base, feet, dt, costs, velocities):
    model = mujoco.MjModel.from_xml_path(urdf)
    q = _configuration(model, names, values, base)
    configuration = mink.Configuration(model)
    configuration.update(q)
    tasks = [mink.FrameTask(foot, "body", costs["feet"], costs["feet"]) for foot in feet]
    tasks += [mink.ComTask(cost=costs["com"]), mink.PostureTask(model, cost=costs["posture"])]
    for task in tasks:
        task.set_target_from_configuration(configuration)
    limits = [mink.ConfigurationLimit(model), _velocity_limit(model, velocities)]
    com = configuration.data.subtree_com[1].copy()
    here.update(configuration=configuration, tasks=tasks, q=q, dt=dt, com=com, limits=limits)
    return {"com": com.tolist()}


def steps(offsets, count):
    configuration, tasks = here["configuration"], here["tasks"]

    def begin(offset):
        configuration.update(here["q"])
        tasks[2].set_target(here["com"] + offset)

    def step():
        v = mink.solve_ik(configuration, tasks, here["dt"], "daqp", limits=here["limits"])
        configuration.integrate_inplace(v, here["dt"])

    return steps_of(offsets, begin, step, lambda: [_size(task.compute_error(configuration)) for task in tasks], count)


def _size(error):
    return float(np.linalg.norm(error))


if __name__ == "__main__":
    serve({"arm": arm, "targets": targets, "humanoid": humanoid, "steps": steps})
