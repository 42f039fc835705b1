"""HRP-2 steps in place: a sequence of contacts that is told the estimate and the forces in the soles, nothing else."""

import numpy as np
import pytest
from tests.control.estimation.on_sensors import SOLES

import tarsus as ts
from tarsus.contact import Compliant
from tarsus.control import BaseEstimator
from tarsus.scenarios.lifting import step_in_place

DRIFT = 0.02
"""Of the way that the feet make."""


@pytest.mark.long
def test_stepping_in_place_on_sensors_drifts_by_less_than_two_percent_of_the_way():
    robot = ts.robots.hrp2()
    scenario = step_in_place(robot, steps=2)
    control = scenario.control()
    soles = {frame: s for frame in control.frames for s in SOLES if _body(robot, s) == _body(scenario.known, frame)}
    sensors = ts.sensors.proprioception(robot, SOLES)
    estimator = BaseEstimator(robot, sensors=sensors)
    estimator.reset(scenario.q0)
    errors, standing, feet, alarms = [], set(), [], set()

    def law(seen):
        q, v = estimator.update(seen)
        errors.append(np.concatenate([q[:3] - seen.q[:3], robot.difference(seen.q, q)[3:6]]))
        standing.add(estimator.status.standing)
        alarms.update({*estimator.status.slipped, *estimator.status.doubtful, *estimator.status.rejected})
        feet.append(ts.frame_poses(robot, seen.q, SOLES)[:, :3, 3])

        def force(frame):
            sole = soles[frame]
            return ts.frame_pose(robot, q, sole)[:3, :3] @ seen.sensors[sole][:3]

        tau = control.command(seen.t, q, v, force).tau
        if control.state in ("done", "failed"):
            seen.stop(control.state)
        return tau

    ground = scenario.ground(Compliant(friction=0.8))
    run = ts.simulate(
        scenario.model, scenario.q0, duration=scenario.duration, controller=law, sensors=sensors, ground=ground,
        contacts=scenario.contacts, dt=1e-3,
    )  # fmt: skip
    assert run.reason == "done"
    assert not alarms
    assert standing >= {("l_sole",), ("r_sole",), SOLES}
    way = np.linalg.norm(np.diff(np.array(feet), axis=0), axis=-1).sum()
    found = np.abs(np.array(errors))
    assert np.linalg.norm(errors[-1][:3]) < DRIFT * way
    assert found[:, :3].max() < 5e-3
    assert np.degrees(found[:, 3:].max()) < 0.5


def _body(model, frame):
    return model.frames[frame].body
