"""`tarsus info`: what is in a model."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.models.tree import tree_lines
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.options.extent import extent
from tarsus.cli.options.recording_file import RECORDINGS, open_run, run_summary, summary_lines
from tarsus.cli.options.text import counted, finite, printable
from tarsus.errors import MasslessJointError
from tarsus.model.joint import Joint
from tarsus.model.model import Model

MAX_WARNINGS = 10
"""Warnings shown; `tarsus check` lists all."""
LOOPS = ("loop", "four-bar", "linear")
"""Closures that loops become; a coupling of several joints is linear, too."""
NAME_WIDTH = 44
"""Widest column of names before columns are no longer aligned."""


def info(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=f"{TARGET_HELP} Or a recording (.h5).", show_default=False)],
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the tree of a model, its joints, limits and masses, and its size in the reference pose.

    Of a recording (.h5) it tells what it holds: samples, contacts, signals, energies and how it was made.

    For example:

    `tarsus info robot.urdf --base free`

    `tarsus info robot:hrp2`

    `tarsus info robot:coil:16 --json`

    `tarsus info run.h5`
    """
    if Path(model).suffix.lower() in RECORDINGS:
        if base is not None or name is not None or package_dir:
            raise typer.BadParameter("a recording has its own model: --base, --name and --package-dir are for models")
        with one_line_errors(context):
            run = open_run(Path(model))
            typer.echo(json.dumps(run_summary(run), indent=2) if as_json else "\n".join(summary_lines(run)))
        return
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops)
        text = json.dumps(summary(loaded), indent=2) if as_json else "\n".join(_lines(loaded))
        typer.echo(text)


def summary(model: Model) -> dict[str, Any]:
    """Everything `tarsus info --json` prints; limits that do not exist are None."""
    box = extent(model, model.reference)
    com = _center_of_mass(model)
    return {
        "name": model.name,
        "file": model.description.source.file,
        "base": model.base,
        "nq": model.nq,
        "nv": model.nv,
        "nb": model.nb,
        "total_mass": model.total_mass,
        "center_of_mass": com,
        "extent": {"of": box.of, "min": box.low.tolist(), "max": box.high.tolist()},
        "bodies": [
            {
                "name": body.name,
                "parent": body.parent,
                "joint": body.joint,
                "mass": body.inertia.mass,
                "com": body.inertia.com.tolist(),
                "links": list(body.links),
            }
            for body in model.bodies.values()
        ],
        "joints": [_joint_summary(joint) for joint in model.joints.values()],
        "frames": [{"name": f.name, "body": f.body, "kind": f.kind} for f in model.frames.values()],
        "couplings": [
            {"joint": c.joint, "leader": c.leader, "ratio": c.ratio, "offset": c.offset, "further": dict(c.further)}
            for c in model.couplings
        ],
        "tendons": [{"name": x.name, "terms": dict(x.terms), "offset": x.offset} for x in model.tendons],
        "loops": [{"name": x.name, "kind": x.kind, "a": x.link_a, "b": x.link_b} for x in model.loops],
        "leading": leading_joints(model),
        "coupling_mode": model.coupling_mode,
        "warnings": [asdict(problem) for problem in model.warnings],
    }


def leading_joints(model: Model) -> list[dict[str, Any]]:
    """Which joints lead each group of connected loops, which follow, and how steeply in the reference pose."""
    c, joints = model.coordinates, list(model.joints.values())
    G = model.coupling_matrix(model.reference) if any(x.kind in LOOPS for x in c.closures) else None
    found = []
    for closure in c.closures:
        if closure.kind not in LOOPS or G is None:
            continue
        names: list[list[str]] = [[], []]
        for k, dof in enumerate(closure.dofs):
            name = joints[int(c.tree_v_start.searchsorted(dof, side="right")) - 1].name
            place = names[k >= closure.dependents]
            if name not in place:
                place.append(name)
        columns = [c.own_v[dof] for dof in closure.dofs[closure.dependents :]]
        slopes = abs(G[list(closure.dofs[: closure.dependents])][:, columns])
        largest = float(slopes.max(initial=0.0))
        found.append({"independent": names[1], "dependent": names[0], "largest_slope": largest})
    return found


def _joint_summary(joint: Joint) -> dict[str, Any]:
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "axis": joint.axis.tolist(),
        "q_index": [joint.q_index.start, joint.q_index.stop],
        "v_index": [joint.v_index.start, joint.v_index.stop],
        "q_min": finite(joint.q_min),
        "q_max": finite(joint.q_max),
        "v_max": finite(joint.v_max),
        "tau_max": finite(joint.tau_max),
        "actuated": joint.actuated,
    }


def _center_of_mass(model: Model) -> list[float] | None:
    """Position in the reference pose [m]; None for a model without mass."""
    import tarsus

    try:
        p_WC: list[float] = tarsus.center_of_mass(model, model.reference).tolist()
    except MasslessJointError:
        return None
    return p_WC


def _lines(model: Model) -> Iterator[str]:
    yield from _overview(model)
    yield ""
    yield from _tree(model)
    if model.couplings:
        done = {"reduce": "eliminated from q and v", "cut": "opened: all joints move freely", "lock": "locked"}
        yield ""
        yield f"couplings ({done[model.coupling_mode]})"
        for c in model.couplings:
            terms = " ".join(f"{ratio:+g} {printable(name)}" for name, ratio in c.terms)
            yield f"  {printable(c.joint)} = {terms.removeprefix('+')} {c.offset:+g}"
    if model.tendons:
        yield ""
        yield "tendons (lengths that follow joints)"
        for tendon in model.tendons:
            terms = " ".join(f"{ratio:+g} {printable(name)}" for name, ratio in tendon.terms)
            yield f"  {printable(tendon.name)} = {terms.removeprefix('+')} {tendon.offset:+g}"
    if model.loops:
        yield ""
        opened = model.coupling_mode == "cut"
        yield "kinematic loops (opened: what is shown is the spanning tree)" if opened else "kinematic loops"
        for loop in model.loops:
            yield f"  {printable(loop.name)}: {loop.kind} between {printable(loop.link_a)} and {printable(loop.link_b)}"
        for lead in leading_joints(model):
            told = ", ".join(printable(name) for name in lead["independent"]) or "nothing: it is rigid"
            steep = f"; largest slope of a follower {lead['largest_slope']:.3g}" if lead["dependent"] else ""
            yield f"    {', '.join(printable(name) for name in lead['dependent'])} led by {told}{steep}"
    if model.warnings:
        yield ""
        yield counted(len(model.warnings), "warning")
        yield from (f"  {printable(str(problem))}" for problem in model.warnings[:MAX_WARNINGS])
        if len(model.warnings) > MAX_WARNINGS:
            yield f"  and {len(model.warnings) - MAX_WARNINGS} more; `tarsus check` lists all"


def _overview(model: Model) -> Iterator[str]:
    kinds = Counter(joint.kind for joint in model.joints.values() if joint.index > 0)
    joints = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    box = extent(model, model.reference)
    low, high = (round(float(z), 3) + 0.0 for z in (box.low[2], box.high[2]))
    size = " x ".join(f"{x:.3f}" for x in box.high - box.low)
    com = _center_of_mass(model)
    yield f"{printable(model.name)}"
    yield f"  base            {model.base}"
    yield f"  bodies          {model.nb} of {counted(len(model.description.links), 'link')}"
    yield f"  joints          {joints or 'none'}"
    yield f"  coordinates     nq {model.nq}, nv {model.nv}"
    yield f"  actuated        {int(model.actuated.sum())} of {model.nv}"
    yield f"  mass            {model.total_mass:.4g} kg"
    yield "reference pose"
    center = "undetermined" if com is None else f"({', '.join(f'{round(x, 3) + 0.0:.3f}' for x in com)}) m"
    yield f"  centre of mass  {center}"
    yield f"  size of {box.of:<7} {size} m, z from {low:.3f} to {high:.3f}"


def _tree(model: Model) -> Iterator[str]:
    rows = [("body", "mass [kg]", "joint", "kind", "range")]
    for lead, body in tree_lines(model):
        joint = model.joints[body.joint]
        kind = f"{joint.kind} (follows)" if _follows(joint) else joint.kind
        name = lead + printable(body.name)
        rows.append((name, f"{body.inertia.mass:.4g}", printable(joint.name), kind, _range(joint)))
    widths = [min(max(len(row[k]) for row in rows), NAME_WIDTH) for k in range(5)]
    for name, mass, joint_name, kind, limits in rows:
        line = f"{name:<{widths[0]}}  {mass:>{widths[1]}}  {joint_name:<{widths[2]}}  {kind:<{widths[3]}}  {limits}"
        yield line.rstrip()


def _follows(joint: Joint) -> bool:
    return joint.nq > 0 and joint.q_index.stop == joint.q_index.start


def _range(joint: Joint) -> str:
    """Position limits of a one-axis joint."""
    if joint.nq != 1 or not (math.isfinite(joint.q_min[0]) or math.isfinite(joint.q_max[0])):
        return ""
    unit = "m" if joint.traits.slides[0] else "rad"
    return f"{joint.q_min[0]:.4g} .. {joint.q_max[0]:.4g} {unit}"
