"""The linear equations of a drive, and the quadratic forms of its powers.

Everything that happens in a drive but dry friction and limits is linear. With

    y = (i, z, theta, w, e; q, v, r, c, u, f)

the equations are y' = F y. States: current i [A], integral of the current loop z [V], angle theta and rate w of the
rotor divided by the gear ratio, integral of the force loop e [N m]. Constant during a step: rate v of the joint (q
moves with it), reference r of the torque [N m], held reference c of the current [A], held voltage u [V], dry friction f
[N m]. All torques are those at the joint: K = ratio k_t, and J = ratio^2 rotor inertia.

    L i'  = u - R i - ratio k_e w                         (winding)
    u     = kp (i_ref - i) + z + feedforward ratio k_e w   (current loop; or u held)
    z'    = ki (i_ref - i)
    J w'  = K i - f - b w - t,    t = k (theta - q) + d (w - v)       (rotor and elastic gear)
    i_ref = [r + kp_f (r - k (theta - q)) + e - kd k (w - v)] / K     (force loop; or i_ref = c held)

A rigid gear has theta = q, w = v, and the output K i - b v - f, where f is added by the drive. An ideal motor has i =
i_ref and k_t = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.force_loop import ForceLoop
from tarsus.devices.actuators.gear import ElasticGear, Gear
from tarsus.devices.actuators.motor import IdealMotor, Motor

CURRENT, LOOP, ANGLE, RATE, FORCE, Q, V, REFERENCE, HELD_CURRENT, HELD_VOLTAGE, DRY = range(11)
SIZE = 11

ReferenceMode = Literal["held", "force"]
VoltageMode = Literal["ideal", "loop", "held"]


@dataclass(frozen=True, eq=False)
class DriveEquations:
    """One set of linear equations.

    Attributes
    ----------
    F : ndarray, shape (..., 11, 11)
    reference, voltage, current, output : ndarray, shape (..., 11)
        Rows that give the reference of the current [A], the voltage [V], the current [A] and the torque on the joint
        without the dry friction of a rigid gear [N m] from y.
    powers : dict of ndarray, shape (..., 11, 11)
        Quadratic forms of "supply", "copper", "friction", "damping" and "output" [W].
    """

    F: FloatArray
    reference: FloatArray
    voltage: FloatArray
    current: FloatArray
    output: FloatArray
    powers: dict[str, FloatArray]


def torque_per_ampere(motor: Motor | IdealMotor, gear: Gear | ElasticGear) -> FloatArray:
    """K = ratio k_t, torque at the joint for a unit of current; of an ideal motor for a unit of shaft torque."""
    k_t = np.asarray(motor.torque_constant) if isinstance(motor, Motor) else np.ones(())
    K: FloatArray = np.asarray(gear.ratio) * k_t
    return K


def equations(
    motor: Motor | IdealMotor,
    gear: Gear | ElasticGear,
    force_loop: ForceLoop | None,
    reference_mode: ReferenceMode,
    voltage_mode: VoltageMode,
) -> DriveEquations:
    """Equations of a drive with its loops closed ("force", "loop") or their outputs held ("held")."""
    ratio, K = np.asarray(gear.ratio), torque_per_ampere(motor, gear)
    elastic = isinstance(gear, ElasticGear)
    speed = _unit(RATE if elastic else V)
    deflection = _unit(ANGLE) - _unit(Q)
    slip = _unit(RATE) - _unit(V)

    reference = _unit(HELD_CURRENT)
    if reference_mode == "force" and force_loop is not None and isinstance(gear, ElasticGear):
        spring = _times(gear.stiffness, deflection)
        law = _unit(REFERENCE) + _times(force_loop.kp, _unit(REFERENCE) - spring) + _unit(FORCE)
        law = law - _times(np.asarray(force_loop.kd) * np.asarray(gear.stiffness), slip)
        reference = _times(1.0 / K, law)

    current = reference if voltage_mode == "ideal" else _unit(CURRENT)
    voltage = _unit(HELD_VOLTAGE)
    rows: dict[int, FloatArray] = {Q: _unit(V)}
    if isinstance(motor, Motor) and voltage_mode != "ideal":
        emf = _times(ratio * np.asarray(motor.emf_constant), speed)
        if voltage_mode == "loop" and motor.loop is not None:
            error = reference - current
            voltage = _times(motor.loop.kp, error) + _unit(LOOP) + _times(motor.loop.feedforward, emf)
            rows[LOOP] = _times(motor.loop.ki, error)
        rows[CURRENT] = _times(1.0 / np.asarray(motor.inductance), voltage - _times(motor.resistance, current) - emf)

    torque = _times(K, current)
    viscous = _times(gear.friction.viscous, speed)
    output = torque - viscous
    if isinstance(gear, ElasticGear):
        J = ratio**2 * np.asarray(motor.rotor_inertia)
        output = _times(gear.stiffness, deflection) + _times(gear.damping, slip)
        rows[ANGLE] = _unit(RATE)
        rows[RATE] = _times(1.0 / J, torque - _unit(DRY) - viscous - output)
        if reference_mode == "force" and force_loop is not None:
            rows[FORCE] = _times(force_loop.ki, _unit(REFERENCE) - _times(gear.stiffness, deflection))

    powers = {
        "friction": _product(viscous, speed) + (_product(_unit(DRY), speed) if elastic else 0.0),
        "output": _product(output, _unit(V)),
    }
    if isinstance(gear, ElasticGear):
        powers["damping"] = _product(_times(gear.damping, slip), slip)
    if isinstance(motor, Motor):
        phases = np.asarray(motor.torque_constant) / np.asarray(motor.emf_constant)
        powers["supply"] = _product(_times(phases, voltage), current)
        powers["copper"] = _product(_times(phases * np.asarray(motor.resistance), current), current)
    else:
        powers["supply"] = _product(torque, speed)
    return DriveEquations(_stacked(rows), reference, voltage, current, output, powers)


def _unit(index: int) -> FloatArray:
    row = np.zeros(SIZE)
    row[index] = 1.0
    return row


def _times(factor: object, row: FloatArray) -> FloatArray:
    """Row (..., 11) times a factor with one entry a joint."""
    product: FloatArray = np.asarray(factor, dtype=float)[..., None] * row
    return product


def _product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Symmetric matrix of the quadratic form (a y) (b y)."""
    outer = a[..., :, None] * b[..., None, :]
    symmetric: FloatArray = 0.5 * (outer + np.swapaxes(outer, -1, -2))
    return symmetric


def _stacked(rows: dict[int, FloatArray]) -> FloatArray:
    shape = np.broadcast_shapes(*(row.shape[:-1] for row in rows.values()))
    F = np.zeros((*shape, SIZE, SIZE))
    for index, row in rows.items():
        F[..., index, :] = row
    return F
