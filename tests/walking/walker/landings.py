"""How hard feet land in a walk."""

from __future__ import annotations

import numpy as np

from tarsus.walking import Walker, WalkOutcome
from tarsus.walking.stabilizer import walk_guide
from tarsus.walking.stabilizer.sensing.perception import TrueState
from tarsus.walking.walker import simulated_walk

AFTER = 0.06
"""Time from touch-down in which a force is one of the landing [s]."""
TOUCHING = 0.02
"""Load of a foot that touches, in weights of the robot."""
STEP = 1e-3
"""Of the simulation, with cycles of whole milliseconds [s]."""


def landing_forces(walker: Walker, monkeypatch, **keywords):
    """Largest load of each foot that lands, in the first 60 ms, in weights of the robot; and the outcome."""
    seen: list[tuple[float, np.ndarray]] = []

    class Noted(TrueState):
        def look(self, observation):
            q, v, loads = super().look(observation)
            seen.append((observation.t, loads))
            return q, v, loads

    monkeypatch.setattr(walk_guide, "TrueState", Noted)
    done = walker.walk(**keywords)
    t, loads = np.array([s[0] for s in seen]), np.array([s[1] for s in seen]) / walker.biped.weight
    return _peaks(t, loads), done


def _peaks(t: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Largest load of each foot that lands, of loads of both feet over time, shape (n, 2)."""
    peaks = []
    for foot in (0, 1):
        touching = loads[:, foot] > TOUCHING
        last = -1.0
        for k in np.flatnonzero(np.diff(touching.astype(int)) == 1) + 1:
            if t[k] - last > 0.3 and t[k] > 1.0:
                peaks.append(loads[(t >= t[k]) & (t < t[k] + AFTER), foot].max())
                last = t[k]
    return np.array(peaks)


def landing_in_every_step(walker: Walker, monkeypatch, **keywords) -> tuple[np.ndarray, float, WalkOutcome]:
    """The same of forces in every step of 1 ms, not those that the controller is told; and the largest sum of both."""
    monkeypatch.setattr(simulated_walk, "SAMPLED", STEP)
    done = walker.walk(**keywords)
    run = done.trajectory
    sides = np.array([name.split(".")[0] for name in run.contacts])
    down = run.contact_force[..., 2] / walker.biped.weight
    loads = np.stack([down[:, sides == leg.side].sum(axis=1) for leg in walker.biped.legs], axis=1)
    return _peaks(run.time, loads), float(loads.sum(axis=1).max()), done
