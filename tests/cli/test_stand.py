"""`tarsus stand` and `tarsus multicontact`."""

from typer.testing import CliRunner

from tarsus.cli.main import app

runner = CliRunner()


def test_stand_tells_what_happened_and_that_it_passed(tmp_path):
    path = tmp_path / "stand.h5"
    result = runner.invoke(
        app, ["stand", "robot:quadruped", "--duration", "0.1", "--push", "chest:1,0,0:0.01:0.05", "--record", str(path)]
    )
    assert result.exit_code == 0, result.output
    assert "quadruped stands on all feet" in result.output and result.output.count("passed") == 1
    assert path.is_file()
    assert "while pushed not counted" in result.output
    assert "not looked at" in " ".join(result.output.split())  # too short to tell whether it comes back


def test_stand_that_fails_names_the_condition_and_ends_with_one():
    result = runner.invoke(app, ["stand", "robot:quadruped", "--duration", "0.6", "--push", "chest:0,60,0:0.01:0.05"])
    assert result.exit_code == 1
    assert "failed at " in result.output


def test_stand_on_sensors_tells_how_far_off_they_were():
    result = runner.invoke(app, ["stand", "robot:quadruped", "--duration", "0.1", "--push", "none", "--sensors"])
    assert result.exit_code == 0, result.output
    assert "estimate of the base: 0." in result.output


def test_pushes_and_recordings_that_cannot_be_are_refused():
    for push in ("chest", "chest:1,2", "chest:a,b,c", "chest:1,0,0:0:0:0"):
        result = runner.invoke(app, ["stand", "robot:quadruped", "--push", push])
        assert result.exit_code == 2 and "is no push" in result.output
    assert runner.invoke(app, ["stand", "robot:quadruped", "-o", "run.txt"]).exit_code == 2


def test_multicontact_lists_scenarios_and_names_the_nearest_of_unknown_ones():
    listed = runner.invoke(app, ["multicontact"])
    assert listed.exit_code == 0
    for name in (
        "stand",
        "single-support",
        "squat",
        "step-in-place",
        "trot-in-place",
        "stair",
        "kneeling",
        "handstand",
    ):
        assert name in listed.output
    unknown = runner.invoke(app, ["multicontact", "handstad"])
    assert unknown.exit_code == 1 and "handstand" in unknown.output
