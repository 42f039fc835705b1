"""Balance without torques: forces of the feet by their positions below the base, joints stiff and position-controlled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.dynamics import jacobian
from tarsus.spatial import rotation_matrix_from_rotation_vector
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.footing import Footing
from tarsus.walking.stabilizer.hybrid.contact_setpoints import LoadDistribution
from tarsus.walking.stabilizer.hybrid.foot_compliance import PRESSED, FootCompliance
from tarsus.walking.stabilizer.hybrid.foot_force_loop import FootForceLoop
from tarsus.walking.stabilizer.pressure_feedback import WITHIN

Balance = Literal["torque", "force"]


class HybridBalance:
    def __init__(self, biped: Biped, dt: float) -> None:
        self._biped, self._dt = biped, dt
        kp, weight = biped.gains.kp, biped.weight
        self._distribution = LoadDistribution([WITHIN * leg.half for leg in biped.legs], weight)
        self._compliance = [FootCompliance(leg, kp, weight) for leg in biped.legs]
        self._loops = [FootForceLoop(biped.leg, 0.5*biped.weight*np.array([1.0, leg.half[1], leg.half[0]])) for leg in biped.legs]
        self.wanted = np.zeros((2, 3))
        self.felt = np.zeros((2, 3))

    def advance(
        self,
        q: FloatArray,
        felt: FloatArray,
        standing: Sequence[bool],
        planned: FloatArray,
        footing: Footing,
        pressure: FloatArray,
        reference: FloatArray,
        along: FloatArray,
        rolled: FloatArray,
    ) -> None:
        self._rolled = rolled
        places = [X[:2, 3] for X in footing.X]
        shares = self._distribution.shares(planned, standing, places, pressure - reference)
        told = self._distribution.setpoints(pressure, shares, places, footing.yaw, rolled)
        self.wanted, self.felt, self.missing = told.wrench, felt[:, PRESSED], told.missing
        for foot, leg in enumerate(self._biped.legs):
            J = jacobian(self._biped.model, q, leg.sole)
            C = self._compliance[foot].at(J, footing.X[foot][:3, :3])
            wanted = np.zeros(6)
            wanted[PRESSED] = told.wrench[foot]
            R = footing.X[foot][:3, :3]
            wanted[:2] = (R.T @ [*(shares[foot] * along), 0.0])[:2]
            on = float(standing[foot])
            selection = np.array([on * (1.0 - shares[foot]), on, on * (1.0 - rolled[foot])])
            self._loops[foot].advance(self._dt, C, wanted, felt[foot], selection)

    def moved(self, foot: int, X: FloatArray) -> FloatArray:
        """A sole moved by its force loop, shape (4, 4)."""
        way = self._loops[foot].way
        there = np.array(X)
        there[:3, 3] += X[:3, :3] @ way[:3]
        there[:3, :3] = X[:3, :3] @ rotation_matrix_from_rotation_vector(way[3:])
        return there

    def law(self, q_ref: FloatArray, v_ref: FloatArray) -> JointLaw:
        gains = self._biped.gains
        return JointLaw(kp=gains.kp, kd=gains.kd, q=q_ref, v=v_ref, tau=np.zeros(len(v_ref)))
