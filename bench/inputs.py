"""Writes what the readers are measured on: the same bytes every time, over source files that are really there."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

SARIF, JUNIT, SOURCES = "report.sarif", "junit.xml", "sources"
LINES, A_FILE = 400, 333
"""A result for nearly every line: a worse backlog than most have."""
RULES, FAILS_EVERY = 213, 50
_WORDS = ("value", "never", "used", "because", "the", "function", "returns", "before", "any", "reader", "sees", "it")
_NAMES = ("total", "price", "share", "stock", "order", "basket", "customer", "invoice", "payment", "refund", "margin")
_LEVELS = ("error", "warning", "note")
_FRAMES = "\n".join(f'  File "tests/x.py", line {at}, in f{at}\n    assert compute({at}) == {at}' for at in range(12))


def write_inputs(folder: Path, results: int) -> None:
    files = -(-results // A_FILE)
    write_sources(folder / SOURCES, files)
    write_sarif(folder / SARIF, results, files)
    write_junit(folder / JUNIT, results)


def write_sources(folder: Path, files: int) -> None:
    chance = random.Random(5)  # noqa: S311 - the same every time
    for number in range(files):
        file = folder / source(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(_lines(chance)))


def source(number: int) -> str:
    return f"src/pkg{number % 23}/mod{number}.py"


def _lines(chance: random.Random) -> Iterator[str]:
    for number in range(LINES):
        one, other = chance.choice(_NAMES), chance.choice(_NAMES)
        blank, deep = number % 9 == 0, 4 * (number % 4)
        yield "\n" if blank else f"{' ' * deep}{one}_{number % 97} = compute({other}, {number % 13})  # {one}\n"


def write_sarif(file: Path, results: int, files: int) -> None:
    """540 bytes a result, one file after the other in turn, which is the hardest order for a cache of files."""
    chance = random.Random(1)  # noqa: S311 - as above
    with file.open("w") as out:
        out.write('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"GenLint","version":"1.0"}},"results":[')
        for number in range(results):
            out.write("," * bool(number) + json.dumps(_result(number, files, chance), separators=(",", ":")))
        out.write("]}]}")


def _result(number: int, files: int, chance: random.Random) -> dict[str, object]:
    line = number // files % LINES + 1
    region = {
        "startLine": line,
        "startColumn": 5,
        "endLine": line,
        "endColumn": 33,
        "snippet": {"text": "    total = compute_value(alpha, beta)  # note\n"},
    }
    file = {"uri": source(number % files), "uriBaseId": "%SRCROOT%"}
    return {
        "ruleId": f"R{number % RULES:04d}",
        "level": _LEVELS[number % 3],
        "message": {"text": " ".join(chance.choices(_WORDS, k=14))},
        "locations": [{"physicalLocation": {"artifactLocation": file, "region": region}}],
        "partialFingerprints": {"primaryLocationLineHash": f"{chance.getrandbits(64):016x}:1"},
        "properties": {"tags": ["security", "external/cwe/cwe-079"], "precision": "high"},
    }


def failing(cases: int) -> int:
    """How many of a JUnit report's cases fail."""
    return -(-cases // FAILS_EVERY)


def write_junit(file: Path, cases: int) -> None:
    """One case in 50 fails with a trace of twelve frames, one in 100 is skipped."""
    with file.open("w") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<testsuites>')
        for first in range(0, cases, 1000):
            numbers = range(first, min(first + 1000, cases))
            out.write(f'<testsuite name="suite{first}" tests="{len(numbers)}">\n')
            out.writelines(_case(number, first) for number in numbers)
            out.write("</testsuite>")
        out.write("</testsuites>")


def _case(number: int, suite: int) -> str:
    where = f'file="tests/test_mod{number % 37}.py" line="{number % 1000}"'
    name = f'classname="tests.pkg{suite}.test_mod{number % 37}" name="test_{number}[p-{number % 5}]"'
    begin = f'<testcase {name} time="0.0{number % 99:02d}" {where}'
    if number % FAILS_EVERY == 0:
        why = f'<failure message="assert 1 == {number}" type="AssertionError"><![CDATA[{_FRAMES}]]></failure>'
        return f"{begin}>{why}</testcase>\n"
    if number % 100 == 7:
        return f'{begin}><skipped message="skip"/></testcase>\n'
    return f"{begin}/>\n"
