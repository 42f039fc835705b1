"""Load Talos, show its dynamics at a random state, compare them with Pinocchio, measure, and draw it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.batch import measure_batch
from benchmarks.comparison import comparison_table
from benchmarks.contestants import Contestant, talos
from benchmarks.machine import machine_facts
from benchmarks.quantity import QUANTITIES, States, random_states
from benchmarks.report import Report
from benchmarks.result import PARITY
from benchmarks.single import measure_single
from benchmarks.timing import QUICK
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.tree import Tree

import tarsus as ts

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "demo"
PARITY_STATES = 100
BATCH = 1024
SHOWN_JOINTS = ("leg_left_3_joint", "leg_left_4_joint", "torso_2_joint", "arm_left_2_joint", "arm_left_4_joint")
STANDING = {
    "leg_left_3_joint": -0.4,
    "leg_left_4_joint": 0.8,
    "leg_left_5_joint": -0.4,
    "leg_right_3_joint": -0.4,
    "leg_right_4_joint": 0.8,
    "leg_right_5_joint": -0.4,
    "arm_left_1_joint": 0.25,
    "arm_left_2_joint": 0.35,
    "arm_left_4_joint": -1.0,
    "arm_right_1_joint": -0.25,
    "arm_right_2_joint": -0.35,
    "arm_right_4_joint": -1.0,
}
"""Joint angles of the pose in the picture: knees and elbows bent [rad]."""


def body_tree(model: ts.Model) -> Tree:
    """Show the bodies, a line for each chain between branches."""
    children: dict[str, list[str]] = {name: [] for name in model.bodies}
    for body in model.bodies.values():
        if body.parent is not None:
            children[body.parent].append(body.name)
    root = next(iter(model.bodies))
    tree = Tree(f"[bold]{root}[/]  {model.bodies[root].inertia.mass:.2f} kg, free in space")
    open_branches = [(tree, child) for child in reversed(children[root])]
    while open_branches:
        branch, name = open_branches.pop()
        chain = [name]
        while len(children[chain[-1]]) == 1:
            chain += children[chain[-1]]
        mass = sum(model.bodies[link].inertia.mass for link in chain)
        label = chain[0] if len(chain) == 1 else f"{chain[0]} ... {chain[-1]}"
        grown = branch.add(f"{label}  {len(chain)} joint{'s' if len(chain) > 1 else ''}, {mass:.2f} kg")
        open_branches += [(grown, child) for child in reversed(children[chain[-1]])]
    return tree


def standing(model: ts.Model) -> Any:
    """Return the configuration with bent knees and elbows and the soles on the ground, shape (nq,)."""
    q = model.neutral()
    for name, angle in STANDING.items():
        q[model.joints[name].q_index] = angle
    q[2] = -ts.frame_pose(model, q, "left_sole_link")[2, 3]
    return q


def dynamics_table(model: ts.Model, states: States) -> tuple[Table, dict[str, Any]]:
    """Numbers at the first state."""
    q, v, vdot, tau = (x[0] for x in states)
    gravity = ts.gravity_force(model, q)
    solved = ts.forward_dynamics(model, q, v, tau)
    residual = float(np.max(np.abs(solved - vdot)) / np.max(np.abs(vdot)))
    M = ts.mass_matrix(model, q)
    numbers: dict[str, Any] = {
        "mass": model.total_mass,
        "center_of_mass": ts.center_of_mass(model, q).tolist(),
        "kinetic_energy": float(ts.kinetic_energy(model, q, v)),
        "potential_energy": float(ts.potential_energy(model, q)),
        "momentum": ts.momentum(model, q, v).tolist(),
        "condition_of_mass_matrix": float(np.linalg.cond(M)),
        "gravity_torques": {name: float(gravity[model.joints[name].v_index][0]) for name in SHOWN_JOINTS},
        "forward_after_inverse_dynamics": residual,
    }
    table = Table(title="at a random state", title_justify="left", show_header=False)
    table.add_column("quantity")
    table.add_column("value", justify="right")
    table.add_row("mass", f"{model.total_mass:.3f} kg")
    table.add_row("centre of mass", _vector(numbers["center_of_mass"]) + " m")
    table.add_row(
        "kinetic and potential energy", f"{numbers['kinetic_energy']:.2f} J, {numbers['potential_energy']:.2f} J"
    )
    table.add_row("momentum, linear", _vector(numbers["momentum"][:3]) + " N s")
    table.add_row("momentum, angular", _vector(numbers["momentum"][3:]) + " N m s")
    table.add_row("condition of the mass matrix", f"{numbers['condition_of_mass_matrix']:.3g}")
    for name, torque in numbers["gravity_torques"].items():
        table.add_row(f"torque against gravity, {name}", f"{torque:.3f} N m")
    table.add_row("forward after inverse dynamics, relative error", f"{residual:.1e}")
    return table, numbers


def parity_table(contestant: Contestant, states: States, progress: Progress) -> tuple[Table, dict[str, float]]:
    """Largest relative differences from Pinocchio over all the states."""
    pin = contestant.peers[0]
    task = progress.add_task("parity with Pinocchio", total=len(QUANTITIES))
    differences = {}
    for quantity in QUANTITIES:
        differences[quantity] = pin.disagreement(quantity, states)
        progress.advance(task)
    table = Table(title=f"largest relative difference from Pinocchio at {len(states)} states", title_justify="left")
    table.add_column("quantity")
    table.add_column("Pinocchio's function")
    table.add_column("difference", justify="right")
    for quantity, difference in differences.items():
        table.add_row(
            quantity, pin.calls[quantity], f"{difference:.1e}" if difference < PARITY else f"[red]{difference:.1e}[/]"
        )
    return table, differences


def measured(contestant: Contestant, states: States, progress: Progress) -> Report:
    """Run a short version of the benchmark: one state and a batch."""
    report = Report(machine_facts())
    rows = report.results.setdefault("comparison", [])
    task = progress.add_task("measuring", total=4 * len(QUANTITIES))
    for row in measure_single(contestant, states.first(64), QUICK):
        rows.append(row)
        progress.advance(task)
    for row in measure_batch(contestant, states, QUICK):
        rows.append(row)
        progress.advance(task)
    return report


def main() -> None:
    """Everything in a row."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, 120))
    columns = (TextColumn("{task.description:24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        loading = progress.add_task("loading Talos", total=1)
        contestant = talos()
        model = contestant.model
        progress.advance(loading)
        states = random_states(model, BATCH)
        parity, differences = parity_table(contestant, states.first(PARITY_STATES), progress)
        report = measured(contestant, states, progress)
        drawing = progress.add_task("drawing", total=1)
        OUTPUT.mkdir(exist_ok=True)
        q = standing(model)
        ts.draw(model, q, path=OUTPUT / "talos.png", frames=("left_sole_link", "right_sole_link"), com=True)
        progress.advance(drawing)
    facts = report.machine
    console.print(f"[bold]{model.name}[/]: {model.nb} bodies, nq {model.nq}, nv {model.nv}, {model.total_mass:.2f} kg")
    console.print(body_tree(model))
    table, numbers = dynamics_table(model, states)
    console.print(table)
    console.print(parity)
    console.print(comparison_table(f"talos on {facts['cpu']}, {facts['isa']}", report.results["comparison"]))
    result = {
        "robot": model.name,
        "dynamics": numbers,
        "parity_with_pinocchio": differences,
        "measured": report.as_json(),
    }
    (OUTPUT / "talos.json").write_text(json.dumps(result, indent=1) + "\n")
    for name in ("talos.png", "talos.json"):
        console.print(f"written: {OUTPUT.name}/{name}")


def _vector(x: list[float]) -> str:
    return "(" + ", ".join(f"{e:.4f}" for e in x) + ")"


if __name__ == "__main__":
    main()
