"""Reads the results of a test run from reports of any format, or from the stream of reknit's own reporter.

Each record of a stream is one line: the key of the run, a running number, and JSON. The first record is `begin`, the
last is `end`, with the number of results between them. A line without the key was not written by the reporter. If a
number or the end is missing, or a number comes twice, results may be missing too.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from reknit.core.languages.registry import find_report_reader
from reknit.core.testing.command import ReportFormat
from reknit.core.testing.junit import MAX_MESSAGE_CHARS, Case, add_case, parse_junit, shorten_messages
from reknit.core.testing.report import TestResult
from reknit.core.testing.reported import ReportedTests, read_text
from reknit.core.text.untrusted_input import XmlError

Record = Mapping[str, object]
_RESULTS: dict[str, TestResult] = {"passed": "passed", "failed": "failed", "skipped": "skipped"}
_UNTRUSTED = "the streamed test results cannot be trusted"


def read_tests(
    form: ReportFormat, documents: tuple[bytes, ...], stderr: bytes, roots: tuple[str, ...]
) -> ReportedTests:
    """Read reports. `roots`: folders to which paths are made relative; for Go, the module.

    Raise ValueError for a broken report.
    """
    return shorten_messages(_read(form, documents, stderr, roots))


def _read(form: ReportFormat, documents: Sequence[bytes], stderr: bytes, roots: Sequence[str]) -> ReportedTests:
    if form == "junit":
        return parse_junit(documents)
    reader = find_report_reader(form)
    if reader is None:
        raise ValueError(f"no language reads reports of the form {form}")
    if not documents:
        return reader.read_missing(stderr, roots) if reader.read_missing else ReportedTests()
    try:
        return reader.read(documents[0], stderr, roots)
    except RecursionError:
        raise ValueError("the test report is nested too deeply") from None


def read_stream(form: ReportFormat, data: bytes, key: str, stderr: bytes, roots: tuple[str, ...]) -> ReportedTests:
    """Read streamed results; raise ValueError with a sentence for people. `roots`: as for `read_tests`."""
    try:
        records = [*_read_records(data, key)]
    except RecursionError:
        raise ValueError(f"{_UNTRUSTED}: a record is nested too deeply") from None
    reader = find_report_reader(form)
    if reader and reader.read_missing and not [record for record in records if "begin" not in record]:
        return shorten_messages(reader.read_missing(stderr, roots))
    results = _check_frame(records)
    reported = reader.read_records(results, roots) if reader and reader.read_records else _read_cases(results)
    _check_collected(records, results, reported)
    return shorten_messages(reported)


def _read_records(data: bytes, key: str) -> Iterator[Record]:
    for number, line in enumerate(data.split(b"\n")[:-1]):
        line_key, _, rest = line.partition(b" ")
        position, _, text = rest.partition(b" ")
        if line_key != key.encode():
            raise ValueError(f"{_UNTRUSTED}: something else wrote among them")
        if position != b"%d" % number:
            raise ValueError(f"{_UNTRUSTED}: record {number} is missing")
        try:
            record = json.loads(text)
        except ValueError:
            raise ValueError(f"{_UNTRUSTED}: record {number} is not complete") from None
        if not isinstance(record, dict):
            raise ValueError(f"{_UNTRUSTED}: record {number} is none")
        yield record


def _check_frame(records: list[Record]) -> list[Record]:
    """Return the records between `begin` and `end`; raise ValueError if one of these is missing or does not fit."""
    if not records or "begin" not in records[0]:
        raise ValueError(f"{_UNTRUSTED}: they have no beginning")
    if "end" not in records[-1]:
        raise ValueError("the test command ended before all of its results were known")
    results = [record for record in records[1:-1] if "collected" not in record]
    if any("end" in result or "begin" in result for result in results) or records[-1]["end"] != len(results):
        raise ValueError(f"{_UNTRUSTED}: their number is not the one that was announced")
    return results


def _check_collected(records: list[Record], results: list[Record], reported: ReportedTests) -> None:
    """Raise ValueError if a run seems green but a collected test has no result."""
    collected = sum(count for record in records if isinstance(count := record.get("collected"), int))
    ran = len({read_text(result, "node") for result in results} - {""})
    if ran < collected and "failed" not in reported.results.values():
        raise ValueError(f"{_UNTRUSTED}: {collected} tests were collected, and {ran} have a result")


def _read_cases(results: list[Record]) -> ReportedTests:
    """Read records with the attributes of JUnit's test cases, so that the test ids are the same as from a report."""
    reported = ReportedTests()
    others = {_identify_record(record) for record in results if record.get("result") != "partly skipped"}
    for record in results:
        result = read_text(record, "result")
        if result == "partly skipped" and _identify_record(record) in others:
            continue
        try:
            add_case(
                Case(
                    read_text(record, "suite"),
                    {name: read_text(record, name) for name in ("classname", "name", "file")},
                    _RESULTS.get(result.removeprefix("partly "), "failed"),
                    read_text(record, "words")[:MAX_MESSAGE_CHARS].strip(),
                ),
                reported,
            )
        except XmlError:
            raise ValueError(f"{_UNTRUSTED}: a result names no test") from None
    return reported


def _identify_record(record: Record) -> tuple[str, ...]:
    return tuple(read_text(record, name) for name in ("classname", "name", "file"))
