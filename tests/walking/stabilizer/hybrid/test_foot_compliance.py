"""How far a foot gives way: a leg under a force, against statics of its joints."""

import numpy as np

import tarsus as ts
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.hybrid.foot_compliance import SINKS, FootCompliance

SMALL = 1e-3
"""Part of the weight: deflections so small that they are linear to 1e-3."""


def test_compliance_is_the_way_that_joints_give_under_a_force():
    biped = Biped.of(ts.robots.hrp2())
    leg, model, kp = biped.legs[0], biped.model, biped.gains.kp
    J, X = ts.jacobian(model, biped.q, leg.sole), ts.frame_pose(model, biped.q, leg.sole)
    f = SMALL * biped.weight * np.array([0.1, -0.2, 1.0, 0.02, 0.03, 0.01])
    wrench = np.concatenate([X[:3, :3] @ f[:3], X[:3, :3] @ f[3:]])
    bent = np.zeros(model.nv)
    bent[leg.v] = (J.T @ wrench)[leg.v] / kp[leg.v]
    moved = ts.frame_pose(model, model.integrate(biped.q, bent), leg.sole)
    C = FootCompliance(leg, kp, biped.weight).at(J, X[:3, :3])
    soft = np.zeros(6)
    soft[[2, 3, 4]] = SINKS / biped.weight * f[[2, 3, 4]] / [1.0, leg.half[1] ** 2, leg.half[0] ** 2]
    way = C @ f - soft
    np.testing.assert_allclose(X[:3, :3].T @ (moved[:3, 3] - X[:3, 3]), way[:3], rtol=1e-2, atol=1e-8)
    assert np.linalg.eigvalsh(C)[0] > 0.0
