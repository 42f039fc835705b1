"""`tarsus bench papers`."""

import importlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsus.cli.main import app

ROOT = Path(__file__).parents[2]
command = importlib.import_module("tarsus.cli.results.bench")


def run(*arguments):
    return CliRunner().invoke(app, ["bench", "papers", *map(str, arguments)])


def test_help_has_examples_and_the_options():
    result = run("--help")
    assert result.exit_code == 0
    for word in ("tarsus bench papers --figure 3.5", "--output", "--quick", "--json"):
        assert word in result.stdout


def test_group_without_a_command_shows_its_commands():
    assert "papers" in CliRunner().invoke(app, ["bench", "--help"]).stdout


def test_quick_run_of_one_figure_writes_picture_and_numbers_and_compares_with_the_text(tmp_path):
    result = run("--figure", "3.2", "--quick", "--output", tmp_path / "new" / "out")
    assert result.exit_code == 0, result.output
    assert "what the text states" in result.stdout
    assert "(3.32)" in result.stdout
    assert "agrees" in result.stdout
    written = sorted(path.name for path in (tmp_path / "new" / "out").iterdir())
    assert written == ["figure-3.2.json", "figure-3.2.png"]
    assert (tmp_path / "new" / "out" / "figure-3.2.png").read_bytes().startswith(b"\x89PNG")


def test_json_has_the_documented_keys(tmp_path):
    result = run("--figure", "3.1", "--figure", "2.15", "--quick", "--json", "--output", tmp_path)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert set(report) == {"machine", "output", "figures"}
    assert {"cpu", "cores", "isa", "python", "versions", "tarsus"} <= set(report["machine"])
    assert [figure["figure"] for figure in report["figures"]] == ["2.15", "3.1"]
    keys = {"figure", "title", "source", "quick", "note", "claims", "data", "picture", "numbers"}
    for figure in report["figures"]:
        assert set(figure) == keys
        saved = json.loads((tmp_path / figure["numbers"]).read_text())
        assert saved["data"] == figure["data"]
        assert saved["machine"] == report["machine"]
        assert (tmp_path / figure["picture"]).is_file()


def test_unknown_figure_is_one_line_with_the_nearest_names_and_nothing_is_written(tmp_path):
    result = run("--figure", "3.55", "--output", tmp_path / "out")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("tarsus: figure '3.55' not found; close: '3.5'")
    assert not (tmp_path / "out").exists()


def test_output_that_is_a_file_is_wrong_usage(tmp_path):
    (tmp_path / "taken").write_text("x")
    assert run("--figure", "3.2", "--quick", "--output", tmp_path / "taken").exit_code == 2


def test_no_colours_and_no_progress_where_there_is_no_terminal(tmp_path):
    result = run("--figure", "3.2", "--quick", "--output", tmp_path)
    assert "\x1b" not in result.stdout


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The package lies where nothing else of the repository is."""
    monkeypatch.setattr(command, "__file__", str(tmp_path / "lib" / "site-packages" / "tarsus" / "cli" / "bench.py"))


def test_outside_of_a_checkout_one_line_says_that_one_is_needed(installed, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = run("--figure", "3.2", "--quick", "--output", tmp_path / "out")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "benchmarks/papers of the repository" in result.stderr
    assert "run this in a checkout" in result.stderr
    assert not (tmp_path / "out").exists()


def test_installed_package_draws_figures_in_a_checkout(installed, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert command._checkout() == ROOT


def test_package_of_a_checkout_finds_it_from_anywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert command._checkout() == ROOT
