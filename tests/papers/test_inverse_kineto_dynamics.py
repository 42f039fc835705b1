"""Figures 5.21 to 5.29 say what the text says, on walks of full length."""

import pytest
from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Run
from benchmarks.papers.registry import FIGURES


@pytest.mark.long
def test_figures_of_pure_motion_agree_with_the_text():
    run = Run()
    for name in ("5.21", "5.22", "5.23", "5.24", "5.26", "5.27", "5.29"):
        claims = FIGURES[name].measure(run).claims
        assert all(claim.agrees for claim in claims), [claim for claim in claims if not claim.agrees]
    assert kineto_walk.ratio(run, kineto_walk.GROWING) == pytest.approx(0.049, abs=5e-4)  # as the page tells


@pytest.mark.long
def test_inclination_of_the_walk_agrees_with_the_text():
    claims = FIGURES["5.28"].measure(Run()).claims
    assert all(claim.agrees for claim in claims), [claim for claim in claims if not claim.agrees]
