"""Steps of CVODE (SUNDIALS: Cohen and Hindmarsh 1996) by scikit-sundae, with the interface of SciPy's solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.deferred_signals import deferred_signals
from tarsus.errors import ArgumentError

SHORTEST = 1e-12
"""Step [s], relative to max(1, |t|), below which the end of a motion is not looked for any closer."""
_TRIES = 40
"""Times that a step is shortened to a quarter because its equations were not solved: enough to come to `SHORTEST`."""


class _NoFurther(ArithmeticError):
    """There are no rates right after the present state."""


@final
class CvodeSteps:
    """Backward differentiation formulas of order 1 to 5 with variable step, from one time to another.

    Attributes
    ----------
    t, t_old : float
        End and start of the last step [s].
    y : ndarray, shape (n,)
    status : {"running", "finished", "failed"}
    """

    def __init__(
        self,
        flow: Callable[[float, FloatArray], FloatArray],
        start: float,
        y: FloatArray,
        end: float,
        relative: float,
        absolute: float,
    ) -> None:
        try:
            from sksundae.cvode import CVODE  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise ArgumentError(
                "integrator 'cvode' needs scikit-sundae: pip install 'tarsus[stiff]'; 'radau' and 'bdf' do not"
            ) from None
        self._error: BaseException | None = None
        self._signals = deferred_signals()

        def rates(t: float, x: FloatArray, out: FloatArray) -> int:
            try:
                self._signals.handle()
                out[:] = flow(t, np.array(x))
            except BaseException as error:  # nothing may be raised through SUNDIALS: kept, and raised after the step
                self._error = error
                return -1
            if t - self.t <= SHORTEST * max(1.0, abs(t)) and not np.all(np.isfinite(out)):
                raise _NoFurther  # ends the step at once; CVODE would go on by a rounding of t at a time
            return 0

        self._solver = CVODE(
            rates, method="BDF", rtol=relative, atol=absolute, max_num_steps=100000, max_conv_fails=_TRIES
        )
        self._solver.init_step(start, y)
        self._end = end
        self.t, self.t_old, self.status = start, None, "running"
        self.y = np.array(y)

    t_old: float | None

    def step(self) -> None:
        """One internal step, not beyond the end."""
        try:
            with deferred_signals() as self._signals:  # a handler might raise before the `try` of `rates`
                result = self._solver.step(self._end, method="onestep", tstop=self._end)
        except _NoFurther:
            result = None
        if self._error is not None:
            raise self._error
        if result is None or not result.success:
            self.status = "failed"
            return
        self.t_old, self.t, self.y = (
            self.t,
            float(np.ravel(result.t)[-1]),
            np.array(result.y).reshape(-1, len(self.y))[-1],
        )
        if self.t >= self._end:
            self.status = "finished"

    def dense_output(self) -> Callable[[float], FloatArray]:
        """States within the last step, by CVODE's own interpolation."""

        def at(t: float) -> FloatArray:
            if t >= self.t:
                return self.y
            result = self._solver.step(t, method="normal", tstop=self._end)
            return np.array(np.reshape(result.y, (-1, len(self.y)))[-1], dtype=float)

        return at
