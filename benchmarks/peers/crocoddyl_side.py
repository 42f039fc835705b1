"""Redundancy of an arm resolved over a horizon with Crocoddyl's FDDP, in its own environment."""

import crocoddyl as cr
import numpy as np
import pinocchio as pin
from serving import clock, serve

here = {}


def problem(urdf, frame, names, start, poses, dt, velocity, posture, tracking):
    """A path of poses that is tracked, squared velocities, and a posture: torques are chosen, at every step."""
    model = pin.buildModelFromUrdf(urdf)
    q0 = pin.neutral(model)
    for name, value in zip(names, start, strict=True):
        q0[model.joints[model.getJointId(name)].idx_q] = value
    state = cr.StateMultibody(model)
    actuation, nu, fid = cr.ActuationModelFull(state), model.nv, model.getFrameId(frame)
    x0 = np.r_[q0, np.zeros(nu)]
    scale = cr.ActivationModelWeightedQuad(np.r_[posture * np.ones(nu), velocity * np.ones(nu)])
    stages = []
    for k, X in enumerate(np.array(poses)):
        last = k == len(poses) - 1
        costs = cr.CostModelSum(state, nu)
        goal = cr.ResidualModelFramePlacement(state, fid, pin.SE3(X[:3, :3], X[:3, 3]), nu)
        costs.addCost("frame", cr.CostModelResidual(state, goal), tracking * (dt if last else 1.0))
        costs.addCost(
            "state", cr.CostModelResidual(state, scale, cr.ResidualModelState(state, x0, nu)), dt if last else 1.0
        )
        costs.addCost("force", cr.CostModelResidual(state, cr.ResidualModelControl(state, nu)), 1e-5)
        stage = cr.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        stages.append(cr.IntegratedActionModelEuler(stage, 0.0 if last else dt))
    shooting = cr.ShootingProblem(x0, stages[:-1], stages[-1])
    here.update(
        kept=(state, actuation, scale, stages),
        model=model,
        fid=fid,
        poses=np.array(poses),
        problem=shooting,
        solver=cr.SolverFDDP(shooting),
    )
    here.update(xs=[x0] * (len(stages)), us=shooting.quasiStatic([x0] * (len(stages) - 1)))
    return {"version": cr.__version__}


def _error():
    model, data, worst = here["model"], here["model"].createData(), 0.0
    for x, X in zip(here["solver"].xs, here["poses"], strict=True):
        pin.framesForwardKinematics(model, data, np.array(x[: model.nq]))
        worst = max(worst, float(np.abs(data.oMf[here["fid"]].translation - X[:3, 3]).max()))
    return worst


def solve(iterations):
    """From nothing: processor time [s], iterations, and how far the frame is from its path."""
    solver = here["solver"]
    solver.th_stop = 1e-9
    begin = clock()
    solver.solve(here["xs"], here["us"], iterations, False, 1e-9)
    seconds = (clock() - begin) * 1e-9
    return {"seconds": seconds, "iterations": solver.iter + 1, "error": _error(), "cost": solver.cost}


def improve(iterations):
    """From the last solution, slightly disturbed: processor time [s] and the iterations that were taken."""
    solver = here["solver"]
    xs = [x + 1e-3 * np.sin(np.arange(len(x)) + k) for k, x in enumerate(solver.xs)]
    us = list(solver.us)
    solver.th_stop = 1e-300
    begin = clock()
    solver.solve(xs, us, iterations, False, 1e-9)
    return {"seconds": (clock() - begin) * 1e-9, "iterations": solver.iter + 1}


serve({"problem": problem, "solve": solve, "improve": improve})
