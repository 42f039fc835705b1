"""Balance without torques: forces of the feet by their positions below the base, with joints that take positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.control.joint_law import JointLaw
from tarsus.dynamics import jacobian
from tarsus.spatial import rotation_matrix_from_rotation_vector, rotation_vector_from_rotation_matrix
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.ground_wrench import ROLLED
from tarsus.walking.reference.moment import Moment
from tarsus.walking.stabilizer.footing import Footing
from tarsus.walking.stabilizer.hybrid.contact_setpoints import LoadDistribution
from tarsus.walking.stabilizer.hybrid.foot_compliance import PRESSED, FootCompliance
from tarsus.walking.stabilizer.hybrid.foot_force_loop import FootForceLoop
from tarsus.walking.stabilizer.pressure_feedback import WITHIN
from tarsus.walking.stabilizer.standing_rates import standing_rates
from tarsus.walking.stabilizer.swing.landing import Landing

LOST = 0.1
"""How long a foot that has touched may be without load before it counts as lifted off again [s]: it follows the ground
until then, and stiff legs that go back to their swing at once hit it."""
FOLLOWING = 0.1
"""Speed at which such a foot goes down, in lengths of the leg a second."""
FELT = 0.5
"""Error of a force that one cycle takes into account, in weights of the robot, and in these at the edge of a sole for
moments: a blow that lasts a millisecond is no force of a whole cycle."""


class HybridBalance:
    """Hybrid control of positions and forces of the feet (Buschmann 2014, 4.5.2, figure 5.20).

    The pressure that the divergent component asks for, which on a stiff robot is a law of base inclination and rate,
    m g k h (phi + phi' / w), is shared by the feet that stand (`LoadDistribution`). Each foot follows its vertical
    force and its moments about x and y by its place below the base (`FootForceLoop`); the vertical force as far as it
    does not carry: a foot with all of the load holds the height. Along x and y its place is controlled. Its orientation
    is the one that it has on the ground, moved by the loop; friction and planned rates hold its yaw. A foot on its toes
    keeps its pitch. What joints bend under the wanted forces is made good in all directions.

    Joints get positions and rates, with constant gains, and no torques.

    Parameters
    ----------
    biped : Biped
    dt : float
        Cycle [s].
    landing : Landing
        "force" controls the vertical force from touch-down on; by "gains" and "none" that begins when the foot is
        seated, and by "gains" legs that carry nothing are soft.

    Attributes
    ----------
    wanted, felt : ndarray, shape (2, 3)
        Vertical forces [N] and moments about x and y [N m] on the left and the right sole, axes of the soles.
    """

    def __init__(self, biped: Biped, dt: float, landing: Landing) -> None:
        self._biped, self._dt, self._landing = biped, dt, landing
        kp, weight = biped.gains.kp, biped.weight
        self._distribution = LoadDistribution([WITHIN * leg.half for leg in biped.legs], weight)
        self._compliance = [FootCompliance(leg, kp, weight) for leg in biped.legs]
        most = [FELT * weight * np.array([1.0, leg.half[1], leg.half[0]]) for leg in biped.legs]
        self._loops = [FootForceLoop(biped.leg, own) for own in most]
        self.wanted, self.felt = np.zeros((2, 3)), np.zeros((2, 3))
        self._rolled = np.zeros(2)

    @property
    def bounded(self) -> bool:
        """Whether a force loop has reached its bounds, so that forces may be wrong."""
        return any(loop.bounded for loop in self._loops)

    def advance(
        self,
        q: FloatArray,
        wrenches: FloatArray,
        standing: Sequence[bool],
        seated: Sequence[bool],
        moment: Moment,
        footing: Footing,
        pressure: FloatArray,
        omega: float,
    ) -> None:
        """Go on by a cycle.

        Parameters
        ----------
        q : ndarray, shape (nq,)
        wrenches : ndarray, shape (2, 6)
            Of the ground on the soles, in their axes [N, N m].
        standing, seated : sequence of two bool
            Which feet have landed, and which have carried load since.
        moment : Moment
            Of the plan.
        footing : Footing
        pressure : ndarray, shape (2,)
            Wanted, seen from above [m].
        omega : float
            w of the pendulum [1/s].
        """
        biped, distribution = self._biped, self._distribution
        reference = footing.point(moment.pressure)
        places = [X[:2, 3] for X in footing.X]
        self._rolled = np.minimum(1.0, moment.pitch / ROLLED)
        shares = distribution.shares(moment.load, standing, places, pressure - reference)
        told = distribution.setpoints(pressure, shares, places, footing.yaw, self._rolled)
        self.wanted, self.felt = told.wrench, wrenches[:, PRESSED]
        # Along the ground what the planned pendulum needs, m w^2 (c - p).
        along = biped.model.total_mass * omega**2 * (footing.point(moment.com[:2]) - reference)
        for foot, leg in enumerate(biped.legs):
            R = footing.X[foot][:3, :3]
            C = self._compliance[foot].at(jacobian(biped.model, q, leg.sole), R)
            wanted = np.zeros(6)
            wanted[PRESSED] = told.wrench[foot]
            wanted[:2] = (shares[foot] * along) @ R[:2, :2]
            on = float(standing[foot])
            lands = on if self._landing.softness == "force" or seated[foot] else 0.0
            selection = np.array([lands * (1.0 - shares[foot]), on, on * (1.0 - self._rolled[foot])])
            self._loops[foot].advance(self._dt, C, wanted, wrenches[foot], selection)

    def moved(self, foot: int, X: FloatArray, seen: FloatArray) -> FloatArray:
        """A sole as its force wants it below the base, shape (4, 4).

        Parameters
        ----------
        X : ndarray, shape (4, 4)
            As its position is wanted.
        seen : ndarray, shape (3, 3)
            Its orientation as it is below the base.
        """
        way, moved = self._loops[foot].way, np.array(X)
        moved[:3, 3] += X[:3, :3] @ way[:3]
        turn = way[3:].copy()
        if self._rolled[foot] > 0.0:
            turn[1] += self._rolled[foot] * rotation_vector_from_rotation_matrix(seen.T @ X[:3, :3])[1]
        moved[:3, :3] = seen @ rotation_matrix_from_rotation_vector(turn)
        return moved

    def rates(self, foot: int, q: FloatArray, v: FloatArray, planned: FloatArray | None, held: float) -> FloatArray:
        """Rates of a leg whose foot is on the ground, shape (k,) [rad/s].

        As planned, as far as it holds the base; else those with which the foot stands while the base moves on as it
        does, or follows the ground where it has lost it.

        Parameters
        ----------
        planned : ndarray, shape (k,), optional
            None where the plan still swings the foot.
        held : float
            Part of the base that the leg holds.
        """
        if held >= 1.0 and planned is not None:
            return planned
        v = np.array(v)
        if self.felt[foot, 0] <= 0.0:
            v[:3] += FOLLOWING * self._biped.leg * rotation_of(q[3:7])[2]
        free = standing_rates(self._biped, foot, q, v)
        return free if planned is None else np.asarray(held * planned + (1.0 - held) * free)

    def law(self, q_ref: FloatArray, v_ref: FloatArray, loads: FloatArray) -> JointLaw:
        """Positions and rates of stiff joints; `loads`, shape (2,), are planned ones of feet that have landed."""
        kp, kd = self._biped.gains
        if self._landing.softness == "gains":
            kp, kd = kp.copy(), kd.copy()
            for foot, leg in enumerate(self._biped.legs):
                soft = self._landing.stiffness(float(loads[foot]))
                kp[leg.v] *= soft
                kd[leg.v] *= soft
        return JointLaw(kp=kp, kd=kd, q=q_ref, v=v_ref, tau=np.zeros(len(v_ref)))
