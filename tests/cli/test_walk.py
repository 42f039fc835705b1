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


def test_walk_past_obstacles_tells_how_each_is_passed_and_how_near(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text('[[box]]\nname = "sill"\nsize = [0.04, 0.5, 0.05]\nposition = [0.6, 0.0, 0.025]\n')
    path = tmp_path / "over.h5"
    options = ["--steps", "3", "--step-time", "1", "--obstacles", str(scene), "-o", str(path)]
    result = runner.invoke(app, ["walk", "robot:lola", *options])
    assert result.exit_code == 0, result.output
    for told in ("sill: both feet are set before and behind it", "left foot over it", "nearest ", "obstacles "):
        assert told in result.output
    assert path.is_file()


def test_scenes_that_cannot_be_are_refused(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text('[[box]]\nname = "wall"\nsize = [0.1, 3.0, 1.0]\nposition = [1.0, 0.0, 0.5]\n')
    wall = runner.invoke(app, ["walk", "robot:lola", "--step-time", "1", "--obstacles", str(scene)])
    assert wall.exit_code == 1 and "obstacle 'wall' is too large" in wall.output
    aside = runner.invoke(app, ["walk", "robot:lola", "--side", "0.1", "--obstacles", str(scene)])
    assert aside.exit_code == 2 and "--side and --obstacles exclude each other" in aside.output
    scene.write_text('[[box]]\nname = "wall"\nsize = 3\n')
    broken = runner.invoke(app, ["walk", "robot:lola", "--obstacles", str(scene)])
    assert broken.exit_code == 1 and "'wall': size is 3" in broken.output
