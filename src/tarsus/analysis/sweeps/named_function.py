"""Functions by name: of a file, or of a module."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tarsus.errors import ArgumentError, UnknownNameError, nearest

STUDIES = {"push-limit": "tarsus.analysis.push_limits:push_limit"}
"""Functions of this library that have a name of their own."""
IN_FILE = "::"
"""Between a file and the name of a function in it."""


@dataclass(frozen=True)
class FileFunction:
    """A function of a file that is no module, which workers load by its path.

    Attributes
    ----------
    path : str
        Absolute, so that workers elsewhere find it.
    name : str
    """

    path: str
    name: str

    @property
    def loaded(self) -> Callable[..., Any]:
        """The function itself.

        Raises
        ------
        UnknownNameError
            If the file does not define it.
        """
        found = self.attribute(self.name)
        if not callable(found):
            functions = [name for name, value in vars(_module(self.path)).items() if inspect.isfunction(value)]
            raise UnknownNameError(f"{self.path} defines no function {self.name!r}{nearest(self.name, functions)}")
        function: Callable[..., Any] = found
        return function

    def attribute(self, name: str) -> Any:
        """What the file defines under a name, None if nothing."""
        return getattr(_module(self.path), name, None)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function."""
        return self.loaded(*given, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.loaded)

    @property
    def sweep_name(self) -> str:
        """Name for the file of results, wherever the file is."""
        return f"{Path(self.path).name}{IN_FILE}{self.name}"

    @property
    def sweep_source(self) -> str:
        """File whose text is part of what computes results."""
        return self.path


def named_function(name: str, directory: Path = Path()) -> Callable[..., Any]:
    """The function of a name: ``file.py::function``, ``package.module:function``, or a study of this library.

    Parameters
    ----------
    directory : Path
        What the names of files are relative to.

    Raises
    ------
    ArgumentError
        If the name is neither, or its file or module cannot be loaded.
    """
    name = STUDIES.get(name, name)
    file, found, function = name.partition(IN_FILE)
    if found and function:
        path = (directory / file).resolve()
        if not path.is_file():
            raise ArgumentError(f"function {name!r}: there is no file {str(path)!r}")
        made = FileFunction(str(path), function)
        _ = made.loaded
        return made
    module, found, function = name.partition(":")
    if not (found and module and function):
        raise ArgumentError(
            f"function is {name!r}, expected file.py::function, package.module:function, or {', '.join(STUDIES)}"
        )
    try:
        value = getattr(importlib.import_module(module), function, None)
    except ImportError as error:
        raise ArgumentError(f"function {name!r}: {error}") from None
    if not callable(value):
        raise UnknownNameError(f"module {module!r} has no function {function!r}")
    loaded: Callable[..., Any] = value
    return loaded


@functools.cache
def _module(path: str) -> ModuleType:
    """A file as a module, with its neighbours within reach of its imports."""
    file = Path(path)
    specification = importlib.util.spec_from_file_location(f"swept_{file.stem}", file)
    if specification is None or specification.loader is None:
        raise ArgumentError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[specification.name]
        raise ArgumentError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module
