"""The checks are made by the language of the runner."""

import pytest

from reknit.core.tamper_checks.checks import Targets, TargetTest
from reknit.core.tamper_checks.make import make_checks
from reknit.core.tamper_checks.names import Names

TEXT = "from shop import price\n\n\ndef test_a():\n    assert price(1) == 2\n"


def test_a_runner_without_checks_has_a_reason_for_each() -> None:
    made = make_checks(Targets("playwright", (TargetTest("a::b", "a"),), {}), Names("s"))
    assert not made.probes
    assert made.harness is None
    assert made.why_not == dict.fromkeys(("canaries", "twins", "second-harness"), "there are none for playwright")


def test_of_a_command_only_the_second_harness_is_made_by_the_ending_of_the_file() -> None:
    test, files = TargetTest("tests/test_a.py::test_a", "tests/test_a.py"), {"tests/test_a.py": TEXT}
    made = make_checks(Targets("command", (test,), files), Names("s"))
    assert (made.probes, made.probe_files, bool(made.harness)) == ((), {}, True)
    assert made.why_not == dict.fromkeys(("canaries", "twins"), "there are none for command")
    unknown = make_checks(Targets("command", (test, TargetTest("a", "a.c")), files), Names("s"))
    assert unknown.harness is None


@pytest.mark.parametrize("runner", ["pytest", "unittest", "django"])
def test_python_has_all_three(runner: str) -> None:
    targets = Targets(runner, (TargetTest("tests/test_a.py::test_a", "tests/test_a.py"),), {"tests/test_a.py": TEXT})
    made = make_checks(targets, Names("s"))
    assert {probe.must for probe in made.probes} == {"pass", "fail", "error", "differ", "differ by one"}
    assert made.harness
    assert made.why_not == {}
