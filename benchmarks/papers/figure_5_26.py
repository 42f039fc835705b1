"""Figure 5.26: dynamics error compensation, and what it leaves of an error of the contact moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean
from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.error_compensation import ErrorCompensation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

K_R, T_R, T_D, DT = 3200.0, 0.2, 0.02, 1.5e-3
"""As printed [N], [s]."""
RATES = (1.0, 2.0, 4.0, 6.0, 8.0, 11.0, 15.0, 20.0, 30.0, 50.0, 80.0)
"""Of sines [rad/s]."""
WHEEL, INERTIA = 0.3, 2.0
"""Part of the moment that the wheel takes, and its inertia [kg m^2]."""


def measure(run: Run) -> Outcome:
    """Sines of several rates, with and without the wheel, beside the closed form."""
    biped = kineto_walk.known(run).biped
    rates = run.choose(RATES[::3], RATES)
    plain = ErrorCompensation.of(biped, gain=K_R)
    turning = ErrorCompensation.of(biped, gain=K_R, wheel=WHEEL, inertia=INERTIA)
    left = np.array([_left(plain, rate) for rate in rates])
    with_wheel = np.array([_left(turning, rate) for rate in rates])
    exact = np.array([_closed_form(plain, rate) for rate in rates])
    off = float(np.abs(left / exact - 1.0).max())
    claims = (
        Claim(
            "K_R (T_R s + 1) / (T_d s + 1), sampled every 1.5 ms, stabilises the pendulum",
            f"residual of sines off by {off:.1%} from |C / (m z s^2 - m g + C)|",
            off < 0.1,
            "within a tenth of the closed form at all rates",
        ),
        Claim(
            "perfect tracking of the reference force is not possible (5.5.1)",
            f"{left[0]:.2f} of a moment is left at {rates[0]:g} rad/s, {left[-1]:.2f} at {rates[-1]:g}",
            bool(left[0] > 1.0 and left[-1] < 0.5),
            "slow errors become larger, fast ones are less than half",
        ),
    )
    data = {
        "rate": list(rates),
        "left": left.tolist(),
        "with_wheel": with_wheel.tolist(),
        "closed_form": exact.tolist(),
    }
    note = "The text draws the method as blocks; here is what its loop does. The wheel returns at 6 rad/s."
    return Outcome(data, claims, lambda figure: _draw(figure, rates, left, with_wheel, plain), note, (7.0, 3.6))


def _left(compensation: ErrorCompensation, rate: float) -> float:
    """Amplitude of what is left of a moment sin(rate t), after it has settled."""
    times = DT * np.arange(int((4.0 + 4 * np.pi / rate) / DT))
    error = np.column_stack([np.zeros(len(times)), np.sin(rate * times)])
    way, angle = compensation.motion(error, DT)
    scale, weight = compensation.mass * compensation.height, compensation.mass * compensation.gravity
    moment = scale * way[:, 2, 0] - weight * way[:, 0, 0]
    rest = error[:, 1] + moment + compensation.inertia * angle[:, 2, 1]
    own = times > times[-1] - 2 * np.pi / rate
    basis = np.column_stack([np.sin(rate * times[own]), np.cos(rate * times[own])])
    return float(np.linalg.norm(np.linalg.lstsq(basis, rest[own], rcond=None)[0]))


def _closed_form(compensation: ErrorCompensation, rate: float) -> float:
    s = 1j * rate
    C = K_R * (T_R * s + 1.0) / (T_D * s + 1.0)
    D = compensation.mass * compensation.height * s * s - compensation.mass * compensation.gravity
    return float(abs(C / (C + D)))


def _draw(
    figure: Figure, rates: tuple[float, ...], left: FloatArray, with_wheel: FloatArray, plain: ErrorCompensation
) -> None:
    axes = figure.subplots()
    fine = np.geomspace(rates[0], rates[-1], 200)
    axes.plot(fine, [_closed_form(plain, float(rate)) for rate in fine], color="black", lw=1.0, label="closed form")
    axes.plot(rates, left, "o", color=kineto_walk.GREEN, ms=5, label="pendulum, every 1.5 ms")
    axes.plot(rates, with_wheel, "s--", color=kineto_walk.BLUE, ms=4, lw=0.9, label="and reaction wheel")
    axes.axhline(1.0, color=kineto_walk.GREY, lw=0.8, ls=":")
    axes.set_xscale("log")
    clean(axes, "rate of the error [rad/s]", "part of it that is left", "Dynamics error compensation (5.98)")
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("5.26", "dynamics error compensation", measure)
