"""The parts of the benchmark in the order in which they are measured and shown."""

from __future__ import annotations

from benchmarks import (
    alternating,
    coil,
    comparison,
    constrained,
    control_step,
    distances,
    drawing,
    driven_coil,
    feng_walk,
    fitting,
    footprint,
    ik_peers,
    kineto_dynamics,
    loops,
    methods,
    obstacles,
    predictive,
    quadratic_programs,
    rigid,
    standing,
    threads,
    trotting,
    walking,
    whole_body,
)
from benchmarks.section import Section

_MODULES = (
    comparison,
    threads,
    alternating,
    coil,
    loops,
    driven_coil,
    methods,
    constrained,
    standing,
    control_step,
    trotting,
    drawing,
    quadratic_programs,
    fitting,
    distances,
    ik_peers,
    predictive,
    whole_body,
    walking,
    obstacles,
    kineto_dynamics,
    rigid,
    feng_walk,
    footprint,
)
SECTIONS: dict[str, Section] = {module.SECTION.name: module.SECTION for module in _MODULES}
"""By name; a new part is its module with a `SECTION`, and a line here."""
