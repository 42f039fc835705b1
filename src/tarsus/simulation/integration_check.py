"""Whether the integrator of a run gained or lost more energy than a result that can be trusted has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.recording.trajectory import Trajectory

MOST_GAINED = 0.01
"""Share of the energy that was exchanged in a run which the integrator may add to it,"""
MOST_LOST = 0.1
"""and which it may take away: that ends in robots which are too calm, not in ones that fly off."""
_LEAST_FALL = 0.1
"""Energy of a fall from this height [m] counts as exchanged by every robot, so that one at rest has a share, too."""
_ROUNDING = 1e-9
"""The same for this part of the potential energy: what is left of it is rounded."""
_LEAST_LIFT = 0.01
"""Energy that lifts a robot by this height [m] is never told as gained: contacts that start in the ground are pushed
out of it."""


_DRIVEN = 2.0
"""Bodies that press on each other with more than this part of the weight are driven by something else."""


def exchanged_energy(run: Trajectory) -> FloatArray:
    """Energy that went from one form to another in a run, shape (*batch,) [J]."""
    return exchanged_until(run.energy, _weight(run))


def exchanged_until(energy: Mapping[str, FloatArray], weight: FloatArray | float) -> FloatArray:
    """The same until the last of some samples, shape (*batch,) [J].

    S = max T + D_ground + D_joints + D_impact + max |W_actuator| + max |W_external| + max |W_constraint| + m g 0.1 m

    Parameters
    ----------
    energy : mapping of str to ndarray, shape (samples, *batch)
        Parts of the energy audit [J].
    weight : ndarray, shape (*batch,), or float
        m g [N].
    """
    taken = np.sum([energy[name][-1] for name in ("ground_dissipated", "joint_dissipated", "impact")], axis=0)
    works = [name for name in ("actuator", "external", "constraint") if name in energy]
    given = np.sum([np.abs(energy[name]).max(axis=0) for name in works], axis=0)
    rounding = _ROUNDING * np.abs(energy["potential"]).max(axis=0)
    exchanged: FloatArray = energy["kinetic"].max(axis=0) + taken + given + weight * _LEAST_FALL + rounding
    return exchanged


def added_beyond(added: FloatArray, exchanged: FloatArray, weight: FloatArray | float) -> FloatArray:
    """How many times more than it may the integrator added to, or took from, a robot: bad above 1.

    Parameters
    ----------
    added : ndarray, shape (..., *batch)
        The part "integration" [J].
    exchanged, weight : ndarray, shape (*batch,)
        Energy that was exchanged [J]; m g [N].
    """
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # a motion that has left all bounds
        gained, lost = added / (MOST_GAINED * exchanged + weight * _LEAST_LIFT), -added / (MOST_LOST * exchanged)
        beyond: FloatArray = np.nan_to_num(np.maximum(gained, lost), nan=np.inf, posinf=np.inf)
    return beyond


def integration_problem(run: Trajectory, before: FloatArray | float = 0.0) -> str | None:
    """What to tell about a finished run whose part "integration" is beyond `MOST_GAINED` or `MOST_LOST` of its energy.

    Samples are all that is looked at. Of a batch, the robot that is worst is told, and of how many.

    Parameters
    ----------
    before : ndarray, shape (*batch,), optional
        The part at the start of a run that resumes another one [J]: what was told before is not told again.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        added = run.energy["integration"] - before
        exchanged = exchanged_energy(run) + np.finfo(float).tiny
    badness = added_beyond(added, exchanged, _weight(run))
    if not badness.max() > 1.0:
        return None
    place = tuple(map(int, np.unravel_index(np.argmax(badness), badness.shape)))
    told = told_addition(run.metadata["integrator"], added[place], exchanged[place[1:]], run.time[place[0]], place[1:],
                         badness.max(axis=0) > 1.0)  # fmt: skip
    return f"{told} in the run: {_pressed(run, place) or _remedy(run)}"


def told_addition(
    integrator: str, added: float, exchanged: float, time: float, robot: tuple[int, ...], bad: BoolArray
) -> str:
    """The energy [J] that the integrator added to one robot until some time [s], of those marked as `bad`, in words."""
    whose = f" of robot {robot} (worst of {np.count_nonzero(bad)} among {bad.size})" if robot else ""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        part = added / exchanged
    return (
        f"the integrator {integrator!r} {'added' if part > 0.0 else 'took'} {abs(added):.3g} J{whose} until {time:g} "
        f"s, {100.0 * abs(part):.3g} % of the energy that was exchanged"
    )


def unsettled_problem(unsettled: int, steps: int) -> str | None:
    """What to tell about impulses that did not settle in some of all steps; None if there are none."""
    if unsettled == 0:
        return None
    return (
        f"contact impulses did not settle in {unsettled} of {steps} steps: to the last they changed by more than 1e-3 "
        "of the largest one, or gave energy; try a smaller dt"
    )


def _weight(run: Trajectory) -> float:
    """[N]."""
    return float(run.model.total_mass * np.linalg.norm(run.model.gravity))


def _pressed(run: Trajectory, place: tuple[int, ...]) -> str | None:
    """Bodies that are driven into each other at that sample and robot, and what helps; None where there are none."""
    between = [i for i, name in enumerate(run.contacts) if "|" in name]
    if not between:
        return None
    sample, *robot = place
    near = run.contact_force[max(sample - 1, 0) : sample + 1]
    force = np.linalg.norm(near, axis=-1).max(axis=0)[tuple(robot)]
    worst = max(between, key=lambda i: float(force[i]))
    if not force[worst] > _DRIVEN * _weight(run):
        return None
    first, second = (part.split("/")[0] for part in run.contacts[worst].split("|"))
    return (
        f"{first} and {second} are driven into each other there with {force[worst]:.2g} N, where the description of "
        "their contact changes; a smaller dt does not help, Compliant, PseudoCoulomb or LeastConstraint between them do"
    )


def _remedy(run: Trajectory) -> str:
    """What helps against it."""
    name, dt = run.metadata["integrator"], run.metadata["dt"]
    if name in ("semi-implicit-euler", "least-constraint"):
        return f"try a smaller dt than {dt:g} s"
    if name in ("runge-kutta-4", "implicit-midpoint"):
        return f"try a smaller dt than {dt:g} s, or leave the integrator out"
    return f"try smaller tolerances than {run.metadata['relative']:g} and {run.metadata['absolute']:g}"
