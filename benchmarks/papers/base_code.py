"""The straightforward ("base") codes of figures 3.3 to 3.6 and table 3.1: `base/base.cpp`, compiled when needed."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import Statement
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, TarsusError
from tarsus.files import whole_file
from tarsus.model.model import Model

SOURCES = Path(__file__).parent / "base"
BUILT = Path(__file__).parents[2] / "build" / "papers"
FLAGS = ("-std=c++17", "-O2", "-shared", "-fPIC")
BASE_METHODS = {
    "articulated-body": 0,
    "composite-body": 1,
    "composite-body-sparse": 2,
    "newton-euler": 3,
    "newton-euler-sparse": 4,
}
"""Numbers of the methods in base.cpp by the names that the library has for them."""

_NUMBERS = ctypes.POINTER(ctypes.c_double)


class BaseCode:
    """The base codes for one model.

    Parameters
    ----------
    model : Model
        A tree of revolute joints about z on the ground, such as Coil and Dill.
    """

    def __init__(self, model: Model) -> None:
        base, *joints = model.joints.values()
        bodies = list(model.bodies.values())[1:]
        plain = all(
            joint.kind in ("revolute", "continuous")
            and tuple(joint.axis) == (0.0, 0.0, 1.0)
            and np.array_equal(joint.child_pose, np.eye(4))
            for joint in joints
        )
        if base.kind != "fixed" or not plain or len(joints) != len(bodies) or model.nv != len(joints):
            raise ArgumentError(f"base codes know trees of revolute joints about z; {model.name} has others")
        index = {name: i - 1 for i, name in enumerate(model.bodies)}
        parent = np.array([index[joint.parent] for joint in joints], dtype=np.int32)
        pose = np.array([joint.pose[:3] for joint in joints])
        inertia = np.array([_inertia_row(body.inertia) for body in bodies])
        gravity = np.array(model.gravity, dtype=float)
        self._library = _library()
        self._tree = self._library.base_make(
            len(joints), parent.ctypes.data_as(ctypes.POINTER(ctypes.c_int)), *map(_pointer, (pose, inertia, gravity))
        )

    def __del__(self) -> None:
        if hasattr(self, "_tree"):
            self._library.base_free(self._tree)

    def forward_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray, method: str) -> FloatArray:
        """Accelerations, shape (nv,)."""
        vdot = np.empty(len(q))
        self._library.base_forward(self._tree, BASE_METHODS[method], *map(_pointer, (q, v, tau, vdot)))
        return vdot

    def statement(self, q: FloatArray, v: FloatArray, tau: FloatArray, method: str) -> Statement:
        """The call for one state, to be timed; it includes some 0.5 µs of ctypes."""
        arrays = {"q": q, "v": v, "tau": tau, "out": np.empty(len(q))}
        names: dict[str, Any] = {f"p_{name}": _pointer(array) for name, array in arrays.items()}
        names |= arrays | {"self": self, "f": self._library.base_forward, "t": self._tree, "k": BASE_METHODS[method]}
        return Statement("f(t, k, p_q, p_v, p_tau, p_out)", names)


def _inertia_row(inertia: Any) -> list[float]:
    J = inertia.moments
    return [inertia.mass, *inertia.com, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def _pointer(array: FloatArray) -> Any:
    return array.ctypes.data_as(_NUMBERS)


@cache
def _library() -> Any:
    library = ctypes.CDLL(str(_compiled()))
    library.base_make.restype = ctypes.c_void_p
    library.base_make.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_int), _NUMBERS, _NUMBERS, _NUMBERS]
    library.base_free.restype, library.base_free.argtypes = None, [ctypes.c_void_p]
    library.base_forward.restype = None
    library.base_forward.argtypes = [ctypes.c_void_p, ctypes.c_int, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS]
    return library


def _compiled() -> Path:
    """Path of the shared library for these sources; it is made where it is not there."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    content = b"".join(path.read_bytes() for path in sorted(SOURCES.iterdir()))
    digest = hashlib.sha256(content + repr((compiler, FLAGS)).encode()).hexdigest()[:16]
    made = BUILT / f"base-{digest}.so"
    if not made.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        try:
            with whole_file(made) as unfinished:
                command = [*compiler, *FLAGS, "-o", str(unfinished), str(SOURCES / "base.cpp")]
                subprocess.run(command, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise TarsusError(f"base codes need a C++ compiler; {compiler[0]} not found, set CXX") from None
        except subprocess.CalledProcessError as error:
            raise TarsusError(f"base codes do not compile: {error.stderr.strip()}") from None
    return made
