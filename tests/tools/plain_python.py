"""A Python with pytest and nothing else, as a small project has it.

Ours loads seven plug-ins at each start, and takes more than twice the processor time for one test.
"""

import atexit
import compileall
import functools
import shutil
import tempfile
import venv
from importlib.metadata import distribution
from pathlib import Path


@functools.cache
def plain_bin() -> str:
    """The `bin` of one for all tests of this process, from the first that needs it."""
    folder = tempfile.mkdtemp(prefix="reknit-python-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(plain_python(Path(folder) / "python"))


def plain_python(folder: Path, *also: str) -> Path:
    """A virtual environment in that folder; its `bin`. `also`: more distributions of this environment."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments", *also):
        for file in distribution(name).files or ():
            source, place = Path(str(file.locate())), packages / file
            if file.parts[0] != ".." and source.exists():  # a list may name compiled files that are no longer there
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place)  # with its time, by which Python knows what it has compiled
    compileall.compile_dir(packages, quiet=2)  # only what the other has not compiled
    return folder / "bin"
