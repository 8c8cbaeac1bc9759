"""Reads the results that a test run streamed, and refuses what could be forged.

Each record is one line: the key of the run, a running number, and JSON. `begin` comes first and `end` last, with the
number of results between them. A line without the key was not written by our reporter; a number that is missing or
comes twice, or a missing end, means that results may be missing too.
"""

import json
from collections.abc import Iterator, Mapping

from reknit.core.testing.command import ReportFormat
from reknit.core.testing.formats import jest, mocha
from reknit.core.testing.junit import keep_case
from reknit.core.testing.junit_cases import LONGEST_WORDS, Case
from reknit.core.testing.junit_messages import with_stored_messages
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests, text_of
from reknit.core.text.xml_stream import XmlProblem

Record = Mapping[str, object]
_RESULTS: dict[str, TestResult] = {"passed": "passed", "failed": "failed", "skipped": "skipped"}
_UNTRUSTED = "the streamed test results cannot be trusted"


def read_stream(form: ReportFormat, data: bytes, key: str, stderr: bytes, roots: tuple[str, ...]) -> ReportedTests:
    """`roots`: folders that paths are made relative to. Raises ValueError with a sentence for people."""
    try:
        records = [*_records(data, key)]
    except RecursionError:
        raise ValueError(f"{_UNTRUSTED}: a record is nested too deeply") from None
    if form == "mocha" and not [each for each in records if "begin" not in each]:
        return with_stored_messages(mocha.load_failure(stderr, roots))
    results = _between(records)
    if form == "jest":
        found = jest.parse_files(
            [value for value in (each.get("file") for each in results) if isinstance(value, dict)], roots
        )
    elif form == "mocha":
        found = mocha.parse_tests(results, roots)
    else:
        found = _cases(results)
    _check_collected(records, results, found)
    return with_stored_messages(found)


def _records(data: bytes, key: str) -> Iterator[Record]:
    for number, line in enumerate(data.split(b"\n")[:-1]):
        said, _, rest = line.partition(b" ")
        counted, _, text = rest.partition(b" ")
        if said != key.encode():
            raise ValueError(f"{_UNTRUSTED}: something else wrote among them")
        if counted != b"%d" % number:
            raise ValueError(f"{_UNTRUSTED}: record {number} is missing")
        try:
            record = json.loads(text)
        except ValueError:
            raise ValueError(f"{_UNTRUSTED}: record {number} is not complete") from None
        if not isinstance(record, dict):
            raise ValueError(f"{_UNTRUSTED}: record {number} is none")
        yield record


def _between(records: list[Record]) -> list[Record]:
    """The results, if nothing is missing before or after them."""
    if not records or "begin" not in records[0]:
        raise ValueError(f"{_UNTRUSTED}: they have no beginning")
    if "end" not in records[-1]:
        raise ValueError("the test command ended before all of its results were known")
    results = [each for each in records[1:-1] if "collected" not in each]
    if any("end" in each or "begin" in each for each in results) or records[-1]["end"] != len(results):
        raise ValueError(f"{_UNTRUSTED}: their number is not the one that was announced")
    return results


def _check_collected(records: list[Record], results: list[Record], found: ReportedTests) -> None:
    """A run that is said to be green has a result of each test that was collected."""
    collected = sum(count for each in records if isinstance(count := each.get("collected"), int))
    ran = len({text_of(each, "node") for each in results} - {""})
    if ran < collected and "failed" not in found.results.values():
        raise ValueError(f"{_UNTRUSTED}: {collected} tests were collected, and {ran} have a result")


def _cases(results: list[Record]) -> ReportedTests:
    """Those of runners whose reports would be JUnit: the same attributes give the same test ids."""
    found = ReportedTests()
    others = {_place(each) for each in results if each.get("result") != "partly skipped"}
    for each in results:
        result = text_of(each, "result")
        if result == "partly skipped" and _place(each) in others:
            continue
        try:
            keep_case(
                Case(
                    text_of(each, "suite"),
                    {name: text_of(each, name) for name in ("classname", "name", "file")},
                    _RESULTS.get(result.removeprefix("partly "), "failed"),
                    text_of(each, "words")[:LONGEST_WORDS].strip(),
                ),
                found,
            )
        except XmlProblem:
            raise ValueError(f"{_UNTRUSTED}: a result names no test") from None
    return found


def _place(record: Record) -> tuple[str, ...]:
    return tuple(text_of(record, name) for name in ("classname", "name", "file"))
