"""What controllers logged: errors of tasks, references, status and time of solvers."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import center_of_mass
from tarsus.plots.figure_file import clean
from tarsus.plots.report.section import Missing, Section, drawable, lines, most, panels
from tarsus.recording.trajectory import Trajectory

TRACKING, SOLVER = "Tracking errors of tasks", "Solver"
ERROR = "error/"
"""Beginning of signals that are errors of tasks, of any shape."""
COM_REFERENCE, POSTURE_REFERENCE = "com_reference", "q_reference"
SOLVE_TIME, STATUS, ITERATIONS = "solve_time", "status", "iterations"
_PERCENTILES = (50.0, 99.0, 100.0)


def tracking_section(run: Trajectory) -> Section | Missing:
    """Sizes of the errors that were logged, and of the distance to logged references."""
    errors = _errors(run)
    if not errors or not len(run):
        return Missing(
            TRACKING, f"nothing was logged as {ERROR}NAME, {COM_REFERENCE} or {POSTURE_REFERENCE} (`observation.log`)"
        )
    groups: dict[str, dict[str, FloatArray]] = {}
    for name, (unit, values) in errors.items():
        groups.setdefault(unit, {})[name] = values
    figure, axes = panels(len(groups))
    for panel, (unit, members) in zip(axes, groups.items(), strict=True):
        lines(panel, run.time, members, f"error [{unit}]" if unit else "error")
        panel.set_ylim(bottom=0.0)
    axes[-1].set_xlabel("time [s]")
    rows = [
        (name, unit or "-", f"{float(most(values)):.4g}", f"{_mean_square(values):.4g}", f"{values[-1]:.4g}")
        for name, (unit, values) in errors.items()
    ]
    note = "Euclidean norms over the components of each error."
    return Section(TRACKING, note, figure, ("task", "unit", "largest", "root mean square", "at the end"), rows)


def _errors(run: Trajectory) -> dict[str, tuple[str, FloatArray]]:
    """Unit and size (N,) of every error."""
    found: dict[str, tuple[str, FloatArray]] = {}
    com = run.signals.get(COM_REFERENCE)
    if com is not None and com.shape[1:] == (3,) and run.model.total_mass > 0.0:
        found["centre of mass"] = ("m", _size(np.asarray(center_of_mass(run.model, run.q)) - com))
    q = run.signals.get(POSTURE_REFERENCE)
    if q is not None and q.shape == run.q.shape and np.isfinite(q).all():
        found["posture"] = ("rad, m", _size(run.model.difference(run.q, np.asarray(q, dtype=float))))
    for name, values in run.signals.items():
        if name.startswith(ERROR) and values.dtype.kind in "fiu":
            found[name.removeprefix(ERROR)] = ("", _size(values))
    return found


def _size(values: FloatArray) -> FloatArray:
    flat = drawable(values).reshape(len(values), -1)
    size: FloatArray = np.linalg.norm(flat, axis=1)
    return size


def _mean_square(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")


def solver_section(run: Trajectory) -> Section | Missing:
    """Time, iterations and status of solves."""
    known = {
        name: drawable(run.signals[name])
        for name in (SOLVE_TIME, ITERATIONS, STATUS)
        if name in run.signals and run.signals[name].ndim == 1 and run.signals[name].dtype.kind in "fiub"
    }
    if not known or not len(run):
        return Missing(SOLVER, f"nothing was logged as {SOLVE_TIME} [s], {ITERATIONS} or {STATUS} (0: solved)")
    figure, axes = panels(len(known), 1.8)
    rows = []
    for panel, (name, values) in zip(axes, known.items(), strict=True):
        shown, unit = (1e6 * values, "solve time [us]") if name == SOLVE_TIME else (values, name)
        panel.plot(run.time, shown, color="#1f4fd8", lw=0.8, drawstyle="steps-post")
        clean(panel, "", unit)
        valid = shown[~np.isnan(shown)]
        rows.append((unit, *(f"{np.percentile(valid, p):.4g}" if len(valid) else "-" for p in _PERCENTILES)))
    axes[-1].set_xlabel("time [s]")
    failed = STATUS in known and int(np.count_nonzero(known[STATUS]))
    note = f"{failed} of {len(run)} samples have a status other than 0." if failed else "As the controller logged it."
    header = ("quantity", *(f"{p:g} %" for p in _PERCENTILES))
    return Section(SOLVER, note, figure, header, rows, warning=bool(failed))
