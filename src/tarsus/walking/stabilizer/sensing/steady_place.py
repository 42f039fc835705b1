"""A place that feet keep: estimates of where a robot is, without the jumps of feet that stand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.arrays import FloatArray


class SteadyPlace:
    """Moves an estimated place so that feet that stand do not move.

    Nothing tells a robot on its feet where it is and where north is. An estimator that gets to know its gyroscopes
    better turns the whole way that it has come: 2 mrad after 10 m are 20 mm at once, of feet that stand as well. What a
    walk remembers of its feet is older, and would be that far off. So the place is counted from feet that stand now;
    the orientation stays as estimated.
    """

    def __init__(self) -> None:
        self._before: dict[str, list[float]] = {}
        self._offset = [0.0, 0.0, 0.0]

    def offset(self, standing: Mapping[str, FloatArray], loads: Mapping[str, float]) -> FloatArray:
        """What is to be added to estimated places, shape (3,) [m].

        Parameters
        ----------
        standing : mapping of str to ndarray, shape (3,)
            Where feet that stand are estimated [m].
        loads : mapping of str to float
            Weights of the feet, at least 0.
        """
        places = {name: place.tolist() for name, place in standing.items()}
        kept = [name for name in places if name in self._before and loads[name] > 0.0]
        total = sum([loads[name] for name in kept])
        for name in kept:
            share = loads[name] / total
            self._offset = [
                off - share * (now - before)
                for off, now, before in zip(self._offset, places[name], self._before[name], strict=True)
            ]
        self._before = places
        return np.array(self._offset)
