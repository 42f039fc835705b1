"""Every Python block of the README and the documentation runs."""

import contextlib
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tarsus as ts

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
LONGEST_TOUR = 20
"""Lines of the README's tour."""


def blocks(page, language="python"):
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def source(page):
    """The blocks of a page as one module whose lines have the numbers they have on the page."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * text.count("\n")
    for match in BLOCK.finditer(text):
        if match.group(1) == "python":
            first = text[: match.start(2)].count("\n")
            for index, line in enumerate(match.group(2).splitlines()):
                lines[first + index] = line
    return "\n".join(lines)


WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    exec(compile(source(page), str(page), "exec"), {"__name__": "__main__"})


def test_the_pages_with_code_are_found():
    assert {"README.md", "tour.md", "models.md", "model-files.md", "dynamics.md"} <= {page.name for page in WITH_CODE}


def test_tour_of_the_readme_fits_on_a_screen():
    tour = blocks(ROOT / "README.md")[0].strip().splitlines()
    assert 10 <= len(tour) <= LONGEST_TOUR


def test_demo_and_its_parts_are_there():
    # What `make demo` runs takes longer than a test may; its imports are what breaks when files move.
    command = [sys.executable, "-c", "import examples.demo"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_tour_example_runs(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "tour.py")]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "forward after inverse dynamics" in result.stdout


LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_within_the_repository_lead_somewhere(page):
    broken = [
        target for target, _ in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_public_name_is_in_the_reference():
    pages = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").glob("*.md"))]
    described = set(re.findall(r"^::: ([\w.]+)", "\n".join(pages), flags=re.MULTILINE))
    names = {name.rsplit(".", 1)[-1] for name in described}
    for module in described:
        with contextlib.suppress(ImportError):  # a function described by itself
            names |= set(vars(importlib.import_module(module)))
    listed = set(re.findall(r"`ts\.(\w+)", (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")))
    assert set(ts.__all__) - names - listed - {"__version__"} == {"io", "viewer"}


def test_bibliography_has_an_entry_for_every_reference_on_the_page():
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{([\w-]+),", bibliography, flags=re.MULTILINE)
    assert len(keys) == len(set(keys))
    page = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^- `([\w-]+)` ", page, flags=re.MULTILINE)) == sorted(keys)
