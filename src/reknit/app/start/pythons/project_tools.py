"""Where poetry, pdm, pipenv, hatch and conda keep the environment of a project.

A repository's own files may name a place, so they are believed only as far as the place can belong to this project: a
name that contains the project's path, or a conda environment.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from reknit.adapters.box.bubblewrap.prefixes import is_python, is_python_installation
from reknit.app.start.pythons.installed import interpreter_of, text_of
from reknit.core.repository import python_environments as names

_CONDA_ROOTS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")


def of_pdm(folder: Path, environment: Mapping[str, str]) -> str:
    named = Path(text_of(folder / ".pdm-python").strip() or "/")
    if not named.is_absolute() or ".." in named.parts or not is_python(named):
        return ""
    prefix = named.parent.parent
    data = _folder(environment, "XDG_DATA_HOME", ".local/share")
    is_own = prefix.parent == data / "pdm" / "venvs" and prefix.name.startswith(names.pdm_prefix(str(folder)))
    if prefix.is_relative_to(folder) or is_own:
        return interpreter_of(prefix)
    return str(named) if is_python_installation(prefix) and not interpreter_of(prefix) else ""


def of_poetry(folder: Path, environment: Mapping[str, str]) -> str:
    name = names.poetry_name(text_of(folder / "pyproject.toml"), str(folder.resolve()))
    if not name:
        return ""
    place = _poetry_environments(environment)
    active = _poetry_active(text_of(place / "envs.toml"), name)
    found = sorted(place.glob(f"{_literal(name)}-py*"), key=_version, reverse=True)
    found.sort(key=lambda path: path.name != f"{name}-py{active}")
    return next(filter(None, map(interpreter_of, found)), "")


def _poetry_environments(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME", "/"))
    caches = _folder(environment, "XDG_CACHE_HOME", ".cache")
    cache = Path(environment.get("POETRY_CACHE_DIR") or caches / "pypoetry")
    settings = text_of(_folder(environment, "XDG_CONFIG_HOME", ".config") / "pypoetry" / "config.toml")
    set_by_user = re.search(r"^path\s*=\s*[\"']([^\"'\n]{1,500})[\"']", settings, re.MULTILINE)
    path = environment.get("POETRY_VIRTUALENVS_PATH") or (set_by_user[1] if set_by_user else "")
    path = path.replace("{cache-dir}", str(cache)).replace("~", str(home), 1)
    return Path(path or cache / "virtualenvs")


def _poetry_active(chosen: str, name: str) -> str:
    """The version that `poetry env use` chose."""
    try:
        entry = tomllib.loads(chosen).get(name, {})
    except tomllib.TOMLDecodeError:
        return ""
    return str(entry.get("minor", "")) if isinstance(entry, dict) else ""


def of_pipenv(folder: Path, environment: Mapping[str, str]) -> str:
    pipfile = folder / "Pipfile"
    if not pipfile.is_file():
        return ""
    data = _folder(environment, "XDG_DATA_HOME", ".local/share")
    place = Path(environment.get("WORKON_HOME") or data / "virtualenvs")
    return interpreter_of(place / names.pipenv_name(str(pipfile)))


def of_hatch(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """It keeps one environment per purpose: the tests may have their own."""
    place = names.hatch_place(text_of(folder / "pyproject.toml"), str(folder.resolve()))
    data = Path(environment.get("HATCH_DATA_DIR") or _folder(environment, "XDG_DATA_HOME", ".local/share") / "hatch")
    found = sorted((data / "env" / "virtual" / place).glob("*"), key=_version, reverse=True) if place else []
    found.sort(key=lambda path: (not path.name.startswith("hatch-test"), path.name != place.partition("/")[0]))
    yield from filter(None, map(interpreter_of, found))


def of_conda_file(folder: Path, environment: Mapping[str, str]) -> str:
    files = (text_of(folder / name) for name in ("environment.yml", "environment.yaml"))
    name = next(filter(None, map(names.conda_name, files)), "")
    if not name:
        return ""
    home = Path(environment.get("HOME", "/"))
    own = [environment[key] for key in ("MAMBA_ROOT_PREFIX", "CONDA_ROOT") if environment.get(key)]
    roots = [*map(Path, own), *(home / root for root in _CONDA_ROOTS), Path("/opt/conda")]
    places = (root / "envs" / name for root in roots)
    return next((found for place in places if (place / "conda-meta").is_dir() and (found := interpreter_of(place))), "")


def of_active_conda(environment: Mapping[str, str]) -> str:
    prefix = environment.get("CONDA_PREFIX", "")
    is_base = environment.get("CONDA_DEFAULT_ENV", "base") == "base"
    return interpreter_of(Path(prefix)) if prefix.startswith("/") and not is_base else ""


def _folder(environment: Mapping[str, str], variable: str, default: str) -> Path:
    return Path(environment.get(variable) or Path(environment.get("HOME", "/"), default))


def _version(path: Path) -> tuple[int, ...]:
    found = re.search(r"py(\d+)\.(\d+)", path.name)
    return tuple(map(int, found.groups())) if found else ()


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)
