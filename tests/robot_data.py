"""Where the robots of the package example-robot-data are installed."""

from importlib.metadata import distribution
from pathlib import Path


def robots_directory() -> Path:
    """Directory with one directory for each robot."""
    return Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))


def robot_data_path(relative: str) -> Path:
    """Path of a file such as "talos_data/robots/talos_reduced.urdf"."""
    path = robots_directory() / relative
    if not path.is_file():
        raise FileNotFoundError(path)
    return path


def urdf_files() -> list[str]:
    """All URDF files, relative to `robots_directory`, in alphabetical order."""
    root = robots_directory()
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.urdf"))
