"""Runs the tests and writes a JUnit report: python3 run_tests.py REPORT"""

import sys
import time
import unittest
from xml.sax.saxutils import quoteattr


class Report(unittest.TextTestResult):
    lines: list[str] = []

    def add(self, test: unittest.TestCase, body: str) -> None:
        module, kind, name = test.id().rsplit(".", 2)
        place = f"file={quoteattr(module.replace('.', '/') + '.py')} classname={quoteattr(f'{module}.{kind}')}"
        self.lines.append(f"<testcase {place} name={quoteattr(name)}>{body}</testcase>")

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.add(test, "")

    def addFailure(self, test, err) -> None:  # type: ignore[no-untyped-def]
        super().addFailure(test, err)
        self.add(test, f"<failure message={quoteattr(f'{err[0].__name__}: {err[1]}')}/>")

    def addError(self, test, err) -> None:  # type: ignore[no-untyped-def]
        super().addError(test, err)
        self.add(test, f"<error message={quoteattr(f'{err[0].__name__}: {err[1]}')}/>")


if __name__ == "__main__":
    began = time.monotonic()
    suite = unittest.defaultTestLoader.discover("tests", top_level_dir=".")
    result = unittest.TextTestRunner(resultclass=Report).run(suite)
    with open(sys.argv[1], "w") as report:
        report.write(f'<testsuite time="{time.monotonic() - began:.3f}">{"".join(Report.lines)}</testsuite>')
    sys.exit(not result.wasSuccessful())
