"""Cylinders with compressed air."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.cylinders.cylinder import Cylinder
from tarsus.devices.actuators.cylinders.fluid_cylinder import FluidCylinder, Port
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError

_GAS_CONSTANT = 287.05
"""Of dry air [J/(kg K)]."""
_REFERENCE_DENSITY, _REFERENCE_TEMPERATURE = 1.185, 293.15
"""Reference atmosphere of ISO 6358 (ISO 8778: 100 kPa, 20 C, 65 % humidity) [kg/m^3], [K]."""
_LAMINAR = 0.999
"""Pressure ratio above which the continuous form has a linear flow."""


@dataclass(frozen=True, eq=False)
class PneumaticCylinder(FluidCylinder):
    """A double-acting cylinder with compressed air and a proportional valve: inherently compliant.

    Buschmann 2014 section 4.2 names pneumatic actuators for their inherent compliance. The gas is ideal and its changes
    are polytropic; a flow into a chamber has the temperature T of the supply:

        p' = n / V (R T m' - p V'),    tau = arm [(p_a - p_0) A_a - (p_b - p_0) A_b] - friction.

    The flow through the valve follows ISO 6358, from the pressure p_1 to p_2 with the opening u:

        m' = u C rho_0 p_1 sqrt(T_0 / T) w,   w = 1 for p_2 / p_1 <= b,   w^2 = 1 - ((p_2 / p_1 - b) / (1 - b))^2 above.

    With the valve closed the cylinder is a spring with the stiffness arm^2 n (p_a A_a^2 / V_a + p_b A_b^2 / V_b).
    Energies are what the gas can do until it has the pressure of the surroundings: "gas" is stored, and a flow m' loses
    (e(p_1) - e(p_2)) m' in the valve, "throttling", with e(p) = n / (n - 1) R T (1 - (p_0 / p)^((n - 1) / n)). Gas that
    leaves through the exhaust loses all it has.

    Attributes
    ----------
    cylinder : Cylinder
    supply : float or ndarray, shape (n,)
        Absolute pressure of the supply [Pa].
    conductance : float or ndarray, shape (n,)
        Sonic conductance C of the open valve [m^3/(s Pa)]; 1 l/(s bar) is 1e-8.
    critical_ratio : float or ndarray, shape (n,)
        b, in [0, 1).
    exponent : float or ndarray, shape (n,)
        n, from 1 (isothermal) to 1.4 (adiabatic).
    ambient : float or ndarray, shape (n,)
        Absolute pressure p_0 of the surroundings [Pa].
    temperature : float or ndarray, shape (n,)
        T [K].
    rest : float or ndarray, shape (n,), optional
        Absolute pressure of chamber b at the beginning [Pa], a being in balance with it; `ambient` by default.
    """

    cylinder: Cylinder
    supply: npt.ArrayLike
    conductance: npt.ArrayLike
    critical_ratio: npt.ArrayLike = 0.3
    exponent: npt.ArrayLike = 1.4
    ambient: npt.ArrayLike = 101325.0
    temperature: npt.ArrayLike = 293.15
    rest: npt.ArrayLike | None = None

    fluid = "gas"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        if self.rest is None:
            set_(self, "rest", self.ambient)
        for name in ("supply", "conductance", "exponent", "ambient", "temperature", "rest"):
            set_(self, name, parameter("PneumaticCylinder", name, getattr(self, name), positive=True))
        set_(self, "critical_ratio", parameter("PneumaticCylinder", "critical_ratio", self.critical_ratio))
        if not np.all(np.asarray(self.critical_ratio) < 1.0):
            raise ArgumentError(
                f"critical_ratio of PneumaticCylinder is {np.asarray(self.critical_ratio)}, expected less than 1"
            )
        if not np.all(np.asarray(self.exponent) >= 1.0):
            raise ArgumentError(
                f"exponent of PneumaticCylinder is {np.asarray(self.exponent)}, expected at least 1 (isothermal)"
            )
        if not np.all(np.asarray(self.supply) > np.asarray(self.ambient)):
            raise ArgumentError(
                f"supply of PneumaticCylinder is {np.asarray(self.supply)} Pa, "
                f"expected more than ambient, {np.asarray(self.ambient)} Pa: "
                "pressures are absolute"
            )
        self._begin()

    @property
    def _returned(self) -> FloatArray:
        return np.asarray(self.ambient)

    @property
    def _filling_rate(self) -> float:
        return float(np.max(self._gain(np.ones(())) / self.cylinder.mid_volumes))

    def _rest(self) -> FloatArray:
        return np.asarray(self.rest)

    # The gas

    def carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        """Pressure after a volume has grown by the factor exp(x) without flow: p V^n stays."""
        after: FloatArray = p * np.exp(-self._n * x)
        return after

    def _mean_carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        # 1 / (V1 - V0) int p0 (V0 / V)^n dV = p0 [exp((1 - n) x) - 1] / [(1 - n) (exp(x) - 1)]
        isothermal, still = self._n == 1.0, x == 0.0
        grown = np.where(isothermal, x, np.expm1((1.0 - self._n) * x) / np.where(isothermal, 1.0, 1.0 - self._n))
        mean: FloatArray = p * np.where(still, 1.0, grown / np.expm1(np.where(still, 1.0, x)))
        return mean

    def _modulus(self, p: FloatArray) -> FloatArray:
        modulus: FloatArray = self._n * p
        return modulus

    def _energy(self, p: FloatArray, V: FloatArray) -> FloatArray:
        # V int_{p0}^{p} e(p) dp / (n R T), in terms that are small where p is near p0
        p0, n, isothermal = self._returned[..., None], self._n, self._n == 1.0
        y = np.log(p / p0)
        polytropic = (np.expm1(y) - n * np.expm1(y / n)) / np.where(isothermal, 1.0, n - 1.0)
        energy: FloatArray = V * p0 * np.where(isothermal, np.exp(y) * y - np.expm1(y), polytropic)
        return energy

    def _carried_energy(self, p: FloatArray, flow: FloatArray) -> FloatArray:
        return self._specific(np.asarray(self.supply)[..., None]) * flow

    def _specific(self, p: FloatArray) -> FloatArray:
        """e(p) [J/kg]: work of a kilogram that expands to the surroundings."""
        n, y = self._n, np.log(p / self._returned[..., None])
        part = (n - 1.0) / n
        work = np.where(n == 1.0, y, -np.expm1(-part * y) / np.where(n == 1.0, 1.0, part))
        specific: FloatArray = _GAS_CONSTANT * np.asarray(self.temperature)[..., None] * work
        return specific

    # The valve

    def _flow(self, p: FloatArray, port: Port) -> FloatArray:
        """Mass flow into the chamber [kg/s]."""
        return self._mass_flow(p, port, 1.0)

    def _smooth_flow(self, p: FloatArray, port: Port) -> FloatArray:
        return self._mass_flow(p, port, _LAMINAR)

    def _mass_flow(self, p: FloatArray, port: Port, laminar: float) -> FloatArray:
        b = np.asarray(self.critical_ratio)[..., None]
        high, low = np.maximum(p, port.line), np.minimum(p, port.line)
        ratio = low / high
        z = np.maximum((np.minimum(ratio, laminar) - b) / (1.0 - b), 0.0)
        w = np.sqrt(1.0 - z**2)
        if laminar < 1.0:
            w = w * np.minimum((1.0 - ratio) / (1.0 - laminar), 1.0)
        wide = np.asarray(self.conductance) * _REFERENCE_DENSITY * self._cooling
        flow: FloatArray = (port.opening * wide)[..., None] * np.sign(port.line - p) * high * w
        return flow

    def _pressure_rate(self, p: FloatArray, V: FloatArray, flow: FloatArray) -> FloatArray:
        rate: FloatArray = self._n * _GAS_CONSTANT * np.asarray(self.temperature)[..., None] * flow / V
        return rate

    def _admitted(self, r: FloatArray, s: float, V: FloatArray, port: Port) -> FloatArray:
        b = np.asarray(self.critical_ratio)[..., None]
        a = (1.0 - b) ** 2
        S = s * self._gain(port.opening) / V
        R = r / port.line  # everything in units of the line's pressure
        # into the chamber: p = R + S w(p), choked or on the ellipse
        root = np.sqrt(np.maximum(a + S**2 - (R - b) ** 2, 0.0))
        filled = np.where(R + S <= b, R + S, (a * R + S**2 * b + S * (1.0 - b) * root) / (a + S**2))
        # out of it: p = R - S p w(1 / p)
        root = np.sqrt(np.maximum((1.0 - 2.0 * b) * R**2 + 2.0 * b * R - 1.0 + S**2, 0.0))
        below = a * R + S**2 * b + S * (1.0 - b) * root
        emptied = np.where(b * R >= 1.0 + S, R / (1.0 + S), (a * R**2 + S**2) / np.where(R > 1.0, below, 1.0))
        p: FloatArray = port.line * np.where(R > 1.0, emptied, filled)
        return p

    def _gain(self, opening: FloatArray) -> FloatArray:
        """Pressure rate of a choked flow from 1 Pa into 1 m^3, (..., 1) [m^3/s]."""
        wide = np.asarray(self.conductance) * _REFERENCE_DENSITY * self._cooling
        gain = np.asarray(self.exponent) * _GAS_CONSTANT * np.asarray(self.temperature) * wide
        gain_of: FloatArray = (opening * gain)[..., None]
        return gain_of

    @property
    def _cooling(self) -> FloatArray:
        cooling: FloatArray = np.sqrt(_REFERENCE_TEMPERATURE / np.asarray(self.temperature))
        return cooling

    @property
    def _n(self) -> FloatArray:
        return np.asarray(self.exponent)[..., None]
