"""Runs on rigid ground that their controller stops."""

import numpy as np

import tarsus as ts
from tarsus.contact import ContactPoint, Rigid, flat


def test_the_end_of_a_stopped_run_is_kept_though_an_impact_was_just_before():
    """A ball hits the ground 0.2 ms before the moment at which the controller ends the run."""
    ball = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
    gravity = float(np.linalg.norm(ball.gravity))
    hit = 0.1 - 2e-4
    height = 0.1 + 0.5 * gravity * hit**2

    def controller(now):
        if now.t >= 0.1 - 1e-9:
            now.stop("enough")
        return np.zeros(6)

    run = ts.simulate(
        ball,
        [0, 0, height, 1, 0, 0, 0],
        duration=1.0,
        controller=controller,
        ground=flat(Rigid(restitution=0.5)),
        contacts=[ContactPoint("skin", "ball", radius=0.1)],
        resumable=True,
        sample_dt=0.07,
    )
    impacts = [event["time"] for event in run.metadata["events"] if event["event"] == "impact"]
    np.testing.assert_allclose(impacts, [hit], atol=1e-9)
    assert run.time[-1] == 0.1
    assert abs(run.q[-1, 2] - (0.1 + 0.5 * gravity * hit * 2e-4 - 0.5 * gravity * 2e-4**2)) < 1e-9
