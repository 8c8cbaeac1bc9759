"""The tables of signs."""

from reknit.core.issues.identity.fingerprint import NormalizedFile, place
from reknit.core.issues.identity.signs import ANOTHER_TOOL, LIVE, SAME_TOOL
from reknit.core.issues.lifecycle import STATUSES
from reknit.core.issues.model import ReportResult
from tests.tools.issue_keeper import issue

SHOWN = place(
    ReportResult("ruff", "E722", "-", 3, 1, "words"), "a.py", NormalizedFile(b"try:\n    one()\nexcept:\n    two()\n")
)


def test_what_is_closed_is_never_recognised_by_words_or_place_alone() -> None:
    """Another text, the same words: no sign that holds for a closed issue is the same."""
    same = issue(SHOWN, 1, ("ruff",), "IGNORED", "f")
    other = place(SHOWN.found, "a.py", NormalizedFile(b"try:\n    three()\nexcept E:\n    four()\n"))
    for sign in (*SAME_TOOL, *ANOTHER_TOOL):
        beyond = {*sign.lone, *sign.near, *sign.far} - set(LIVE)
        assert not beyond or beyond == set(STATUSES) - set(LIVE)
        assert not beyond or sign.look(same) != sign.look(other)


def test_every_sign_holds_for_something() -> None:
    assert all(sign.lone or sign.near or sign.far for sign in (*SAME_TOOL, *ANOTHER_TOOL))
    assert all(sign.lone for sign in SAME_TOOL if sign.against)
