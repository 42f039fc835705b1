"""Times that balance needs."""

import numpy as np

import tarsus as ts
from tarsus.control import Contact
from tarsus.control.sequencing.balance_time import balance_time


def feet(model, q, half):
    corners = [[x, y, 0.0] for x in (-half, half) for y in (-half, half)]
    return [Contact(f"{side}_sole", corners, pose=ts.frame_pose(model, q, f"{side}_sole")) for side in "lr"]


def test_no_time_is_needed_for_no_motion_and_more_on_smaller_feet():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    bowed = np.array(q)
    bowed[model.joints["CHEST_JOINT1"].q_index] = 0.5
    assert balance_time(model, q, q, feet(model, q, 0.05)) == 0.0
    times = [balance_time(model, q, bowed, feet(model, q, half)) for half in (0.08, 0.04)]
    assert 0.0 < times[0] < times[1]


def test_pressure_of_a_motion_stays_within_the_room_that_its_time_was_made_for():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    way = np.zeros(model.nv)
    way[model.joints["CHEST_JOINT1"].v_index] = 0.02  # small: the momentum matrix is that of the start all the way
    end = model.integrate(q, way, 1.0)
    T = balance_time(model, q, end, feet(model, q, 0.1))
    vdot = 10.0 / np.sqrt(3.0) / T**2 * way  # at the largest change of the time law
    rate = ts.momentum_matrix(model, q) @ vdot
    shift = np.linalg.norm(rate[3:5]) / (9.81 * model.total_mass)
    com = ts.center_of_mass(model, q)
    room = 0.1 - abs(com[0] - ts.frame_pose(model, q, "l_sole")[0, 3])
    assert 0.0 < shift <= 0.4 * room
