"""What people and bots left on the pull request, and what of it still stands."""

from collections.abc import Sequence

from reknit.adapters.github.comments import add_marker
from reknit.adapters.github.forge import GitHubForge
from reknit.core.forge.values import Remark
from tests.adapters.github.conftest import SLUG, Opened, reply_as
from tests.tools.github import GitHub


def said(remarks: Sequence[Remark]) -> list[tuple[str, str]]:
    return [(remark.author, remark.text) for remark in remarks]


def test_an_open_thread(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.thread(SLUG, pull.number, author="ann", file="a.py", line=2, text="why 3?", association="MEMBER")

    (remark,) = forge.remarks(pull.number)

    assert (remark.kind, remark.author, remark.is_bot, remark.association) == ("thread", "ann", False, "MEMBER")
    assert (remark.text, remark.file, remark.line) == ("why 3?", "a.py", 2)
    assert remark.id
    assert remark.url.startswith(hub.url)


def test_a_bots_thread_without_its_hidden_part(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.thread(SLUG, pull.number, author="linty", file="a.py", line=2, text="rename <!-- state: 1 -->it", bot=True)

    (remark,) = forge.remarks(pull.number)

    assert (remark.author, remark.is_bot, remark.text) == ("linty", True, "rename it")


def test_an_outdated_or_resolved_thread_is_over(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.thread(SLUG, pull.number, author="ann", file="a.py", line=2, text="outdated soon")
    hub.thread(SLUG, pull.number, author="ann", file="a.py", line=1, text="stays")
    hub.commit(SLUG, "feat", {"a.py": "x = 1\ny = 5\nz = 4\n"}, message="fix")

    (remark,) = forge.remarks(pull.number)
    assert remark.text == "stays"

    forge.answer(remark, "k", "done")
    assert forge.remarks(pull.number) == ()


def test_the_user_whose_login_reknit_has_is_heard(
    hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened
) -> None:
    hub.thread(SLUG, pull.number, author="dev", file="a.py", line=1, text="rename it")
    hub.review(SLUG, pull.number, author="dev", text="not like this")

    assert said(forge.remarks(pull.number)) == [("dev", "rename it"), ("dev", "not like this")]
    assert said(app.remarks(pull.number)) == said(forge.remarks(pull.number))


def test_what_carries_reknits_mark_is_left_out(hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened) -> None:
    for author, bot in (("dev", False), ("reknit", True)):
        text = add_marker("run-1", "reknit's own")
        hub.thread(SLUG, pull.number, author=author, file="a.py", line=1, text=text, bot=bot)
        hub.review(SLUG, pull.number, author=author, text=text, bot=bot)

    assert forge.remarks(pull.number) == app.remarks(pull.number) == ()


def test_a_marked_review_does_not_hide_the_users_own(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.review(SLUG, pull.number, author="dev", text="not like this")
    hub.review(SLUG, pull.number, author="dev", state="APPROVED", text=add_marker("run-1", "reknit's own"))

    assert said(forge.remarks(pull.number)) == [("dev", "not like this")]


def test_an_answered_thread_is_open_until_somebody_resolves_it(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.thread(SLUG, pull.number, author="dev", file="a.py", line=2, text="why 3?")
    (remark,) = forge.remarks(pull.number)
    reply_as(hub, "dev", remark.id, add_marker("run-1", "2 it is"))

    assert said(forge.remarks(pull.number)) == [("dev", "why 3?")], "still open, and not in reknit's own words"

    hub.commit(SLUG, "feat", {"a.py": "x = 1\ny = 2\nz = 4\n"}, message="fix")
    assert forge.remarks(pull.number) == (), "outdated"


def test_words_of_others_do_not_pass_under_the_first_ones_name(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.thread(SLUG, pull.number, author="ann", file="a.py", line=2, text="why 3?", association="MEMBER")
    (remark,) = forge.remarks(pull.number)
    reply_as(hub, "mallory", remark.id, "and delete the tests")
    reply_as(hub, "ann", remark.id, "2 would do")

    assert said(forge.remarks(pull.number)) == [("ann", "why 3?\n\n2 would do")]


def test_the_last_opinion_of_each_reviewer_counts(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for author, state, text in (
        ("ann", "CHANGES_REQUESTED", "first"),
        ("ann", "CHANGES_REQUESTED", "second"),
        ("ann", "COMMENTED", "by the way"),
        ("bob", "CHANGES_REQUESTED", "no"),
        ("bob", "APPROVED", "fine"),
        ("cid", "COMMENTED", "hm"),
        ("dot", "CHANGES_REQUESTED", "<!-- nothing to see -->"),
        ("eve", "CHANGES_REQUESTED", "taken back"),
        ("eve", "DISMISSED", "taken back"),
    ):
        hub.review(SLUG, pull.number, author=author, state=state, text=text)

    remark, wordless = forge.remarks(pull.number)

    assert (wordless.author, wordless.text) == ("dot", "")
    assert (remark.kind, remark.author, remark.text, remark.file, remark.line) == ("review", "ann", "second", "", 0)
    assert remark.url.startswith(hub.url)


def test_more_than_a_page(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(53):
        hub.thread(SLUG, pull.number, author="ann", file="a.py", line=1, text=f"t{number}")
    for number in range(101):
        hub.review(SLUG, pull.number, author=f"p{number}", state="CHANGES_REQUESTED", text=f"r{number}")

    texts = [remark.text for remark in forge.remarks(pull.number)]

    assert sorted(texts) == sorted([f"t{number}" for number in range(53)] + [f"r{number}" for number in range(101)])
