"""Reads the output of `cargo test --no-fail-fast --message-format=json`: the compiler's JSON and libtest's text."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reknit.core.languages.language import ReportReader
from reknit.core.repository.manifest_text import get_table, read_json
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import DOCUMENTATION, ReportedTests, choose_worse, make_relative, read_text

_BLOCK = re.compile(r"running \d{1,9} tests?$")
_SECTION_END = " stdout ----"
_EXTRA = re.compile(r" - (?:should panic|compile fail|compile)$")
"""Suffix that libtest adds to a name."""


@dataclass
class _Block:
    """Output of one test program."""

    results: dict[str, TestResult] = field(default_factory=dict)
    sections: dict[str, list[str]] = field(default_factory=dict)
    is_finished: bool = False
    is_whole: bool = False


def parse(stdout: bytes, stderr: bytes, roots: Sequence[str]) -> ReportedTests:
    """Return the results.

    Ids are `file::module::name`, where the file is the root of the crate. A crate that does not compile has the file
    as its id, and so has a crate without tests, which passes: a repaired build then turns green.
    """
    build, lines = _divide(stdout.decode("utf-8", "replace"))
    error_output = stderr.decode("utf-8", "replace")
    tests, programs = ReportedTests(), {}
    for message in build:
        path = make_relative(read_text(get_table(message, "target"), "src_path"), roots)
        if program := read_text(message, "executable"):
            programs[posixpath.basename(program)] = path
        words = _read_error(message)
        if words:
            tests.add(path, "failed", words, file=path)
    blocks = list(_parse_blocks(lines))
    files = list(_program_files(error_output, programs))
    names = files if len(files) == len(blocks) else [""] * len(blocks)  # one program prints its results differently
    has_tests = any(block.results for block in blocks)
    for file, block in zip(names, blocks, strict=True):
        _add_block(file, block, has_tests, error_output, tests)
    return tests


def _add_block(file: str, block: _Block, has_tests: bool, stderr: str, tests: ReportedTests) -> None:
    for test, result in block.results.items():
        own, name = _split_documentation_test(test) if not file and ".rs - " in test else (file, test)
        words = "\n".join(block.sections.get(test, ())).strip()
        tests.add("::".join(filter(None, (own, name))), result, words, file=own)
    if file and not block.is_finished:
        tests.add(file, "failed", f"the test program ended before its tests\n{stderr[-4000:]}", file=file)
    elif file and has_tests and block.is_whole and not block.results:
        tests.add(file, "passed", file=file)


def _split_documentation_test(test: str) -> tuple[str, str]:
    """Split `src/lib.rs - add (line 3)`, and drop the line number, which moves with every edit above it."""
    file, _, item = test.partition(" - ")
    return file, f"{DOCUMENTATION}{item.partition('(line ')[0].strip()}"


def to_plain_output(stdout: bytes) -> str:
    """Return the output without cargo's own messages."""
    return "\n".join(_divide(stdout.decode("utf-8", "replace"))[1])


def _divide(stdout: str) -> tuple[list[Mapping[str, object]], list[str]]:
    """Separate cargo's own messages from all other lines."""
    build: list[Mapping[str, object]] = []
    lines: list[str] = []
    for line in stdout.splitlines():
        message = read_json(line) if line.startswith('{"reason":') else {}
        if message:
            build.append(message)
        else:
            lines.append(line)
    return build, lines


def _read_error(message: Mapping[str, object]) -> str:
    diagnostic = get_table(message, "message")
    return read_text(diagnostic, "rendered") if read_text(diagnostic, "level") == "error" else ""


def _program_files(stderr: str, programs: Mapping[str, str]) -> Iterator[str]:
    """Yield the file of each test program in the order in which they ran; empty for documentation tests."""
    for line in map(str.strip, stderr.splitlines()):
        if line.startswith("Running ") and line.endswith(")"):
            yield programs.get(posixpath.basename(line[:-1].rpartition("(")[2]), "")
        elif line.startswith("Doc-tests "):
            yield ""


def _parse_blocks(lines: Sequence[str]) -> Iterator[_Block]:
    block, section = None, ""
    for line in lines:
        if _BLOCK.match(line):
            if block:
                yield block
            block, section = _Block(), ""
        elif block and line.startswith("test result: "):
            block.is_finished, section = True, ""
            block.is_whole = "; 0 filtered out" in line
        elif block and line.startswith("test ") and " ... " in line and not section:
            test, _, word = line[5:].rpartition(" ... ")
            result: TestResult = "passed" if word == "ok" else "failed" if word == "FAILED" else "skipped"
            name = _EXTRA.sub("", test)  # if tested code prints such a line too, the worse one counts
            block.results[name] = choose_worse(block.results.get(name, "passed"), result)
        elif block and line.startswith("---- ") and line.endswith(_SECTION_END):
            section = _EXTRA.sub("", line[5:].removesuffix(_SECTION_END))
            block.sections.setdefault(section, [])
        elif block and section and line == "failures:":
            section = ""
        elif block and section:
            block.sections[section].append(line)
    if block:
        yield block


READERS: dict[ReportFormat, ReportReader] = {"cargo": ReportReader(parse)}
