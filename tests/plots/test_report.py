"""Reports of runs: everything that a recording holds, and nothing that it could smuggle in."""

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from chromium import Chromium
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.contact.touched import touched_surfaces
from tarsus.errors import ArgumentError
from tarsus.plots.report.contacts import cone_section, touches
from tarsus.plots.report.limits import speed_section, torque_section
from tarsus.plots.report.page import Picture
from tarsus.plots.report.pressure import _margin
from tarsus.recording.trajectory import Trajectory

SECTIONS = [
    "Torques against their limits",
    "Joint speeds against their limits",
    "Contacts over time",
    "Contact forces in their cones",
    "Centre of pressure in the support polygon",
    "Momentum",
    "Tracking errors of tasks",
    "Solver",
    "Energy",
]
HOSTILE = '"><script>alert(1)</script><img src=http://example.org/x onerror=alert(2)>$\\frac{'
"""Text that ends tags, asks for a network, and is no formula."""


class Page(HTMLParser):
    """Tags, headings and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.headings, self.sources, self.rows, self._in = [], [], [], [], []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._in.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]
        assert not [name for name, _ in attributes if name.startswith("on")]
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        while self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data):
        self.words += data
        if self._in and self._in[-1] in ("h1", "h2"):
            self.headings.append(data)
        if self._in and self._in[-1] in ("td", "th"):
            self.rows[-1].append(data)


@pytest.fixture(name="run", scope="module")
def _run():
    """HRP-2 falls on its feet under a law that logs what it does."""
    model = ts.robots.hrp2()
    reference = np.array(model.reference)

    def law(observed):
        observed.log(
            com_reference=ts.center_of_mass(model, reference),
            q_reference=reference,
            solve_time=1e-4,
            status=0,
            **{"error/hand": np.array([3e-3, 4e-3, 0.0])},
        )
        return ts.control.JointLaw(3000.0, 60.0, q=reference)

    return ts.simulate(model, duration=0.3, ground=ts.contact.flat(), controller=law, control_dt=0.01, sample_dt=0.01)


def written(run, tmp_path, **options):
    path = tmp_path / "report.html"
    missing = ts.write_report(run, path, **options)
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert "script" not in page.tags and "iframe" not in page.tags
    assert all(source.startswith("data:image/") for source in page.sources)
    return page, missing, text


@pytest.fixture(name="full", scope="module")
def _full(run, tmp_path_factory):
    """Page, missing parts and text of the report of the whole run."""
    return written(run, tmp_path_factory.mktemp("full"), pictures=[Picture("start", b"\x89PNG")])


def test_a_full_recording_has_all_sections(full):
    page, missing, _ = full
    assert missing == ()
    assert page.headings == ["hrp2", *SECTIONS]
    assert len(page.sources) == 1 + len(SECTIONS)
    for source in page.sources[1:]:
        svg = base64.b64decode(source.partition("base64,")[2]).decode()
        assert svg.count("<svg") == 1 and "<script" not in svg and 'xlink:href="http' not in svg


def test_numbers_of_the_tables_are_those_of_the_run(run, full):
    page = full[0]
    rows = {row[0]: row[1:] for row in reversed(page.rows) if row}  # joints of torques come before those of speeds
    assert rows["hand"] == ["-", "0.005", "0.005", "0.005"]
    joint = "LLEG_JOINT3"
    index = run.model.joints[joint].v_index.start
    peak, limit = np.abs(run.tau[:, index]).max(), run.model.tau_max[index]
    assert rows[joint][:3] == [f"{limit:g}", f"{peak:.4g}", f"{100 * peak / limit:.1f} %"]
    assert rows["solve time [us]"] == ["100", "100", "100"]
    com = np.linalg.norm(ts.center_of_mass(run.model, run.q) - run.signals["com_reference"], axis=1)
    assert rows["centre of mass"][1] == f"{com.max():.4g}"


def test_forces_of_a_body_are_those_of_its_wrench(run):
    found = {touch.name: touch for touch in touches(run)}
    wrench = run.wrench("l_sole")
    left = found["LLEG_LINK5"]
    assert np.allclose(left.normal, wrench[:, 2], rtol=1e-12, atol=1e-9)
    assert np.nanmax(left.share) <= 1.0 + 1e-9  # the law keeps forces inside their cones
    assert left.touching[-1]


def test_shares_of_friction_are_measured_from_the_normal_of_the_surface():
    angle = 0.3
    ground = ts.contact.slope(angle, ts.contact.Compliant(friction=0.5))
    surface = touched_surfaces(ground, np.zeros((2, 3)))
    assert np.allclose(surface.normal, [-np.sin(angle), 0.0, np.cos(angle)])
    assert np.array_equal(surface.friction, [0.5, 0.5])
    stairs = ts.contact.stairs(1, 0.2, 1.0)
    assert np.allclose(touched_surfaces(stairs, [[1.0, 0.0, 0.2], [0.5, 0.0, 0.1]]).normal, [[0, 0, 1], [-1, 0, 0]])


def test_weight_on_a_slope_uses_the_tangent_of_its_angle(run):
    """A force straight up on a slope: its share of friction is tan(angle) / friction."""
    angle, friction = 0.2, 0.8
    from tarsus.contact.ground_document import ground_to_document

    slope = ground_to_document(ts.contact.slope(angle, ts.contact.Compliant(friction=friction)))
    force = np.zeros_like(run.contact_force)
    force[..., 2] = 100.0
    place = np.zeros_like(run.contact_position)
    tilted = replace(run, contact_force=force, contact_position=place, metadata={**run.metadata, "ground": slope})
    for touch in touches(tilted):
        assert np.allclose(touch.share, np.tan(angle) / friction)


def test_forces_beyond_their_cones_are_told(run):
    force = run.contact_force.copy()
    force[-1, :, 0] = 2.0 * 0.8 * force[-1, :, 2]  # twice what friction allows
    force[-1, :, 1] = 0.0
    told = cone_section(replace(run, contact_force=force))
    assert told.warning
    assert "LLEG_LINK5 by 1e+02 %" in told.note
    assert not cone_section(run).warning


def test_torques_beyond_their_limits_are_told(run):
    k = run.model.joints["LLEG_JOINT3"].v_index.start
    tau = run.tau.copy()
    tau[5, k] = -1.5 * run.model.tau_max[k]
    found = torque_section(replace(run, tau=tau))
    assert found.warning
    assert "Largest share: 150.0 % of the limit, of LLEG_JOINT3. Beyond their limits: LLEG_JOINT3." in found.note


def test_speeds_beyond_their_limits_are_told_and_that_of_the_base_has_none(run):
    k = run.model.joints["LLEG_JOINT3"].v_index.start
    v = run.v.copy()
    v[5, k], v[5, 0] = -1.5 * run.model.v_max[k], 1e3
    found = speed_section(replace(run, v=v))
    assert found.warning
    assert "Largest share: 150.0 % of the limit, of LLEG_JOINT3. Beyond their limits: LLEG_JOINT3." in found.note
    assert "base" not in found.note


def test_margin_of_a_point_in_a_square_is_the_distance_to_its_nearest_edge():
    square = np.array([[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]])
    assert _margin(square, np.array([0.5, 1.0])) == pytest.approx(0.5)
    assert _margin(square, np.array([2.5, 1.0])) == pytest.approx(-0.5)
    assert np.isnan(_margin(square[:2], np.array([0.5, 0.0])))


def test_what_is_not_there_is_left_out_and_told(tmp_path):
    model = ts.robots.planar4()
    bare = Trajectory(model, np.array([0.0]), np.zeros((1, model.nq)), np.zeros((1, model.nv)))
    page, missing, _ = written(bare, tmp_path)
    assert [part.title for part in missing] == SECTIONS
    assert page.headings == [model.name, "Not in this recording"]
    empty = Trajectory(model, np.zeros(0), np.zeros((0, model.nq)), np.zeros((0, model.nv)))
    assert len(written(empty, tmp_path)[1]) == len(SECTIONS)


def test_texts_of_a_recording_stay_texts(run, tmp_path):
    nasty = replace(
        run,
        contacts=tuple(f"{HOSTILE}{k}" for k in range(len(run.contacts))),
        signals={**run.signals, f"error/{HOSTILE}": np.full((len(run), 2), np.nan), "status": np.full(len(run), 1e308)},
        metadata={HOSTILE: HOSTILE, "ground": [HOSTILE], "contact_bodies": [HOSTILE] * len(run.contacts)},
        finished=False,
        reason=HOSTILE,
    )
    page, _, text = written(nasty, tmp_path)
    assert HOSTILE in page.words
    assert HOSTILE not in text
    assert re.findall(r"<script|<img src=http", text) == []


def test_numbers_without_measure_do_not_break_a_report(run, tmp_path):
    tau, force = run.tau.copy(), run.contact_force.copy()
    tau[3] = 1e300
    force[2] = 1e300
    signals = {**run.signals, "solve_time": np.full(len(run), np.inf), "com_reference": np.full((len(run), 3), np.nan)}
    assert written(replace(run, tau=tau, contact_force=force, signals=signals), tmp_path)[1] == ()


def test_the_same_run_gives_the_same_file(run, full, tmp_path):
    assert written(run, tmp_path, pictures=[Picture("start", b"\x89PNG")])[2] == full[2]


def test_one_simulation_of_a_batch_is_reported(tmp_path):
    model = ts.robots.planar4()
    both = ts.simulate(model, np.zeros((2, model.nq)), np.zeros((2, model.nv)), duration=0.01)
    with pytest.raises(ArgumentError, match="holds 2 simulations"):
        ts.write_report(both, tmp_path / "report.html")
    assert "Energy" in written(both, tmp_path, simulation=1)[0].headings


def test_the_command_adds_pictures_and_tells_what_is_left_out(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ts.save(replace(run, signals={}), "run.h5")
    result = CliRunner().invoke(app, ["report", "run.h5", "--moments", "2"])
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "left out: Solver: nothing was logged" in result.stdout
    assert "run.html: 31 samples of hrp2, 2 pictures" in result.stdout
    page = Page((tmp_path / "run.html").read_text())
    assert [source.startswith("data:image/png") for source in page.sources[:2]] == [True, True]
    assert "0.3 s" in page.words
    for arguments, words in ((["run.h5", "-o", "run.pdf"], "must end in .html"), (["none.h5"], "none.h5")):
        refused = CliRunner().invoke(app, ["report", *arguments])
        assert refused.exit_code != 0 and words in refused.stderr


@pytest.mark.chromium
def test_a_browser_shows_a_report_without_a_network(run, tmp_path):
    ts.save(run, tmp_path / "run.h5")
    result = CliRunner().invoke(app, ["report", str(tmp_path / "run.h5"), "-o", str(tmp_path / "run.html")])
    assert result.exit_code == 0, result.stderr
    with Chromium((1000, 4200)) as browser:
        browser.open(f"file://{tmp_path / 'run.html'}")
        assert browser.errors == []
        assert all(request.startswith(("file://", "data:")) for request in browser.requests)
        assert browser.run("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        assert browser.run("document.images.length") == 6 + len(SECTIONS)
        picture = browser.picture().astype(int)
    blue = (picture[..., 2] > 150) & (picture[..., 0] < 80)  # bars of torques
    assert blue.sum() > 500
