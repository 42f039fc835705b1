"""Motions with contact forces as simulations record them, made from formulas."""

from dataclasses import dataclass, field

import numpy as np

import tarsus as ts


@dataclass(frozen=True)
class SampleTrajectory:
    """The attributes of a trajectory that viewers read."""

    model: ts.Model
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    contacts: tuple
    contact_position: np.ndarray
    contact_force: np.ndarray
    energy: dict
    signals: dict = field(default_factory=dict)
    metadata: dict = field(default_factory=dict)
    finished: bool = True
    reason: str = ""


ARM = "LARM_JOINT3"
"""Joint that moves most in `waving`: it starts at 0 and reaches -1.2 rad in the middle."""


def waving(duration=2.0, rate=100.0, batch=()):
    """hrp2 on its feet, bending an arm while its weight moves from one foot to the other."""
    model = ts.robots.hrp2()
    time = np.linspace(0.0, duration, round(duration * rate) + 1)
    phase = np.sin(np.pi * time / duration)
    size = np.prod(batch, dtype=int)
    v = np.zeros((len(time), size, model.nv))
    bend = model.joints[ARM].v_index
    for k in range(size):
        v[:, k, bend] = -1.2 * phase[:, None] / (1.0 + k)
    q = model.integrate(model.reference, v)
    corners = np.array([(x, y) for y in (-0.12, 0.12) for x in (-0.08, 0.14) for y in (y - 0.05, y + 0.05)])
    position = np.concatenate([corners, np.zeros((8, 1))], axis=1)
    weight = model.total_mass * 9.81 / 8.0
    share = np.where(corners[:, 1] < 0.0, 1.0 - phase[:, None], 1.0 + phase[:, None])
    force = np.stack([0.1 * weight * share, np.zeros_like(share), weight * share], axis=-1)

    def shaped(array, *last):
        return np.broadcast_to(array, (len(time), size, *last)).reshape(len(time), *batch, *last)

    potential = ts.potential_energy(model, q)
    energy = {"kinetic": 0.5 * phase[:, None] ** 2, "potential": potential, "actuator": potential - potential[0]}
    return SampleTrajectory(
        model=model,
        time=time,
        q=shaped(q, model.nq),
        v=shaped(v, model.nv),
        tau=shaped(np.zeros(model.nv), model.nv),
        contacts=tuple(f"foot {k}" for k in range(8)),
        contact_position=shaped(position, 8, 3),
        contact_force=shaped(force[:, None], 8, 3),
        energy={name: shaped(array) for name, array in energy.items()},
        signals={"battery": shaped(24.0 - phase[:, None])},
    )
