"""Small Pythons made of files, and real virtual environments."""

import os
import sys
from pathlib import Path

from reknit.adapters import process


def installation(prefix: Path, *packages: str, name: str = "python3.11") -> Path:
    """An interpreter with its library; returns the interpreter."""
    program = prefix / "bin" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    install(prefix, *packages)
    return program


def install(prefix: Path, *packages: str) -> None:
    for package in packages or ("pip",):
        folder = prefix / "lib" / "python3.11" / "site-packages" / package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()


def venv(place: Path, base: Path, *packages: str, config: str = "") -> str:
    """A virtual environment; returns its interpreter."""
    install(place, *packages)
    (place / "bin").mkdir(parents=True, exist_ok=True)
    (place / "bin" / "python").symlink_to(base)
    (place / "pyvenv.cfg").write_text(f"home = {base.parent}\n{config}")
    return str(place / "bin" / "python")


def real_venv(place: Path, *packages: str) -> str:
    """Of the Python that runs these tests."""
    made = process.run([sys.executable, "-m", "venv", "--without-pip", str(place)], env={"PATH": os.environ["PATH"]})
    assert made.exit_code == 0, made.stderr
    site = next(place.glob("lib/python3*/site-packages"))
    for package in packages:
        (site / package).mkdir()
        (site / package / "__init__.py").touch()
    return str(place / "bin" / "python")
