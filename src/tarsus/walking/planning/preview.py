"""Preview control of the cart on a table (Kajita et al. 2003), in the incremental form of Katayama et al. (1985)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_discrete_are

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, start_state
from tarsus.walking.planning.pressure_path import PressurePath


class PreviewGains(NamedTuple):
    """Of du_k = -integral e_k - state (dx, dx', dx'')_k - sum_j preview_j dp_ref(k + j), d being increments.

    Summed from rest on, with no jerk and all of the path ahead at one place, this is the form of Kajita et al. (2003):
    u_k = -integral sum(e) - state (x, x', x'')_k - sum_j preview_j p_ref(k + j).

    Attributes
    ----------
    integral : float
    state : ndarray, shape (3,)
    preview : ndarray, shape (N,)
    """

    integral: float
    state: FloatArray
    preview: FloatArray


@dataclass(frozen=True)
class PreviewControl(Planner):
    """A servo on the pressure that looks `horizon` seconds ahead.

    The input is the jerk of the mass, constant in a sample; the output p = x - (z / g) x''. The gains minimise
    sum Q_e e^2 + dx^T Q_x dx + R du^2 of the error e = p - p_ref and of increments, by the discrete Riccati equation.
    Before the start the mass moved on by its velocity, without acceleration or jerk, and knew nothing of the path: a
    path that moves at once is followed as well as that allows, and better where it begins with a time of standing.

    Attributes
    ----------
    horizon : float
        [s]; 1.6 in the paper.
    error_weight, state_weight, input_weight : float
        Q_e, Q_x on all three states, R.
    """

    horizon: float = 1.6
    error_weight: float = 1.0
    state_weight: float = 0.0
    input_weight: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expect(("horizon", "error_weight"), above=True)
        self._expect(("state_weight", "input_weight"), above=False)

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path, whose last pressure goes on for ever; see `Planner.plan`."""
        if divergent_end is not None:
            raise ArgumentError("PreviewControl ends above the last pressure; found divergent_end")
        begin = start_state(reference, start)
        steps = max(1, math.ceil((reference.end - reference.start) / self.dt - 1e-9))
        times = np.asarray(reference.start + self.dt * np.arange(steps + 1), dtype=float)
        ahead = len(self.gains.preview)
        wanted = reference.at(reference.start + self.dt * np.arange(steps + 1 + ahead))
        return self._run(times, wanted, begin)

    @cached_property
    def gains(self) -> PreviewGains:
        """Gains for the pendulum, the step and the weights."""
        A, B, C = self._system
        count = round(self.horizon / self.dt)
        if count < 1:
            raise ArgumentError(f"horizon of PreviewControl is {self.horizon!r}; expected at least dt {self.dt!r} [s]")
        # State of the increments: (e, dx).
        big_A = np.block([[np.ones((1, 1)), C @ A], [np.zeros((3, 1)), A]])
        big_B = np.vstack([C @ B, B])
        Q = np.diag([self.error_weight, *[self.state_weight] * 3])
        R = np.array([[self.input_weight]])
        K = solve_discrete_are(big_A, big_B, Q, R)
        inverse = 1.0 / (R + big_B.T @ K @ big_B).item()
        F = inverse * (big_B.T @ K @ big_A)
        closed = big_A - big_B @ F
        preview, x = np.empty(count), -closed.T @ K @ np.array([[1.0], [0.0], [0.0], [0.0]])
        preview[0] = -F[0, 0]
        for j in range(1, count):
            preview[j] = inverse * (big_B.T @ x).item()
            x = closed.T @ x
        return PreviewGains(float(F[0, 0]), F[0, 1:], preview)

    @property
    def _system(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        T = self.dt
        A = np.array([[1.0, T, T * T / 2], [0.0, 1.0, T], [0.0, 0.0, 1.0]])
        B = np.array([[T**3 / 6], [T * T / 2], [T]])
        return A, B, np.array([[1.0, 0.0, -1.0 / self.pendulum.omega**2]])

    def _run(self, times: FloatArray, wanted: FloatArray, start: MassState) -> Pattern:
        """Increments of the jerk, summed from none before the start on."""
        A, B, C = self._system
        gains, ahead = self.gains, len(self.gains.preview)
        states = np.empty((len(times), 3, 2))
        states[0] = np.stack([start.position, start.velocity, np.zeros(2)])
        # The state a sample before the start, and what changes of the pressure ahead ask for.
        before = np.linalg.solve(A, states[0])
        changes = np.diff(wanted, axis=0)
        jerk = np.zeros(2)
        for k in range(len(times) - 1):
            error = (C @ states[k])[0] - wanted[k]
            moved = states[k] - (states[k - 1] if k else before)
            jerk = jerk - gains.integral * error - gains.state @ moved - gains.preview @ changes[k : k + ahead]
            states[k + 1] = A @ states[k] + B * jerk
        x, v, a = states[:, 0], states[:, 1], states[:, 2]
        return Pattern(times, x, v, a, self.pendulum.pressure(x, a), self.pendulum.omega)
