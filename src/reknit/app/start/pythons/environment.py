"""Finds the Python that a project's tests should run with, by looking at files: nothing of the project is executed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.user_repository import repository_around
from reknit.app.start.pythons import project_tools as tools
from reknit.app.start.pythons.installed import has_pytest, interpreter_of, system_python

SYSTEM = "python3 on PATH"


@dataclass(frozen=True)
class PythonEnvironment:
    path: str
    """Absolute path of the interpreter; empty: this machine has no Python on PATH."""
    origin: str
    """For people: `.venv`, `poetry's environment`."""
    has_pytest: bool


def python_of(repository: Path, folder: str, environment: Mapping[str, str]) -> PythonEnvironment:
    """`folder`: the project, below the repository's root. `environment`: the variables the command was started with.

    The first environment that has pytest; if none has, the first; `python3` on PATH only if the project has none.
    """
    folders = _upwards(repository, folder)
    home = Path(environment.get("HOME", "/"))
    found = [
        PythonEnvironment(path, origin, has_pytest(path, home))
        for origin, path in _environments(repository, folders, environment)
    ]
    if found:
        return next((one for one in found if one.has_pytest), found[0])
    path = system_python(folders, repository, environment)
    return PythonEnvironment(path, SYSTEM, has_pytest(path, home) if path else False)


def _upwards(repository: Path, folder: str) -> list[Path]:
    """The project's folder and its parents up to the repository's root, where a workspace has its one environment."""
    place = repository / folder
    return [place, *(parent for parent in place.parents if parent.is_relative_to(repository))]


def _environments(
    repository: Path, folders: Sequence[Path], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(where it was found, interpreter)"""
    named = (*filter(None, [environment.get("UV_PROJECT_ENVIRONMENT", "")]),)
    for name, place in ((name, place / name) for place in folders for name in (".venv", "venv", *named)):
        if path := _reached(place, repository, environment):
            yield name, path
    for place in folders:
        yield from _of_tools(place, environment)
    if path := tools.of_active_conda(environment):
        yield "the active conda environment", path
    active = environment.get("VIRTUAL_ENV", "")
    if active.startswith("/") and (path := _reached(Path(active), repository, environment)):
        yield "the active virtual environment", path
    for place in folders:
        for made in sorted(path for tool in (".tox", ".nox") for path in (place / tool).glob("[!.]*")):
            if path := _reached(made, repository, environment):
                yield f"{made.parent.name}/{made.name}", path


def _of_tools(place: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    found = [
        ("pdm's environment", tools.of_pdm(place, environment)),
        ("poetry's environment", tools.of_poetry(place, environment)),
        ("pipenv's environment", tools.of_pipenv(place, environment)),
        *(("hatch's environment", path) for path in tools.of_hatch(place, environment)),
        ("the conda environment", tools.of_conda_file(place, environment)),
    ]
    yield from ((origin, path) for origin, path in found if path)


def _reached(place: Path, repository: Path, environment: Mapping[str, str]) -> str:
    """Its interpreter, by the path that a box shows. In another repository, it would have that project's packages."""
    real, top = place.resolve(), repository.resolve()
    if real.is_relative_to(top):
        return interpreter_of(repository / real.relative_to(top))  # without links, which are not carried
    home = Path(environment.get("HOME", "/")).resolve()
    path = interpreter_of(real)
    return path if path and repository_around(str(real)) in ("", str(home)) else ""
