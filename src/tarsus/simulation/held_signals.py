"""Signals that hold between two calls of a controller: what it logged, and what sensors told it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from tarsus.arrays import AnyArray
from tarsus.errors import ArgumentError, ShapeError, nearest
from tarsus.recording.samples import Samples, numbers

RESERVED = ("contact_off", "contact_state", "dof", "event", "leaders", "lock_engaged", "work")
"""Signals that runs have by themselves."""


@final
class HeldSignals:
    """Named values for the samples to come; names and shapes are those of the first time.

    Parameters
    ----------
    batch : tuple of int
        Axes that every value begins with.
    """

    def __init__(self, batch: tuple[int, ...]) -> None:
        self._batch = batch
        self._values: dict[str, AnyArray] = {}
        self._fixed = False

    def hold(self, signals: Mapping[str, Any]) -> None:
        """Hold these values from now on.

        Raises
        ------
        ArgumentError
            Where a name is taken or new, or a value is not what it was before.
        """
        for name, given in signals.items():
            before = self._values.get(name)
            if before is not None and _is_alike(given, before):  # mostly: nothing to be found out about it
                self._values[name] = given.copy() if type(given) is np.ndarray else np.array(given)
                continue
            value = np.array(numbers(f"signal {name!r}", given))
            if value.dtype.kind == "i":  # a count may become a fraction
                value = value.astype(float)
            if before is None:
                self._check_new(name, value)
            elif value.shape != before.shape:
                raise ShapeError(f"signal {name!r} has shape {value.shape}; expected {before.shape} as before")
            self._values[name] = value if before is None else value.astype(before.dtype)

    def exchange(self, known: Mapping[str, AnyArray]) -> None:
        """Hold other values of names that are there, of the same shape, in arrays that nobody writes to."""
        self._values.update(known)

    def fix(self) -> None:
        """No new names from now on: samples that were taken do not have them."""
        self._fixed = True

    def on(self, samples: Samples | None) -> Samples | None:
        """The samples with the values that hold."""
        if samples is None or not self._values:
            return samples
        count = len(samples.time)
        held = {name: np.repeat(value[None], count, axis=0) for name, value in self._values.items()}
        return samples._replace(signals={**samples.signals, **held})

    def _check_new(self, name: str, value: AnyArray) -> None:
        if self._fixed:
            raise ArgumentError(
                f"signal {name!r} is new{nearest(name, self._values)}: the first call tells which signals there are, "
                "NaN where they have no value yet"
            )
        if name in RESERVED:
            raise ArgumentError(f"signal {name!r} is one of the run's own; choose another name")
        if value.shape[: len(self._batch)] != self._batch:
            raise ShapeError(f"signal {name!r} has shape {value.shape}; expected {self._batch} and more")


def _is_alike(given: Any, before: AnyArray) -> bool:
    """Whether a value is a float, or floats of one array, of the kind and shape of the last one."""
    if before.dtype != np.float64:
        return False
    if type(given) is np.ndarray:
        return bool(given.dtype == np.float64 and given.shape == before.shape)
    return type(given) is float and before.shape == ()
