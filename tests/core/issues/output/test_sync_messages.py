"""What `issues sync` answers, with a forge and without one."""

from reknit.core.issues.output.sync_messages import ResolvingCommit, SyncResult, sync_document, sync_lines

MINE = ResolvingCommit(
    "a" * 40,
    (1, 2),
    in_head=True,
)
ASIDE = ResolvingCommit("b" * 40, (3,), in_head=False, branches=("reknit/r-1", "next"))
GONE = ResolvingCommit("c" * 40, (4, 5), in_head=False)
ALONE = SyncResult(unasked="no remote of this repository is on a forge", landed=(MINE, ASIDE, GONE))
COMMITS = [each.commit for each in ALONE.landed]


def test_the_forges_word_is_told() -> None:
    assert sync_lines(SyncResult(), []) == ["no RESOLVED issue is waiting for a merge"]
    assert sync_lines(SyncResult((1,)), ["c" * 40]) == ["I-1: MERGED", "1 commit(s) are not merged yet: cccccccccccc"]
    assert sync_document(SyncResult((1,)), ["c"]) == {
        "schema": 1, "merged": ["I-1"], "waiting_commits": ["c"], "unseen": [], "not_asked": 0,
    }  # fmt: skip


def test_who_could_not_be_asked_and_what_was_not_asked_for_is_told() -> None:
    answer = SyncResult((1,), unseen=("up/shop could not be checked: it did\nnot answer",), not_asked=7)
    assert sync_lines(answer, ["c" * 40])[2:] == [
        "up/shop could not be checked: it did not answer",
        "7 of them were not checked: run `reknit issues sync` again to check others",
    ]
    document = sync_document(answer, [])
    assert (document["unseen"], document["not_asked"]) == ([*answer.unseen], 7)


def test_without_a_forge_it_is_told_what_the_clone_knows() -> None:
    assert sync_lines(ALONE, COMMITS) == [
        "5 issue(s) are RESOLVED; no remote of this repository is on a forge, and only a forge can confirm that an "
        "issue is MERGED",
        "  I-1, I-2: aaaaaaaaaaaa is in HEAD; the next `reknit issues import` shows whether they are gone",
        "  I-3: bbbbbbbbbbbb is in reknit/r-1, not in HEAD",
        "  I-4, I-5: cccccccccccc is in no branch here; if it was abandoned: `reknit issues reopen I-4 I-5`",
    ]


def test_programs_get_the_same() -> None:
    document = sync_document(ALONE, COMMITS)
    assert (document["merged"], document["waiting_commits"], document["unasked"]) == ([], COMMITS, ALONE.unasked)
    assert document["commits"] == [
        {"commit": "a" * 40, "issues": ["I-1", "I-2"], "in_head": True, "branches": []},
        {"commit": "b" * 40, "issues": ["I-3"], "in_head": False, "branches": ["reknit/r-1", "next"]},
        {"commit": "c" * 40, "issues": ["I-4", "I-5"], "in_head": False, "branches": []},
    ]
