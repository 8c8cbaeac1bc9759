"""Which results are known issues, which are new, and which are one problem of two tools."""

import random
from dataclasses import replace

import msgspec
import pytest

from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result
from reknit.core.issues.identity.matching import MatchResult, follow_renames, match_results
from reknit.core.issues.identity.pairing import LIVE
from reknit.core.issues.lifecycle import STATUSES, Status
from reknit.core.issues.model import KnownIssue, LocatedResult, ReportResult
from tests.tools.issue_keeper import Keeper
from tests.tools.work import lines_run

CLOSED: tuple[Status, ...] = tuple(status for status in STATUSES if status not in LIVE)
CODE = """\
import os
def first(command):
    try:
        return run_everything(command, shell=True)
    except Exception:
        return None

def second(command):
    value = prepare_another_command(command)
    return run_everything(value, shell=True)
"""


def found(text: str, *places: tuple[str, str, int, str], path: str = "a.py", column: int = 0) -> list[LocatedResult]:
    squeezed = NormalizedFile(text.encode())
    return [
        locate_result(ReportResult(tool, rule, "-", line, column, said), path, squeezed)
        for tool, rule, line, said in places
    ]


def shell(line: int, tool: str = "ruff") -> tuple[str, str, int, str]:
    return {"ruff": ("ruff", "S602"), "bandit": ("bandit", "B602")}[tool] + (line, f"{tool} sees a shell")


def kept(*results: LocatedResult, status: Status = "OPEN") -> Keeper:
    keeper = Keeper(status)
    keeper.take(results)
    return keeper


def again(matched: MatchResult) -> list[tuple[int, int]]:
    return [(one.id, one.result.result.line) for one in matched.sightings]


def test_a_second_import_changes_nothing_in_any_order() -> None:
    results = found(CODE, shell(4), shell(10), ("ruff", "F401", 1, "`os` imported but unused"))
    keeper = kept(*results)
    before = dict(keeper.known)
    for order in (results, results[::-1]):
        matched = keeper.take(order)
        assert (matched.new, matched.repeat_count, keeper.known) == ([], 0, before)
    fresh = [[new.fingerprint for new in match_results([], order).new] for order in (results, results[::-1])]
    assert fresh[0] == fresh[1]
    assert [new.result.result.line for new in match_results([], results[::-1]).new] == [1, 4, 10]


def test_an_exact_repeat_is_one_result() -> None:
    matched = match_results([], found(CODE, shell(4), shell(4)))
    assert (len(matched.new), matched.repeat_count) == (1, 1)


def test_two_results_of_one_tool_are_two_issues() -> None:
    matched = match_results([], found(CODE, shell(4), ("ruff", "S602", 4, "another")))
    assert (len(matched.new), matched.repeat_count) == (2, 0)


def test_two_tools_of_one_report_make_one_issue() -> None:
    for order in ((shell(4), shell(4, "bandit")), (shell(4, "bandit"), shell(4))):
        (new,) = match_results([], found(CODE, *order)).new
        assert (new.result.result.tool, [one.result.tool for one in new.other_results]) == ("bandit", ["ruff"])


def test_names_on_one_line_are_joined_by_name() -> None:
    text = "from os import path, sep\n"
    ruff = [("ruff", "F401", 1, f"`os.{name}` imported but unused") for name in ("path", "sep")]
    pylint = [("pylint", "W0611", 1, f"Unused {name} imported from os") for name in ("sep", "path", "other")]
    new = match_results([], found(text, *ruff, *pylint)).new
    told = {tuple(sorted(one.result.message for one in (issue.result, *issue.other_results))) for issue in new}
    assert told == {
        ("Unused path imported from os", "`os.path` imported but unused"),
        ("Unused sep imported from os", "`os.sep` imported but unused"),
        ("Unused other imported from os",),
    }


@pytest.mark.parametrize("shift", [0, 1, 40])
def test_a_second_tool_joins_what_an_earlier_report_made(shift: int) -> None:
    keeper = kept(*found(CODE, shell(4), column=16))
    matched = keeper.take(found("\n" * shift + CODE, shell(4 + shift, "bandit"), column=9))
    assert (matched.new, again(matched)) == ([], [(1, 4 + shift)])
    assert keeper.known[1].tools == ("ruff", "bandit")


def test_an_issue_takes_the_place_its_first_tool_gives() -> None:
    keeper = kept(*found(CODE, shell(4)))
    matched = keeper.take(found(CODE, shell(4, "bandit"), shell(4)))
    assert [one.result.result.tool for one in matched.sightings] == ["ruff", "bandit"]


def test_an_issue_of_two_tools_outlives_an_edit_that_only_the_second_reports() -> None:
    keeper = kept(*found(CODE, shell(4), shell(4, "bandit")))
    edited = CODE.replace("run_everything(command, shell=True)", "call(shell=True)").replace("try:", "try :  # now")
    assert again(keeper.take(found(edited, shell(4)))) == [(1, 4)]


def test_a_third_tool_joins_what_the_second_has_just_joined() -> None:
    keeper = kept(*found(CODE, shell(4), column=16))
    third = ("semgrep", "x.subprocess-shell-true", 4, "third")
    matched = keeper.take(found(CODE, shell(4, "bandit"), third, column=9))
    assert (matched.new, again(matched)) == ([], [(1, 4), (1, 4)])


def test_another_rule_is_another_issue() -> None:
    keeper = kept(*found(CODE, shell(4)))
    matched = keeper.take(found(CODE, ("ruff", "BLE001", 4, "ruff sees a shell")))
    assert (len(matched.new), matched.sightings) == (1, [])


def test_another_file_is_another_issue() -> None:
    keeper = kept(*found(CODE, shell(4)))
    matched = keeper.take(found(CODE, shell(4), path="b.py"))
    assert (len(matched.new), matched.sightings) == (1, [])


def test_a_new_finding_is_new_and_the_old_one_stays() -> None:
    keeper = kept(*found(CODE, shell(4)))
    matched = keeper.take(found(CODE, shell(4), shell(10)))
    assert (again(matched), [new.result.result.line for new in matched.new]) == ([(1, 4)], [10])


def test_a_finding_that_comes_as_another_one_goes_is_new() -> None:
    keeper = kept(*found(CODE, shell(4)))
    assert len(keeper.take(found(CODE, shell(10))).new) == 1


@pytest.mark.parametrize("status", LIVE)
def test_an_edited_line_is_the_same_issue(status: Status) -> None:
    keeper = kept(*found(CODE, shell(4)), status=status)
    assert again(keeper.take(found("x = 1\n", shell(1)))) == [(1, 1)]


@pytest.mark.parametrize("status", CLOSED)
def test_one_that_is_closed_never_swallows_other_content(status: Status) -> None:
    keeper = kept(*found(CODE, shell(4)), status=status)
    edited = CODE.replace("run_everything(command, shell=True)", "quite_another_call(shell=True)")
    assert len(keeper.take(found(edited.replace("None", "0"), shell(4))).new) == 1


@pytest.mark.parametrize("status", CLOSED)
def test_one_that_is_closed_is_known_by_its_content_wherever_it_went(status: Status) -> None:
    keeper = kept(*found(CODE, shell(10)), status=status)
    matched = keeper.take(found("\n" * 30 + CODE + "extra = 1\n", shell(40)))
    assert (again(matched), keeper.known[1].status) == ([(1, 40)], status)


def audit(message: str, line: int) -> LocatedResult:
    text = NormalizedFile(b"flask==1.0\ndjango==3.2\n") if line else None
    return locate_result(
        ReportResult("audit", "vulnerable-dependency", "-", line, 0, message), "requirements.txt", text
    )


@pytest.mark.parametrize("status", CLOSED)
@pytest.mark.parametrize("line", [0, 2])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("django: CVE-2021-45115 (denial of service)", "django: CVE-2019-14234 (denial of service)"),
        ("`lodash/merge` is unsafe", "`axios/merge` is unsafe"),
    ],
    ids=["another identifier", "another module"],
)
def test_one_that_is_closed_hides_nothing_else_at_its_place(line: int, status: Status, old: str, new: str) -> None:
    keeper = kept(audit(old, line), status=status)
    assert [one.result.result.message for one in keeper.take([audit(new, line)]).new] == [new]
    keeper = kept(audit(old, line), status=status)
    matched = keeper.take([audit(old, line), audit(new, line)])
    assert [one.result.result.message for one in matched.sightings] == [old]
    assert [one.result.result.message for one in matched.new] == [new]


@pytest.mark.parametrize("edited", ["", "import os\n", "above()\nboth = 1\n"])
@pytest.mark.parametrize("below", ["", "below = 2\n"])
@pytest.mark.parametrize("line", [0, 1])
def test_of_two_that_differ_in_a_number_the_closed_one_keeps_its_own(line: int, edited: str, below: str) -> None:
    """Sorted by their messages the new one comes first."""

    def port(number: int, before: str = "", after: str = "") -> LocatedResult:
        text = NormalizedFile(f"{before}security_group_rules = open_all_of_them\n{after}end = 1\n".encode())
        at = line and line + before.count("\n")
        return locate_result(ReportResult("scan", "open-port", "-", at, 0, f"port {number} is open"), "a.tf", text)

    keeper = kept(port(443), status="IGNORED")
    matched = keeper.take([port(22, edited, below), port(443, edited, below)])
    assert [one.result.result.message for one in matched.sightings] == ["port 443 is open"]
    assert [one.result.result.message for one in matched.new] == ["port 22 is open"]
    later = kept(port(443, "x = 1\n" * 9), status="IGNORED").take([port(444)])
    assert len(later.sightings) == line, (
        "a number may change where the text is the same; without any text it is all there is"
    )


def test_a_short_line_elsewhere_is_not_the_one_that_was_ignored() -> None:
    blind = ("ruff", "BLE001", 5, "blind")
    keeper = kept(*found(CODE, blind), status="IGNORED")
    other = "def third(x):\n    y = x\n" * 5 + "    try:\n        go()\n    except Exception:\n        stop(y)\n"
    assert len(keeper.take(found(other, ("ruff", "BLE001", 13, "blind"))).new) == 1


def test_what_looks_alike_has_fingerprints_of_its_own() -> None:
    text = "eval(x)\n" * 200
    results = found(text, *(("ruff", "S307", line, "eval") for line in range(60, 140)))
    new = match_results([], results).new
    assert len({issue.fingerprint for issue in new}) == len(new) == 80


def test_a_new_issue_never_takes_the_fingerprint_of_a_known_one() -> None:
    (old,) = kept(*found(CODE, shell(4))).known.values()
    far_away = msgspec.structs.replace(
        old, tools=("other",), context_digests=b"-" * 32, line_digest=b"-" * 16, line=900
    )
    (new,) = match_results([far_away], found(CODE, shell(4))).new
    assert new.fingerprint != old.fingerprint


def test_issues_follow_their_files() -> None:
    (one,) = kept(*found(CODE, shell(4))).known.values()
    other = msgspec.structs.replace(one, path="b.py")

    def paths(renames: dict[str, str]) -> list[str]:
        return [issue.path for issue in follow_renames([one, other], renames)]

    assert paths({}) == ["a.py", "b.py"]
    assert paths({"a.py": "c.py"}) == ["c.py", "b.py"]
    assert paths({"a.py": "b.py", "b.py": "a.py"}) == ["b.py", "a.py"], "both at once"


def test_nothing_at_all() -> None:
    assert match_results([], []) == MatchResult([], [], 0)
    assert replace(match_results([], []), repeat_count=1).repeat_count == 1


def many(count: int, looks: int, shift: int = 0) -> list[LocatedResult]:
    numbers = [number % looks for number in range(count)]
    digests = [(random.Random(number).randbytes(32), random.Random(-number).randbytes(16)) for number in range(looks)]
    return [
        LocatedResult(ReportResult("t", "r", "p", at + 1 + shift, 1, "m"), "p", "c", *digests[number], b"said")
        for at, number in enumerate(numbers)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("alike", [1, 2, 50])
def test_work_grows_with_the_results_not_with_their_square(alike: int) -> None:
    def work(count: int) -> int:
        known = [
            KnownIssue(
                at,
                "p",
                "c",
                one.result.line,
                one.context_digests,
                one.line_digest,
                one.message_digests,
                ("t",),
                "OPEN",
                str(at),
            )
            for at, one in enumerate(many(count, count // alike), 1)
        ]
        results = many(count, count // alike, shift=count // 8)
        return lines_run(lambda: match_results(known, results))

    assert work(2_000) < 2.2 * work(1_000), "squared it would be 4 times"
