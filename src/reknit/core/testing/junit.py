"""Results and messages from JUnit reports, by the test id that the runner uses."""

import re
from collections.abc import Iterable

from reknit.core.testing.junit_cases import Case, Cases
from reknit.core.testing.reported import ReportedTests
from reknit.core.text.xml_stream import XmlProblem

_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")


def parse(documents: Iterable[bytes]) -> ReportedTests:
    """All documents together. Raises ValueError for one that is not a complete JUnit report."""
    found = ReportedTests()
    for document in documents:
        try:
            for case in Cases(document, failures_only=False):
                keep_case(case, found)
        except XmlProblem as problem:
            raise ValueError(f"the test report {problem}") from problem
    return found


def keep_case(case: Case, found: ReportedTests) -> None:
    """Raises XmlProblem if it has no name."""
    test, file = identify(case)
    if not test:
        raise XmlProblem("contains a test case without a name")
    found.add(test, case.result, with_headline(case.words), file=file)


def with_headline(words: str) -> str:
    """pytest puts the reason why a file cannot be loaded last; people read the first line."""
    if not words.startswith("collection failure"):
        return words
    reasons = [line[1:].strip() for line in words.splitlines() if line.startswith("E ")]
    return "\n".join([*reasons[-1:], words])


def identify(case: Case) -> tuple[str, str]:
    """The test id that the runner itself would use, and the file if it is known."""
    said = case.attributes
    group, name, file = said.get("classname", ""), said.get("name", ""), said.get("file", "")
    if case.suite == "pytest" or file.endswith(".py"):
        return _pytest_node(group, name, file)
    if _SCRIPT.search(group):
        file = file or group
        name = "" if name == group else name  # vitest: the file could not be loaded
    return "::".join(filter(None, (group or file, name))), file


def _pytest_node(group: str, name: str, file: str) -> tuple[str, str]:
    if not group:  # a file that could not be collected
        path = file or name.replace(".", "/") + ".py"
        return path, path
    module = file.removesuffix(".py").replace("/", ".")
    if file and (group == module or group.startswith(module + ".")):
        classes = group[len(module) + 1 :]
    else:  # the test is inherited from another file, or the report names none: classes are capitalized
        parts = group.split(".")
        length = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts))
        file, classes = "/".join(parts[:length]) + ".py" if length else "", ".".join(parts[length:])
    return "::".join(filter(None, (file, *classes.split("."), name))), file
