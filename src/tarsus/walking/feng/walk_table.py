"""Numbers of a walk: lengths and times of steps, slips, losses, and how long it was in which state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.errors import ArgumentError
from tarsus.recording.energies import total_energy
from tarsus.simulation.rigid.stepped_time import stepped_time
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, foot_points, support_model
from tarsus.walking.feng.ground_reaction import ground_reaction
from tarsus.walking.feng.walk import FengWalk
from tarsus.walking.feng.walk_step import WalkStep


@dataclass(frozen=True, eq=False)
class WalkTable:
    """A row for each step that ended with an exchange of supports.

    Attributes
    ----------
    length, time : ndarray, shape (N,)
        From toe joint to toe joint [m]; from exchange to exchange [s].
    slip : ndarray, shape (N,)
        Way that the contacting foot slides along the ground [m], between samples.
    impact_loss : ndarray, shape (N,)
        Energy that impacts take [J].
    heel_off, double_support : ndarray, shape (N,)
        Shares of its time in which the supporting heel is off, and in which both feet touch.
    outside, outside_along : ndarray, shape (N,)
        Shares of its time with the zero-moment point outside of the hull, and outside of it along the way alone.
    pulled : ndarray, shape (N,)
        Share of its time in which link 0, which the paper holds fixed, would have to be held down.
    stepped : ndarray, shape (N,)
        Share of its time that the simulation went through in steps of solved impulses instead of from event to event.
    audit : float
        Largest deviation of the total energy from that at the start, over all steps [J].
    """

    length: FloatArray
    time: FloatArray
    slip: FloatArray
    impact_loss: FloatArray
    heel_off: FloatArray
    double_support: FloatArray
    outside: FloatArray
    outside_along: FloatArray
    pulled: FloatArray
    stepped: FloatArray
    audit: float

    @cached_property
    def rows(self) -> list[tuple[str, str, FloatArray]]:
        """Name, unit and values of each column."""
        return [
            ("step length", "m", self.length),
            ("step time", "s", self.time),
            ("slip distance", "mm", 1e3 * self.slip),
            ("impact losses", "J", self.impact_loss),
            ("heel off", "%", 100 * self.heel_off),
            ("double support", "%", 100 * self.double_support),
            ("zero-moment point outside the hull", "%", 100 * self.outside),
            ("... along the way alone", "%", 100 * self.outside_along),
            ("supporting toe held down", "%", 100 * self.pulled),
            ("gone through in steps", "%", 100 * self.stepped),
        ]

    def __str__(self) -> str:
        head = f"{'of each step':36} {'mean':>10} {'deviation':>10} {'least':>10} {'most':>10}"
        lines = [head] + [
            f"{f'{name} [{unit}]':36} {x.mean():10.4g} {x.std():10.2g} {x.min():10.4g} {x.max():10.4g}"
            for name, unit, x in self.rows
        ]
        return "\n".join([*lines, f"largest deviation of the total energy: {self.audit:.2g} J"])


def walk_table(walk: FengWalk) -> WalkTable:
    """The table of a walk of at least one whole step."""
    steps = [step for step in walk.steps if not step.reason]
    if not steps:
        raise ArgumentError(f"the walk has no whole step: {walk.fallen}; expected at least one")
    reactions = [ground_reaction(step) for step in steps]
    return WalkTable(
        length=np.array([step.length for step in steps]),
        time=np.array([step.duration for step in steps]),
        slip=np.array([slip_distance(step) for step in steps]),
        impact_loss=np.array([float(step.run.energy["impact"][-1]) for step in steps]),
        heel_off=np.array([_share(step, "heel-off") for step in steps]),
        double_support=np.array([1.0 - _share(step, "floating") for step in steps]),
        outside=np.array([time_share(s, r.outside) for s, r in zip(steps, reactions, strict=True)]),
        outside_along=np.array([time_share(s, r.outside_along) for s, r in zip(steps, reactions, strict=True)]),
        pulled=np.array([time_share(s, r.toe_force[:, 2] < 0.0) for s, r in zip(steps, reactions, strict=True)]),
        stepped=np.array([stepped_time(step.run) / step.duration for step in steps]),
        audit=_audit(walk),
    )


def slip_distance(step: WalkStep) -> float:
    """Way of the point that slides furthest, heel, ball or tip, while it is on the ground [m]."""
    run = step.run
    speeds = foot_points(support_model(step.support), run.q, run.v).velocity[..., 0]
    ways = [
        _slid(run.time, run.contact_position[:, k, 0], speeds[:, k - 1], _closed_times(step, contact.name))
        for k, contact in enumerate(FENG_CONTACTS[1:], start=1)
    ]
    return max(ways)


def _closed_times(step: WalkStep, contact: str) -> list[tuple[float, float]]:
    """Begin and end of the times in which a contact is closed [s]."""
    found: list[tuple[float, float]] = []
    begin: float | None = None
    for event in step.events:
        if event["contact"] == contact and event["event"] in ("touch-down", "lift-off"):
            if begin is not None:
                found.append((begin, float(event["time"])))
            begin = float(event["time"]) if event["event"] == "touch-down" else None
    return found if begin is None else [*found, (begin, step.duration)]


def _slid(time: FloatArray, x: FloatArray, speed: FloatArray, closed: list[tuple[float, float]]) -> float:
    """Way along x, of samples (N,), within closed times [m].

    From sample to sample it is the difference of places. Points lift off between samples: to there it is the integral
    of a velocity that changes linearly.
    """
    way, length = 0.0, np.diff(time)
    for begin, end in closed:
        a, b = (np.clip(t, time[:-1], time[1:]) - time[:-1] for t in (begin, end))
        slope = np.divide(np.diff(speed), length, out=np.zeros_like(length), where=length > 0.0)
        part = speed[:-1] * (b - a) + 0.5 * slope * (b**2 - a**2)
        way += float(np.abs(np.where(b - a == length, np.diff(x), part)).sum())
    return way


def time_share(step: WalkStep, flags: BoolArray) -> float:
    """Share of the time of a step in which something is so, of its samples, shape (N,), by the trapezoidal rule.

    Samples are no measure of time themselves: each event adds two, and a foot that bounces has many in a millisecond.
    """
    time = step.run.time
    return float(np.trapezoid(flags.astype(float), time) / (time[-1] - time[0]))


def _share(step: WalkStep, what: str) -> float:
    """Share of the time of a step with this state of either foot."""
    return sum(stay.end - stay.begin for stay in step.stays if what in stay.state) / step.duration


def _audit(walk: FengWalk) -> float:
    """Largest deviation of the total energy, steps one after another, exchanges included."""
    offset, worst, first = 0.0, 0.0, float(total_energy(walk.steps[0].run.energy)[0])
    for step in walk.steps:
        total = total_energy(step.run.energy) + offset
        worst = max(worst, float(np.abs(total - first).max()))
        run = step.run.energy
        offset = float(total[-1]) - float(run["kinetic"][-1] + run["potential"][-1])
    return worst
