"""The walk with which `make demo` ends."""

from examples import walk_talos


def test_the_demo_ends_with_a_walk_of_more_than_two_metres_that_is_drawn(tmp_path):
    done = walk_talos.main(str(tmp_path), progress=False)
    assert done.passed, done.reason
    assert done.way[0] > 2.0
    assert all((tmp_path / f"walk.{kind}").stat().st_size > 1000 for kind in ("h5", "png", "html"))
