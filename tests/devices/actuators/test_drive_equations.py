"""The equations of a drive as a matrix, beside the same equations written out."""

import numpy as np
import pytest
from devices.actuators.devices import KT, RATIO, ROTOR, L, R

from tarsus.devices.actuators import CurrentLoop, ElasticGear, ForceLoop, Gear, GearFriction, IdealMotor, Motor
from tarsus.devices.actuators.drive_equations import SIZE, equations

KP, KI, FEED = 3.0, 1500.0, 0.7
K, D, B = 2e3, 4.0, 0.3
FP, FI, FD = 2.0, 10.0, 0.02
EXACT = 1e-12
"""Relative; the same operations in another order."""


def written_out(y, *, elastic, force, voltage, k_e):
    """Rates of y, and reference, voltage, current and output, from the equations in the order of a textbook."""
    i, z, theta, w, e, q, v, r, c, u, f = y
    speed = w if elastic else v
    spring = K * (theta - q)
    reference = (r + FP * (r - spring) + e - FD * K * (w - v)) / (RATIO * KT) if force else c
    emf = RATIO * k_e * speed
    if voltage == "loop":
        u = KP * (reference - i) + z + FEED * emf
    rates = np.zeros(SIZE)
    rates[5] = v
    rates[0] = (u - R * i - emf) / L
    rates[1] = KI * (reference - i) if voltage == "loop" else 0.0
    output = RATIO * KT * i - B * v
    if elastic:
        output = spring + D * (w - v)
        rates[2] = w
        rates[3] = (RATIO * KT * i - f - B * w - output) / (RATIO**2 * ROTOR)
        rates[4] = FI * (r - spring) if force else 0.0
    return rates, (reference, u, i, output)


@pytest.mark.parametrize("elastic", [False, True])
@pytest.mark.parametrize("voltage", ["loop", "held"])
@pytest.mark.parametrize("force", [False, True])
def test_matrix_and_rows_are_the_equations_written_out(elastic, voltage, force):
    force = force and elastic
    k_e = KT / 1.5
    motor = Motor(R, L, KT, ROTOR, emf_constant=k_e, loop=CurrentLoop(KP, KI, FEED))
    friction = GearFriction(viscous=B)
    gear = ElasticGear(RATIO, K, D, friction) if elastic else Gear(RATIO, friction)
    loop = ForceLoop(FP, FI, FD) if force else None
    found = equations(motor, gear, loop, "force" if force else "held", voltage)
    for y in np.random.default_rng(0).normal(size=(5, SIZE)):
        rates, rows = written_out(y, elastic=elastic, force=force, voltage=voltage, k_e=k_e)
        np.testing.assert_allclose(found.F @ y, rates, rtol=EXACT, atol=EXACT * np.abs(rates).max())
        ours = [row @ y for row in (found.reference, found.voltage, found.current, found.output)]
        np.testing.assert_allclose(ours, rows, rtol=EXACT, atol=EXACT * np.abs(rows).max())
        speed = y[3] if elastic else y[6]
        powers = {name: y @ Q @ y for name, Q in found.powers.items()}
        _, u, i, output = rows
        assert powers["supply"] == pytest.approx(1.5 * u * i, rel=1e-9)
        assert powers["copper"] == pytest.approx(1.5 * R * i**2, rel=1e-9)
        assert powers["output"] == pytest.approx(output * y[6], rel=1e-9)
        assert powers["friction"] == pytest.approx(B * speed**2 + (y[10] * speed if elastic else 0.0), rel=1e-9)


def test_ideal_motor_is_its_reference():
    found = equations(IdealMotor(ROTOR), ElasticGear(RATIO, K, D), None, "held", "ideal")
    y = np.random.default_rng(1).normal(size=SIZE)
    np.testing.assert_allclose(found.current @ y, y[8])
    np.testing.assert_allclose((found.F @ y)[:2], 0.0)
    assert y @ found.powers["supply"] @ y == pytest.approx(RATIO * y[8] * y[3], rel=1e-12)
