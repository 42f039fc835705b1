"""Figure 5.25: inverse kineto-dynamics in the walking control system, with the time of each block."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.timing import call_times
from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEAN, SLOWEST = 300.0, 1000.0
"""Time of a cycle from Python, mean and 99th percentile [us]."""
PRINTED = 823.0
"""Mean time of all calculations of the walking controller, as printed [us]."""
GAIN = 2e-4


def cycle_times(run: Run, cycles: int) -> FloatArray:
    """Processor times of cycles of inverse kineto-dynamics with hybrid stabilisation, shape (n,) [s]."""
    generator = InverseKinetoDynamics(kineto_walk.plan(run, kineto_walk.GROWING), GAIN, "hybrid")
    count = min(cycles, len(generator.known.times))

    def cycle(k: int) -> None:
        generator.cycle(k)
        generator.robot.advance()

    return call_times(count, cycle)


def measure(run: Run) -> Outcome:
    """Time whole cycles, then their blocks one by one."""
    run.say("cycles of inverse kineto-dynamics")
    times = 1e6 * cycle_times(run, run.choose(300, 100_000))
    mean, slow = float(times.mean()), float(np.percentile(times, 99))
    blocks = _blocks(run)
    claims = (
        Claim(
            "all calculations for the IKD-based walking controller require an average of 823 us",
            f"a cycle, plans of steps included: {mean:.0f} us, 99th percentile {slow:.0f} us",
            run.judge(mean < MEAN and slow < SLOWEST),
            f"below {MEAN:.0f} us on average, 99 of 100 below {SLOWEST:.0f} us",
        ),
    )
    data = {"mean": mean * 1e-6, "percentile_99": slow * 1e-6, "blocks": {name: t * 1e-6 for name, t in blocks.items()}}
    note = "Processor time of one thread, from Python, without sensors and joint controllers, which the text counts in."
    return Outcome(data, claims, lambda figure: _draw(figure, blocks, mean), note, (7.5, 3.4))


def _blocks(run: Run) -> dict[str, float]:
    """Mean times of the parts of a cycle [us]."""
    generator = InverseKinetoDynamics(kineto_walk.plan(run, kineto_walk.GROWING), GAIN, "hybrid")
    robot, known = generator.robot, generator.known
    spent: dict[str, list[float]] = {name: [] for name in ("momentum", "tasks and solution", "cycle", "integration")}

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*given: Any, **named: Any) -> Any:
            begin = time.thread_time()
            answer = call(*given, **named)
            spent[name].append(time.thread_time() - begin)
            return answer

        return timing

    object.__setattr__(robot, "look", timed("momentum", robot.look))
    object.__setattr__(robot, "accelerate", timed("tasks and solution", robot.accelerate))
    cycle, advance = timed("cycle", generator.cycle), timed("integration", robot.advance)
    for k in range(min(run.choose(300, 3000), len(known.times))):
        cycle(k)
        advance()
    means = {name: 1e6 * float(np.mean(values)) for name, values in spent.items()}
    rest = means.pop("cycle") - means["momentum"] - means["tasks and solution"]
    return {"planning, moment, saturation": rest, **means}


def _draw(figure: Figure, blocks: dict[str, float], mean: float) -> None:
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 4)
    boxes = [
        (0.1, "steps, feet,\nupper body: $w_k$", ""),
        (2.1, "three masses,\n(5.97), sat()", "planning, moment, saturation"),
        (4.1, "momentum\n(5.86)", "momentum"),
        (6.1, "(5.91) with\ndrift feedback", "tasks and solution"),
        (8.1, "integration\nto $q$, $v$", "integration"),
    ]
    for x, label, name in boxes:
        told = f"\n{blocks[name]:.0f} µs" if name else "\nplanned before"
        box = {"boxstyle": "round,pad=0.5", "facecolor": "#eaf1f7" if name else "#f2f2f2", "edgecolor": "#1f6fb2"}
        axes.text(x + 0.85, 2.2, label + told, ha="center", va="center", fontsize=8, bbox=box)
    for x in (1.85, 3.8, 5.8, 7.8):
        axes.annotate("", (x + 0.42, 2.2), (x, 2.2), arrowprops={"arrowstyle": "->"})
    axes.plot([8.95, 8.95, 2.95], [1.55, 1.0, 1.0], color="black", lw=1.0)
    axes.annotate("", (2.95, 1.6), (2.95, 1.0), arrowprops={"arrowstyle": "->", "shrinkA": 0})
    axes.text(
        5.9, 0.55, "CoM of the reference robot, at every cycle and at the start of every step", ha="center", fontsize=8
    )
    axes.set_title(f"One cycle: {mean:.0f} µs on average (823 µs printed, on another machine)", loc="left", fontsize=10)


FIGURE = PaperFigure("5.25", "inverse kineto-dynamics in the walking control system", measure)
