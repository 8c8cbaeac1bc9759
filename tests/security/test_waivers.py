"""Waivers from everywhere: exactly those of a person, for a day that has come and not gone, let a change pass."""

import itertools
import json
from datetime import date
from pathlib import Path

import pytest

from reknit.app.config.load import load, refuse_repository_file
from reknit.core.errors import UsageError
from reknit.core.gate.judge import judge
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.gate.scope import Scope
from reknit.core.gate.waiver import Waivers, parse_typed
from reknit.core.repository.change import REGULAR, Change, FileChange
from tests.adapters.git.users_git import git
from tests.app.config.files import write

TODAY = date(2026, 11, 17)
CHANGED = "package-lock.json"
RULES = ("protected-config", "protected-test", "too-much", "test-removed", "secret-added", "no-such-rule")
PATHS = (CHANGED, "*.json", "**/package-lock.json", "Package-lock.json", "a/../package-lock.json", "/package-lock.json",
         "**", "web/package-lock.json")  # fmt: skip
ENDS = ("", "2026-11-17", "2026-11-16", "2999-01-01")
ORIGINS = (
    "typed",
    "own file",
    "repository",
    "pyproject",
    "project",
    "environment",
    "another project",
    "in the repository",
)
COVERS = (CHANGED, "*.json", "**/package-lock.json")
CASES = [*itertools.product(RULES, PATHS, ENDS, ORIGINS)]


def entry(rule: str, path: str, until: str, prefix: str = "") -> str:
    day = f"until = {until}\n" if until else ""
    return f'[[{prefix}gate.allow]]\nrule = "{rule}"\npath = "{path}"\nreason = "r"\n{day}'


def waivers(tmp_path: Path, rule: str, path: str, until: str, origin: str) -> Waivers:
    root, environment, flags = tmp_path / "repository", dict[str, str](), dict[str, object]()
    own = tmp_path / "home" / "config.toml"
    write(own, "")
    write(root / "web" / "x", "")
    for file in (root / "reknit.toml", root / "pyproject.toml", root / "web" / "reknit.toml", root / "mine.toml"):
        file.unlink(missing_ok=True)
    if origin == "typed":
        flags = {"gate": {"allow": (parse_typed(f"{rule}:{path}"),)}}
    elif origin == "environment":
        environment["REKNIT_GATE__ALLOW"] = json.dumps([{"rule": rule, "path": path, "reason": "r"}])
    elif origin == "pyproject":
        write(root / "pyproject.toml", entry(rule, path, until, "tool.reknit."))
    else:
        place = {
            "own file": own, "repository": root / "reknit.toml", "project": root / "web" / "reknit.toml",
            "another project": tmp_path / "other" / "reknit.toml", "in the repository": root / "mine.toml",
        }[origin]  # fmt: skip
        write(place, entry(rule, path, until))
        own = place if origin in ("another project", "in the repository") else own
        if not (tmp_path / "other" / ".git").exists():
            git(tmp_path, "init", "--quiet", "other")
    config = load(root, flags, {**environment, "REKNIT_CONFIG": str(own)})
    if config.gate.allow and config.own_file:
        refuse_repository_file(config.own_file.resolve(), root.resolve())
    return config.waivers(TODAY)


def passes(tmp_path: Path, case: tuple[str, str, str, str]) -> bool:
    try:
        found = waivers(tmp_path, *case)
    except UsageError:
        return False
    change = Change((FileChange(CHANGED, b"{}\n", b'{"a": 1}\n', REGULAR, REGULAR),))
    return judge(change, Scope((), "", 20, 100, "pytest", waivers=found)).is_accepted


def is_a_persons(rule: str, path: str, until: str, origin: str) -> bool:
    if rule != "protected-config" or path not in COVERS:
        return False
    return origin == "typed" or (origin == "own file" and until != "2026-11-16")


@pytest.mark.parametrize("origin", ORIGINS)
def test_exactly_those_of_a_person_count(tmp_path: Path, origin: str) -> None:
    cases = [case for case in CASES if case[3] == origin]
    assert len(CASES) >= 200
    wrong = [case for case in cases if passes(tmp_path, case) != is_a_persons(*case)]
    assert wrong == []


def test_the_cases_cover_rules_that_can_be_allowed_and_rules_that_cannot() -> None:
    known = [rule for rule in RULES if rule in GUIDE]
    assert {bool(GUIDE[rule].never) for rule in known} == {True, False}
    assert sum(is_a_persons(*case) for case in CASES) == 21
