"""Builds the second harness: our own program calls the targets without their runner, under other names."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping

from reknit.core.languages.javascript.tamper_checks.imports import convert_module, convert_script, is_module
from reknit.core.languages.javascript.tamper_checks.source import (
    choose_language,
    name_source_file_beside,
    title_path,
    title_separator,
)
from reknit.core.languages.javascript.tamper_checks.support import find_unsupported
from reknit.core.languages.programs import read_program
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Harness, Names, Targets, TargetTest
from reknit.core.tamper_checks.syntax import is_fully_parsed

_PARTS = (
    "builtins", "comparing", "asserting", "mocking", "expecting", "chai", "collecting", "running", "loading", "main",
)  # fmt: skip
"""Files of the program, in the order in which they need each other."""
_SHARED_NAME = re.compile(r"\$[A-Za-z]\w{0,60}")
"""A name that several parts use: it begins with a dollar sign in our text, and is an ordinary word in the program."""


def render_program(names: Names) -> str:
    """Return the program that calls the tests, with names of this run."""
    hooks = read_program("javascript", "hooks.mjs").strip("\n")
    parts = (read_program("javascript", f"{part}.js").strip("\n") for part in _PARTS)
    text = "\n".join(('"use strict";', f"const $hooksText = {json.dumps(hooks)};", *parts)) + "\n"
    shared = sorted({*_SHARED_NAME.findall(text)}, key=lambda name: names.choose(f"place {name}", 1 << 30))
    words = {name: f"{names.make_word(name)}{number}" for number, name in enumerate(shared)}
    return _SHARED_NAME.sub(lambda match: words[match.group()], text)


def make_harness(targets: Targets, names: Names) -> tuple[Harness | None, str]:
    """Return the harness, or the reason why there is none."""
    jobs, called_tests, why = [], [], "no target is a test of its file"
    for file in sorted({test.file for test in targets.tests}):
        tests = [test for test in targets.tests if test.file == file and title_path(test) is not None]
        job = _make_job(file, targets, tests, names) if tests else why
        if isinstance(job, str):
            why = job
        else:
            jobs.append(job)
            called_tests += tests
    if not jobs:
        return None, why
    rules = {"runner": targets.runner, "separator": title_separator(targets.runner)}
    program = f"{names.make_word('program')}.{_choose_ending(targets)}"
    harness = Harness(
        argv=("node", program),
        tests=tuple(test.id for test in called_tests),
        stdin=json.dumps({"nonce": names.nonce, "rules": rules, "jobs": jobs}),
        files={program: render_program(names)},
        hidden=tuple(_find_hidden_files(called_tests, targets)),
    )
    return harness, ""


def _make_job(file: str, targets: Targets, tests: list[TargetTest], names: Names) -> Mapping[str, object] | str:
    text = targets.files.get(file)
    if text is None:
        return "the text of the test is not known"
    root = parse_tree(text, choose_language(file))
    if not is_fully_parsed(root):
        return f"{file} cannot be parsed"
    test_names = [title_path(test) or "" for test in tests]
    if feature := find_unsupported(root, targets, test_names):
        return f"{file} needs its runner: {feature}"
    take = names.make_word(f"take {file}")
    module = is_module(root, file)
    job = convert_module(root, text, targets.runner, take) if module else convert_script(root, text)
    return {
        "path": name_source_file_beside(posixpath.basename(file), names.make_word(f"job {file}")),
        "place": name_source_file_beside(file, names.make_word(f"job {file}")),
        "text": job.text,
        "isModule": module,
        "take": take,
        "data": job.data,
        "tests": [{"name": name, "id": test.id} for name, test in zip(test_names, tests, strict=True)],
    }


def _choose_ending(targets: Targets) -> str:
    """Choose an ending that makes node read the script as CommonJS."""
    package = targets.files.get("package.json", '"type": "module"')
    return "cjs" if '"type"' in package else "js"


def _find_hidden_files(tests: list[TargetTest], targets: Targets) -> Iterator[str]:
    for file in sorted({test.file for test in tests}):
        yield file
        folder, name = posixpath.split(file)
        snapshot = posixpath.join(folder, "__snapshots__", f"{name}.snap")
        if snapshot in targets.tracked:
            yield snapshot
