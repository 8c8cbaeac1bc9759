"""The demo's three tests without `unittest`: its import takes six times as long as the rest of such a test run."""

_TESTS = """\
from shop.pricing import discount, total


class PricingTest:
    def test_discount_is_a_share(self):
        assert discount(200, 10) == 180, discount(200, 10)

    def test_total_without_discount(self):
        assert total([1.5, 2.5]) == 4.0

    def test_no_discount_changes_nothing(self):
        assert discount(80, 0) == 80
"""
_RUNNER = """\
import sys

from tests.test_pricing import PricingTest

lines, failed = [], 0
for name in vars(PricingTest):
    if not name.startswith("test_"):
        continue
    place = f'file="tests/test_pricing.py" classname="tests.test_pricing.PricingTest" name="{name}"'
    try:
        getattr(PricingTest(), name)()
        lines.append(f"<testcase {place}></testcase>")
    except AssertionError as problem:
        failed += 1
        lines.append(f'<testcase {place}><failure message="AssertionError: {problem}"/></testcase>')
with open(sys.argv[1], "w") as report:
    report.write(f'<testsuite time="0">{"".join(lines)}</testsuite>')
sys.exit(failed > 0)
"""
QUICK_TESTS = {"tests/test_pricing.py": _TESTS, "run_tests.py": _RUNNER}
"""In place of the files of that name; names, places and results of the tests are the same."""
