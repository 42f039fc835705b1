"""How hard feet land in a walk."""

from __future__ import annotations

import numpy as np

from tarsus.walking import Walker
from tarsus.walking.stabilizer import walk_guide
from tarsus.walking.stabilizer.sensing.perception import TrueState

AFTER = 0.06
"""Time from touch-down in which a force is one of the landing [s]."""
TOUCHING = 0.02
"""Load of a foot that touches, in weights of the robot."""


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
    peaks = []
    for foot in (0, 1):
        touching = loads[:, foot] > TOUCHING
        last = -1.0
        for k in np.flatnonzero(np.diff(touching.astype(int)) == 1) + 1:
            if t[k] - last > 0.3 and t[k] > 1.0:
                peaks.append(loads[(t >= t[k]) & (t < t[k] + AFTER), foot].max())
                last = t[k]
    return np.array(peaks), done
