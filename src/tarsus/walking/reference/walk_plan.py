"""A walk before it is walked: feet, centre of mass, joints and torques at every moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.biped.biped import Biped
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum
from tarsus.walking.planning.analytic import Analytic
from tarsus.walking.planning.finite_differences import FiniteDifferences
from tarsus.walking.planning.planner import Planner
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.reference.climb import climbs
from tarsus.walking.reference.dip import dips
from tarsus.walking.reference.foot_paths import FootPaths, SwingMaker, foot_paths, plain_swing
from tarsus.walking.reference.ground_wrench import feed_forward, ground_wrench
from tarsus.walking.reference.posture_path import posture_path
from tarsus.walking.reference.rest import rest_time, rested_path, rested_phases
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Gait, Phase

DT = 0.005
"""Between knots [s]."""
PASSES = 2
"""Of the moment filter."""
Postures = Callable[[Biped, FootPaths, FloatArray, FloatArray, FloatArray | None], FloatArray]
"""From feet and centre of mass at times to configurations, from some to begin with."""
CORRECTED = 0.08
"""Largest change of the pressure in a pass of the filter, in lengths of the leg."""


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """A walk at n knots, evenly spaced in time.

    Attributes
    ----------
    biped : Biped
        Whose walk it is.
    footsteps : tuple of Footstep
    phases : tuple of Phase
    times : ndarray, shape (n,)
        [s].
    feet : FootPaths
    com : ndarray, shape (n, 3)
        Centre of mass [m].
    divergent : ndarray, shape (n, 2)
        x + x' / w of it [m].
    pressure : ndarray, shape (n, 2)
        Where the centre of pressure shall be [m].
    pressure_error : ndarray, shape (n, 2)
        Where that of the planned motion is beside it [m].
    omega : float
        w of the pendulum [1/s].
    lead : ndarray, shape (n, 2)
        How far the divergent component moves along with each foot: w int e^(-w s) load(t + s) ds, looking ahead, within
        what the feet that stand now are loaded with.
    q : ndarray, shape (n, nq)
    v, tau : ndarray, shape (n, nv)
        Velocities, and torques of the joints that make the motion.
    """

    biped: Biped
    footsteps: tuple[Footstep, ...]
    phases: tuple[Phase, ...]
    times: FloatArray
    feet: FootPaths
    com: FloatArray
    divergent: FloatArray
    pressure: FloatArray
    pressure_error: FloatArray
    omega: float
    lead: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray

    @property
    def dt(self) -> float:
        """Between knots [s]."""
        return float(self.times[1] - self.times[0])

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.times[-1])

    @property
    def climbs(self) -> bool:
        """Whether footsteps are of different heights, as on stairs."""
        return bool(np.ptp([foot.position[2] for foot in self.footsteps]))

    @cached_property
    def pivot(self) -> FloatArray:
        """Pressure of the pendulum that moves as the centre of mass does, xi - xi' / w, shape (n, 2) [m].

        It differs from `pressure` by what legs that swing add to the angular momentum.
        """
        pivot = self.divergent - np.gradient(self.divergent, self.dt, axis=0) / self.omega
        inner = np.clip(np.arange(len(pivot)), 2, len(pivot) - 3)  # differences at the ends are of one side
        return np.asarray(pivot[inner])


def walk_plan(
    biped: Biped,
    footsteps: Sequence[Footstep],
    gait: Gait,
    clearance: float,
    *,
    planner: type[Planner] = Analytic,
    passes: int = PASSES,
    postures: Postures = posture_path,
    swings: SwingMaker = plain_swing,
    level: bool = False,
    dt: float = DT,
) -> WalkPlan:
    """From footsteps to joints.

    A planner moves the centre of mass of a pendulum above the pressure that the gait gives. Inverse kinematics finds
    postures; their inverse dynamics tells where the pressure of the whole robot is, whose legs have masses, too. The
    pendulum is planned again with the pressure moved by the error (moment filter, Kajita et al. 2003), a few times.

    Parameters
    ----------
    planner : type of Planner
    passes : int
        Of the moment filter.
    postures : callable
        Inverse kinematics: `posture_path`, which holds the upper body, or `TaskSpace.path`, which swings it.
    swings : callable
        What swings feet; see `foot_paths`.
    level : bool
        Whether the centre of mass keeps its height in long steps, too, which lower it between swings by default.
    dt : float
        Between knots [s].

    Raises
    ------
    PlanningError
        Where feet or centre of mass are out of reach.
    """
    pendulum = LinearInvertedPendulum(biped.height, biped.gravity)
    rest = rest_time(pendulum.omega, dt)
    path = rested_path(gait.pressure_path(footsteps), rest)
    phases = rested_phases(gait.phases(footsteps), rest)
    pattern = planner(pendulum, dt).plan(path)
    times, wanted = pattern.times, path.at(pattern.times)
    feet = foot_paths(phases, times, wanted, clearance, biped.leg, swings)
    dt = float(times[1] - times[0])
    lower = np.zeros(len(times)) if level else dips(phases, times, biped.leg)
    com = np.column_stack([pattern.position, biped.height - lower + climbs(phases, times)])
    moved = np.zeros_like(wanted)
    most = CORRECTED * biped.leg
    q = postures(biped, feet, com, times, None)
    for k in range(passes + 1):
        v, vdot = derivatives(biped, q, dt)
        wrench = ground_wrench(biped, q, v, vdot)
        error = wrench.pressure - wanted
        if k == passes:
            break
        moved -= np.clip(error, -most, most)
        shift = FiniteDifferences(pendulum, dt).plan(PressurePath(times, moved), np.zeros(2), np.zeros(2))
        com[:, :2] = pattern.position + shift.position
        q = postures(biped, feet, com, times, q)
    rate = np.gradient(com[:, :2], dt, axis=0)
    divergent = com[:, :2] + rate / pendulum.omega
    return WalkPlan(biped, tuple(footsteps), tuple(phases), times, feet, com, divergent, wanted, error, pendulum.omega,
                    leads(feet, pendulum.omega, dt),
                    q, v, feed_forward(biped, wrench, q, feet))  # fmt: skip


def leads(feet: FootPaths, omega: float, dt: float) -> FloatArray:
    """Loads of the feet as the divergent component sees them, from the end of each phase backwards."""
    lead = np.array(feet.load)
    fades = math.exp(-omega * dt)
    for k in range(len(lead) - 2, -1, -1):
        if feet.phase[k] == feet.phase[k + 1] or not feet.standing[k + 1].all():
            ahead = lead[k + 1] if feet.phase[k] == feet.phase[k + 1] else feet.load[k + 1]
            lead[k] = fades * ahead + (1.0 - fades) * feet.load[k]
    return lead


def derivatives(biped: Biped, q: FloatArray, dt: float) -> tuple[FloatArray, FloatArray]:
    """Velocities and accelerations of configurations by central differences, at rest at both ends."""
    v = np.zeros((len(q), biped.model.nv))
    v[1:-1] = biped.model.difference(q[:-2], q[2:]) / (2 * dt)
    vdot = np.zeros_like(v)
    vdot[1:-1] = (v[2:] - v[:-2]) / (2 * dt)
    return v, vdot
