"""Several sensors while a simulation runs, and controllers that see only what they measure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.group import SensorGroup
from tarsus.devices.sensors.motion import Contacts, Motion, between, checked_motion
from tarsus.devices.sensors.running_contacts import running_contacts
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError
from tarsus.model.model import Model
from tarsus.recording.signal_log import SAME_TIME, SignalLog

_ROUNDING = 1e-12
"""Of times that are told and that samples are due at, relative and [s]."""


class SensorSuite:
    """Sensors of one model that watch a simulation as it goes.

    `observe` hands over the true state; a sensor samples at its own instants, between two observations by interpolation
    (as `Sensor.measure` does), and `readings` returns what has arrived.

    Parameters
    ----------
    model : Model
    sensors : sequence of Sensor
        Sensors with different names.
    seed : int
        Each sensor has random numbers of its own, from the seed and its name.
    record : bool
        Keep readings in `log`; large batches may not want them.

    Attributes
    ----------
    names : tuple of str
        Of the sensors.
    labels : dict of str to tuple of str
        Names of their channels.
    needs_contacts : bool
        Whether any of them measures forces of contacts.
    log : SignalLog
        Readings by sensor, from the time of their arrival; `with_signals` puts them into a trajectory.
    """

    def __init__(self, model: Model, sensors: Sequence[Sensor], seed: int = 0, *, record: bool = True) -> None:
        names = [sensor.name for sensor in sensors]
        doubles = sorted({name for name in names if names.count(name) > 1})
        if doubles:
            raise ArgumentError(f"two sensors are called {doubles[0]!r}; names must differ")
        self.model, self.sensors, self.seed = model, tuple(sensors), seed
        self.labels = {sensor.name: sensor.labels(model) for sensor in sensors}
        self.names = tuple(self.labels)
        self.needs_contacts = any(sensor.needs_contacts for sensor in sensors)
        self.log = SignalLog(record)
        self.reset()

    def reset(self) -> None:
        """Begin anew, with the same random numbers."""
        self.log.clear()
        self._time = -np.inf
        self._start = 0.0
        self._motion: Motion | None = None
        self._mean: Motion | None = None  # the same with the mean acceleration since the one before
        rates = dict.fromkeys(sensor.rate for sensor in self.sensors)
        self._groups = [
            SensorGroup(self.model, [sensor for sensor in self.sensors if sensor.rate == rate], self.seed)
            for rate in rates
        ]
        self._pending: dict[str, deque[tuple[float, FloatArray]]] = {name: deque() for name in self.labels}
        self._arrived: dict[str, FloatArray] = {}

    def observe(
        self,
        t: float,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        vdot: npt.ArrayLike | None = None,
        contacts: Contacts | None = None,
    ) -> None:
        """Tell the true state at t; sensors take the samples that are due since the last time told.

        Parameters
        ----------
        t : float
            [s]; an earlier time than the last begins anew, the same time is ignored.
        q, v : array_like, shape (..., nq), (..., nv)
        vdot : array_like, shape (..., nv), optional
            Acceleration for the sample at the very beginning; later ones are mean accelerations since the last call.
        contacts : Contacts, optional
            Inside a controller of `tarsus.simulate` those of the simulation by default: the forces of the step that
            ended at t. Elsewhere sensors that need them raise where they are left out.
        """
        if t < self._time - SAME_TIME:
            self.reset()
        if t <= self._time + SAME_TIME:
            return
        if contacts is None:
            contacts = running_contacts(t, np.shape(q)[:-1])
        self.follow(float(t), checked_motion(self.model, q, v, vdot, contacts, float(t)))

    def follow(self, t: float, motion: Motion, *, accelerated: bool = False) -> None:
        """The same for a time after the last one, and a motion that is known to fit and that nobody changes.

        Where it is told to be `accelerated`, the acceleration of the motion counts at t instead of the mean since the
        last time told.
        """
        if self._motion is None:
            self._start = t
        elif accelerated:
            self._mean = motion
        for group in self._groups:
            due = self._start + group.count / group.rate
            while due <= t + SAME_TIME:
                for sensor, reading in zip(group.sensors, group.sample(self._at(due, t, motion)), strict=True):
                    self._pending[sensor.name].append((due + sensor.delay, reading))
                    self.log.add(sensor.name, due + sensor.delay, reading)
                due = self._start + group.count / group.rate
        self._time, self._motion, self._mean = t, motion, None

    def _at(self, due: float, t: float, motion: Motion) -> Motion:
        """The motion at a moment since the last one that was told."""
        before = self._motion
        if before is None:
            return motion
        span = t - self._time
        if due < t - _ROUNDING * max(1.0, t):
            return between(before, motion, (due - self._time) / span, span)
        if self._mean is None:
            vdot = (motion.v - before.v) / span
            self._mean = Motion.known(motion.model, motion.q, motion.v, vdot, motion.contacts, t)
        return self._mean

    def readings(self, t: float) -> dict[str, FloatArray]:
        """Latest readings that have arrived at t [s], by sensor, (..., channels); none of a sensor still silent.

        The arrays cannot be written to.
        """
        latest = t + SAME_TIME
        for name, queue in self._pending.items():
            while queue and queue[0][0] <= latest:
                self._arrived[name] = queue.popleft()[1]
        return dict(self._arrived)


Estimator = Callable[[float, Mapping[str, FloatArray], FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""estimator(t, readings, q, v): time, readings by sensor, true state to what the controller is told of q and v."""


class MeasuredController:
    """A controller that is told what sensors measure instead of the truth.

    Parameters
    ----------
    controller : callable
        controller(t, q, v) -> command (..., nv).
    suite : SensorSuite
    estimator : callable, optional
        estimator(t, readings, q, v) -> (q, v) for the controller, from readings by sensor and the true state. By
        default joints with an encoder get its angles and rates, and all else is true.
    contacts : callable, optional
        contacts(t, q, v) -> Contacts, for sensors that need them; those of the simulation that calls by default.
    """

    def __init__(
        self,
        controller: Callable[[float, FloatArray, FloatArray], npt.ArrayLike],
        suite: SensorSuite,
        estimator: Estimator | None = None,
        contacts: Callable[[float, FloatArray, FloatArray], Contacts] | None = None,
    ) -> None:
        self.controller, self.suite, self.contacts = controller, suite, contacts
        self.estimator = encoder_estimator(suite) if estimator is None else estimator

    @property
    def log(self) -> SignalLog:
        """Readings as they arrived."""
        return self.suite.log

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> npt.ArrayLike:
        """Command of the controller at what was measured."""
        self.suite.observe(t, q, v, contacts=None if self.contacts is None else self.contacts(t, q, v))
        seen_q, seen_v = self.estimator(t, self.suite.readings(t), q, v)
        return self.controller(t, seen_q, seen_v)


def encoder_estimator(suite: SensorSuite) -> Estimator:
    """Joints with an encoder at their readings (before the first one at the truth), everything else true."""
    encoders = [sensor for sensor in suite.sensors if isinstance(sensor, Encoder)]

    def estimate(
        t: float, readings: Mapping[str, FloatArray], q: FloatArray, v: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        seen_q, seen_v = np.array(q, dtype=float), np.array(v, dtype=float)
        for sensor in encoders:
            if sensor.name not in readings:
                continue
            joints = [suite.model.joints[name] for name in sensor.joints]
            value, n = readings[sensor.name], len(joints)
            seen_q[..., [joint.q_index.start for joint in joints]] = value[..., :n]
            if sensor.velocity != "none":
                seen_v[..., [joint.v_index.start for joint in joints]] = value[..., n:]
        return seen_q, seen_v

    return estimate
