"""Conversations from what the CLIs really print (`samples`), and from what they should never print."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agents.conversation import MAX_TEXT_CHARS, MAX_TURNS, Turn, read_conversation

SAMPLES = Path(__file__).parent / "samples"
CLIS = ("claude", "codex", "gemini")
LISTING = "ls: cannot access 'no-such-file': No such file or directory\ndone"
CODE = "def add(a, b):\n    return a - b"


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def tool(verb: str, text: str) -> Turn:
    return Turn("tool", text, verb)


def result(text: str, *, is_error: bool = False) -> Turn:
    return Turn("result", text, is_error=is_error)


def says(text: str) -> Turn:
    return Turn("says", text)


def read_sample(name: str) -> tuple[Turn, ...]:
    agent = name.partition("-")[0]
    return read_conversation(agent, (SAMPLES / f"{name}.jsonl").read_bytes(), repository="/home/ada/shop")


WORK = [says("I look at the file first."), tool("runs", "ls no-such-file; echo done >&2; exit 3")]
LOOK = [tool("runs", "cat calc.py"), result(CODE)]
FIXED = says("Fixed: add adds now.")


@pytest.mark.parametrize(
    ("name", "turns"),
    [
        pytest.param(
            "claude-fix",
            [
                *WORK,
                result(f"Exit code 3\n{LISTING}", is_error=True),
                *LOOK,
                tool("reads", "calc.py"),
                result("1\tdef add(a, b):\n2\t    return a - b\n3"),
                tool("edits", "calc.py"),
                result(
                    "The file /home/ada/shop/calc.py has been updated successfully. "
                    "(file state is current in your context — no need to Read it back)"
                ),
                FIXED,
            ],
            id="claude",
        ),
        pytest.param(
            "codex-fix",
            [*WORK, result(LISTING, is_error=True), *LOOK, *LOOK, tool("edits", "calc.py"), FIXED],
            id="codex",
        ),
        pytest.param(
            "gemini-fix",
            [*WORK, result(LISTING), *LOOK, tool("reads", "calc.py"), tool("edits", "calc.py"), FIXED],
            id="gemini",
        ),
    ],
)
def test_a_fix_reads_as_words_tools_and_results(name: str, turns: list[Turn]) -> None:
    assert list(read_sample(name)) == turns


@pytest.mark.parametrize("agent", CLIS)
def test_a_review_shows_its_typed_report(agent: str) -> None:
    finding = "category: correctness, severity: blocking, file: {}, line: 2, issue: it subtracts"
    wrong, refusal, *rest = read_sample(f"{agent}-review")
    assert wrong == tool("uses report_finding", finding.format("/calc.py"))
    assert refusal.is_error
    assert rest == [
        tool("uses report_finding", finding.format("calc.py")),
        result("noted, 1 so far; end with finish_review"),
        tool("uses finish_review", "verdict: needs_work, score: 40, summary: one bug"),
        result("noted; the report is complete"),
        FIXED,
    ]


@pytest.mark.parametrize("agent", CLIS)
def test_the_beginning_of_a_transcript_is_the_beginning_of_the_conversation(agent: str) -> None:
    whole = (SAMPLES / f"{agent}-fix.jsonl").read_bytes()
    turns = read_conversation(agent, whole)
    for end in range(0, len(whole), 37):
        part = read_conversation(agent, whole[:end])
        assert [turn.kind for turn in part] == [turn.kind for turn in turns][: len(part)]


def claude(*parts: object, role: str = "assistant") -> object:
    return {"type": role, "message": {"role": role, "content": list(parts)}}


def claude_tool(name: str, **arguments: object) -> object:
    return claude({"type": "tool_use", "id": "1", "name": name, "input": arguments})


def codex(moment: str, kind: str, **fields: object) -> object:
    return {"type": f"item.{moment}", "item": {"id": "item_1", "type": kind, **fields}}


def gemini_tool(name: str, **arguments: object) -> object:
    return {"type": "tool_use", "tool_name": name, "tool_id": "1", "parameters": arguments}


FAILED = {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: overloaded"}
INIT = {"type": "system", "subtype": "init", "cwd": "/srv/app"}


@pytest.mark.parametrize(
    ("agent", "events", "turns"),
    [
        pytest.param("claude", [claude({"type": "thinking", "thinking": "hm"})], [Turn("thinks", "hm")], id="thinking"),
        pytest.param("claude", [claude({"type": "image"}, "text", None)], [], id="parts of no kind that we know"),
        pytest.param("claude", [claude_tool("Grep", pattern="add")], [tool("searches", "add")], id="search in files"),
        pytest.param("claude", [claude_tool("WebSearch", query="q")], [tool("searches", "q")], id="search on the web"),
        pytest.param(
            "claude", [claude_tool("Agent", description="look", prompt="p")], [tool("uses Agent", "look")], id="helper"
        ),
        pytest.param("claude", [claude_tool("Bash")], [tool("uses Bash", "")], id="without its argument"),
        pytest.param(
            "claude",
            [claude({"type": "tool_result", "content": [{"type": "text", "text": "a"}, {"type": "image"}, 1]})],
            [result("a")],
            id="a result in parts",
        ),
        pytest.param("claude", [claude({"type": "tool_result", "content": None})], [], id="an empty result"),
        pytest.param(
            "claude", [FAILED], [result("API Error: overloaded", is_error=True)], id="the call ended in an error"
        ),
        pytest.param(
            "claude",
            [claude({"type": "text", "text": "API Error: overloaded"}), FAILED],
            [says("API Error: overloaded")],
            id="the same error is not told twice",
        ),
        pytest.param(
            "claude",
            [{**FAILED, "result": None, "subtype": "error_max_turns"}],
            [result("error_max_turns", is_error=True)],
            id="an error without words",
        ),
        pytest.param(
            "claude", [INIT, claude_tool("Read", file_path="/srv/app/a/b.py")], [tool("reads", "a/b.py")], id="below"
        ),
        pytest.param("claude", [INIT, claude_tool("Read", file_path="/srv/app")], [tool("reads", ".")], id="the root"),
        pytest.param(
            "claude", [INIT, claude_tool("Read", file_path="/srv/apple.py")], [tool("reads", "/srv/apple.py")], id="out"
        ),
        pytest.param(
            "claude",
            [INIT, claude_tool("Bash", command="cat /srv/app/x /mnt/srv/app/x '/srv/app/y'")],
            [tool("runs", "cat x /mnt/srv/app/x 'y'")],
            id="paths in a command",
        ),
        pytest.param("codex", [codex("completed", "reasoning", text="hm")], [Turn("thinks", "hm")], id="reasoning"),
        pytest.param(
            "codex", [codex("completed", "web_search", query="q")], [tool("searches", "q")], id="codex searches"
        ),
        pytest.param(
            "codex",
            [codex("started", "command_execution", command="bash -lc 'sleep 9'", aggregated_output="")],
            [tool("runs", "sleep 9")],
            id="a running command is visible",
        ),
        pytest.param(
            "codex", [codex("started", "command_execution", command="ls 'a b'")], [tool("runs", "ls 'a b'")], id="plain"
        ),
        pytest.param(
            "codex",
            [codex("completed", "command_execution", command="bash -lc 'echo", aggregated_output="x")],
            [tool("runs", "bash -lc 'echo"), result("x")],
            id="a command that cannot be split",
        ),
        pytest.param(
            "codex",
            [codex("completed", "file_change", changes=[{"path": "a"}, {"path": "b"}, 3], status="failed")],
            [tool("edits", "a, b"), result("failed", is_error=True)],
            id="a change that failed",
        ),
        pytest.param("codex", [codex("completed", "error", message="m")], [result("m", is_error=True)], id="warning"),
        pytest.param("codex", [codex("completed", "todo_list", items=[])], [], id="an item that we do not know"),
        pytest.param(
            "codex",
            [{"type": "turn.failed", "error": {"message": "m"}}],
            [result("m", is_error=True)],
            id="the turn failed",
        ),
        pytest.param("gemini", [gemini_tool("glob", pattern="*")], [tool("searches", "*")], id="gemini searches"),
        pytest.param("gemini", [gemini_tool("list_directory", dir_path="a")], [tool("reads", "a")], id="a folder"),
        pytest.param(
            "gemini",
            [{"type": "result", "status": "error", "error": {"type": "t", "message": "m"}}],
            [result("m", is_error=True)],
            id="gemini ended in an error",
        ),
        pytest.param(
            "gemini",
            [{"type": "message", "role": "assistant", "content": piece} for piece in ("a ", "b")],
            [says("a b")],
            id="pieces at the end are joined",
        ),
    ],
)  # fmt: skip
def test_each_event_is_one_turn(agent: str, events: list[object], turns: list[Turn]) -> None:
    assert list(read_conversation(agent, lines(*events))) == turns


@pytest.mark.parametrize("agent", ["any_command", "scripted", "unknown"])
def test_a_line_of_any_other_command_is_said(agent: str) -> None:
    assert read_conversation(agent, b'I try\n\n{"type": "x"}\nhalf a li') == (
        says("I try"), says('{"type": "x"}'), says("half a li"),
    )  # fmt: skip


def test_texts_are_clean_short_and_without_secrets() -> None:
    key = "ghp_" + "a" * 36
    text = f"\x1b[31mred\x1b[0m \u202eevil {key} " + "x" * 100_000 + f" the end {key}"
    (turn,) = read_conversation("claude", lines(claude({"type": "text", "text": text})))
    assert turn.text.startswith("red evil [GitHub token redacted] xxx")
    assert turn.text.endswith("the end [GitHub token redacted]")
    assert len(turn.text) <= MAX_TEXT_CHARS + 3
    (middle,) = read_conversation("x", b"y" * (MAX_TEXT_CHARS + 1))
    assert len(middle.text) == MAX_TEXT_CHARS + 3


def test_a_secret_at_a_cut_is_hidden() -> None:
    key = "ghp_" + "a" * 36
    for place in range(900, 1100, 7):
        (turn,) = read_conversation("x", ("y " * (place // 2) + key + " z" * 50_000).encode())
        assert "aaaa" not in turn.text


@pytest.mark.parametrize("agent", [*CLIS, "any_command"])
def test_a_long_conversation_keeps_its_start_and_its_end(agent: str) -> None:
    event = {
        "claude": claude({"type": "text", "text": "word"}),
        "codex": codex("completed", "agent_message", text="word"),
        "gemini": gemini_tool("glob", pattern="word"),
        "any_command": "word",
    }
    turns = read_conversation(agent, lines(event[agent]) * (MAX_TURNS + 5))
    assert len(turns) == MAX_TURNS + 1
    assert [(place, turn.text) for place, turn in enumerate(turns) if "word" not in turn.text] in (
        [(200, "… 5 turns are left out …")], [(200, "… 5 lines are left out …")],
    )  # fmt: skip


_KEYS = st.sampled_from(
    ("type", "message", "content", "item", "id", "text", "name", "input", "arguments", "changes", "result", "error")
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(("text", "item_1", "tool_use")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)
_TYPES = st.sampled_from(
    ("assistant", "user", "result", "item.started", "item.completed", "turn.failed", "tool_use", "tool_result", "error")
)


@given(st.sampled_from(CLIS), st.lists(st.dictionaries(_KEYS, _JSON, max_size=5)), _TYPES)
def test_no_event_is_an_error(agent: str, events: list[dict[str, object]], kind: str) -> None:
    read_conversation(agent, lines(*({**event, "type": kind} for event in events)) + b'{"type')


@pytest.mark.parametrize("agent", [*CLIS, "any_command"])
def test_reading_is_linear(agent: str) -> None:
    hostile = lines(claude_tool("Bash", command="/srv/app" * 50_000), codex("started", "x", command="sh -c '" * 50_000))

    def measure(times: int) -> float:
        start = time.process_time()
        read_conversation(agent, (hostile + b"\n1\n" * 20_000) * times, repository="/srv/app")
        return time.process_time() - start

    measure(1)
    assert measure(8) < 8 * 4 * measure(1) + 0.1
