"""Inverse kinematics with Pink, in its own environment."""

import numpy as np
import pink
import pinocchio as pin
from pink.tasks import ComTask, FrameTask, PostureTask
from serving import reach, serve, steps_of

here = {}


def _configuration(model, names, values, base=None):
    q = pin.neutral(model)
    if base is not None:
        q[:3], q[3:7] = base[:3], [*base[4:7], base[3]]
    for name, value in zip(names, values, strict=True):
        q[model.joints[model.getJointId(name)].idx_q] = value
    return q


def arm(urdf, frame, names, start, dt, lm_damping):
    model = pin.buildModelFromUrdf(urdf)
    q = _configuration(model, names, start)
    configuration = pink.Configuration(model, model.createData(), q)
    task = FrameTask(frame, 1.0, 1.0, lm_damping=lm_damping)
    here.update(configuration=configuration, task=task, q=q, dt=dt)
    return {"nq": model.nq}


def targets(poses, tolerance, max_steps):
    configuration, task = here["configuration"], here["task"]

    def first(X):
        X = np.array(X)
        task.set_target(pin.SE3(X[:3, :3], X[:3, 3]))
        configuration.update(here["q"])

    def step():
        v = pink.solve_ik(configuration, [task], here["dt"], solver="daqp", safety_break=False)
        configuration.integrate_inplace(v, here["dt"])

    return reach(poses, first, step, lambda: np.abs(task.compute_error(configuration)).max(), tolerance, max_steps)


def humanoid(urdf, names, values, base, feet, dt, costs):
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    q = _configuration(model, names, values, base)
    configuration = pink.Configuration(model, model.createData(), q)
    tasks = [FrameTask(foot, costs["feet"], costs["feet"]) for foot in feet]
    tasks += [ComTask(cost=costs["com"]), PostureTask(cost=costs["posture"])]
    for task in tasks:
        task.set_target_from_configuration(configuration)
    com = pin.centerOfMass(model, model.createData(), q).copy()
    here.update(configuration=configuration, tasks=tasks, q=q, dt=dt, com=com)
    return {"com": com.tolist()}


def steps(offsets, count):
    configuration, tasks = here["configuration"], here["tasks"]

    def begin(offset):
        configuration.update(here["q"])
        tasks[2].set_target(here["com"] + offset)

    def step():
        v = pink.solve_ik(configuration, tasks, here["dt"], solver="daqp", safety_break=False)
        configuration.integrate_inplace(v, here["dt"])

    return steps_of(offsets, begin, step, lambda: [_size(task.compute_error(configuration)) for task in tasks], count)


def _size(error):
    return float(np.linalg.norm(error))


if __name__ == "__main__":
    serve({"arm": arm, "targets": targets, "humanoid": humanoid, "steps": steps})
