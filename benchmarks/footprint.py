"""What tarsus costs beside its computations: import, memory, growth, the call itself."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tarsus as ts
from benchmarks.contestants import TALOS, robot_file
from benchmarks.section import Options, Section, as_one
from benchmarks.target import Target
from benchmarks.timing import Effort, Statement, race

_IMPORT = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import tarsus
print([middle - start, time.perf_counter() - middle])
"""
_RESIDENT = """
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
"""
_LOAD = (
    _RESIDENT
    + """
import sys
before = resident()
import tarsus
model = tarsus.load(sys.argv[1], base="free")
print([before, resident()])
"""
)
_GROWTH = (
    _RESIDENT
    + """
import sys
import numpy as np
import tarsus as ts
model = ts.load(sys.argv[1], base="free")
calls = int(sys.argv[2])
rng = np.random.default_rng(0)
q, v, a = model.random(rng), *rng.normal(size=(2, model.nv))
batch = [np.tile(x, (8, 1)) for x in (q, v, a)]

def work(count):
    for _ in range(count // 5):
        ts.inverse_dynamics(model, q, v, a)
        ts.forward_dynamics(model, q, v, a)
        ts.mass_matrix(model, q)
        ts.jacobian(model, q, "arm_left_7_link")
        ts.inverse_dynamics(model, *batch)

work(20000)
before = resident()
work(calls)
print([before, resident()])
"""
)
_LOAD_TIME = """
import sys, time
import tarsus
tarsus.load
start = time.process_time()
tarsus.load(sys.argv[1])
print([time.process_time() - start])
"""
CHAIN_LINKS = 10_000
"""Links of the chain whose loading is timed."""


@dataclass(frozen=True)
class Footprint:
    """Times [s] and resident memory [bytes].

    Attributes
    ----------
    import_numpy, import_tarsus : float
        tarsus after numpy, in a fresh process, files cached.
    resident_talos : int
        Whole process after loading Talos.
    growth, growth_calls : int
        Change of resident memory over so many calls.
    call : float
        Inverse dynamics of a pendulum with `out=`: almost nothing but the call and the checks.
    load_chain : float
        CPU time of loading a URDF file with a chain of `CHAIN_LINKS` links.
    """

    import_numpy: float
    import_tarsus: float
    resident_talos: int
    growth: int
    growth_calls: int
    call: float
    load_chain: float | None = None


def measure_footprint(
    robot: Path, effort: Effort, *, repeats: int = 7, calls: int = 1_000_000, links: int | None = None
) -> Footprint:
    """Everything of `Footprint`; `robot` is the file of Talos, `links` the length of the chain."""
    imports = [_run(_IMPORT) for _ in range(repeats)]
    loaded = _run(_LOAD, str(robot))
    grown = _run(_GROWTH, str(robot), str(calls))
    return Footprint(
        import_numpy=min(pair[0] for pair in imports),
        import_tarsus=min(pair[1] for pair in imports),
        resident_talos=1024 * int(loaded[1]),
        growth=1024 * int(grown[1] - grown[0]),
        growth_calls=calls,
        call=_call_overhead(effort),
        load_chain=_load_chain(CHAIN_LINKS if links is None else links),
    )


def _run(code: str, *arguments: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    numbers: list[float] = json.loads(done.stdout)
    return numbers


def _load_chain(links: int) -> float:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "chain.urdf"
        path.write_text(chain_urdf(links), encoding="utf-8")
        return _run(_LOAD_TIME, str(path))[0]


def chain_urdf(links: int) -> str:
    """URDF text of a chain of links with boxes, on hinges with limits."""
    moments = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    inertial = f'<inertial><origin xyz="0 0 0.05"/><mass value="1"/><inertia {moments}/></inertial>'
    box = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(1, links + 1):
        parts.append(f'<link name="l{k}">{inertial}{box}</link><joint name="j{k}" type="revolute">')
        parts.append(f'<parent link="l{k - 1}"/><child link="l{k}"/><origin xyz="0 0 0.1" rpy="0 0.1 0"/>')
        parts.append('<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="5"/></joint>')
    return "\n".join([*parts, "</robot>"])


def _call_overhead(effort: Effort) -> float:
    builder = ts.ModelBuilder("pendulum").add_link("ground").add_link("bob", ts.Inertia.of_sphere(1.0, 0.1))
    model = builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0.0, 1.0, 0.0)).build()
    x, out = np.zeros(1), np.zeros(1)
    call = Statement("f(m, x, x, x, out=r)", {"f": ts.inverse_dynamics, "m": model, "x": x, "r": out})
    return race([call], effort)[0]


GROWTH_NOISE = 256 * 1024
"""Bytes by which resident memory of a process may change without anything being kept: a few pages of the allocator."""


def judge_footprint(found: Sequence[Footprint]) -> list[Target]:
    """Import, memory and loading."""
    f = found[0] if found else None
    calls = 10**6 if f is None else f.growth_calls
    return [
        Target("import tarsus after numpy, ms", None, 80.0, None if f is None else 1e3 * f.import_tarsus),
        Target("resident memory after loading Talos, MB", None, 150.0, None if f is None else f.resident_talos / 1e6),
        Target("loading a URDF chain of 10000 links, s", None, 5.0, None if f is None else f.load_chain),
        Target(
            f"growth of resident memory over {calls} calls, kB",
            None,
            GROWTH_NOISE / 1e3,
            None if f is None else f.growth / 1e3,
        ),
    ]


def _measured(options: Options) -> Iterator[Footprint]:
    yield measure_footprint(robot_file(TALOS), options.effort, repeats=options.rounds(7, 3))


SECTION = Section("footprint", _measured, lambda found: [], judge_footprint, as_one)
