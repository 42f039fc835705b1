"""The package as a whole: what importing costs, what it offers, and the choice of the instruction set."""

import ast
import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tarsus as ts

ROOT = Path(__file__).parents[1]
HEAVY = (
    "scipy",
    "lxml",
    "matplotlib",
    "typer",
    "rich",
    "h5py",
    "click",
    "daqp",
    "tarsus.io",
    "tarsus.robots",
    "tarsus.cli",
)


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_import_loads_nothing_heavy():
    result = python("import json, sys, tarsus; print(json.dumps(sorted(sys.modules)))")
    assert result.returncode == 0, result.stderr
    loaded = set(json.loads(result.stdout))
    assert "numpy" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_dynamics_of_a_model_made_in_code_loads_nothing_heavy():
    code = (
        "import json, sys, numpy as np, tarsus as ts\n"
        "b = ts.ModelBuilder(base='free').add_link('a', ts.Inertia.of_sphere(1.0, 0.1))\n"
        "m = b.build(); ts.forward_dynamics(m, m.random(np.random.default_rng(0)), np.zeros(6), np.zeros(6))\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    result = python(code)
    assert result.returncode == 0, result.stderr
    assert [name for name in HEAVY if name in set(json.loads(result.stdout))] == []


def test_version_is_a_number_and_the_one_of_the_citation():
    assert re.fullmatch(r"\d+\.\d+\.\d+([a-z]+\d+)?", ts.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\nversion: "{ts.__version__}"\n' in citation


@pytest.mark.parametrize("name", ts.__all__)
def test_every_public_name_exists_and_is_documented(name):
    value = getattr(ts, name)
    assert name == "__version__" or (value.__doc__ or "").strip()


PROMISED = """
load robots frame_pose frame_poses frame_velocity frame_acceleration jacobian jacobian_dot_v body_poses joint_screws
body_jacobians center_of_mass com_jacobian momentum momentum_matrix inverse_dynamics mass_matrix bias_force
gravity_force coriolis_matrix solve_mass torque_regressor forward_dynamics kinetic_energy potential_energy passive_force
body_wrenches native_info Model ModelBuilder Inertia errors interop
""".split()


@pytest.mark.parametrize("name", PROMISED)
def test_promised_name_is_public(name):
    assert name in ts.__all__
    assert name in dir(ts)


LASTING = """
tarsus.simulation.JointLaw tarsus.simulation.Push tarsus.simulation.SignalLog tarsus.simulation.with_signals
tarsus.simulation.feed_forward tarsus.simulation.gravity_compensation tarsus.simulation.simulate.simulate
tarsus.simulation.actuators.Drive tarsus.simulation.actuators.ActuatedController tarsus.simulation.sensors.IMU
tarsus.simulation.sensors.SensorSuite tarsus.simulation.sensors.Motion tarsus.model.Loop tarsus.model.shapes.Shape
tarsus.dynamics.divide_and_conquer.DivideAndConquer
""".split()
"""Names that people import, wherever what they name has moved."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
IMPORT = re.compile(r"^\s*from (tarsus[\w.]*) import (\([^)]*\)|[^\n]*)$", re.MULTILINE)


def found(name):
    """What a dotted name stands for: modules as far as there are any, then their attributes."""
    parts = name.split(".")
    value = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], start=1):
        try:
            value = importlib.import_module(".".join(parts[: k + 1]))
        except ModuleNotFoundError:
            value = getattr(value, part)
    return value


def documented(page):
    """Dotted names on a page, and names that its code imports."""
    text = page.read_text(encoding="utf-8")
    names = set(re.findall(r"\btarsus(?:\.[A-Za-z_]\w*)+", text))
    for module, imported in IMPORT.findall(text):
        names |= {f"{module}.{name.split()[0]}" for name in imported.strip("()").split(",") if name.strip()}
    return names


@pytest.mark.parametrize("name", LASTING)
def test_names_that_people_import_stay(name):
    assert (found(name).__doc__ or "").strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_on_a_page_of_the_documentation_are_there(page):
    missing = []
    for name in sorted(documented(page)):
        try:
            found(name)
        except AttributeError:
            missing.append(name)
    assert missing == []


def test_pages_are_read_for_names():
    """Otherwise the test above would say little."""
    names = set().union(*(documented(page) for page in PAGES))
    assert {"tarsus.simulation.actuators.Drive", "tarsus.simulation.JointLaw", "tarsus.dynamics.jacobians"} <= names


def test_devices_are_attributes_of_the_simulation_package_in_a_new_process():
    code = "import tarsus as ts; print(ts.simulation.actuators.Drive.__name__, ts.simulation.sensors.IMU.__name__)"
    result = python(code)
    assert result.stdout.split() == ["Drive", "IMU"], result.stderr


def test_unknown_name_is_told_with_close_ones():
    with pytest.raises(AttributeError, match="mass_matrix"):
        _ = ts.mas_matrix


def test_native_functions_have_signatures_and_documentation():
    import inspect

    signature = inspect.signature(ts.forward_dynamics)
    assert list(signature.parameters)[:4] == ["model", "q", "v", "tau"]
    assert signature.parameters["method"].default == "articulated-body"
    assert "Returns" in ts.forward_dynamics.__doc__


def test_native_info_tells_what_runs():
    info = ts.native_info()
    assert set(info) == {"isa", "lanes", "compiled", "available", "compiler", "cores"}
    assert info["isa"] in info["available"]
    assert set(info["available"]) <= set(info["compiled"])
    assert "baseline" in info["available"]
    assert info["lanes"] in (2, 4, 8)
    assert info["cores"] >= 1


@pytest.mark.parametrize("isa", ts.native_info()["available"])
def test_environment_variable_forces_an_instruction_set(isa):
    result = python("import tarsus; print(tarsus.native_info()['isa'])", TARSUS_ISA=isa)
    assert result.stdout.strip() == isa, result.stderr


def test_empty_environment_variable_forces_nothing():
    best = python("import tarsus; print(tarsus.native_info()['isa'])", TARSUS_ISA="").stdout.strip()
    assert best == ts.native_info()["available"][-1]


def test_unknown_instruction_set_is_a_clear_import_error():
    result = python("import tarsus", TARSUS_ISA="mmx")
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: TARSUS_ISA=mmx is not one of: baseline")


def test_instruction_sets_agree():
    code = (
        "import json, numpy as np, tarsus as ts\n"
        "m = ts.robots.hrp2(); rng = np.random.default_rng(0)\n"
        "q, v = m.random(rng, 5), rng.normal(size=(5, m.nv))\n"
        "results = ts.forward_dynamics(m, q, v, v), ts.inverse_dynamics(m, q[0], v[0], v[1])\n"
        "print(json.dumps([result.tolist() for result in results]))"
    )
    results = [json.loads(python(code, TARSUS_ISA=isa).stdout) for isa in ts.native_info()["available"]]
    for result in results[1:]:
        for found, expected in zip(result, results[0], strict=True):
            # accelerations up to 1e4 through a mass matrix of condition 1e5
            assert _flat(found) == pytest.approx(_flat(expected), rel=1e-8, abs=1e-8)


def _flat(values):
    return [x for value in values for x in (_flat(value) if isinstance(value, list) else [value])]


def test_stub_of_the_native_module_names_what_is_there():
    import tarsus._native as native

    stub = ast.parse((Path(ts.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert declared == {name for name in vars(native) if not name.startswith("_")}


def test_package_is_marked_as_typed():
    assert (Path(ts.__file__).parent / "py.typed").is_file()


def test_command_line_tool_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"tarsus": "tarsus.cli.main:app"}


@pytest.mark.parametrize("name", sorted(name for name, (_, attribute) in ts._LAZY.items() if attribute is None))
def test_public_modules_can_be_imported_by_name(name):
    module = importlib.import_module(f"tarsus.{name}")
    assert getattr(ts, name) is module
