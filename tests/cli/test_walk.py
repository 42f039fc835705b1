"""`tarsus walk`."""

from typer.testing import CliRunner

import tarsus as ts
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


def test_torque_controlled_robot_stands_and_is_reported(tmp_path):
    record, page = tmp_path / "walk.h5", tmp_path / "walk.html"
    result = runner.invoke(
        app,
        ["walk", "robot:hrp2", "--steps", "0", "--control", "torque", "-o", str(record), "--report", str(page)],
    )
    assert result.exit_code == 0, result.output
    assert "Walk over time" in page.read_text()
    assert {"whole_body/status", "wrench/walk/left"} <= set(ts.open_recording(record).signals)


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
    twice = runner.invoke(app, ["walk", "robot:hrp2", "--feet", "LLEG_LINK5,LLEG_LINK5"])
    assert twice.exit_code == 1 and "two different bodies" in twice.output
    for number in ("nan", "inf"):
        assert runner.invoke(app, ["walk", "robot:hrp2", "--speed", number]).exit_code == 1
    told = {
        ("--control", "torqe"): "close: 'torque'",
        ("--control", "torque", "--method", "ikd"): "'ikd'",
        ("--terrain", "stairs:3:0.1:0.1"): "treads are 0.1 m deep",
    }
    for options, reason in told.items():
        found = runner.invoke(app, ["walk", "robot:hrp2", *options])
        assert found.exit_code == 1 and reason in found.output
    terrains = [["--terrain", text] for text in ("sea", "ramp:steep", "stairs:2.5:0.1:0.3")]
    both = ["--terrain", "stairs:2:0.1:0.3", "--speed", "0.2"]
    for options in (*terrains, both, ["--push", "pelvis"], ["-o", "walk.txt"]):
        assert runner.invoke(app, ["walk", "robot:hrp2", *options]).exit_code == 2


def test_answers_are_in_the_units_that_were_given():
    told = {
        ("--push", "pelvis:0,5,nan:1"): "expected a finite impulse X,Y,Z [N s]",
        ("--push", "pelvis:0,1e308,0:1"): "expected a finite impulse X,Y,Z [N s]",
        ("--terrain", "ramp:95"): "ramps are less than 45 degrees steep",
        ("--terrain", "ramp:nan"): "ramps are less than 45 degrees steep",
        ("--turn", "nan"): "--turn is nan; expected a finite number [degrees/s]",
    }
    for options, reason in told.items():
        found = runner.invoke(app, ["walk", "robot:hrp2", *options], env={"COLUMNS": "200"})
        assert found.exit_code == 2 and reason in found.output, found.output


def test_stairs_are_climbed():
    result = runner.invoke(app, ["walk", "robot:lola", "--terrain", "stairs:1:0.06:0.3"])
    assert result.exit_code == 0, result.output


def test_commands_over_time_are_walked_recorded_reported_and_filmed(tmp_path):
    schedule = tmp_path / "walk.toml"
    schedule.write_text("[[command]]\nspeed = 0.2\n[[command]]\ntime = 1.4\nturn = 20\n[[command]]\ntime = 2\n")
    files = {name: tmp_path / f"walk.{name}" for name in ("h5", "html", "gif")}
    result = runner.invoke(
        app,
        ["walk", "robot:hrp2", "--commands", str(schedule), "-o", str(files["h5"]), "--report", str(files["html"]),
         "--video", str(files["gif"])],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Walk over time" in files["html"].read_text()
    assert files["gif"].stat().st_size > 1000
    reported = runner.invoke(app, ["report", str(files["h5"]), "-o", str(tmp_path / "again.html"), "--moments", "0"])
    assert reported.exit_code == 0 and "Walk over time" in (tmp_path / "again.html").read_text()


def test_commands_over_time_that_are_none_are_refused(tmp_path):
    for text in ("0:0.3", "0:0.3,nan,0", "x:0.3,0,0", "0.3,0,0", ""):
        refused = runner.invoke(app, ["walk", "robot:hrp2", "--command", text])
        assert refused.exit_code == 2 and "is no command" in refused.output, text
    both = runner.invoke(app, ["walk", "robot:hrp2", "--command", "0:0.3,0,0", "--turn", "3"])
    assert both.exit_code == 2 and "--turn and --command are given" in both.output
    path = tmp_path / "walk.toml"
    for text, told in (
        ("[[command]]\nspeed = true", "command 1 is"),
        ("[[command]]\nfast = 1", "command 1 is"),
        ("speed = 3", "expected tables"),
        ("[[", "cannot be read"),
        ("[[command]]\nspeed = nan", "command 1 is"),
    ):
        path.write_text(text)
        refused = runner.invoke(app, ["walk", "robot:hrp2", "--commands", str(path)])
        assert refused.exit_code == 2 and told in refused.output, text


def test_walk_past_obstacles_tells_how_each_is_passed_and_how_near(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text('[[box]]\nname = "sill"\nsize = [0.04, 0.5, 0.05]\nposition = [0.6, 0.0, 0.025]\n')
    path, page = tmp_path / "over.h5", tmp_path / "over.html"
    options = ["--steps", "3", "--step-time", "1", "--obstacles", str(scene), "-o", str(path), "--report", str(page)]
    result = runner.invoke(app, ["walk", "robot:lola", *options])
    assert result.exit_code == 0, result.output
    for told in ("sill: both feet are set before and behind it", "left foot over it", "nearest ", "obstacles "):
        assert told in result.output
    assert path.is_file() and page.is_file()


def test_scenes_that_cannot_be_are_refused(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text('[[box]]\nname = "wall"\nsize = [0.1, 3.0, 1.0]\nposition = [1.0, 0.0, 0.5]\n')
    wall = runner.invoke(app, ["walk", "robot:lola", "--step-time", "1", "--obstacles", str(scene)])
    assert wall.exit_code == 1 and "obstacle 'wall' is too large" in wall.output
    for option, value in (("--side", "0.1"), ("--command", "0:0.3,0,0"), ("--method", "ikd")):
        aside = runner.invoke(app, ["walk", "robot:lola", option, value, "--obstacles", str(scene)])
        assert aside.exit_code == 2 and f"{option} and --obstacles exclude each other" in aside.output
    reasons = {"--method": ("preview", "by clik"), "--terrain": ("ramp:3", "level"), "--duration": ("3", "--steps"),
               "--push": ("pelvis:1,0,0", "catch")}  # fmt: skip
    for option, (value, reason) in reasons.items():
        refused = runner.invoke(app, ["walk", "robot:lola", option, value, "--obstacles", str(scene)])
        assert refused.exit_code == 2 and reason in refused.output.split("other:")[1]
    scene.write_text('[[box]]\nname = "wall"\nsize = 3\n')
    broken = runner.invoke(app, ["walk", "robot:lola", "--obstacles", str(scene)])
    assert broken.exit_code == 1 and "'wall': size is 3" in broken.output


def test_word_of_the_method_is_taken_and_refused_by_name():
    options = ["--speed", "0.2", "--steps", "1", "--step-time", "0.8"]
    result = runner.invoke(app, ["walk", "robot:lola", "--method", "ikd-planning", *options])
    assert result.exit_code == 0, result.output
    refused = runner.invoke(app, ["walk", "robot:lola", "--method", "idk"])
    assert refused.exit_code == 1 and "method 'idk' of Walker not found" in refused.output
    changing = runner.invoke(app, ["walk", "robot:lola", "--method", "preview", "--command", "0:0.3,0,0"])
    assert changing.exit_code == 1 and "is walked by 'clik' or 'ikd', not by 'preview'" in changing.output
