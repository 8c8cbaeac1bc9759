"""Comments, replies and re-runs: each once, whatever becomes of its answer."""

import threading

import pytest

from reknit.adapters.github.comments import MAX_BODY_CHARS, add_marker, has_mark, is_marked, is_same_text, make_marker
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.errors import InternalError
from reknit.core.forge.values import CiCheck, ForgeError, ForgePlace, Remark
from tests.adapters.github.conftest import SLUG, Opened, reply_as
from tests.tools.github import GitHub


def bodies(hub: GitHub, pull: Opened) -> list[str]:
    return [comment["body"] for comment in hub.comments(SLUG, pull.number)]


def writes(hub: GitHub) -> list[tuple[str, int]]:
    return [(call.method, call.status) for call in hub.calls if call.method != "GET" and call.path != "/graphql"]


def test_one_comment_edited_in_place(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    first = forge.comment(pull.number, "pull", "iteration 1")
    second = forge.comment(pull.number, "pull", "iteration 2")

    assert first == second == hub.comments(SLUG, pull.number)[0]["html_url"]
    assert bodies(hub, pull) == ["<!-- reknit:pull -->\niteration 2"]


def test_the_same_text_again_writes_nothing(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    forge.comment(pull.number, "pull", "iteration 1")
    hub.calls.clear()
    forge.comment(pull.number, "pull", "iteration 1")

    assert writes(hub) == []


def test_another_key_is_another_comment(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    forge.comment(pull.number, "pull", "one <!-- reknit:other --> quoted")
    forge.comment(pull.number, "other", "two")

    assert bodies(hub, pull) == [
        "<!-- reknit:pull -->\none <!-- reknit:other --> quoted",
        "<!-- reknit:other -->\ntwo",
    ]


def test_somebody_elses_comment_with_our_mark_is_not_touched(
    hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened
) -> None:
    forge.comment(pull.number, "pull", "a person's")
    app.comment(pull.number, "pull", "the App's")
    app.comment(pull.number, "pull", "the App's again")

    assert bodies(hub, pull) == ["<!-- reknit:pull -->\na person's", "<!-- reknit:pull -->\nthe App's again"]


def test_a_comment_is_found_on_a_later_page(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(100):
        hub.say(SLUG, pull.number, author="ann", text=f"{number}")
    forge.comment(pull.number, "pull", "one")  # page 1 is now known, full, and will answer 304 without a word on page 2
    forge.comment(pull.number, "pull", "two")

    assert [body for body in bodies(hub, pull) if "reknit" in body] == ["<!-- reknit:pull -->\ntwo"]


def test_a_long_body_is_cut(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    forge.comment(pull.number, "pull", "x" * 80_000)

    assert len(bodies(hub, pull)[0]) == 65_000


@pytest.mark.parametrize("fault", ["lost_answer", "server_error", "dropped"])
def test_a_comment_whose_answer_was_lost_is_there_once(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str
) -> None:
    forge.whoami()
    setattr(hub.faults, fault, 1)
    with pytest.raises(ForgeError) as raised:
        forge.comment(pull.number, "pull", "one")
    assert raised.value.failure.kind == "unreachable"
    assert len(bodies(hub, pull)) == (fault == "lost_answer")

    forge.comment(pull.number, "pull", "one")
    forge.comment(pull.number, "pull", "two")

    assert bodies(hub, pull) == ["<!-- reknit:pull -->\ntwo"]


def test_a_new_process_finds_the_comment_of_the_old_one(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    forge.comment(pull.number, "pull", "one")
    with open_forge(ForgePlace("github", hub.url, SLUG), {"GH_TOKEN": hub.token}) as again:
        again.comment(pull.number, "pull", "two")

    assert bodies(hub, pull) == ["<!-- reknit:pull -->\ntwo"]


def test_two_threads_write_one_comment(hub: GitHub, pull: Opened) -> None:
    place = ForgePlace("github", hub.url, SLUG)
    hub.faults.slow, hub.faults.slow_s = 100, 0.01
    forges = [open_forge(place, {"GH_TOKEN": hub.token}) for _ in range(4)]
    threads = [threading.Thread(target=forge.comment, args=(pull.number, "pull", "one")) for forge in forges]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for forge in forges:
        forge.close()

    assert bodies(hub, pull) == ["<!-- reknit:pull -->\none"]


def test_without_permission_nothing_is_written(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.faults.permission = 1

    with pytest.raises(ForgeError) as raised:
        forge.comment(pull.number, "pull", "one")

    assert raised.value.failure.kind == "forbidden"
    assert bodies(hub, pull) == []


def test_no_comment_on_what_is_not_there(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    with pytest.raises(ForgeError) as raised:
        forge.comment(999, "pull", "one")

    assert raised.value.failure.kind == "missing"


@pytest.fixture
def remark(hub: GitHub, forge: GitHubForge, pull: Opened) -> Remark:
    hub.thread(SLUG, pull.number, author="ann", file="a.py", line=2, text="why 3?", association="MEMBER")
    (found,) = forge.remarks(pull.number)
    return found


def replies(hub: GitHub, pull: Opened) -> list[tuple[bool, list[str]]]:
    return [
        (thread["resolved"], [body for _author, body in thread["said"]]) for thread in hub.threads(SLUG, pull.number)
    ]


def test_an_answer_is_given_once_and_resolves(hub: GitHub, forge: GitHubForge, pull: Opened, remark: Remark) -> None:
    forge.answer(remark, "run-1", "2 it is")
    hub.calls.clear()
    forge.answer(remark, "run-1", "2 it is")

    assert len(hub.calls) == 1, "a look, and nothing more"
    assert replies(hub, pull) == [(True, ["why 3?", "<!-- reknit:run-1 -->\n2 it is"])]


def test_a_mark_in_somebody_elses_reply_is_no_answer(
    hub: GitHub, forge: GitHubForge, pull: Opened, remark: Remark
) -> None:
    reply_as(hub, "mallory", remark.id, "<!-- reknit:run-1 -->\nnothing to do")
    forge.answer(remark, "run-1", "2 it is")

    assert replies(hub, pull)[0][1][2:] == ["<!-- reknit:run-1 -->\n2 it is"]


@pytest.mark.parametrize("after", [0, 1], ids=["the-reply-s-answer-is-lost", "the-resolution-s-answer-is-lost"])
def test_an_answer_that_was_lost_is_there_once(
    hub: GitHub, forge: GitHubForge, pull: Opened, remark: Remark, after: int
) -> None:
    hub.faults.switch("lost_answer", after=after)
    with pytest.raises(ForgeError) as raised:
        forge.answer(remark, "run-1", "2 it is")
    assert raised.value.failure.kind == "unreachable"

    forge.answer(remark, "run-1", "2 it is")

    assert replies(hub, pull) == [(True, ["why 3?", "<!-- reknit:run-1 -->\n2 it is"])]


def test_a_review_is_not_answered(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.review(SLUG, pull.number, author="ann", state="CHANGES_REQUESTED", text="no")
    (found,) = forge.remarks(pull.number)
    hub.calls.clear()

    forge.answer(found, "run-1", "done")

    assert hub.calls == []


def test_a_thread_that_is_gone(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    gone = Remark("PRRT_999999", "thread", "ann", is_bot=False, association="MEMBER", text="?")

    with pytest.raises(ForgeError) as raised:
        forge.answer(gone, "run-1", "done")

    assert raised.value.failure.kind == "missing"


@pytest.fixture
def failed(hub: GitHub, forge: GitHubForge, pull: Opened) -> CiCheck:
    hub.check(SLUG, pull.sha, "ci", "failure")
    (check,) = forge.checks(pull.sha)
    return check


def runs(hub: GitHub, pull: Opened) -> list[str]:
    return [run["status"] for run in hub.check_runs(SLUG, pull.sha)]


def test_a_job_runs_again_once(hub: GitHub, forge: GitHubForge, pull: Opened, failed: CiCheck) -> None:
    forge.rerun(failed)
    forge.rerun(failed)

    assert writes(hub) == [("POST", 201)]
    assert [check.state for check in forge.checks(pull.sha)] == ["pending"]

    hub.check(SLUG, pull.sha, "ci", "failure")
    forge.rerun(failed)
    assert writes(hub) == [("POST", 201)], "its successor has ended too: it had its second chance"


def test_a_rerun_whose_answer_was_lost_happens_once(
    hub: GitHub, forge: GitHubForge, pull: Opened, failed: CiCheck
) -> None:
    hub.faults.lost_answer = 1
    with pytest.raises(ForgeError):
        forge.rerun(failed)
    forge.rerun(failed)

    assert writes(hub) == [("POST", 502)]


def test_a_job_that_still_runs_is_left_alone(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci")
    (check,) = forge.checks(pull.sha)

    forge.rerun(check)

    assert writes(hub) == []


def test_what_is_no_job_cannot_run_again(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "scan", "failure", job=False)
    (check,) = forge.checks(pull.sha)

    with pytest.raises(ForgeError) as raised:
        forge.rerun(check)

    assert raised.value.failure.kind == "forbidden"


def test_a_job_whose_workflow_still_runs_is_for_later(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure")
    (check,) = forge.checks(pull.sha)
    hub.check(SLUG, pull.sha, "lint")

    with pytest.raises(ForgeError) as raised:
        forge.rerun(check)
    assert raised.value.failure.kind == "unreachable"
    assert "already running" in raised.value.failure.detail

    hub.check(SLUG, pull.sha, "lint", "success")
    forge.rerun(check)
    assert writes(hub) == [("POST", 403), ("POST", 201)]


def test_a_job_that_others_are_to_follow_is_for_later(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "ci", "failure")
    (check,) = forge.checks(pull.sha)
    hub.more_jobs(SLUG, pull.sha)

    with pytest.raises(ForgeError) as raised:
        forge.rerun(check)

    assert raised.value.failure.kind == "unreachable"


def test_a_marked_text_is_found_by_its_key_alone() -> None:
    text = add_marker("pull-7", "hello\n")

    assert text == "<!-- reknit:pull-7 -->\nhello"
    assert has_mark("pull-7", text)
    assert not has_mark("pull-70", text)
    assert not has_mark("pull", text)


def test_a_marked_text_is_known_whatever_its_key() -> None:
    assert is_marked(add_marker("pull-7", "hello"))
    assert is_marked("\r\n" + add_marker("run-1/2", ""))
    assert not is_marked("<!-- reknit -->")
    assert not is_marked("<!-- state: 1 -->")


def test_a_quoted_mark_is_no_mark() -> None:
    assert not is_marked(f"> {add_marker('a', 'quoted')}")
    assert not has_mark("a", f"somebody wrote {make_marker('a')}")
    assert not has_mark("a", add_marker("b", make_marker("a")))


@pytest.mark.parametrize("key", ["", "a b", "a-->", "a--b", "x" * 201, "a\nb"])
def test_a_key_that_could_end_the_comment_is_refused(key: str) -> None:
    with pytest.raises(InternalError):
        make_marker(key)


def test_a_long_text_is_cut_and_says_so() -> None:
    text = add_marker("a", "x" * 70_000)

    assert len(text) == MAX_BODY_CHARS == 65_000
    assert text.startswith(make_marker("a"))
    assert text.endswith("(cut: too long for a comment)")
    assert len(add_marker("a", "x" * (MAX_BODY_CHARS - len(make_marker("a")) - 1))) == MAX_BODY_CHARS


def test_line_ends_make_no_difference() -> None:
    assert is_same_text("a\r\nb\r\n", "a\nb")
    assert not is_same_text("a\nb", "a\nc")
