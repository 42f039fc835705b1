"""Cylinders with oil."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.cylinders.cylinder import Cylinder
from tarsus.devices.actuators.cylinders.fluid_cylinder import FluidCylinder, Port
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError

_LAMINAR = 1e-3
"""Part of the supply pressure below which the continuous form has a nearly linear flow."""


@dataclass(frozen=True, eq=False)
class HydraulicCylinder(FluidCylinder):
    """A double-acting cylinder with oil and a servo valve: strong, stiff, and fast for its weight.

    Pressures are those above the tank. The oil has the bulk modulus B; turbulent flow through the edges of the valve,
    with the opening u, and laminar leakage past the piston:

        p_a' = B / V_a (Q_a - V_a' - c (p_a - p_b)),    Q_a = k u sqrt(p_s - p_a) for u > 0,  k u sqrt(p_a) for u < 0,

    and p_b likewise with the other line. tau = arm (p_a A_a - p_b A_b) - friction. Flow that the load drives backwards
    follows the same law with its sign.

    With the valve closed the cylinder is a spring with the stiffness arm^2 B (A_a^2 / V_a + A_b^2 / V_b).

    Pressures do not fall below zero: a chamber that grows faster than the valve fills it draws oil from the tank
    through a check valve without resistance, as manifolds have against cavitation. It pulls with no force then, no
    energy comes or goes with that oil, and the oil stays: the piston does not fall back. No relief valve bounds
    pressures from above.

    Energies: "oil" is stored, B (exp(p / B) - 1 - p / B), about p^2 / (2 B), in each unit of volume. "supply" is what a
    pump puts in at constant pressure, negative where a load drives oil back. "throttling" is lost in valve and leakage.

    Attributes
    ----------
    cylinder : Cylinder
    supply : float or ndarray, shape (n,)
        Pressure of the supply above the tank [Pa]; 200 bar are 2e7.
    valve : float or ndarray, shape (n,)
        k of the open valve [m^3/(s sqrt(Pa))], of each edge; `valve_of` takes it from a data sheet.
    bulk_modulus : float or ndarray, shape (n,)
        B of the oil with its hoses and air [Pa].
    leakage : float or ndarray, shape (n,)
        c [m^3/(s Pa)].
    rest : float or ndarray, shape (n,), optional
        Pressure of chamber b at the beginning [Pa], a being in balance with it; half the supply by default.
    """

    cylinder: Cylinder
    supply: npt.ArrayLike
    valve: npt.ArrayLike
    bulk_modulus: npt.ArrayLike = 1.4e9
    leakage: npt.ArrayLike = 0.0
    rest: npt.ArrayLike | None = None

    fluid = "oil"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("supply", "valve", "bulk_modulus"):
            set_(self, name, parameter("HydraulicCylinder", name, getattr(self, name), positive=True))
        if self.rest is None:
            set_(self, "rest", 0.5 * np.asarray(self.supply))
        for name in ("leakage", "rest"):
            set_(self, name, parameter("HydraulicCylinder", name, getattr(self, name)))
        if not np.all(np.asarray(self.bulk_modulus) > np.asarray(self.supply)):
            raise ArgumentError(
                f"bulk_modulus of HydraulicCylinder is {np.asarray(self.bulk_modulus)} Pa, "
                f"expected more than the supply pressure, {np.asarray(self.supply)} Pa"
            )
        self._begin()

    @staticmethod
    def valve_of(flow: npt.ArrayLike, drop: npt.ArrayLike) -> FloatArray:
        """K of a valve [m^3/(s sqrt(Pa))] from the flow [m^3/s] through an edge at its pressure drop [Pa]."""
        positive = {"flow": flow, "drop": drop}
        rated, fall = (parameter("valve_of", name, value, positive=True) for name, value in positive.items())
        k: FloatArray = rated / np.sqrt(fall)
        return k

    @property
    def _returned(self) -> FloatArray:
        return np.zeros(())

    @property
    def _filling_rate(self) -> float:
        # slope of the flow over the pressure at half the supply
        slope = np.asarray(self.valve) / np.sqrt(2.0 * np.asarray(self.supply))
        return float(np.max((np.asarray(self.bulk_modulus) * slope)[..., None] / self.cylinder.mid_volumes))

    def _rest(self) -> FloatArray:
        return np.asarray(self.rest)

    # The oil

    def carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        """Pressure after a volume has grown by the factor exp(x) without flow; below zero oil is missing."""
        after: FloatArray = p - self._B * x
        return after

    def _mean_carried(self, p: FloatArray, x: FloatArray) -> FloatArray:
        # the pressure is zero beyond the volume exp(p / B)
        full = np.where(p < self._B * x, p / self._B, x)
        still = full == 0.0
        grown = np.expm1(np.where(still, 1.0, full))
        mean = p - self._B * (np.where(still, 0.0, full) * (1.0 + 1.0 / grown) - np.where(still, 0.0, 1.0))
        part = np.where(full == x, 1.0, np.expm1(full) / np.expm1(np.where(full == x, 1.0, x)))
        result: FloatArray = mean * part
        return result

    def _modulus(self, p: FloatArray) -> FloatArray:
        return np.broadcast_to(self._B, p.shape)

    def _energy(self, p: FloatArray, V: FloatArray) -> FloatArray:
        y = p / self._B
        energy: FloatArray = V * self._B * (np.expm1(y) - y)
        return energy

    def _carried_energy(self, p: FloatArray, flow: FloatArray) -> FloatArray:
        # oil that has the volume V at p has V exp(p / B) in the tank, and is pumped from there to the supply
        pumped = -np.expm1(-np.asarray(self.supply)[..., None] / self._B)
        energy: FloatArray = self._B * pumped * np.exp(p / self._B) * flow
        return energy

    # Valve and leakage

    def _flow(self, p: FloatArray, port: Port) -> FloatArray:
        """Flow into the chamber [m^3/s]."""
        drop = port.line - p
        flow: FloatArray = self._k(port) * np.sign(drop) * np.sqrt(np.abs(drop))
        return flow

    def _smooth_flow(self, p: FloatArray, port: Port) -> FloatArray:
        drop, low = port.line - p, _LAMINAR * np.asarray(self.supply)[..., None]
        flow: FloatArray = self._k(port) * drop / (drop**2 + low**2) ** 0.25
        return flow

    def _pressure_rate(self, p: FloatArray, V: FloatArray, flow: FloatArray) -> FloatArray:
        rate: FloatArray = self._B * flow / V
        return rate

    def _admitted(self, r: FloatArray, s: float, V: FloatArray, port: Port) -> FloatArray:
        # with the drop y |y|: y |y| + S y = line - r
        S, drop = s * self._B * self._k(port) / V, port.line - r
        below = S + np.sqrt(S**2 + 4.0 * np.abs(drop))
        y = 2.0 * drop / np.where(below == 0.0, 1.0, below)
        p: FloatArray = r + S * y
        return p

    def _leaked(self, p: FloatArray, V: FloatArray, h: float) -> FloatArray:
        # the difference decays, and the mean that the volumes weigh stays
        if not np.any(np.asarray(self.leakage) > 0.0):
            return p
        inverse = 1.0 / V
        rate = np.asarray(self.bulk_modulus) * np.asarray(self.leakage) * np.sum(inverse, axis=-1)
        lost = -np.expm1(-rate * h) * (p[..., 0] - p[..., 1]) / np.sum(inverse, axis=-1)
        leaked: FloatArray = p - lost[..., None] * inverse * (1.0, -1.0)
        return leaked

    def _leak_rate(self, p: FloatArray, V: FloatArray) -> FloatArray:
        flow = np.asarray(self.leakage) * (p[..., 0] - p[..., 1])
        rate: FloatArray = -self._B * flow[..., None] / V * (1.0, -1.0)
        return rate

    def _k(self, port: Port) -> FloatArray:
        wide: FloatArray = (port.opening * np.asarray(self.valve))[..., None]
        return wide

    @property
    def _B(self) -> FloatArray:
        return np.asarray(self.bulk_modulus)[..., None]
