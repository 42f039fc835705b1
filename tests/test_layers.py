"""Imports go down the list of layers, never up or sideways."""

import ast
import re
from pathlib import Path

import pytest

import tarsus

PACKAGE = Path(tarsus.__file__).parent
LAYERS = (
    ("errors", "arrays", "deferred_signals", "files", "lazy_names", "quiet_start", "_native"),
    ("untrusted_xml",),
    ("spatial",),
    ("optimization",),
    ("geometry",),
    ("model",),
    ("io",),
    ("robots",),
    ("dynamics",),
    ("contact",),
    ("collision",),
    ("tasks",),
    ("ik",),
    ("recording",),
    ("devices",),
    ("control",),
    ("simulation",),
    ("walking",),
    ("scenarios",),
    ("gym",),
    ("analysis",),
    ("plots",),
    ("viewer",),
    ("actuators", "constraints", "interop", "sensors"),
    ("cli",),
    ("__main__",),
)
"""From the bottom to the top; names in one row do not import each other."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
TOP = ("viewer", "cli")
"""Applications: they may use the package's front door, `import tarsus`."""


def layer_of(module):
    return module.split(".")[1] if module.startswith("tarsus.") else None


def imports_of(path):
    """Modules that a file imports, with line numbers; blocks under TYPE_CHECKING are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            if node.module == "tarsus":
                yield from ((f"tarsus.{alias.name}", node.lineno) for alias in node.names)
            else:
                yield node.module, node.lineno


def sources(layer):
    return sorted((PACKAGE / layer).rglob("*.py")) if (PACKAGE / layer).is_dir() else [PACKAGE / f"{layer}.py"]


PRESENT = [name for name in LEVEL if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()]


@pytest.mark.parametrize("layer", PRESENT)
def test_layer_imports_only_itself_and_layers_below(layer):
    wrong = []
    for path in sources(layer):
        for module, line in imports_of(path):
            if not (module == "tarsus" or module.startswith("tarsus.")):
                continue
            target = layer_of(module)
            if target == layer or (target in LEVEL and LEVEL[target] < LEVEL[layer]):
                continue
            if layer in TOP and target not in LEVEL:
                continue
            wrong.append(f"{path.relative_to(PACKAGE)}:{line} imports {module}")
    assert wrong == []


def test_contributing_lists_the_layers_in_their_order():
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("## Layout") : text.index("## How to add")]
    listed = re.findall(r"^\| `(\w+)/?` \|", table, re.MULTILINE)
    assert listed == [name for name in LEVEL if name not in ("_native", "__main__")]


def test_every_module_of_the_package_belongs_to_a_layer():
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert names - {"__init__"} <= set(LEVEL)


def test_modules_of_the_model_layer_import_each_other_without_cycles():
    graph = {}
    for path in sources("model"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts != ("model", "__init__"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            name = ".".join(("tarsus", *(part for part in parts if part != "__init__")))
            graph[name] = {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module}
    done = set()
    while len(done) < len(graph):
        ready = {name for name, needs in graph.items() if name not in done and not (needs & graph.keys()) - done}
        assert ready, f"cycle among {sorted(graph.keys() - done)}"
        done |= ready


@pytest.mark.parametrize("word", ["utils", "util", "common", "misc", "helpers"])
def test_no_module_has_a_name_that_says_nothing(word):
    assert [path for path in PACKAGE.rglob("*.py") if word in path.stem.split("_")] == []
