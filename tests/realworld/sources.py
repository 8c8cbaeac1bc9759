"""Source archives by the package registries' own clients: only names and versions are written here."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FETCH_S = 300


@dataclass(frozen=True)
class PyPI:
    """The source archive of a release; its build requirements are fetched too, as pip reads its metadata."""

    name: str
    version: str

    def fetch(self, downloads: Path) -> Path:
        here = downloads / f"pypi-{self.name}-{self.version}"
        if not here.exists():
            words = ["download", "-q", "--no-deps", "--no-binary", ":all:", "-d", "new", f"{self.name}=={self.version}"]
            _download([sys.executable, "-m", "pip", *words], here)
        return here


@dataclass(frozen=True)
class Npm:
    name: str
    version: str

    def fetch(self, downloads: Path) -> Path:
        here = downloads / f"npm-{self.name.replace('/', '-')}-{self.version}"
        if not here.exists():
            _download(["npm", "pack", "--silent", "--pack-destination", "new", f"{self.name}@{self.version}"], here)
        return here


@dataclass(frozen=True)
class Debian:
    """A library that Debian packages as source, such as those of Go and Rust; `folder` is where the package has it."""

    name: str
    version: str
    folder: str

    def fetch(self, downloads: Path) -> Path:
        here = downloads / f"debian-{self.name}-{self.version}"
        if not here.exists():
            package = f"{self.name}={self.version}"
            _download(["sh", "-c", f"cd new && apt-get download -q {package} && dpkg -x *.deb {self.name}"], here)
        return here


Source = PyPI | Npm | Debian


def unpack(source: Source, downloads: Path, into: Path) -> None:
    """The sources as a project's folder."""
    archive = source.fetch(downloads)
    if isinstance(source, Debian):
        shutil.copytree(archive / source.name / source.folder, into, symlinks=True)
        return
    (packed,) = archive.iterdir()
    into.mkdir(parents=True)
    subprocess.run(["tar", "-xf", packed, "--no-same-owner", "--strip-components=1", "-C", into], check=True)


def _download(command: list[str], here: Path) -> None:
    """Into a folder of its own, which has its name only once it is complete."""
    work = here.with_name(here.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    (work / "new").mkdir(parents=True)
    subprocess.run(command, cwd=work, check=True, timeout=FETCH_S, stdin=subprocess.DEVNULL)
    (work / "new").rename(here)
    work.rmdir()
