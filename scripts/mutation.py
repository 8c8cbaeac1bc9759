"""Mutation score of the gate and of the checks' verdicts: `python -m scripts.mutation [--share 0.3] [--seed S] [WORD]`.

Each mutant is tested in a fork of one process in which all libraries are loaded: first by the test of its module, then,
if that passes, by all tests of its folder. WORD selects mutants whose id contains it. Fails below 90 %.
"""

import argparse
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from scripts.mutants import Mutant, mutants_of

GOAL = 0.9
_CPU_S = 30
_PLUGINS = ("pytest_timeout", "_hypothesis_pytestplugin", "no:cacheprovider", "no:unraisableexception")
_MARKED, _NAMED = "not long and not hypothesis", "not hard_to_parse and not huge_file"
"""The tests that are quick, and find the same every time."""
_CORE = Path("src/reknit/core")
_VERDICTS = ("judge", "failures", "checks")
AREAS = {
    "gate": [
        str(file.relative_to(_CORE))
        for pattern in (
            "gate/**/*.py",
            "syntax.py",
            "languages/*/tests.py",
            "languages/python/*awareness.py",
        )
        for file in sorted(_CORE.glob(pattern))
    ],
    "verdicts": [
        *(f"tamper_checks/{name}.py" for name in _VERDICTS),
        "languages/tamper_checks.py",
        "check_answer.py",
        "checks/proof.py",
        *(f"fix_tests/{name}.py" for name in ("proof", "holdout", "flakiness")),
        "languages/reports.py",
    ],
}
WIDER = {
    "check_answer.py": ["tests/core/tamper_checks", "tests/core/checks", "tests/core/fix_tests"],
    "gate/rules/tests_kept.py": ["tests/core/gate", *map(str, Path("tests/core/languages").glob("*/test_tests.py"))],
}
"""Where the tests of a module's folder are not all that concern it."""


class _Fixtures:
    """What tests/conftest.py offers to the tests of `core`; the file itself imports the whole product."""

    @pytest.fixture
    def without_coverage(self) -> None:
        """Nothing is counted here."""


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a source that is nowhere on disk."""

    def __init__(self, name: str, path: Path, source: bytes) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self, origin=str(self.path)) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.path, "exec"), module.__dict__)  # noqa: S102


def _select(area: str, share: float, seed: str) -> Iterator[Mutant]:
    """The same mutants for the same share and seed, some of every file."""
    for path in AREAS[area]:
        every = mutants_of(path, (_CORE / path).read_bytes())
        count = min(len(every), max(8, round(len(every) * share)))
        yield from random.Random(path + seed).sample(every, count)  # noqa: S311


def _tests(mutant: Mutant, *, is_quick: bool) -> Iterator[list[str]]:
    path = Path("tests/core") / mutant.path
    namesake = path.parent / f"test_{path.name}"
    if namesake.exists():
        yield [str(namesake)]
        if is_quick:
            return
    folder = "tests/core/gate" if mutant.path in AREAS["gate"] else str(path.parent)
    yield WIDER.get(mutant.path, [folder])


def _run(paths: Sequence[str]) -> int:
    # Rewriting assertions, pytest would load a module `test_support.py` itself, and not its mutant.
    options = ["-x", "--noconftest", "--assert=plain", *(f"-p{name}" for name in _PLUGINS), "-m", _MARKED, "-k", _NAMED]
    return int(pytest.main([*options, *paths], plugins=[_Fixtures()]))


def _test(mutant: Mutant, *, is_quick: bool) -> None:
    """In a child of its own; ends it. 0: no test noticed."""
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    path = _CORE / mutant.path
    name = "reknit.core." + mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    sys.meta_path.insert(0, _Mutated(name, path.resolve(), mutant.apply(path.read_bytes())))
    code = 1
    try:
        code = next((1 for paths in _tests(mutant, is_quick=is_quick) if _run(paths)), 0)
    finally:
        os._exit(code)


def _results(mutants: Sequence[Mutant], jobs: int, *, is_quick: bool) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant, and whether a test noticed it; a child that hangs or dies is noticed too."""
    running: dict[int, Mutant] = {}
    waiting = list(reversed(mutants))
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            if not (child := os.fork()):
                _test(mutant, is_quick=is_quick)
            running[child] = mutant
        child, status = os.wait()
        if child in running:
            yield running.pop(child), status != 0


def _warm_up(mutants: Sequence[Mutant], *, is_quick: bool) -> bool:
    """Whether all tests pass without a mutant, here and in a fork, and none with a module that cannot be imported.

    Forgets our own modules, and keeps the libraries.
    """
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    chosen = {path for mutant in mutants for paths in _tests(mutant, is_quick=is_quick) for path in paths}
    if _run(sorted(chosen)):
        return False
    for name in [name for name in sys.modules if name.split(".")[0] in ("reknit", "tests")]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()
    unchanged = {mutant.path.split("/")[0]: replace(mutant, after=mutant.before) for mutant in mutants}
    broken = {mutant.path: Mutant(mutant.path, 1, 0, 0, "", "raise SystemError\n") for mutant in mutants}
    runs = [(list(unchanged.values()), False), (list(broken.values()), True)]
    return all(is_noticed is must for some, must in runs for _, is_noticed in _results(some, 1, is_quick=is_quick))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("word", nargs="*", default=[""])
    options.add_argument(
        "--share", type=float, default=0.3, help="of the gate's mutants; all of the verdicts' are tested"
    )
    options.add_argument("--seed", default="", help="any word: another sample of the gate's mutants")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--quick", action="store_true", help="only by the test of its module")
    asked = options.parse_args()
    chosen = {area: list(_select(area, asked.share if area == "gate" else 1.0, asked.seed)) for area in AREAS}
    mutants = [each for some in chosen.values() for each in some if any(word in each.id for word in asked.word)]
    if not mutants or not _warm_up(mutants, is_quick=asked.quick):
        sys.exit("no mutant is selected, or a test fails without one")
    seen, killed = Counter[str](), Counter[str]()
    began = time.monotonic()
    for mutant, is_noticed in _results(mutants, asked.jobs, is_quick=asked.quick):
        area = next(area for area in AREAS if mutant.path in AREAS[area])
        seen[area] += 1
        killed[area] += is_noticed
        if not is_noticed:
            print(f"survived: {mutant.id}", flush=True)  # noqa: T201
        if not seen.total() % 50:
            print(f"{seen.total()} of {len(mutants)} tested, {killed.total()} killed", flush=True)  # noqa: T201
    for area, count in seen.items():
        print(f"{area}: {killed[area]} of {count} killed, {killed[area] / count:.1%}")  # noqa: T201
    print(f"{time.monotonic() - began:.0f} s")  # noqa: T201
    return int(any(killed[area] < GOAL * count for area, count in seen.items()))


if __name__ == "__main__":
    sys.exit(main())
