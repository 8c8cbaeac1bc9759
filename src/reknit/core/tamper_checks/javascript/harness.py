"""The second harness: a program of ours calls the targets without their runner, under other names."""

import json
import posixpath
from collections.abc import Iterator, Mapping

from reknit.core.tamper_checks.checks import Harness, Targets, TargetTest
from reknit.core.tamper_checks.javascript.file_names import language_of, source_file_beside
from reknit.core.tamper_checks.javascript.imports import is_module, module_text, script_text
from reknit.core.tamper_checks.javascript.probes import name_of, separator
from reknit.core.tamper_checks.javascript.program.text import program_text
from reknit.core.tamper_checks.javascript.support import unsupported
from reknit.core.tamper_checks.names import Names
from reknit.core.tamper_checks.syntax import is_whole, parse


def make_harness(targets: Targets, names: Names) -> tuple[Harness | None, str]:
    """The harness, or why there is none."""
    jobs, called, why = [], [], "no target is a test of its file"
    for file in sorted({test.file for test in targets.tests}):
        tests = [test for test in targets.tests if test.file == file and name_of(test) is not None]
        job = _job(file, targets, tests, names) if tests else why
        if isinstance(job, str):
            why = job
        else:
            jobs.append(job)
            called += tests
    if not jobs:
        return None, why
    rules = {"runner": targets.runner, "separator": separator(targets.runner)}
    program = f"{names.word('program')}.{_ending(targets)}"
    harness = Harness(
        argv=("node", program),
        tests=tuple(test.id for test in called),
        stdin=json.dumps({"nonce": names.nonce, "rules": rules, "jobs": jobs}),
        files={program: program_text(names)},
        hidden=tuple(_hidden(called, targets)),
    )
    return harness, ""


def _job(file: str, targets: Targets, tests: list[TargetTest], names: Names) -> Mapping[str, object] | str:
    text = targets.files.get(file)
    if text is None:
        return "the text of the test is not known"
    root = parse(text, language_of(file))
    if not is_whole(root):
        return f"{file} cannot be parsed"
    wanted = [name_of(test) or "" for test in tests]
    if needed := unsupported(root, targets, wanted):
        return f"{file} needs its runner: {needed}"
    take = names.word(f"take {file}")
    module = is_module(root, file)
    job = module_text(root, text, targets.runner, take) if module else script_text(root, text)
    return {
        "path": source_file_beside(posixpath.basename(file), names.word(f"job {file}")),
        "place": source_file_beside(file, names.word(f"job {file}")),
        "text": job.text,
        "isModule": module,
        "take": take,
        "data": job.data,
        "tests": [{"name": name, "id": test.id} for name, test in zip(wanted, tests, strict=True)],
    }


def _ending(targets: Targets) -> str:
    """A script that node reads as CommonJS."""
    package = targets.files.get("package.json", '"type": "module"')
    return "cjs" if '"type"' in package else "js"


def _hidden(tests: list[TargetTest], targets: Targets) -> Iterator[str]:
    for file in sorted({test.file for test in tests}):
        yield file
        folder, name = posixpath.split(file)
        snapshot = posixpath.join(folder, "__snapshots__", f"{name}.snap")
        if snapshot in targets.tracked:
            yield snapshot
