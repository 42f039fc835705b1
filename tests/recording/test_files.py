"""Recordings: what is saved is read back, and files that are something else are refused."""

import os
import shutil

import h5py
import numpy as np
import pytest
from matplotlib.image import imread
from recording.runs import append, assert_same, random_run
from robot_data import robot_data_path
from sample_models import double_pendulum, zoo

import tarsus as ts
from tarsus.errors import ArgumentError, RecordingError, RecordingWarning
from tarsus.recording.format import original_name, stored_name

VISIBLE = 0.01
"""Contrast of a picture that shows something."""
MUTATIONS = 60
"""Random damages of a file; thousands were tried, these keep it so."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.h5"


@pytest.fixture
def saved(path):
    ts.save(random_run(), path)
    return path


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
@pytest.mark.parametrize("compression", [0, 1])
def test_everything_is_read_back_bit_by_bit(path, batch, compression):
    run = random_run(batch=batch, finished=False, reason="fell at 0.04 s")
    ts.save(run, path, compression=compression)
    found = ts.open_recording(path)
    assert_same(found, run)
    assert (found.finished, found.reason) == (False, "fell at 0.04 s")


@pytest.mark.parametrize("samples", [0, 1, 5000])
def test_any_number_of_samples(path, samples):
    run = random_run(samples=samples)
    ts.save(run, path)
    assert_same(ts.open_recording(path), run)


def test_trajectory_without_contacts_energies_and_signals(path):
    model = double_pendulum().build()
    run = ts.Trajectory(model, [0.0, 1.0], np.zeros((2, 2)), np.ones((2, 2)))
    ts.save(run, path)
    found = ts.open_recording(path)
    assert_same(found, run)
    assert found.energy == found.signals == {}


def test_extreme_numbers_are_not_rounded(path):
    run = random_run(samples=4)
    values = np.array([5e-324, -0.0, 1.7976931348623157e308, np.nextafter(1.0, 2.0)])
    run = ts.Trajectory(run.model, run.time, run.q, run.v, signals={"x": values, "nan": np.full(4, np.nan)})
    ts.save(run, path)
    assert_same(ts.open_recording(path), run)


def test_rebuilt_model_gives_the_same_bits(path):
    model = ts.robots.hrp2()
    ts.save(random_run(model, samples=5), path)
    run = ts.open_recording(path)
    again = ts.forward_dynamics(run.model, run.q, run.v, run.tau)
    assert again.tobytes() == ts.forward_dynamics(model, run.q, run.v, run.tau).tobytes()
    assert list(run.model.frames) == list(model.frames)


def test_recording_stands_alone_with_its_meshes(path, tmp_path):
    folder = tmp_path / "robot"
    mesh = next(robot_data_path("talos_data/robots/talos_reduced.urdf").parents[1].rglob("*.STL"))
    folder.mkdir()
    shutil.copy(mesh, folder / "part.stl")
    (folder / "robot.urdf").write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="part.stl" scale="0.5 0.5 0.5"/></geometry></visual></link></robot>'
    )
    model = ts.load(folder / "robot.urdf", "free")
    expected = picture(model, tmp_path)
    ts.save(random_run(model, samples=2), path)
    shutil.rmtree(folder)
    found = ts.open_recording(path).model
    np.testing.assert_array_equal(picture(found, tmp_path), expected)
    ts.save(random_run(found, samples=2), path)  # and again, from the triangles in memory
    np.testing.assert_array_equal(picture(ts.open_recording(path).model, tmp_path), expected)
    assert expected[..., :3].std() > VISIBLE


def picture(model, folder):
    ts.draw(model, path=folder / "picture.png", size=(80, 80))
    return imread(folder / "picture.png")


def test_mesh_that_cannot_be_read_is_told_and_kept_by_name(path, tmp_path):
    (tmp_path / "robot.urdf").write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="part.stl"/></geometry></visual></link></robot>'
    )
    (tmp_path / "part.stl").write_bytes(b"nonsense")
    model = ts.load(tmp_path / "robot.urdf", "free")
    with pytest.warns(RecordingWarning, match="part.stl"):
        ts.save(random_run(model, samples=2), path)
    mesh = ts.open_recording(path).model.description.links[0].visuals[0].geometry
    assert (mesh.uri, mesh.path, mesh.content) == ("part.stl", None, None)


def test_any_hdf5_program_can_read_the_arrays(saved):
    run = random_run()
    with h5py.File(saved) as file:
        assert file.attrs["format"] == b"tarsus recording"
        np.testing.assert_array_equal(file["q"], run.q)
        np.testing.assert_array_equal(file["contacts/force"], run.contact_force)
        np.testing.assert_array_equal(file["energy/kinetic"], run.energy["kinetic"])
        np.testing.assert_array_equal(file["signals/imu%2Facceleration"], run.signals["imu/acceleration"])


@pytest.mark.parametrize("name", ["a", "a/b", ".", "..", "a.b", "100%", "%2F", "Kraft [N]", "µ", "力/左"])
def test_names_of_signals_survive(path, name):
    assert "/" not in stored_name(name)
    assert stored_name(name).strip(".")
    assert original_name(stored_name(name)) == name
    model = double_pendulum().build()
    run = ts.Trajectory(model, [0.0], np.zeros((1, 2)), np.zeros((1, 2)), signals={name: np.ones(1)})
    ts.save(run, path)
    assert list(ts.open_recording(path).signals) == [name]


def test_saving_over_a_recording_replaces_it_and_leaves_nothing_else(saved):
    other = random_run(zoo().build())
    ts.save(other, saved)
    assert_same(ts.open_recording(saved), other)
    assert os.listdir(saved.parent) == ["run.h5"]


def test_trajectory_is_needed(path):
    with pytest.raises(ArgumentError, match=r"expected a tarsus\.Trajectory"):
        ts.save({"q": 1}, path)
    assert not path.exists()


@pytest.mark.parametrize("place", ["nowhere/run.h5", "", "."])
def test_place_that_cannot_be_written_is_told(tmp_path, place):
    with pytest.raises(RecordingError, match="cannot be written|is a directory"):
        ts.save(random_run(), tmp_path / place)
    assert not list(tmp_path.iterdir())


# Files that are something else


def test_missing_file_is_told(path):
    with pytest.raises(RecordingError, match=r"run\.h5: cannot be read \(No such file"):
        ts.open_recording(path)


@pytest.mark.parametrize(
    "content", [b"", b"x", b"<robot/>" * 100, b"\x89HDF\r\n\x1a\n", b"\x89HDF\r\n\x1a\n" + bytes(999)]
)
def test_foreign_file_is_told(path, content):
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"run\.h5: is (not a recording|damaged)"):
        ts.open_recording(path)


def test_directory_and_pipe_are_refused_without_waiting(tmp_path, path):
    os.mkfifo(path)
    for place in (tmp_path, path):
        with pytest.raises(RecordingError, match="regular file"):
            ts.open_recording(place)


def test_other_hdf5_file_is_told(path):
    with h5py.File(path, "w") as file:
        file["q"] = np.zeros(3)
    with pytest.raises(RecordingError, match="not a recording of tarsus"):
        ts.open_recording(path)


def test_newer_version_is_told(saved):
    with h5py.File(saved, "r+") as file:
        file.attrs["format_version"] = 2
    with pytest.raises(RecordingError, match="format version 2, written by a newer tarsus; this one reads up to 1"):
        ts.open_recording(saved)


def test_file_cut_anywhere_is_refused(saved):
    content = saved.read_bytes()
    for length in np.linspace(8, len(content) - 1, 60).astype(int):
        saved.write_bytes(content[:length])
        with pytest.raises(RecordingError):
            ts.open_recording(saved)


def test_damaged_file_is_refused_or_unharmed(saved):
    content, run = saved.read_bytes(), random_run()
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(MUTATIONS):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=rng.integers(1, 6)):
            damaged[place] = rng.integers(256)
        saved.write_bytes(damaged)
        try:
            found = ts.open_recording(saved)
        except RecordingError:
            refused += 1
        else:
            assert_same(found, run)
    assert 0 < refused < MUTATIONS


def test_larger_than_the_limit_is_told_before_it_is_read(saved):
    with pytest.raises(RecordingError, match=r"more than the limit of 500; a larger max_size= admits them"):
        ts.open_recording(saved, max_size=500)


# Files made to harm


def replaced(path, place, make):
    """Put something else in a place of a recording."""
    with h5py.File(path, "r+") as file:
        if place in file:
            del file[place]
        make(file, place)


def dataset(**options):
    return lambda file, place: file.create_dataset(place, **options)


def test_links_are_not_followed(saved, tmp_path):
    other = tmp_path / "other.h5"
    shutil.copy(saved, other)
    for link in (h5py.ExternalLink("other.h5", "/q"), h5py.SoftLink("/v")):
        replaced(saved, "q", lambda file, place, link=link: file.__setitem__(place, link))
        with pytest.raises(RecordingError, match="/q is a link to somewhere else"):
            ts.open_recording(saved)


def test_data_in_other_files_is_not_read(saved, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(640))
    replaced(saved, "q", dataset(shape=(40, 2), dtype="f8", external=[(str(secret), 0, 640)]))
    with pytest.raises(RecordingError, match="another file"):
        ts.open_recording(saved)
    layout = h5py.VirtualLayout((40, 2), "f8")
    layout[:] = h5py.VirtualSource(str(saved), "v", (40, 2))
    replaced(saved, "q", lambda file, place: file.create_virtual_dataset(place, layout))
    with pytest.raises(RecordingError, match="another file"):
        ts.open_recording(saved)


def test_promised_sizes_are_not_believed(saved):
    replaced(saved, "q", dataset(shape=(10**7, 2), dtype="f8", chunks=(1000, 2)))
    with pytest.raises(RecordingError, match="promises 160000000 bytes, but 0 are stored"):
        ts.open_recording(saved)
    replaced(saved, "q", dataset(shape=(10**12, 2), dtype="f8", chunks=(1000, 2)))
    with pytest.raises(RecordingError, match="more than the limit"):
        ts.open_recording(saved)


def test_unknown_filters_are_not_loaded(saved):
    replaced(saved, "q", dataset(data=np.zeros((40, 2)), chunks=(40, 2), compression="lzf"))
    with pytest.raises(RecordingError, match="/q needs the filter 32000"):
        ts.open_recording(saved)


ODD = [
    ("q", dataset(data=np.array([b"x"] * 40)), "/q has type"),
    ("q", dataset(data=["a"] * 40), "/q has type"),
    ("q", dataset(data=np.zeros(40, dtype=[("a", "f8")])), "/q has type"),
    ("q", lambda file, place: file.create_group(place), "/q is a group"),
    ("q", lambda file, place: None, "/q is missing"),
    ("run", dataset(data=np.bytes_(b"{}")), "/run is damaged"),
    ("run", dataset(data=np.zeros(3)), "expected a text"),
    ("energy", dataset(data=np.zeros(3)), "/energy is not a group"),
    ("signals/zz", lambda file, place: file.create_group(place), "is a group"),
    ("model/meshes/7", lambda file, place: file.create_group(place), "not numbered from zero"),
]


@pytest.mark.parametrize(("place", "make", "message"), ODD)
def test_odd_contents_are_told(saved, place, make, message):
    replaced(saved, place, make)
    with pytest.raises(RecordingError, match=message):
        ts.open_recording(saved)


# Unfinished recordings


def test_unfinished_recording_is_found_under_the_name_of_the_finished_one(path):
    run = random_run()
    recorder = ts.Recorder(path, run.model, contacts=run.contacts, metadata=run.metadata)
    append(recorder, run)
    recorder.flush()
    with pytest.raises(RecordingError, match="still being recorded"):
        ts.open_recording(path)
    del recorder
    found = ts.open_recording(path)
    assert_same(found, run)
    assert not found.finished
    assert "not closed" in found.reason


def test_unfinished_recording_beside_a_good_one_is_told(saved):
    recorder = ts.Recorder(saved, double_pendulum().build())
    del recorder
    with pytest.warns(RecordingWarning, match="unfinished"):
        assert_same(ts.open_recording(saved), random_run())
