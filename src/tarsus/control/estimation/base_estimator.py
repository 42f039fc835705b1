"""Pose and velocity of a free base from an inertial unit, encoders and the load of supports."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.estimation.agreement import Agreement
from tarsus.control.estimation.footing import Footing
from tarsus.control.estimation.invariant_filter import InvariantFilter
from tarsus.control.estimation.leg_odometry import leg_odometry
from tarsus.control.estimation.load_switch import LoadSwitch
from tarsus.control.estimation.noise import EstimatorNoise
from tarsus.control.estimation.readings.inertial_readings import InertialReadings
from tarsus.control.estimation.readings.joint_readings import JointReadings
from tarsus.control.estimation.readings.observed_readings import ObservedReadings
from tarsus.control.estimation.readings.wiring import (
    Loads,
    check_base,
    chosen_imu,
    load_frames,
    noise_of,
    unit_frame,
    wired,
)
from tarsus.control.estimation.single_rotation import level_rotation, rotation_of
from tarsus.control.estimation.status import EstimateStatus
from tarsus.control.estimation.support import Support, supports_of
from tarsus.control.estimation.support_kinematics import SupportKinematics
from tarsus.control.whole_body.contact import Contact
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError

if TYPE_CHECKING:
    from tarsus.control.observation import Observation
    from tarsus.model import Model

_BLIND = (3e3, 3e3)
"""Times the noise of gyroscope and accelerometer, while legs stand in for them."""
_LOAD_ON, _LOAD_OFF = 0.1, 0.05
"""Loads that a support needs to stand and to go on standing, in weights of the robot."""
_TILT = 0.05
"""Deviation of a tilt that is read from the first accelerometer reading [rad]."""


class BaseEstimator:
    """Base pose and velocity of a robot from what its sensors tell.

    An error-state Kalman filter with right-invariant errors (Hartley, Ghaffari, Eustice and Grizzle 2020) and contacts
    as states (Bloesch, Hutter, Hoepflinger, Leutenegger, Gehring, Remy and Siegwart 2012): see `InvariantFilter`. The
    inertial unit moves the state on; supports that carry load stand still, and where joints see them corrects it.
    Position and turn about the vertical cannot be observed: they drift, and `covariance` tells how far.

    Parameters
    ----------
    model : Model
        With a free base.
    contacts : sequence of str, Support or Contact, optional
        Where it stands, see `Support`; by default the frames of force sensors and contact switches.
    sensors : sequence of Sensor
        Those of the simulation, for `update`. Without them there is `step` only.
    imu : str or IMU, optional
        Name of the unit among the sensors, or where there are none its frame; by default the only one, or the base.
    loads : {"sensors", "touching"}
        Loads of supports from force sensors and switches, or from `Observation.wrench`.
    noise : EstimatorNoise, optional
        What sensors say they have, where that is more, is taken instead.
    load_on, load_off : float, optional
        Loads of a support [N]: it stands above the first, and goes on until the second. 10 % and 5 % of the weight.
    settle : float
        How long a support must carry load before it counts [s].
    gate : float
        A support that is seen further off than so many standard deviations is not believed; after three readings in a
        row it has slipped.
    rate_cutoff : float
        Of the low pass on differences of joint positions, where no rates are read [rad/s].
    gyroscope_limit, accelerometer_limit : float
        Readings beyond are not believed [rad/s, m/s^2].

    Attributes
    ----------
    model : Model
    supports : tuple of Support
    noise : EstimatorNoise
    delay : float
        Of the slowest sensor [s]: readings of others wait for it, and estimates are carried on by as much.
    """

    def __init__(
        self,
        model: Model,
        contacts: Sequence[str | Support | Contact] | None = None,
        *,
        sensors: Sequence[Sensor] = (),
        imu: str | IMU | None = None,
        loads: Loads = "sensors",
        noise: EstimatorNoise | None = None,
        load_on: float | None = None,
        load_off: float | None = None,
        settle: float = 0.02,
        gate: float = 5.0,
        rate_cutoff: float = 200.0,
        gyroscope_limit: float = 50.0,
        accelerometer_limit: float = 1000.0,
    ) -> None:
        check_base(model)
        if loads not in get_args(Loads):
            raise UnknownNameError(f"loads is {loads!r}; expected one of {get_args(Loads)}")
        if not gate > 0.0:
            raise ArgumentError(f"gate is {gate!r}; expected a number of standard deviations above 0")
        self.model, self._gate = model, gate
        noise = EstimatorNoise() if noise is None else noise
        unit = chosen_imu(sensors, imu) if sensors else None
        frame = unit.frame if unit is not None else unit_frame(model, imu)
        self.supports = supports_of(model, load_frames(sensors) if contacts is None else contacts)
        self.noise = noise if unit is None else noise_of(sensors, unit, noise)
        wiring = None if unit is None else wired(model, sensors, unit, self.supports, loads)
        self._observed = None if wiring is None else ObservedReadings(model, self.supports, wiring)
        self.delay = 0.0 if self._observed is None else self._observed.delay
        self._kinematics = SupportKinematics(model, frame, self.supports)
        self._joints = JointReadings(model, rate_cutoff, self.noise.encoder)
        self._unit = InertialReadings(unit.name if unit else "imu", gyroscope_limit, accelerometer_limit)
        self._gravity = float(np.linalg.norm(model.gravity))
        weight = self._gravity * model.total_mass
        on = _LOAD_ON * weight if load_on is None else load_on
        off = min(_LOAD_OFF * weight, on) if load_off is None else load_off
        self._footing = Footing(LoadSwitch(len(self.supports), on, off, settle), self.noise.contact)
        self._agreement = Agreement(LoadSwitch(len(self.supports), on, off, settle), self.noise.contact)
        self._patches = [k for k, support in enumerate(self.supports) if support.patch]
        self._balls = np.array([support.radius for support in self.supports])
        self._rolls = bool(self._balls.any())
        self._filter = InvariantFilter(len(self.supports), self._patches, self.noise, np.asarray(model.gravity))
        self._q, self._v = np.array(model.reference), np.zeros(model.nv)
        self._lead = model.joints["base"].q_index.stop
        self._begun = False
        self._time: float | None = None
        self._clear()

    # -- what a person calls ----------------------------------------------------------------------------------------

    def reset(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None = None,
        *,
        tilt: float = 2e-3,
        heading: float = 0.0,
        position: float = 0.0,
        velocity: float = 1e-2,
    ) -> None:
        """Begin anew at a state.

        Without it the first step puts the base above the origin, as the accelerometer says that it leans, with the
        lowest support at height zero.

        Parameters
        ----------
        q : array_like, shape (nq,)
        v : array_like, shape (nv,), optional
            At rest by default.
        tilt, heading, position, velocity : float
            Standard deviations of what is told [rad, rad, m, m/s].
        """
        q = np.array(self.model.normalize(q))
        v = np.zeros(self.model.nv) if v is None else np.array(v, dtype=float)
        if q.shape != (self.model.nq,) or v.shape != (self.model.nv,) or not np.isfinite(v).all():
            raise ShapeError(
                f"q, v of reset: found shapes {q.shape}, {v.shape}; expected finite ({self.model.nq},), "
                f"({self.model.nv},)"
            )
        self._clear()
        self._q, self._v = q, v
        joints, rates = q[self._lead :], v[6:]
        self._joints.reset(joints, rates)
        self._kinematics.update(joints)
        X_BI = self._kinematics.X_BI
        R_WB = rotation_of(q[3:7])
        seen = self._kinematics.unit_motion(rates)
        speed = R_WB @ (v[:3] + np.cross(v[3:6], X_BI[:3, 3]) + seen[:3])
        p = q[:3] + R_WB @ X_BI[:3, 3]
        self._filter.reset(R_WB @ X_BI[:3, :3], speed, p, tilt, velocity, position, heading)
        self._turned = self._filter.R @ self._kinematics.R_IC
        self._angular = X_BI[:3, :3].T @ (v[3:6] + seen[3:])
        self._begun = True

    def update(self, observation: Observation, rolling: Collection[str] = ()) -> tuple[FloatArray, FloatArray]:
        """Estimate of q and v from the sensors of an observation, shapes (nq,), (nv,).

        Observations come in the order of their times; one that is earlier than the last begins anew.

        Parameters
        ----------
        rolling : collection of str
            Frames of supports that are known not to stand still, whatever they carry, such as feet on their edges.
        """
        if self._observed is None:
            raise ArgumentError("update reads sensors: give those of the simulation to BaseEstimator(sensors=...)")
        if self._time is not None and observation.t < self._time:
            self._clear()
            self._begun = False
        dt = 0.0 if self._time is None else observation.t - self._time
        self._time = observation.t
        position, rate, gyroscope, accelerometer, loads = self._observed.take(observation)
        if rolling and loads is not None:
            loads = np.where([support.frame in rolling for support in self.supports], 0.0, loads)
        return self.step(dt, position, rate, gyroscope, accelerometer, loads)

    def step(
        self,
        dt: float,
        joint_positions: FloatArray | None,
        joint_velocities: FloatArray | None,
        gyroscope: FloatArray | None,
        accelerometer: FloatArray | None,
        loads: FloatArray | None,
    ) -> tuple[FloatArray, FloatArray]:
        """Estimate of q and v after dt [s], from readings taken at its end; shapes (nq,), (nv,).

        Parameters
        ----------
        dt : float
            Since the last step [s]; that of the first one is of no account.
        joint_positions, joint_velocities : ndarray, shape (nq - 7,), (nv - 6,), or None
            As in q and v; None where no reading came. Rates are made of positions where there are none.
        gyroscope, accelerometer : ndarray, shape (3,), or None
            Angular velocity and specific force in axes of the unit [rad/s, m/s^2]; None: the last ones are held.
        loads : ndarray, shape (n,), or None
            Forces on the supports [N], at least 0; NaN where one is not known, None: the last ones are held.
        """
        if not 0.0 <= dt < np.inf:
            raise ArgumentError(f"dt is {dt!r}; expected seconds, at least 0")
        self._joints.update(dt, joint_positions, joint_velocities)
        self._unit.update(dt, gyroscope, accelerometer)
        if loads is not None:
            if np.shape(loads) != (len(self.supports),):
                raise ShapeError(f"loads has shape {np.shape(loads)}, expected ({len(self.supports)},)")
            self._loads = loads
        self._unit.compare(self._pressed(), self._gravity)
        if self._joints.fresh:
            self._kinematics.update(self._joints.position)
        if not self._begun and not self._begin():
            return self._answer()
        if dt > 0.0:
            self._propagate(dt)
            self._way += dt * self._filter.v
        if self._joints.fresh:
            self._roll()
            self._stand(dt)
            self._correct()
        return self._answer()

    @property
    def status(self) -> EstimateStatus:
        """How the last step went."""
        rejected = {**self._unit.rejected(), **self._joints.rejected()}
        names = [support.frame for support in self.supports]
        for k in np.flatnonzero(np.isnan(self._loads)) if self._begun else ():
            rejected[self._load_name(int(k))] = f"no load of {names[k]!r}"
        if not self._begun:
            rejected.setdefault("start", "no reading of encoders and inertial unit yet")
        standing, slipped = (tuple(names[k] for k in sorted(x)) for x in (self._footing.used, self._footing.slipped))
        doubtful = tuple(names[k] for k in sorted(self._agreement.doubtful))
        return EstimateStatus(standing, slipped, rejected, doubtful)

    @property
    def standing(self) -> dict[str, FloatArray]:
        """Where supports that stand are believed to be, by frame, shape (3,) each, world axes [m].

        Every reading that tells where the robot really was moves them along with the base: differences of places are
        known better than places.
        """
        return {self.supports[k].frame: self._filter.d[k].copy() for k in self._footing.used}

    @property
    def covariance(self) -> FloatArray:
        """Of the base, shape (9, 9): position, rotation, velocity, world axes [m, rad, m/s].

        Errors are p^ - p, log(R^ R^T) and the velocity of the unit's frame, estimate less truth. Encoders are taken as
        they are.
        """
        arm = -self._filter.R @ (self._kinematics.X_BI[:3, :3].T @ self._kinematics.X_BI[:3, 3])
        return self._filter.pose_covariance(arm)

    @property
    def gyroscope_bias(self) -> FloatArray:
        """Estimate, shape (3,), axes of the unit [rad/s]."""
        return self._filter.gyroscope_bias.copy()

    @property
    def accelerometer_bias(self) -> FloatArray:
        """Estimate, shape (3,), axes of the unit [m/s^2]."""
        return self._filter.accelerometer_bias.copy()

    # -- one step ---------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        """Forget all readings."""
        self._time = None
        self._loads = np.zeros(len(self.supports))
        self._unit.reset()
        self._footing.reset()
        self._agreement.reset()
        self._rolled = np.zeros((len(self.supports), 3))
        self._way = np.zeros(3)
        if self._observed is not None:
            self._observed.reset()

    def _pressed(self) -> float:
        """Loads of all supports that are known, over the mass of the robot [m/s^2]."""
        return float(sum(load for load in self._loads.tolist() if load > 0.0)) / self.model.total_mass

    def _begin(self) -> bool:
        """Start from the first readings: the lean that the accelerometer tells, the lowest support at height zero."""
        if not (self._joints.fresh and self._unit.known[1]) or self._joints.bad is not None:
            return False
        assert self._unit.accelerometer is not None
        kinematics = self._kinematics
        R_WB = level_rotation(kinematics.X_BI[:3, :3] @ self._unit.accelerometer)
        seen = kinematics.X_BI[:3, 3] + kinematics.p_IC @ kinematics.X_BI[:3, :3].T
        height = -float((seen @ R_WB[2] - self._balls).min()) if len(seen) else 0.0
        p = R_WB @ kinematics.X_BI[:3, 3] + (0.0, 0.0, height)
        tilt = float(np.hypot(_TILT, self.noise.accelerometer_bias / 9.81))
        self._filter.reset(R_WB @ kinematics.X_BI[:3, :3], np.zeros(3), p, tilt, 0.1)
        self._turned = self._filter.R @ kinematics.R_IC
        self._angular = np.zeros(3) if self._unit.gyroscope is None else self._unit.gyroscope
        self._begun = True
        return True

    def _propagate(self, dt: float) -> None:
        """By the inertial unit; where it is dead, by legs that stand."""
        unit, state = self._unit, self._filter
        if unit.known == (True, True):
            assert unit.gyroscope is not None and unit.accelerometer is not None
            state.propagate(dt, unit.gyroscope, unit.accelerometer)
            self._angular = unit.gyroscope - state.gyroscope_bias
            return
        gyroscope, accelerometer, scale = unit.gyroscope, unit.accelerometer, [1.0, 1.0]
        if not unit.known[0] or gyroscope is None:
            gyroscope, scale[0] = state.R.T @ self._walked()[3:] + state.gyroscope_bias, _BLIND[0]
        if not unit.known[1] or accelerometer is None:
            accelerometer, scale[1] = state.accelerometer_bias - state.R.T @ self.model.gravity, _BLIND[1]
        state.propagate(dt, gyroscope, accelerometer, scale=(scale[0], scale[1]))
        self._angular = gyroscope - state.gyroscope_bias

    def _walked(self) -> FloatArray:
        """Twist of the unit by legs that stand, world axes, (6,); nothing where none does."""
        used = list(self._footing.used)
        if not used:
            return np.zeros(6)
        kinematics, R = self._kinematics, self._filter.R
        J = self._world_jacobians()[used] @ self._joints.rate
        patches = [i for i, k in enumerate(used) if self.supports[k].patch]
        return leg_odometry(kinematics.p_IC[used] @ R.T, J[:, :3], J[patches, 3:])

    def _world_jacobians(self) -> FloatArray:
        """Of supports relative to the unit, world axes, shape (n, 6, joints)."""
        kinematics = self._kinematics
        R_WB = self._filter.R @ kinematics.X_BI[:3, :3].T
        n, _, count = kinematics.J.shape
        return np.asarray((R_WB @ kinematics.J.reshape(n, 2, 3, count)).reshape(n, 6, count))

    def _roll(self) -> None:
        """Balls roll on level ground as their bodies turn: their middles move by radius (turn x up)."""
        if not self._rolls:
            return
        turned = self._filter.R @ self._kinematics.R_IC
        D = turned @ self._turned.transpose(0, 2, 1)
        self._turned = turned
        rolled = np.zeros_like(self._rolled)
        rolled[:, 0] = (0.5 * self._balls) * (D[:, 0, 2] - D[:, 2, 0])
        rolled[:, 1] = (-0.5 * self._balls) * (D[:, 2, 1] - D[:, 1, 2])
        self._filter.d += rolled
        self._rolled += rolled

    def _stand(self, dt: float) -> None:
        """Supports that carry load, and whose joints are known, begin or go on to stand; others end."""
        state, kinematics, bad = self._filter, self._kinematics, self._joints.bad
        blind = None if bad is None else np.asarray((kinematics.depends & bad).any(axis=1))
        if blind is None:
            self._agreement.update(dt, self._loads, kinematics.p_IC @ state.R.T - self._rolled, self._way)
        for k in self._agreement.sliding:
            self._footing.slide(k)
        if not self._footing.update(dt, self._loads, blind):
            return
        places = state.p + kinematics.p_IC @ state.R.T
        begun, ended = self._footing.change(places, state.speed_deviation)
        for k in ended:
            state.drop_contact(k)
        for k in begun:
            J = self._world_jacobians()[k]
            N = self.noise.encoder**2 * (J @ J.T)
            N[range(6), range(6)] += [self.noise.contact**2] * 3 + [self.noise.contact_turn**2] * 3
            state.add_contact(k, kinematics.p_IC[k], kinematics.R_IC[k], N)

    def _correct(self) -> None:
        """Supports are where joints see them."""
        used = self._footing.used
        if not used:
            return
        missed = self._see(used, self._gate)
        if missed:
            for k in self._footing.miss(missed):
                self._filter.drop_contact(k)
            used = tuple(k for k in used if k not in missed)
            if not used or self._see(used, np.inf):
                return
        self._footing.confirm(used)

    def _see(self, used: tuple[int, ...], gate: float) -> tuple[int, ...]:
        """Take supports into account; those that are seen further off than so many deviations, and nothing else."""
        seen = self._kinematics
        return self._filter.correct(seen.p_IC, seen.R_IC, seen.X_BI, seen.J, used, gate)

    # -- what is told -----------------------------------------------------------------------------------------------

    def _answer(self) -> tuple[FloatArray, FloatArray]:
        """The state, carried on by the delay of the sensors."""
        q, v = self._q.copy(), self._v.copy()
        q[self._lead :], v[6:] = self._joints.position, self._joints.rate
        if self._begun:
            seen = self._kinematics
            self._filter.tell_base(seen.X_BI, self._angular, seen.unit_motion(self._joints.rate), q, v)
        self._q, self._v = q, v
        if self.delay > 0.0:
            return np.asarray(self.model.integrate(q, v, self.delay)), v
        return q, v

    def _load_name(self, support: int) -> str:
        if self._observed is None:
            return f"load of {self.supports[support].frame}"
        return self._observed.load_name(support)
