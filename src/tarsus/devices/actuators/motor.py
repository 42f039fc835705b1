"""Electric motors: brushed, and permanent magnet synchronous with field-oriented control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.devices.actuators.current_loop import CurrentLoop
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class IdealMotor:
    """A motor without electrical dynamics: the torque of its shaft is the reference. Its rotor has inertia.

    Attributes
    ----------
    rotor_inertia : float or ndarray, shape (n,)
        Moment of inertia at the shaft [kg m^2].
    torque_max : float or ndarray, shape (n,)
        Largest torque at the shaft [N m].
    """

    rotor_inertia: npt.ArrayLike = 0.0
    torque_max: npt.ArrayLike = np.inf

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "rotor_inertia", parameter("IdealMotor", "rotor_inertia", self.rotor_inertia))
        set_(self, "torque_max", parameter("IdealMotor", "torque_max", self.torque_max, positive=True, unlimited=True))


@dataclass(frozen=True, eq=False)
class Motor:
    """Winding with resistance, inductance and back electromotive force: L i' = u - R i - k_e w, shaft torque k_t i.

    A permanent magnet synchronous motor whose field-oriented control keeps the current along the magnet's axis at zero
    obeys the same equation for the current across it, with the constants that `pmsm` computes. Then k_t = 3/2 k_e, and
    electrical powers are 3/2 u i: in general k_t / k_e times u i, which makes the balance of energy hold.

    Buschmann 2014 section 3.6 asks for motor dynamics as ordinary differential equations beside those of the
    mechanism; section 4.2 names these two kinds of motors.

    Attributes
    ----------
    resistance, inductance : float or ndarray, shape (n,)
        R [ohm] and L [H].
    torque_constant : float or ndarray, shape (n,)
        k_t [N m/A].
    rotor_inertia : float or ndarray, shape (n,)
        Moment of inertia at the shaft [kg m^2].
    emf_constant : float or ndarray, shape (n,), optional
        k_e [V s/rad]; k_t by default, as for every direct current motor in SI units.
    voltage_max, current_max : float or ndarray, shape (n,)
        Limits of the amplifier [V] and of its current reference [A].
    loop : CurrentLoop, optional
        Makes the drive's command a torque; without it the command is the voltage [V].
    """

    resistance: npt.ArrayLike
    inductance: npt.ArrayLike
    torque_constant: npt.ArrayLike
    rotor_inertia: npt.ArrayLike = 0.0
    emf_constant: npt.ArrayLike | None = None
    voltage_max: npt.ArrayLike = np.inf
    current_max: npt.ArrayLike = np.inf
    loop: CurrentLoop | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if self.emf_constant is None:
            set_(self, "emf_constant", self.torque_constant)
        for name in ("resistance", "inductance", "torque_constant", "emf_constant"):
            set_(self, name, parameter("Motor", name, getattr(self, name), positive=True))
        set_(self, "rotor_inertia", parameter("Motor", "rotor_inertia", self.rotor_inertia))
        for name in ("voltage_max", "current_max"):
            set_(self, name, parameter("Motor", name, getattr(self, name), positive=True, unlimited=True))
        if self.loop is not None and not isinstance(self.loop, CurrentLoop):
            raise ArgumentError(f"loop of Motor is a {type(self.loop).__name__}, expected a CurrentLoop")

    @classmethod
    def pmsm(
        cls,
        resistance: npt.ArrayLike,
        inductance: npt.ArrayLike,
        flux_linkage: npt.ArrayLike,
        pole_pairs: int,
        rotor_inertia: npt.ArrayLike = 0.0,
        voltage_max: npt.ArrayLike = np.inf,
        current_max: npt.ArrayLike = np.inf,
        loop: CurrentLoop | None = None,
    ) -> Motor:
        """Permanent magnet synchronous motor, star-connected, in amplitudes of phase quantities.

        k_e = pole_pairs flux_linkage and k_t = 3/2 k_e. The voltage along the magnet's axis that decouples the two
        axes, pole_pairs w L i, is not counted against `voltage_max`.

        Parameters
        ----------
        resistance, inductance : array_like
            Of one phase [ohm], and across the magnet's axis [H].
        flux_linkage : array_like
            Amplitude of the magnet's flux in one phase [V s].
        pole_pairs : int
        """
        if pole_pairs < 1:
            raise ArgumentError(f"pole_pairs of Motor is {pole_pairs}, expected 1 or more")
        k_e = pole_pairs * np.asarray(flux_linkage, dtype=float)
        return cls(resistance, inductance, 1.5 * k_e, rotor_inertia, k_e, voltage_max, current_max, loop)
