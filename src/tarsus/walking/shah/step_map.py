"""One step of the walk under feed-forward plus PD as a map of states: its fixed point and whether steps approach it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import PseudoCoulomb, flat, points
from tarsus.control.joint_law import JointLaw
from tarsus.errors import SimulationError
from tarsus.model import Model
from tarsus.simulation.simulate import simulate
from tarsus.walking.shah.driven_joints import DrivenWalk
from tarsus.walking.shah.feedforward_pd import feedforward_pd
from tarsus.walking.shah.pendulum_gait import LEGS_EXCHANGED, PendulumGait


@dataclass(frozen=True, eq=False)
class StepMap:
    """P(x): the state at one exchange of legs from that at the exchange before, the legs named by what they do next.

    A state x, shape (17,), is q without the way forward, then v: (z, pitch, joint angles, v). The leg that will stand
    comes first. The law (25) repeats the torques of one step for ever. A walk is periodic where P(x) = x, and steps
    approach it where all eigenvalues of dP/dx lie within the unit circle.

    Attributes
    ----------
    model : Model
    gait : PendulumGait
    ground : PseudoCoulomb
        Law of the level ground.
    driven : DrivenWalk
        The step whose torques are fed forward, from `periodic_drive`.
    kp, kd : float
        Gains [N m/rad], [N m s/rad].
    relative : float
        Tolerance of the integration (Dormand-Prince); the absolute one is a tenth of it.
    threads : int
        Cores that a batch of states may use.
    """

    model: Model
    gait: PendulumGait
    ground: PseudoCoulomb
    driven: DrivenWalk
    kp: float = 170.0
    kd: float = 30.0
    relative: float = 1e-9
    threads: int = 1

    @cached_property
    def law(self) -> JointLaw:
        """Law of one step. Its last torques belong to that step; its first ones are the last of the step before."""
        tau = self.driven.tau.copy()
        tau[0] = tau[-1][LEGS_EXCHANGED]
        return feedforward_pd(self.gait, self.driven.time, tau, kp=self.kp, kd=self.kd)

    @property
    def start(self) -> FloatArray:
        """State at the start of the driven step, shape (17,)."""
        return np.concatenate([self.driven.q[0, 1:], self.driven.v[0]])

    def __call__(self, x: npt.ArrayLike) -> FloatArray:
        """States one step later, shape (..., 17), of states of that shape, which are simulated side by side."""
        x = np.asarray(x, dtype=float)
        q = np.concatenate([np.zeros_like(x[..., :1]), x[..., :8]], axis=-1)
        run = simulate(
            self.model, q, x[..., 8:], duration=self.gait.period, controller=self.law, ground=flat(self.ground),
            contacts=points(self.model, self.driven.contacts), integrator="dormand-prince", sample_dt=self.gait.period,
            relative=self.relative, absolute=0.1 * self.relative, threads=self.threads, progress=False,
        )  # fmt: skip
        return np.concatenate([run.q[-1][..., LEGS_EXCHANGED][..., 1:], run.v[-1][..., LEGS_EXCHANGED]], axis=-1)

    def linearised(self, x: npt.ArrayLike, difference: float = 1e-6) -> tuple[FloatArray, FloatArray]:
        """P(x), shape (17,), and dP/dx, shape (17, 17), by central differences."""
        x = np.asarray(x, dtype=float)
        changes = difference * np.eye(len(x))
        found = self(np.concatenate([x[None], x + changes, x - changes]))
        plus, minus = np.split(found[1:], 2)
        return found[0], (plus - minus).T / (2.0 * difference)

    def fixed_point(
        self, x: npt.ArrayLike | None = None, *, tolerance: float = 1e-8, iterations: int = 12
    ) -> tuple[FloatArray, FloatArray]:
        """State that comes back after a step, and dP/dx there, by Newton's method from x or from `start`."""
        x = self.start if x is None else np.array(x, dtype=float)
        for _ in range(iterations):
            found, derivative = self.linearised(x)
            residual = found - x
            if np.abs(residual).max() < tolerance:
                return x, derivative
            x = x + np.linalg.solve(np.eye(len(x)) - derivative, residual)
        raise SimulationError(
            f"no fixed point was found in {iterations} iterations: the last step ends {np.abs(residual).max():.1e} off"
        )
