"""Which window stops, and what its marker says: real processes, every branch, a thousand inputs to survive."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.fix_pr.output.pull_watch import SUFFIX
from reknit.core.hook import marker
from reknit.interfaces.hook import window
from reknit.interfaces.hook.window import MAX_EVENT_BYTES
from tests.tools.hostile_events import hostile_events
from tests.tools.stop_hook import ENTRY, StopHook, allowed, became, event, event_bytes


@pytest.mark.parametrize(
    ("owner", "line", "is_allowed"),
    [
        pytest.param("mine", "in_progress", False, id="in fix mode"),
        pytest.param("mine", "FIXED", True, id="fixed"),
        pytest.param("mine", "DEFERRED", True, id="deferred"),
        pytest.param("mine", "", True, id="an empty marker"),
        pytest.param("mine", "in_progress?", True, id="an unknown word"),
        pytest.param("mine", "in_progress" + 99 * " ", True, id="a line that is too long"),
        pytest.param("other", "in_progress", True, id="armed for another window"),
        pytest.param("unclaimed", "in_progress", False, id="armed, and the first window that stops"),
        pytest.param("unclaimed", "FIXED", True, id="nobody's, and fixed"),
    ],
)
def test_the_marker_decides(hook: StopHook, owner: str, line: str, *, is_allowed: bool) -> None:
    shop = hook.repository()
    hook.arm(shop, owner, line)
    assert allowed(hook.stop(event(shop))) == is_allowed


@pytest.mark.parametrize("line", ["in_progress", "FIXED", None])
def test_a_window_that_follows_a_pull_request_is_told_whatever_its_bug_does(hook: StopHook, line: str | None) -> None:
    shop = hook.repository()
    hook.arm(shop, f"mine{SUFFIX}")
    if line is not None:
        hook.arm(shop, "mine", line)
    call = became(hook.stop(event(shop)))
    assert call["argv"][:6] == ["hook", "decide", "--session", "mine", "--folder", str(shop)]
    assert allowed(hook.stop(event(shop, session="other")))


@pytest.mark.parametrize("line", ["FIXED", "DEFERRED", ""])
def test_a_window_with_a_marker_does_not_claim_another(hook: StopHook, line: str) -> None:
    shop = hook.repository()
    hook.arm(shop, "unclaimed")
    hook.arm(shop, "mine", line)
    assert allowed(hook.stop(event(shop)))
    assert not allowed(hook.stop(event(shop, session="other")))


@pytest.mark.parametrize(
    ("more", "is_allowed"),
    [
        pytest.param({}, False, id="Stop"),
        pytest.param({"hook_event_name": "AfterAgent"}, False, id="Gemini's name of it"),
        pytest.param({"agent_id": None}, False, id="no sub-agent"),
        pytest.param({"agent_id": "a-1"}, True, id="a sub-agent"),
        pytest.param({"hook_event_name": "SubagentStop"}, True, id="a sub-agent's stop"),
        pytest.param({"hook_event_name": "PreToolUse"}, True, id="another event"),
        pytest.param({"hook_event_name": None}, True, id="no event"),
        pytest.param({"hook_event_name": ["Stop"]}, True, id="an event of the wrong type"),
    ],
)
def test_only_the_stop_of_a_window_goes_on(hook: StopHook, more: dict[str, object], *, is_allowed: bool) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    assert allowed(hook.stop({**event(shop), **more})) == is_allowed


@pytest.mark.parametrize(
    ("session", "is_id"),
    [
        pytest.param("5b7e12c0-6b0e-4a7e-9d3b-1f2a3c4d5e6f", True, id="a UUID"),
        pytest.param("A.z_0-" * 21 + "ab", True, id="128 characters"),
        pytest.param("A.z_0-" * 21 + "abc", False, id="129 characters"),
        pytest.param("", False, id="empty"),
        pytest.param(".", False, id="the folder"),
        pytest.param("..", False, id="the folder above"),
        pytest.param("--active", False, id="an option"),
        pytest.param("unclaimed", False, id="the word for nobody"),
        pytest.param("a b", False, id="a space"),
        pytest.param("a\n", False, id="a line break"),
        pytest.param("ä", False, id="an umlaut"),
        pytest.param(7, False, id="a number"),
        pytest.param(None, False, id="null"),
    ],
)
def test_a_window_without_an_id_can_claim_nothing(hook: StopHook, session: object, *, is_id: bool) -> None:
    shop = hook.repository()
    hook.arm(shop, "unclaimed")
    assert allowed(hook.stop({**event(shop), "session_id": session})) != is_id


@pytest.mark.parametrize(
    ("given", "limit", "answer"),
    [
        pytest.param((), "120", "exit-code", id="nothing said"),
        pytest.param(("--limit", "60", "--answer", "json"), "60", "json", id="two words"),
        pytest.param(("--limit=60", "--answer=exit-code"), "60", "exit-code", id="one word"),
        pytest.param(("--limit", "soon", "--answer", "rpc"), "120", "exit-code", id="values of no use"),
        pytest.param(("--limit", "٣", "--limit"), "120", "exit-code", id="a digit of another script, no value"),
    ],
)
def test_it_becomes_the_program(hook: StopHook, given: tuple[str, ...], limit: str, answer: str) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    words = ["hook", "decide", "--session", "mine", "--folder", str(shop), "--limit", limit, "--answer", answer]
    call = became(hook.stop(event(shop, stop_hook_active=1), *given))
    assert call == {"argv": words, "stdin": "/dev/null", "cwd": str(hook.folder), "state": str(hook.state)}
    assert became(hook.stop(event(shop, stop_hook_active=True), *given))["argv"] == [*words, "--active"]


def test_the_repository_does_not_choose_the_modules(hook: StopHook) -> None:
    """What an agent leaves there would run outside the box."""
    shop = hook.repository()
    hook.arm(shop, "mine")
    for name in ("reknit.py", "json.py", "sitecustomize.py"):
        (shop / name).write_text("raise SystemExit('this is the repository speaking')")
    polluted = replace(hook, environment={"PYTHONPATH": str(shop)})
    assert became(polluted.stop(event(shop), cwd=shop))["argv"][:2] == ["hook", "decide"]


def folder_of(done: "subprocess.CompletedProcess[bytes]") -> Path:
    words = became(done)["argv"]
    return Path(words[words.index("--folder") + 1])


def test_the_armed_folder_is_found_from_below(hook: StopHook) -> None:
    shop = hook.repository("Größe und Maß/shop")
    below = shop / "a b" / "ü"
    below.mkdir(parents=True)
    link = hook.folder / "link"
    link.symlink_to(below)
    hook.arm(shop, "mine")
    for cwd in (shop, below, f"{shop}/", f"{shop}//a b/../a b", link, below / "removed" / "by the agent"):
        assert folder_of(hook.stop(event(cwd))) == shop, cwd
    assert allowed(hook.stop(event(shop.parent)))
    assert allowed(hook.stop(event("/")))


def test_a_folder_whose_name_is_no_text(hook: StopHook) -> None:
    shop = hook.repository("shop\udcff")
    hook.arm(shop, "mine")
    data = b'{"session_id": "mine", "hook_event_name": "Stop", "cwd": "%s"}' % os.fsencode(shop)
    assert folder_of(hook.stop(data)) == shop


def test_the_nearest_marker_counts_and_an_own_one_before_one_of_nobody(hook: StopHook) -> None:
    outer = hook.repository()
    inner = hook.repository("shop/inner")
    hook.arm(outer, "mine")
    hook.arm(inner, "unclaimed")
    assert folder_of(hook.stop(event(inner))) == outer
    assert folder_of(hook.stop(event(inner, session="new"))) == inner
    hook.arm(inner, "mine", "FIXED")
    assert allowed(hook.stop(event(inner)))


@pytest.mark.parametrize("cwd", [None, "", "shop", 7, ["/"], "/\0"], ids=repr)
@pytest.mark.parametrize("name", ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", None])
def test_without_a_usable_cwd_the_agents_project_counts(hook: StopHook, cwd: object, name: str | None) -> None:
    shop = hook.repository()
    hook.arm(shop, "unclaimed")
    started = replace(hook, environment={name: str(shop)} if name else {})
    assert not allowed(started.stop({**event(shop), "cwd": cwd}, cwd=None if name else shop))
    assert allowed(hook.stop({**event(shop), "cwd": cwd}))


def test_an_agent_does_not_get_away_by_changing_its_folder(hook: StopHook) -> None:
    shop, elsewhere = hook.repository(), hook.repository("elsewhere")
    hook.arm(shop, "mine")
    hook.arm(shop, "unclaimed")
    opened = replace(hook, environment={"CLAUDE_PROJECT_DIR": str(shop)})
    assert folder_of(opened.stop(event(elsewhere))) == shop
    assert allowed(opened.stop(event(elsewhere, session="new"))), "claimed from a folder it does not work in"


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "binary"])
def test_a_broken_marker_allows(hook: StopHook, kind: str) -> None:
    shop = hook.repository()
    hook.arm(shop, "unclaimed")
    marker = hook.arm(shop, "mine")
    marker.unlink()
    if kind == "pipe":
        os.mkfifo(marker)
    elif kind == "folder":
        marker.mkdir()
    elif kind == "link":
        marker.symlink_to(hook.arm(shop, "other"))
    else:
        marker.write_bytes(b"\0\xff" * 4096)
    assert allowed(hook.stop(event(shop)))


def test_no_standard_input_allows(hook: StopHook) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    closed = ["sh", "-c", f"exec '{hook.python}' -I -S '{ENTRY}' stop <&-"]
    assert allowed(hook.start(closed, b""))


def test_an_event_of_a_megabyte_is_read_and_a_larger_one_allowed(hook: StopHook) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    frame = len(event_bytes(shop, 0))
    assert not allowed(hook.stop(event_bytes(shop, MAX_EVENT_BYTES - frame)))
    assert allowed(hook.stop(event_bytes(shop, MAX_EVENT_BYTES - frame + 1)))


def test_only_one_whole_object_is_an_event(hook: StopHook) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    whole = event_bytes(shop, 10)
    assert not allowed(hook.stop(b" \r\n\t" + whole + b"\n"))
    for broken in (whole + b"{}", whole[:-1], b"[" + whole + b"]", b"\xef\xbb\xbf" + whole, b""):
        assert allowed(hook.stop(broken)), broken


def test_another_python_has_the_json_package(hook: StopHook) -> None:
    shop = hook.repository()
    hook.arm(shop, "mine")
    without = f"import sys; sys.modules['_json'] = None; __file__ = {str(ENTRY)!r}; exec(open(__file__).read())"
    argv = [str(hook.python), "-I", "-S", "-c", without]
    assert folder_of(hook.start(argv, event_bytes(shop, 10))) == shop
    assert allowed(hook.start(argv, event_bytes(shop, 10)[:-1]))


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_no_input_crashes_it_or_blocks_a_window_that_is_not_armed(hook: StopHook, count: int) -> None:
    shop, other = hook.repository("Größe und Maß/shop"), hook.repository("other")
    hook.arm(shop, "mine")
    hook.arm(other, "unclaimed")
    intact = event(shop, session="another", transcript_path="/t.jsonl", last_assistant_message="done: ä\n")

    def is_allowed(data: bytes) -> bool:
        return allowed(hook.stop(data, cwd=shop))

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(is_allowed, hostile_events(intact, str(hook.key(shop)), count)))
    assert answers == count * [True]
    assert not is_allowed(event_bytes(shop, 10)), "the markers block nobody: the answers above prove nothing"


def test_the_word_for_nobodys_bug_is_the_one_that_arming_writes() -> None:
    assert (window.UNCLAIMED, window.PULL) == (marker.UNCLAIMED, SUFFIX)
