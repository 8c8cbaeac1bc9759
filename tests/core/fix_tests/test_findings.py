"""One finding per cause, what recent commits broke first, and nothing of what the environment broke."""

from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.fix_tests.findings import TreeKnowledge, triage
from reknit.core.testing.report import WHOLE_SUITE, TestReport

SAME = "AttributeError: 'Cart' object has no attribute 'total'\nsrc/shop/cart.py:9: AttributeError"
OTHER = "ValueError: no such rate\n\nsrc/shop/rates.py:3: ValueError"
MISSING = "ModuleNotFoundError: No module named 'flask'"
IN_DOUBT = "Failed: Timeout >10.0s"


def seen(**messages: str) -> TestReport:
    """Keyword a: the message of t.py::a."""
    words = {f"t.py::{name}": message for name, message in messages.items()}
    results = {**dict.fromkeys(words, "failed"), "t.py::green": "passed"}
    return TestReport("fail", "junit", results, words, dict.fromkeys(words, "t.py"))  # type: ignore[arg-type]


def test_tests_with_the_same_failure_are_one_finding() -> None:
    report = seen(a=SAME, b=OTHER, c=SAME, d=SAME)
    found = triage(sorted(report.failed), report, TreeKnowledge())
    assert [(each.id, each.subject, each.also) for each in found.findings] == [
        ("T-1", "t.py::a", ("t.py::c", "t.py::d")),
        ("T-2", "t.py::b", ()),
    ]
    assert found.findings[0].tests == ("t.py::a", "t.py::c", "t.py::d")
    assert (found.doubtful, found.left_out) == ((), ())


def test_what_recent_commits_touched_comes_first() -> None:
    report = seen(a=SAME, b=OTHER)
    by_frame = triage(sorted(report.failed), report, TreeKnowledge(recent=frozenset({"src/shop/rates.py"})))
    assert [each.subject for each in by_frame.findings] == ["t.py::b", "t.py::a"]
    in_box = seen(a=SAME, b=OTHER.replace("src/", "/srv/tree/src/"))
    again = triage(sorted(in_box.failed), in_box, TreeKnowledge(recent=frozenset({"src/shop/rates.py"})))
    assert [each.subject for each in again.findings] == ["t.py::b", "t.py::a"]
    by_file = triage(sorted(report.failed), report, TreeKnowledge(recent=frozenset({"t.py"})))
    assert [each.id for each in by_file.findings] == ["T-1", "T-2"]


def test_what_the_environment_broke_is_left_out_with_a_remedy() -> None:
    report = seen(a=MISSING, b=OTHER, c=MISSING, d=IN_DOUBT)
    facts = TreeFacts(frozenset({"requirements.txt"}), {"requirements.txt": "flask\n"})
    found = triage(sorted(report.failed), report, TreeKnowledge(facts))
    assert [each.subject for each in found.findings] == ["t.py::b", "t.py::d"]
    [(tests, why, remedy)] = found.left_out
    assert (tests, why) == (("t.py::a", "t.py::c"), "flask is not installed")
    assert "pip install flask" in remedy
    assert found.doubtful == ("T-2",)
    assert found.doubts == ((("t.py::d",), "the test took too long", ""),)


def test_a_failure_without_words_is_told_by_the_end_of_the_output() -> None:
    silent = TestReport("fail", "exit code", {"t": "failed"}, output_tail="x" * 3000)
    assert triage(["t"], silent, TreeKnowledge()).findings[0].message == "x" * 2000


def test_a_lockfile_that_a_test_command_calls_stale_is_named_by_its_path() -> None:
    facts = TreeFacts(frozenset({"uv.lock", "web/uv.lock", "web/a.py"}))
    said = "error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided."
    for test, file in ((f"web/api/{WHOLE_SUITE}", "web/uv.lock"), (WHOLE_SUITE, "**/uv.lock"), ("web/t.py::a", "")):
        report = TestReport("fail", "exit code", {test: "failed"}, {test: said})
        assert triage([test], report, TreeKnowledge(facts)).findings[0].file == file
