"""Lists what each good ending rests on: the table of the page about endings, which a test compares with the code."""

from collections.abc import Mapping

CHECKS: Mapping[str, str] = {
    "result": "the tests gave a result before any change",
    "none red": "no test that was asked for is red, flaky or impossible to run here",
    "gate": "the gate accepted the change, and a tamper check cleared each of its suspicions",
    "held": "no test that passed before is red or gone with the change",
    "proven": "the test was red every time before, is green every time with the fix, and red without it",
    "no tampering": "no tamper check saw tampering, and a command judged by its exit code was seen to fail",
    "tests pass": "the tests of the last commit pass, none of them flaky or left out",
    "ci": "CI of the last commit passes, or the repository has none",
    "review": "the review of the last commit passes, or you have set no reviewer, and no person must review again",
    "addressed": "the file of the issue is in the commit, with more than comments or blanks unless its own check held",
    "resolved": "its tool no longer reports it, its red test is proven, or the challenger approved",
    "gone": "every tool that reported the issues was run on the base commit and reports none of them",
    "answers": "at least one reviewer applies, and every one gave an answer",
    "passed": "every reviewer passed the change",
    "confirmed": "the reviewer that reported the problem says that it is gone",
    "reached": "the file of the finding is in the commit, with more than comments unless the finding is about one",
    "second look": "each blocking reviewer read the whole change with every fix: nothing new; or you turned that off",
    "in commit": "the file of the task is in the commit",
    "named test": "the named test was run and passes",
    "votes": "two agents of different vendors voted, and their average approves",
    "same head": "the branch is still at the commit that they read",
    "rules": "every rule for plans holds",
    "criteria": "every acceptance criterion of the plan was checked and passes, and no task was passed over",
}
_FIX = ("result", "gate", "held", "proven", "no tampering")
_ISSUE = ("result", "gate", "held", "addressed", "resolved")
_FINDING = ("result", "gate", "held", "reached", "confirmed")

RESTS_ON: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "fix tests": {"CLEAN": ("result", "none red"), "FIXED": _FIX, "PARTIAL": _FIX},
    "fix pr": {"CLEAN": ("tests pass", "ci", "review")},
    "fix issues": {"CLEAN": ("result", "gone"), "FIXED": _ISSUE, "PARTIAL": _ISSUE, "RESOLVED": _ISSUE},
    "review": {
        "CLEAN": ("answers", "passed"), "FIXED": ("answers", *_FINDING, "second look"), "PARTIAL": _FINDING,
        "RESOLVED": _FINDING,
    },
    "fix plan": {
        "CLEAN": ("criteria",), "FIXED": ("criteria",), "RESOLVED": ("result", "gate", "held", "in commit"),
    },
    "hook check": {"CLEAN": ("named test",), "FIXED": ("gate", "named test")},
    "plan": {"CLEAN": ("rules",)},
    "vote": {"CLEAN": ("votes", "same head")},
}  # fmt: skip
"""Kind of run -> ending -> checks that hold for each part that the ending calls fixed. RESOLVED: one issue."""
