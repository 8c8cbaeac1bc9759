"""Trust: whether a pull request may be repaired, and what a person can do where it may not."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.finding import Finding
from reknit.core.fix_tests.events import render_commit_message
from reknit.core.forge.permission import FixBlocked, count_hop, find_fix_blocker, find_missing_branch
from reknit.core.forge.values import Actor, Pull
from reknit.core.testing.report import WHOLE_SUITE

SHA = "0123456789abcdef0123456789abcdef01234567"
SLUG = "acme/shop"
BOT = Actor("reknit-bot", is_app=True)
DEV = Actor("dev")
PULL = Pull(
    number=12,
    url="https://github.com/acme/shop/pull/12",
    title="A cart",
    state="open",
    author="ann",
    association="MEMBER",
    head_ref="cart",
    head_sha=SHA,
    head_slug=SLUG,
    head_url="https://github.com/acme/shop.git",
    base_ref="main",
    base_sha="f" * 40,
    base_url="https://github.com/acme/shop.git",
    mergeable=True,
)
STRANGER = replace(PULL, author="eve", association="CONTRIBUTOR")
FORK = replace(PULL, head_slug="ann/shop")


@pytest.mark.parametrize(
    ("pull", "may_push"),
    [
        pytest.param(PULL, True, id="a member"),
        pytest.param(replace(PULL, association="OWNER"), True, id="an owner"),
        pytest.param(replace(PULL, association="COLLABORATOR"), True, id="a collaborator"),
        pytest.param(FORK, True, id="a member's fork that takes our pushes"),
        pytest.param(replace(PULL, mergeable=None), True, id="the forge does not know yet whether it merges"),
        pytest.param(replace(PULL, draft=True), True, id="a draft"),
        pytest.param(replace(STRANGER, author="Dev"), True, id="our own, in other letters"),
        pytest.param(replace(STRANGER, labels=("bug", f"reknit:{SHA}")), True, id="a label names the commit"),
    ],
)
def test_it_may_be_fixed(pull: Pull, may_push: bool) -> None:
    assert find_fix_blocker(pull, DEV, slug=SLUG, may_push=may_push) is None


@pytest.mark.parametrize(
    ("pull", "actor", "may_push", "barred"),
    [
        pytest.param(
            replace(PULL, state="closed"), DEV, True,
            FixBlocked("closed", "#12 is closed; reopen it, then `reknit fix pr 12`"),
            id="closed",
        ),
        pytest.param(
            replace(PULL, state="merged"), DEV, True,
            FixBlocked("closed", "#12 is already merged; open a new pull request for what is left to fix"),
            id="merged",
        ),
        pytest.param(
            replace(PULL, head_slug="", head_url=""), DEV, False,
            FixBlocked(
                "fork-gone",
                "the repository of the branch of #12 is gone, so nothing can be pushed to it; `git fetch "
                "origin pull/12/head:pr-12`, push that branch and open a new pull request",
            ),
            id="the fork is gone",
        ),
        pytest.param(
            replace(PULL, mergeable=False), DEV, True,
            FixBlocked(
                "conflict",
                "#12 conflicts with its base main; `gh pr checkout 12 && git fetch origin main && git merge "
                "FETCH_HEAD`, resolve the conflict, push, then `reknit fix pr 12`",
            ),
            id="a conflict",
        ),
        pytest.param(
            FORK, DEV, False,
            FixBlocked(
                "no-push",
                "dev may not push to the fork ann/shop; ask someone who may to run `gh pr checkout 12 && reknit fix pr "
                "12`, or its owner to tick `Allow edits by maintainers` on the pull request",
                read_only=True,
            ),
            id="a fork that does not take our pushes",
        ),
        pytest.param(
            replace(PULL, head_slug="Acme/Shop"), DEV, False,
            FixBlocked(
                "no-push",
                "dev may not push to Acme/Shop; ask an admin for the role `Write`, then `reknit fix pr 12`",
                read_only=True,
            ),
            id="the same repository without the right to push",
        ),
        pytest.param(
            PULL, BOT, False,
            FixBlocked(
                "no-push",
                "the App reknit-bot may not push to acme/shop; give it `Contents: Read and write`, then "
                "`reknit fix pr 12`",
                read_only=True,
            ),
            id="an App without the right to push",
        ),
        pytest.param(
            STRANGER, DEV, True,
            FixBlocked(
                "untrusted",
                "eve is not an owner, member or collaborator of acme/shop, and agents act on what the pull request says"
                f"; ask a maintainer to review the commit and set the label `reknit:{SHA}`, then `reknit fix pr 12`",
                read_only=True,
            ),
            id="a stranger",
        ),
    ],
)  # fmt: skip
def test_what_bars_it_is_said_with_the_next_step(pull: Pull, actor: Actor, may_push: bool, barred: FixBlocked) -> None:
    assert find_fix_blocker(pull, actor, slug=SLUG, may_push=may_push) == barred


@pytest.mark.parametrize(
    "label",
    [
        pytest.param("reknit:" + SHA[:6], id="too short"),
        pytest.param("reknit:" + "f" * 40, id="another commit"),
        pytest.param("reknit:" + SHA[1:12], id="the middle of the commit"),
        pytest.param("reknit:" + SHA + "0", id="longer than the commit"),
        pytest.param("reknit:", id="no commit"),
        pytest.param("reknit", id="the bare word"),
        pytest.param("reknit:0123456 ", id="more than the commit"),
        pytest.param("x-reknit:" + SHA, id="another label that ends so"),
        pytest.param("reknit:" + SHA[:39], id="all but the last digit"),
        pytest.param("reknit:.......", id="a pattern"),
    ],
)
def test_a_label_that_does_not_name_this_commit_trusts_nobody(label: str) -> None:
    barred = find_fix_blocker(replace(STRANGER, labels=(label,)), DEV, slug=SLUG, may_push=True)
    assert barred and barred.cause == "untrusted"


@pytest.mark.parametrize(
    ("pull", "cause"),
    [
        pytest.param(replace(STRANGER, state="closed", head_slug="", mergeable=False), "closed", id="closed first"),
        pytest.param(replace(STRANGER, head_slug="", mergeable=False), "fork-gone", id="then a fork that is gone"),
        pytest.param(replace(STRANGER, mergeable=False), "conflict", id="then a conflict"),
        pytest.param(STRANGER, "no-push", id="then the right to push"),
    ],
)
def test_what_no_login_could_change_is_said_first(pull: Pull, cause: str) -> None:
    barred = find_fix_blocker(pull, DEV, slug=SLUG, may_push=False)
    assert barred and barred.cause == cause


@given(st.text(min_size=1, max_size=40))
def test_names_of_others_add_no_line_and_no_command(name: str) -> None:
    conflict = find_fix_blocker(replace(PULL, mergeable=False, base_ref=f"{name};id"), DEV, slug=SLUG, may_push=True)
    stranger = find_fix_blocker(replace(STRANGER, author=f"x{name}"), DEV, slug=SLUG, may_push=True)
    assert conflict and stranger
    assert "\n" not in conflict.sentence + stranger.sentence
    assert " origin '" in conflict.sentence and ";id' " in conflict.sentence


def test_a_label_may_name_the_commit_beneath_our_own() -> None:
    labelled, beneath = replace(STRANGER, labels=(f"reknit:{'b' * 40}",)), "b" * 40
    assert find_fix_blocker(labelled, DEV, slug=SLUG, may_push=True, beneath=beneath) is None
    assert find_fix_blocker(labelled, DEV, slug=SLUG, may_push=True) is not None


@pytest.mark.parametrize(
    ("heads", "gone"), [(("a", "b"), ""), (("", "b"), "cart"), (("a", ""), "main"), (("", ""), "cart")]
)
def test_a_branch_that_is_gone_is_named(heads: tuple[str, str], gone: str) -> None:
    barred = find_missing_branch(PULL, heads)
    assert barred == (
        FixBlocked("closed", f"the branch {gone!r} is gone; restore it, then try again") if gone else None
    )


PERSON, DEV_AUTHOR = "feat: add a cart", "Dev <dev@example.org>"


def stamped(hop: object, run: str = "r-7f3a0b1c") -> str:
    return f"fix: the cart (iteration 2)\n\nWhy.\n\nReknit-Run: {run}\nReknit-Hop: {hop}\n"


@pytest.mark.parametrize(
    ("messages", "hop"),
    [
        pytest.param([], 1, id="a branch without commits of its own"),
        pytest.param([PERSON], 1, id="a person's commit"),
        pytest.param([stamped(1)], 2, id="after a first run"),
        pytest.param([stamped(1), stamped(1), PERSON], 2, id="a run with two commits"),
        pytest.param([stamped(1), stamped(2), PERSON, stamped(7)], 3, id="the highest down to a person's"),
        pytest.param([PERSON, stamped(7)], 1, id="a person came after the run"),
        pytest.param(
            [stamped(1), "Merge branch 'main'\n", stamped(7)], 2, id="a merge without a trailer is a person's"
        ),
        pytest.param([stamped("many")], 2, id="a stamp that cannot be read"),
        pytest.param([stamped("-3")], 2, id="a stamp below one"),
        pytest.param([stamped("9999999999")], 2, id="a stamp beyond all reason"),
        pytest.param([stamped("٣")], 2, id="digits of another script"),
        pytest.param([stamped(3).replace("\n", "\r\n")], 4, id="lines that end as on Windows"),
        pytest.param([stamped(2) + "Reknit-Hop: 5\n"], 6, id="two stamps"),
        pytest.param([stamped(2) + "Co-authored-by: A <a@b.c>\n"], 3, id="further trailers"),
        pytest.param([stamped(2) + "\nand then some prose"], 1, id="trailers that are not at the end"),
        pytest.param([stamped(2) + "and then some prose"], 1, id="prose among the trailers"),
        pytest.param(["Reknit-Run: r-7f3a0b1c\nReknit-Hop: 4"], 1, id="a subject is no trailer"),
        pytest.param([stamped(2, run="")], 1, id="a run without a name"),
        pytest.param([stamped(2, run="see r-7f3a0b1c")], 1, id="a run that is only spoken of"),
        pytest.param(["fix: x\n\nReknit-Hop: 4"], 1, id="a hop without a run"),
        pytest.param([""], 1, id="no message at all"),
    ],
)
def test_a_hop_is_one_more_than_the_runs_since_a_person(messages: list[str], hop: int) -> None:
    assert count_hop([(f"c{number}", message, DEV_AUTHOR) for number, message in enumerate(messages)]) == hop


@pytest.mark.parametrize(
    "bot", ["tidy[bot] <1+tidy[bot]@users.noreply.github.com>", "Tidy <1+tidy[bot]@users.noreply.x>"]
)
def test_what_another_bot_pushed_does_not_start_the_count_anew(bot: str) -> None:
    assert count_hop([("b", "style: tidy up", bot), ("r", stamped(2), DEV_AUTHOR), ("p", PERSON, DEV_AUTHOR)]) == 3


def test_what_we_write_into_a_commit_is_read_back() -> None:
    finding = Finding("T-1", "tests", "test-failed", WHOLE_SUITE)
    assert count_hop([("c", render_commit_message(finding, "r-7f3a0b1c", ["a.py"], None, ["a: b"]), DEV_AUTHOR)]) == 2


@given(st.lists(st.integers(1, 50), min_size=1, max_size=6), st.lists(st.text(max_size=60), max_size=3))
def test_every_further_run_is_a_further_hop(hops: list[int], older: list[str]) -> None:
    newest = [("c", stamped(hop), DEV_AUTHOR) for hop in hops]
    first = count_hop([*newest, ("p", PERSON, DEV_AUTHOR), *(("o", text, DEV_AUTHOR) for text in older)])
    assert first == max(hops) + 1
    assert count_hop([("n", stamped(first), DEV_AUTHOR), *newest, ("p", PERSON, DEV_AUTHOR)]) == first + 1
