from dataclasses import replace

from reknit.core.fix_issues.progress import BatchAttempt
from reknit.core.fix_issues.refused_batch import after_verdict
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waivers

TRIED = BatchAttempt(1, 1, 0, kept=False, why="the gate refused it")
NOW = Waivers(ends_at_once=True)
TEST = ("protected-test", "tests/test_a.py")
TYPE = "only a person may allow a change of tests/test_a.py: add `--allow protected-test:tests/test_a.py`"


def verdict(*refused: tuple[str, str]) -> GateVerdict:
    return GateVerdict(tuple(Refusal(rule, path, "no") for rule, path in refused), ("a",), 1, 1, 1)


def test_a_change_that_no_waiver_helps_stays_as_it_is() -> None:
    assert after_verdict(TRIED, verdict(), NOW, (), 3) == TRIED
    assert after_verdict(TRIED, verdict(TEST, ("test-removed", "tests/test_a.py")), NOW, (), 3) == TRIED
    assert after_verdict(TRIED, verdict(TEST), Waivers(), (), 3) == TRIED


def test_a_lockfile_alone_is_left_to_a_person_at_once() -> None:
    tried = after_verdict(TRIED, verdict(("protected-config", "uv.lock")), NOW, (), 3)
    assert tried.final
    assert tried.why.endswith("add `--allow protected-config:uv.lock`")


def test_an_agent_that_changed_a_test_gets_one_more_attempt_and_never_reads_what_a_person_types() -> None:
    first = after_verdict(TRIED, verdict(TEST), NOW, (), 3)
    assert first == replace(TRIED, needed=(TEST,))
    assert after_verdict(TRIED, verdict(TEST), NOW, (first,), 3) == replace(first, final=True, why=TYPE)


def test_the_last_attempt_says_what_to_type() -> None:
    assert after_verdict(TRIED, verdict(TEST), NOW, (), 1) == replace(TRIED, needed=(TEST,), why=TYPE)


def test_a_variant_takes_no_option_so_its_plan_is_named_where_a_grant_helps() -> None:
    granted = after_verdict(TRIED, verdict(TEST), NOW, (), 1, "p.md").why
    assert granted == "only a person may allow a change of tests/test_a.py: add it to `grants:` in p.md"
    beyond = after_verdict(TRIED, verdict(("no-mode-change", "run.sh")), NOW, (), 1, "p.md").why
    assert beyond == "only you can change run.sh: no grant lifts no-mode-change"
