"""Models as JSON documents: rebuilt bit by bit, and refused where a document is not one."""

import copy
import json
import warnings

import loop_models
import numpy as np
import pytest
from robot_data import robot_data_path
from sample_models import double_pendulum, zoo

import tarsus as ts
from tarsus.errors import ModelError, TarsusError
from tarsus.io.model_document import model_from_document, model_to_document

MUTATIONS = 300
"""Random changes of a document."""


def there_and_back(model):
    document = model_to_document(model)
    return model_from_document(json.loads(json.dumps(document.content, allow_nan=False)), document.meshes)


def same_bits(a, b):
    rng = np.random.default_rng(2)
    q, v, tau = a.random(rng, 3), rng.normal(size=(3, a.nv)), rng.normal(size=(3, a.nv))
    calls = (
        lambda m: ts.forward_dynamics(m, q, v, tau),
        lambda m: ts.mass_matrix(m, q),
        lambda m: ts.body_poses(m, q),
        lambda m: ts.passive_force(m, q, v),
        lambda m: m.joint_positions(q),
        lambda m: m.q_min,
        lambda m: m.q_max,
        lambda m: m.v_max,
        lambda m: m.tau_max,
        lambda m: m.actuated,
        lambda m: m.reference,
        lambda m: m.gravity,
    )
    return all(call(a).tobytes() == call(b).tobytes() for call in calls)


MODELS = {
    **{name: getattr(ts.robots, name) for name in ("hrp2", "lola", "crops9", "feng18", "shah7", "rabbit", "planar4")},
    "dill": lambda: ts.robots.dill(2),
    "lola with drives": lambda: ts.robots.lola(drives="rigid"),
    "every joint": lambda: zoo().build(),
    "planar base": lambda: double_pendulum(base="planar", gravity=(0.0, 0.0, -1.62)).build(),
    "Euler angles": lambda: double_pendulum(base="free", rotation="xyz").build(),
}


@pytest.mark.parametrize("name", MODELS)
def test_model_is_rebuilt_bit_by_bit(name):
    model = MODELS[name]()
    again = there_and_back(model)
    assert same_bits(model, again)
    for names in ("bodies", "joints", "frames"):
        assert list(getattr(again, names)) == list(getattr(model, names))
    assert again.warnings == model.warnings
    assert again.coupling_mode == model.coupling_mode
    assert model_to_document(again).content == model_to_document(model).content


def test_loops_are_rebuilt_with_the_same_closures():
    model = loop_models.four_bar().build()
    again = there_and_back(model)
    assert model_to_document(again).content == model_to_document(model).content
    tables = [[closure.table.tobytes() for closure in m.coordinates.closures] for m in (model, again)]
    assert tables[0] == tables[1]
    assert len(tables[0]) == 1


def test_model_of_a_file_keeps_its_warnings_and_the_triangles_of_its_meshes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), "free")
    document = model_to_document(model)
    assert document.problems == []
    again = there_and_back(model)
    assert same_bits(model, again)
    assert again.warnings == model.warnings
    shapes = [
        (one.geometry, other.geometry)
        for a, b in zip(model.description.links, again.description.links, strict=True)
        for one, other in zip((*a.visuals, *a.collisions), (*b.visuals, *b.collisions), strict=True)
    ]
    from tarsus.geometry.meshes.read import read_mesh
    from tarsus.model.shapes import Mesh

    meshes = [(one, other) for one, other in shapes if isinstance(one, Mesh)]
    assert len(meshes) > 20
    for one, other in meshes[::10]:
        expected = read_mesh(one.path)
        corners = other.content.vertices[other.content.faces]
        np.testing.assert_array_equal(corners, expected.vertices[expected.faces])
        assert (other.uri, other.scale, other.path) == (one.uri, one.scale, None)


def test_each_mesh_file_is_kept_once():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), "free")
    from tarsus.model.shapes import Mesh

    shapes = [shape for link in model.description.links for shape in (*link.visuals, *link.collisions)]
    files = {shape.geometry.path for shape in shapes if isinstance(shape.geometry, Mesh)}
    assert len(model_to_document(model).meshes) == len(files)


def test_locked_couplings_stay_locked():
    model = ts.robots.lola(drives="rigid")
    from tarsus.model.assembly import assemble

    for mode in ("cut", "lock"):
        other = assemble(model.description, couplings=mode)
        assert there_and_back(other).nv == other.nv
        assert same_bits(other, there_and_back(other))


def changed(change):
    content = json.loads(json.dumps(model_to_document(double_pendulum().build()).content))
    change(content)
    return content


def joint(content):
    return content["description"]["joints"][0]


def volume(**other):
    return {"vertices": [[0.0, 0.0, 0.0]], "radius": 0.1, **other}


BAD = [
    (lambda d: d.update(version=2), "version is 2, expected at most 1: a newer tarsus"),
    (lambda d: d.update(version="1"), "version is '1'"),
    (lambda d: d.pop("couplings"), "expected an object with couplings, description, version, warnings"),
    (lambda d: d.update(couplings="melt"), "couplings is 'melt', expected one of reduce, cut, lock"),
    (lambda d: joint(d).update(kind="elastic"), r"joints\[0\].kind is 'elastic', expected one of fixed, revolute"),
    (lambda d: joint(d).update(axis=[0, 1]), r"joints\[0\].axis is \[0, 1\], expected a list of 3"),
    (lambda d: joint(d).update(axis=[0, True, 0]), r"axis\[1\] is True, expected a number"),
    (lambda d: joint(d).update(pitch="x"), r"pitch is 'x', expected a number"),
    (lambda d: joint(d).update(pitch=10**400), "pitch is 1000.*expected a number"),
    (lambda d: joint(d).update(extra=1), r"joints\[0\] is .*expected an object with name"),
    (lambda d: joint(d).update(parent="nobody"), "nobody"),
    (lambda d: joint(d).update(pose=[[0.0] * 4] * 4), "pose|rotation"),
    (lambda d: joint(d).update(q_min=[1.0, 2.0, 3.0]), "q_min|limit|values"),
    (lambda d: d["description"].update(rotation="up"), "rotation is 'up'"),
    (lambda d: d["description"].update(base="on rails"), "base is 'on rails'"),
    (lambda d: d["description"].update(links=[]), "link"),
    (lambda d: d["description"].update(links=None), "links is None, expected a list"),
    (lambda d: joint(d).update(source=["f", -1]), "number of a line"),
    (lambda d: d["description"].update(volumes={"upper": [[0, 0, 0]]}), r"volumes.upper\[0\] is .*an object with vert"),
    (lambda d: d["description"].update(volumes={"upper": [volume(radius=-1.0)]}), r"swept sphere: radius.*found -1.0"),
    (lambda d: d["description"].update(volumes={"upper": [volume(radius="nan")]}), "swept sphere: radius.*found nan"),
    (lambda d: d["description"].update(volumes={"upper": [volume(vertices=[])]}), "swept sphere: vertices.*shape"),
    (lambda d: d["description"].update(volumes={"uper": [volume()]}), "unknown frame 'uper'; close: 'upper'"),
    (
        lambda d: d["description"]["links"][0].update(
            visuals=[
                {"geometry": {"mesh": {"uri": "", "scale": [1, 1, 1], "triangles": 0}}, "pose": np.eye(4).tolist(),
                 "color": [0, 0, 0, 1], "name": ""}
            ]
        ),
        "triangles is 0, expected less than 0",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_document_is_told(change, message):
    with pytest.raises(ModelError, match=message):
        model_from_document(changed(change))


@pytest.mark.parametrize("content", [None, [], "x", 3, {}, {"version": None}])
def test_something_else_is_told(content):
    with pytest.raises(ModelError, match="version is None"):
        model_from_document(content)


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def test_documents_with_anything_anywhere_are_refused_by_errors_of_tarsus():
    rng = np.random.default_rng(9)
    good = json.loads(json.dumps(model_to_document(ts.robots.planar4()).content))
    known = [path for path in places(good) if path]
    odd = [None, True, -1, 0, 10**30, 1e308, "inf", "nan", "", "\udc80", "x" * 100, [], [[]], {}, {"a": 1}, -0.5]
    refused = 0
    for _ in range(MUTATIONS):
        content = copy.deepcopy(good)
        path = known[rng.integers(len(known))]
        owner = content
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = odd[rng.integers(len(odd))]
        try:
            model_from_document(content)
        except TarsusError:
            refused += 1
    assert refused > MUTATIONS // 2
