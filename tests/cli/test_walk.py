"""`tarsus walk`."""

from typer.testing import CliRunner

from tarsus.cli.main import app

runner = CliRunner()


def test_walk_tells_what_was_found_and_what_happened(tmp_path):
    path = tmp_path / "walk.h5"
    result = runner.invoke(app, ["walk", "robot:hrp2", "--steps", "2", "--record", str(path)])
    assert result.exit_code == 0, result.output
    for told in (
        "feet      LLEG_LINK5 (left), RLEG_LINK5 (right)",
        "3 steps in",
        "mm from the edge of a sole",
        "of the limit",
    ):
        assert told in result.output
    assert path.is_file()


def test_walk_that_ends_in_a_fall_ends_with_one_and_keeps_the_recording(tmp_path):
    path = tmp_path / "fall.h5"
    result = runner.invoke(app, ["walk", "robot:hrp2", "--steps", "2", "--push", "pelvis:0,200,0:1.5", "-o", str(path)])
    assert result.exit_code == 1
    assert "failed at " in result.output and "first " in result.output
    assert path.is_file()


def test_models_commands_and_options_that_cannot_be_are_refused():
    refused = runner.invoke(app, ["walk", "robot:quadruped"])
    assert refused.exit_code == 1 and "4 feet; a biped has two" in refused.output
    fast = runner.invoke(app, ["walk", "robot:hrp2", "--speed", "5"])
    assert fast.exit_code == 1 and "forward needs steps of" in fast.output
    for options in (["--terrain", "sea"], ["--terrain", "ramp:steep"], ["--push", "pelvis"], ["-o", "walk.txt"]):
        assert runner.invoke(app, ["walk", "robot:hrp2", *options]).exit_code == 2
