"""Finds the Python that a project's tests should run with, by looking at files: no code of the project is executed.

It knows the places where poetry, pdm, pipenv, hatch and conda keep environments. A repository's own files may name a
place, so they are believed only as far as the place can belong to this project: a name that contains the project's
path, or a conda environment.
"""

import glob
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.box.bubblewrap.prefixes import is_python, is_python_installation
from reknit.adapters.files.regular_files import read_text_if_any
from reknit.adapters.git.review_range import repository_around
from reknit.app.start.pythons.installed import find_interpreter, find_system_python, has_pytest
from reknit.core.languages.python.environments import (
    build_hatch_path,
    build_pdm_prefix,
    build_pipenv_name,
    build_poetry_name,
    read_conda_name,
)

_CONDA_ROOTS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")


def find_pdm(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the interpreter that pdm chose for this folder, if it can belong to the project."""
    interpreter = Path(read_text_if_any(folder / ".pdm-python").strip() or "/")
    if not interpreter.is_absolute() or ".." in interpreter.parts or not is_python(interpreter):
        return ""
    prefix = interpreter.parent.parent
    data = _locate_folder(environment, "XDG_DATA_HOME", ".local/share")
    is_own = prefix.parent == data / "pdm" / "venvs" and prefix.name.startswith(build_pdm_prefix(str(folder)))
    if prefix.is_relative_to(folder) or is_own:
        return find_interpreter(prefix)
    return str(interpreter) if is_python_installation(prefix) and not find_interpreter(prefix) else ""


def find_poetry(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the interpreter of poetry's environment: the active version, otherwise the newest."""
    name = build_poetry_name(read_text_if_any(folder / "pyproject.toml"), str(folder.resolve()))
    if not name:
        return ""
    place = _locate_poetry_environments(environment)
    active = _read_active_version(read_text_if_any(place / "envs.toml"), name)
    environments = sorted(place.glob(f"{glob.escape(name)}-py*"), key=_parse_version, reverse=True)
    environments.sort(key=lambda path: path.name != f"{name}-py{active}")
    return next(filter(None, map(find_interpreter, environments)), "")


def _locate_poetry_environments(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME", "/"))
    caches = _locate_folder(environment, "XDG_CACHE_HOME", ".cache")
    cache = Path(environment.get("POETRY_CACHE_DIR") or caches / "pypoetry")
    settings = read_text_if_any(_locate_folder(environment, "XDG_CONFIG_HOME", ".config") / "pypoetry" / "config.toml")
    set_by_user = re.search(r"^path\s*=\s*[\"']([^\"'\n]{1,500})[\"']", settings, re.MULTILINE)
    path = environment.get("POETRY_VIRTUALENVS_PATH") or (set_by_user[1] if set_by_user else "")
    path = path.replace("{cache-dir}", str(cache)).replace("~", str(home), 1)
    return Path(path or cache / "virtualenvs")


def _read_active_version(envs_toml: str, name: str) -> str:
    """Return the version that `poetry env use` chose."""
    try:
        entry = tomllib.loads(envs_toml).get(name, {})
    except tomllib.TOMLDecodeError:
        return ""
    return str(entry.get("minor", "")) if isinstance(entry, dict) else ""


def find_pipenv(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the interpreter of pipenv's environment."""
    pipfile = folder / "Pipfile"
    if not pipfile.is_file():
        return ""
    data = _locate_folder(environment, "XDG_DATA_HOME", ".local/share")
    place = Path(environment.get("WORKON_HOME") or data / "virtualenvs")
    return find_interpreter(place / build_pipenv_name(str(pipfile)))


def find_hatch(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the interpreters of hatch, which keeps one environment per purpose; that of the tests comes first."""
    place = build_hatch_path(read_text_if_any(folder / "pyproject.toml"), str(folder.resolve()))
    data = Path(
        environment.get("HATCH_DATA_DIR") or _locate_folder(environment, "XDG_DATA_HOME", ".local/share") / "hatch"
    )
    environments = (
        sorted((data / "env" / "virtual" / place).glob("*"), key=_parse_version, reverse=True) if place else []
    )
    environments.sort(key=lambda path: (not path.name.startswith("hatch-test"), path.name != place.partition("/")[0]))
    yield from filter(None, map(find_interpreter, environments))


def find_conda(folder: Path, environment: Mapping[str, str]) -> str:
    """Return the interpreter of the conda environment that a file of this folder names."""
    files = (read_text_if_any(folder / name) for name in ("environment.yml", "environment.yaml"))
    name = next(filter(None, map(read_conda_name, files)), "")
    if not name:
        return ""
    home = Path(environment.get("HOME", "/"))
    own = [environment[key] for key in ("MAMBA_ROOT_PREFIX", "CONDA_ROOT") if environment.get(key)]
    roots = [*map(Path, own), *(home / root for root in _CONDA_ROOTS), Path("/opt/conda")]
    places = (root / "envs" / name for root in roots)
    return next(
        (program for place in places if (place / "conda-meta").is_dir() and (program := find_interpreter(place))), ""
    )


def find_active_conda(environment: Mapping[str, str]) -> str:
    """Return the interpreter of the active conda environment, unless it is the base."""
    prefix = environment.get("CONDA_PREFIX", "")
    is_base = environment.get("CONDA_DEFAULT_ENV", "base") == "base"
    return find_interpreter(Path(prefix)) if prefix.startswith("/") and not is_base else ""


def _locate_folder(environment: Mapping[str, str], variable: str, default: str) -> Path:
    return Path(environment.get(variable) or Path(environment.get("HOME", "/"), default))


def _parse_version(path: Path) -> tuple[int, ...]:
    match = re.search(r"py(\d+)\.(\d+)", path.name)
    return tuple(map(int, match.groups())) if match else ()


SYSTEM = "python3 on PATH"


@dataclass(frozen=True)
class PythonEnvironment:
    """An interpreter for the tests of a project."""

    path: str
    """Absolute path of the interpreter; empty: this machine has no Python on PATH."""
    origin: str
    """Origin for people, such as `.venv` or `poetry's environment`."""
    has_pytest: bool


def find_python(repository: Path, folder: str, environment: Mapping[str, str]) -> PythonEnvironment:
    """Return the first environment that has pytest; if none has, the first.

    `python3` on PATH counts only if the project has none. `folder`: the project, below the repository's root.
    `environment`: the variables the command was started with.
    """
    folders = _list_folders_upwards(repository, folder)
    home = Path(environment.get("HOME", "/"))
    candidates = [
        PythonEnvironment(path, origin, has_pytest(path, home))
        for origin, path in _find_environments(repository, folders, environment)
    ]
    if candidates:
        return next((one for one in candidates if one.has_pytest), candidates[0])
    path = find_system_python(folders, repository, environment)
    return PythonEnvironment(path, SYSTEM, has_pytest(path, home) if path else False)


def _list_folders_upwards(repository: Path, folder: str) -> list[Path]:
    """List the project's folder and its parents up to the root, where a workspace has its one environment."""
    place = repository / folder
    return [place, *(parent for parent in place.parents if parent.is_relative_to(repository))]


def _find_environments(
    repository: Path, folders: Sequence[Path], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the origin and the interpreter of each environment."""
    names = (*filter(None, [environment.get("UV_PROJECT_ENVIRONMENT", "")]),)
    for name, place in ((name, place / name) for place in folders for name in (".venv", "venv", *names)):
        if path := _find_visible_interpreter(place, repository, environment):
            yield name, path
    for place in folders:
        yield from _find_tool_environments(place, environment)
    if path := find_active_conda(environment):
        yield "the active conda environment", path
    active = environment.get("VIRTUAL_ENV", "")
    if active.startswith("/") and (path := _find_visible_interpreter(Path(active), repository, environment)):
        yield "the active virtual environment", path
    for place in folders:
        for environment_folder in sorted(path for tool in (".tox", ".nox") for path in (place / tool).glob("[!.]*")):
            if path := _find_visible_interpreter(environment_folder, repository, environment):
                yield f"{environment_folder.parent.name}/{environment_folder.name}", path


def _find_tool_environments(place: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    candidates = [
        ("pdm's environment", find_pdm(place, environment)),
        ("poetry's environment", find_poetry(place, environment)),
        ("pipenv's environment", find_pipenv(place, environment)),
        *(("hatch's environment", path) for path in find_hatch(place, environment)),
        ("the conda environment", find_conda(place, environment)),
    ]
    yield from ((origin, path) for origin, path in candidates if path)


def _find_visible_interpreter(place: Path, repository: Path, environment: Mapping[str, str]) -> str:
    """Return the interpreter by the path that a box shows.

    An environment in another repository is ignored: it would have that project's packages.
    """
    real, top = place.resolve(), repository.resolve()
    if real.is_relative_to(top):
        return find_interpreter(repository / real.relative_to(top))  # without links, which are not carried
    home = Path(environment.get("HOME", "/")).resolve()
    path = find_interpreter(real)
    return path if path and repository_around(str(real)) in ("", str(home)) else ""
