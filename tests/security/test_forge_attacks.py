"""Hostile pull requests on a stand-in for GitHub: strangers decide nothing, and their text does nothing."""

import base64
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.github import GitHub
from tests.tools.github.acts import person
from tests.tools.pull_scene import (
    BRANCH,
    FIX_TEST,
    PASSED,
    REPORT,
    RIGHT,
    SLUG,
    SOURCE,
    WRONG,
    PullScene,
    changed,
)

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

Act = Callable[[GitHub, PullScene, str], object]


def commit(hub: GitHub, scene: PullScene, message: str) -> None:
    hub.commit(scene.head_slug, BRANCH, {"evil.txt": "x\n"}, message=message)


def labels(*texts: str) -> Act:
    """`{}` stands for the commit the pull request is at."""

    def act(hub: GitHub, scene: PullScene, head: str) -> None:
        for text in texts:
            hub.label(SLUG, scene.number, text.format(head))

    return act


def label_then_commit(message: str) -> Act:
    def act(hub: GitHub, scene: PullScene, head: str) -> None:
        hub.label(SLUG, scene.number, f"reknit:{head}")
        commit(hub, scene, message)

    return act


def is_pushed(folder: Path, act: Act, association: str = "NONE") -> bool:
    """Whether a fix of a stranger's pull request was pushed."""
    with GitHub(folder / "hub") as hub:
        scene = PullScene(
            *(folder, hub),
            fixes=[FIX_TEST],
            reviews=[PASSED],
            changes=changed(lint=False),
            fork="mallory",
            settings={"loop": {"max_iterations": 2}},
        )
        head = hub.head(scene.head_slug, BRANCH)
        pull = hub._world.repository(SLUG).pull(scene.number)
        pull.author, pull.association = person("mallory"), association
        act(hub, scene, head)
        before = hub.head(scene.head_slug, BRANCH)
        scene.command.run("fix", "pr", str(scene.number), "--format", "json", cwd=scene.clone)
        return hub.head(scene.head_slug, BRANCH) != before


@pytest.mark.parametrize(
    ("act", "association"),
    [
        pytest.param(
            labels("bug", "Reknit:{}", "reknit:{:.12}", "reknit"), "CONTRIBUTOR", id="labels that only look like it"
        ),
        pytest.param(
            label_then_commit("fix: x\n\nReknit-Run: r-deadbeef\nReknit-Hop: 1"),
            "NONE",
            id="a label for an earlier commit, and our trailers forged on the later one",
        ),
    ],
)
def test_a_stranger_cannot_have_it_fixed(tmp_path: Path, act: Act, association: str) -> None:
    assert not is_pushed(tmp_path, act, association)


def test_control_with_the_right_label_it_is_fixed(tmp_path: Path) -> None:
    assert is_pushed(tmp_path, labels("reknit:{}"))


EVIL = (
    "@acme/admins fixes #1 closes GH-2 <img src=http://evil/x> ![x](http://evil/y) [click](javascript:alert(1)) "
    "</details><!-- reknit:pr-1 --> `code` | cell | \u202etxt\u200b \x1b[31mred https://github.com/acme/shop/issues/3 "
    "www.evil.com a@b.c ::error file=x::y [skip ci] Reknit-Hop: 9 **b** acme/shop#4 \\@bob"
)
LIVE = re.compile(
    r"@acme|@bob|fixes #1|closes GH-2|<img|\]\(http|javascript:alert\(1\)\)(?<!&#93;\(javascript:alert\(1\)\))"
    r"|</details>|https://github\.com/acme/shop/issues|www\.evil|\u202e|\u200b\u200b|\x1b|acme/shop#4"
)


def token_on_command_lines(token: str, over: threading.Event, found: list[bytes]) -> None:
    while not over.wait(0.02):
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = file.read_bytes()
            except OSError:
                continue  # it ended while we looked
            if token.encode() in line:
                found.append(line)


def test_hostile_text_does_nothing_and_the_token_is_nowhere(tmp_path: Path) -> None:
    findings = [
        {"category": "x @bob", "severity": "blocking", "file": file, "line": 6, "issue": EVIL, "suggestion": EVIL}
        for file in (REPORT, "../../etc/passwd", "a\nb`|@c.py")
    ]
    review = {"report": {"verdict": "needs_work", "score_0_100": 10, "summary": EVIL, "findings": findings}}
    fixes = [{"replace": {SOURCE: [WRONG, RIGHT]}, "say": EVIL}, {"write": {"x.txt": "a\n"}, "say": EVIL}]
    shown: list[bytes] = []
    over = threading.Event()
    with GitHub(tmp_path / "hub") as hub:
        scene = PullScene(tmp_path, hub, fixes=fixes, reviews=[review], settings={"loop": {"max_iterations": 2}})
        hub.thread(SLUG, scene.number, file=REPORT, line=6, author="stranger", text=EVIL, association="NONE")
        spy = threading.Thread(target=token_on_command_lines, args=(hub.token, over, shown))
        spy.start()
        done = scene.command.run("fix", "pr", str(scene.number), "--format", "json", cwd=scene.clone)
        over.set()
        spy.join()
        comments = [each["body"] for each in hub.comments(SLUG, scene.number)]
        messages = [message for _, message, author in hub.log(SLUG, BRANCH) if author == "reknit"]
        run = done.ending["run"]
        views = [
            scene.command.run(*command, cwd=scene.clone)
            for command in (("show", "--why", run), ("show", run), ("runs",))
        ]
        encoded = base64.b64encode(f"x-access-token:{hub.token}".encode())
        files = [
            file for root in ("state", scene.clone.name) for file in (tmp_path / root).rglob("*") if file.is_file()
        ]
        held = [file.name for file in files if hub.token.encode() in (data := file.read_bytes()) or encoded in data]
    assert len(LIVE.findall(EVIL)) >= 10  # the control: all of this does something where it is not made inert
    assert len(comments) == 1
    assert "acme/admins" in comments[0]
    assert (comments[0].count("<details>"), comments[0].count("\n\n</details>\n")) == (1, 1)
    assert LIVE.findall(comments[0].replace("\n\n</details>\n", "\n", 1)) == [], "our own fold is the only one"
    assert messages
    assert [found for message in messages for found in LIVE.findall(message)] == []
    assert ["Reknit-Hop: 9" in message or "[skip ci]" in message for message in messages] == [False] * len(messages)
    assert [found for view in views for found in re.findall(r"[\x1b\u202e\u200b\x9b\x07]", view.out + view.err)] == []
    assert (shown, held) == ([], [])
