"""Reading recordings that nobody vouches for.

Sizes are checked before memory is taken for them, links are not followed, nothing is executed, no filter plugins are
loaded and no other files are opened. What remains is trust in the HDF5 library itself.
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Any

import numpy as np

from tarsus.arrays import AnyArray
from tarsus.errors import ModelError, RecordingError
from tarsus.geometry.triangles import Triangles
from tarsus.io.model_document import model_from_document
from tarsus.model.model import Model
from tarsus.recording.chunks import read_array
from tarsus.recording.energies import ENERGY_SIGNS
from tarsus.recording.format import CHECKSUM, FORMAT, FORMAT_VERSION, import_h5py, original_name
from tarsus.recording.trajectory import Trajectory

LONGEST_TEXT = 64 * 2**20
"""Largest JSON text [bytes]."""
MOST_PARTS = 100_000
"""Largest number of meshes or signals."""
MOST_VALUES = 4_000_000
"""Largest number of values in a JSON text, each of which takes about 100 bytes of memory, however short it is."""
_MOST_EXPANSION = 1100
"""What gzip can make of a byte (1032), with something to spare."""
_EXPANSION_ALLOWANCE = 2**16
"""Bytes that an array may have beyond what its stored pieces expand to."""


class RecordingReader:
    """Contents of an open HDF5 file, with what is left of the memory it may take.

    Parameters
    ----------
    file : file-like
    max_size : int
        Memory that arrays may take in all [bytes].
    """

    def __init__(self, file: Any, max_size: int) -> None:
        self._h5py = import_h5py()
        self._budget = max_size
        self._max_size = max_size
        self._root = self._h5py.File(file, "r")

    def close(self) -> None:
        """Close the file."""
        self._root.close()

    def trajectory(self) -> Trajectory:
        """Everything in the file."""
        self._check_format()
        run = self._json("run")
        if not isinstance(run, dict) or not isinstance(run.get("metadata"), dict):
            raise RecordingError("/run does not hold the metadata of a recording")
        names = self._json("contacts/names")
        if not isinstance(names, list):
            raise RecordingError("/contacts/names is not a list of names")
        model = self._model()
        if "time" not in self._root:  # ended before the first samples
            empty = np.empty(0)
            return Trajectory(
                model,
                empty,
                np.empty((0, model.nq)),
                np.empty((0, model.nv)),
                contacts=tuple(names),
                metadata=run["metadata"],
                finished=run.get("finished") is True,
                reason=str(run.get("reason", "")),
            )
        return Trajectory(
            model,
            self._floats("time"),
            self._floats("q"),
            self._floats("v"),
            self._floats("tau"),
            tuple(names),
            self._floats("contacts/position"),
            self._floats("contacts/force"),
            {name: self._floats(f"energy/{name}") for name in ENERGY_SIGNS if name in self._group("energy")},
            {original_name(name): self._array(f"signals/{name}", "fib") for name in self._parts("signals")},
            run["metadata"],
            run.get("finished") is True,
            str(run.get("reason", "")),
        )

    def _check_format(self) -> None:
        if "format" not in self._root.attrs or self._attribute("format", "S") != FORMAT.encode():
            raise RecordingError("is an HDF5 file, but not a recording of tarsus")
        version = int(self._attribute("format_version", "iu"))
        if version > FORMAT_VERSION:
            raise RecordingError(
                f"has format version {version}, written by a newer tarsus; this one reads up to {FORMAT_VERSION}"
            )
        if version < 1:
            raise RecordingError(f"has format version {version}, expected 1 or more")

    def _attribute(self, name: str, kinds: str, node: Any = None) -> Any:
        attributes = (self._root if node is None else node).attrs
        if name not in attributes:
            raise RecordingError(f"has no attribute {name!r}")
        kind = attributes.get_id(name)
        if kind.dtype.kind not in kinds or kind.shape != () or kind.dtype.itemsize > 1000:
            raise RecordingError(f"attribute {name!r} has type {kind.dtype} and shape {kind.shape}")
        return attributes[name]

    def _model(self) -> Model:
        numbers = self._parts("model/meshes")
        if sorted(numbers) != sorted(str(k) for k in range(len(numbers))):
            raise RecordingError("/model/meshes is not numbered from zero")
        meshes = [self._mesh(f"model/meshes/{k}") for k in range(len(numbers))]
        document = self._json("model/document")
        try:
            return model_from_document(document, meshes)
        except ModelError as error:
            raise RecordingError(f"holds a model that cannot be rebuilt: {error}") from error

    def _mesh(self, place: str) -> Triangles:
        self._group(place)
        vertices = self._array(f"{place}/vertices", "f").astype(float, copy=False)
        faces = self._array(f"{place}/faces", "i").astype(np.intp, copy=False)
        for array in (vertices, faces):
            if array.ndim != 2 or array.shape[1] != 3:
                raise RecordingError(f"/{place} has an array of shape {array.shape}, expected (n, 3)")
            array.flags.writeable = False
        if not np.isfinite(vertices).all():
            raise RecordingError(f"/{place}/vertices are not finite")
        if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise RecordingError(f"/{place}/faces have corners that do not exist")
        return Triangles(vertices, faces)

    def _json(self, place: str) -> Any:
        dataset = self._dataset(place)
        if dataset.dtype.kind != "S" or dataset.shape != () or dataset.dtype.itemsize > LONGEST_TEXT:
            raise RecordingError(f"/{place} has type {dataset.dtype} and shape {dataset.shape}, expected a text")
        text = bytes(dataset[()])
        self._check_sum(dataset, place, text)
        values = sum(text.count(mark) for mark in (b",", b"[", b"{"))
        if values > MOST_VALUES:
            raise RecordingError(f"/{place} has {values} values, more than {MOST_VALUES}")
        try:
            return json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise RecordingError(f"/{place} is not valid JSON: {error}") from None

    def _floats(self, place: str) -> AnyArray:
        array = self._array(place, "f")
        return np.asarray(array, dtype=np.float64)

    def _array(self, place: str, kinds: str) -> AnyArray:
        """AnyArray of a dataset whose type, filters and size were checked first."""
        dataset = self._dataset(place)
        if dataset.dtype.kind not in kinds or dataset.dtype.itemsize > 8 or dataset.dtype.fields is not None:
            raise RecordingError(f"/{place} has type {dataset.dtype}, which recordings do not use")
        size = math.prod(dataset.shape) * (1 if dataset.dtype.kind == "b" else 8)  # as numbers of eight bytes, later
        if size > self._budget:
            raise RecordingError(
                f"/{place} takes {size} bytes, the arrays together more than the limit of {self._max_size}; "
                "a larger max_size= admits them"
            )
        self._budget -= size
        if size > _MOST_EXPANSION * dataset.id.get_storage_size() + _EXPANSION_ALLOWANCE:
            raise RecordingError(f"/{place} promises {size} bytes, but {dataset.id.get_storage_size()} are stored")
        array = read_array(dataset, place)
        self._check_sum(dataset, place, array.reshape(-1).view(np.uint8).data)
        return array

    def _check_sum(self, dataset: Any, place: str, content: bytes | memoryview) -> None:
        if CHECKSUM not in dataset.attrs or self._attribute(CHECKSUM, "u", dataset) != zlib.crc32(content):
            raise RecordingError(f"/{place} is damaged: its checksum is wrong")

    def _dataset(self, place: str) -> Any:
        """Dataset at a place to which plain links lead, stored in this file."""
        dataset = self._found(place)
        if not isinstance(dataset, self._h5py.Dataset):
            raise RecordingError(f"/{place} is a group, expected an array")
        if dataset.external or dataset.is_virtual:
            raise RecordingError(f"/{place} lies in another file, expected everything in one")
        return dataset

    def _group(self, place: str) -> Any:
        group = self._found(place)
        if not isinstance(group, self._h5py.Group):
            raise RecordingError(f"/{place} is not a group")
        return group

    def _parts(self, place: str) -> list[str]:
        group = self._group(place)
        if len(group) > MOST_PARTS:
            raise RecordingError(f"/{place} holds {len(group)} parts, more than {MOST_PARTS}")
        return list(group)

    def _found(self, place: str) -> Any:
        node = self._root
        for name in place.split("/"):
            link = node.get(name, getlink=True) if isinstance(node, self._h5py.Group) else None
            if link is None:
                raise RecordingError(f"/{place} is missing")
            if not isinstance(link, self._h5py.HardLink):
                raise RecordingError(f"/{place} is a link to somewhere else, expected everything in one file")
            node = node[name]
        return node


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not a number of JSON")
