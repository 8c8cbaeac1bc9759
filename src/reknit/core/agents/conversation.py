"""Reads the transcript of an agent's call as a conversation: its words, its tools and their results."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from reknit.core.agents.cli_output import parse_events
from reknit.core.text.redact import clean, redact

Kind = Literal["says", "thinks", "tool", "result"]
T = TypeVar("T")
Event = Mapping[str, object]
_Part = Mapping[object, object]

MAX_TURNS = 2_000
_FIRST_TURNS = 200
"""Number of turns kept from the start of a longer conversation; the others are its last ones."""
MAX_TEXT_CHARS = 4_000
_MARGIN_CHARS = 4_000
"""A secret at a cut must be visible as a whole, or it is not recognised."""


@dataclass(frozen=True)
class Turn:
    """One thing that an agent said or did. Its texts are clean, short and without secrets."""

    kind: Kind
    text: str
    """For a tool: its path, command or query; for a result: its output."""
    verb: str = ""
    """For a tool: reads, edits, runs, searches, or `uses NAME`."""
    is_error: bool = False


_PATHS = ("file_path", "absolute_path", "notebook_path", "dir_path", "path")
_TOOLS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("Read", "read_file", "list_directory"), ("reads", _PATHS)),
    **dict.fromkeys(("Edit", "NotebookEdit", "Write", "replace", "write_file"), ("edits", _PATHS)),
    **dict.fromkeys(("Bash", "run_shell_command"), ("runs", ("command",))),
    **dict.fromkeys(("Glob", "Grep", "glob", "grep_search"), ("searches", ("pattern",))),
    **dict.fromkeys(("WebSearch", "google_web_search"), ("searches", ("query",))),
    **dict.fromkeys(("Agent", "Task"), ("uses Agent", ("description",))),
}
"""Tools of Claude Code and Gemini CLI -> the verb, and the arguments of which the first one given is shown."""
_REPORT_TOOL = re.compile(r"mcp_{1,2}[a-z]+_{1,2}")
_SHELL_CALL = re.compile(r"\S*sh -l?c ")


def read_conversation(agent_kind: str, transcript: bytes, *, repository: str = "") -> tuple[Turn, ...]:
    """Return the turns in their order; of a very long conversation, the first and the last ones.

    The transcript may end anywhere. `repository`: its path, as the agent saw it; paths below it become relative.
    """
    if reader := _READERS.get(agent_kind):
        turns = [turn for turn in reader(parse_events(transcript), repository) if turn.text or turn.verb]
        return tuple(_drop_middle(turns, lambda count: Turn("says", f"… {count} turns are left out …")))
    lines = [line for line in transcript.splitlines() if line.strip()]
    lines = _drop_middle(lines, lambda count: f"… {count} lines are left out …".encode())
    return tuple(_make_turn("says", line.decode("utf-8", "replace")) for line in lines)


def _drop_middle(items: list[T], make_mark: Callable[[int], T]) -> list[T]:
    left_out = len(items) - MAX_TURNS
    if left_out <= 0:
        return items
    return [*items[:_FIRST_TURNS], make_mark(left_out), *items[_FIRST_TURNS + left_out :]]


def _read_claude(events: Iterator[Event], root: str) -> Iterator[Turn]:
    last_text = ""
    for event in events:
        match event:
            case {"type": "system", "subtype": "init", "cwd": str(folder)}:
                root = root or folder
            case {"type": "assistant" | "user", "message": {"content": list(parts)}}:
                for part in parts:
                    for turn in _read_claude_part(part, root):
                        last_text = turn.text
                        yield turn
            case {"type": "result", "is_error": True}:
                turn = _make_turn("result", str(event.get("result") or event.get("subtype") or ""), is_error=True)
                if turn.text != last_text:  # an error of the API is also printed as the agent's words
                    yield turn


def _read_claude_part(part: object, root: str) -> Iterator[Turn]:
    match part:
        case {"type": "text", "text": str(text)}:
            yield _make_turn("says", text)
        case {"type": "thinking", "thinking": str(text)}:
            yield _make_turn("thinks", text)
        case {"type": "tool_use", "name": str(name), "input": dict(arguments)}:
            yield _make_tool_turn(name, arguments, root)
        case {"type": "tool_result", **rest}:
            yield _make_turn("result", _join_texts(rest.get("content")), is_error=rest.get("is_error") is True)


def _read_gemini(events: Iterator[Event], root: str) -> Iterator[Turn]:
    """Yield the turns; the words come in pieces, which are joined."""
    words: list[str] = []
    for event in events:
        match event:
            case {"type": "message", "role": "assistant", "content": str(text)}:
                words.append(text)
                continue
        if words:
            yield _make_turn("says", "".join(words))
            words.clear()
        match event:
            case {"type": "tool_use", "tool_name": str(name), "parameters": dict(arguments)}:
                yield _make_tool_turn(name, arguments, root)
            case {"type": "tool_result"}:
                yield _make_turn("result", str(event.get("output") or ""), is_error=event.get("status") == "error")
            case {"type": "error", "message": str(text)} | {"type": "result", "error": {"message": str(text)}}:
                yield _make_turn("result", text, is_error=True)
    if words:
        yield _make_turn("says", "".join(words))


def _read_codex(events: Iterator[Event], root: str) -> Iterator[Turn]:
    """Yield the turns. A tool is announced when it starts, so that a running one is visible; then comes its result."""
    started: set[str] = set()
    for event in events:
        match event:
            case {"type": "item.started", "item": {"id": str(key), **item}}:
                started.add(key)
                yield from _read_codex_tool(item, root)
            case {"type": "item.completed", "item": {"id": str(key), **item}}:
                if key not in started:
                    yield from _read_codex_tool(item, root)
                yield from _read_codex_result(item)
            case {"type": "error", "message": str(text)} | {"type": "turn.failed", "error": {"message": str(text)}}:
                yield _make_turn("result", text, is_error=True)


def _read_codex_tool(item: _Part, root: str) -> Iterator[Turn]:
    match item:
        case {"type": "command_execution", "command": str(command)}:
            yield _make_turn("tool", _shorten_paths(_unwrap_shell(command), root), "runs")
        case {"type": "file_change", "changes": list(changes)}:
            paths = [_shorten_paths(str(change.get("path")), root) for change in changes if isinstance(change, dict)]
            yield _make_turn("tool", ", ".join(paths), "edits")
        case {"type": "mcp_tool_call", "tool": str(name), "arguments": dict(arguments)}:
            yield _make_tool_turn(name, arguments, root)


def _read_codex_result(item: _Part) -> Iterator[Turn]:
    is_error = item.get("status") == "failed"
    match item:
        case {"type": "agent_message", "text": str(text)}:
            yield _make_turn("says", text)
        case {"type": "reasoning", "text": str(text)}:
            yield _make_turn("thinks", text)
        case {"type": "web_search", "query": str(text)}:
            yield _make_turn("tool", text, "searches")
        case {"type": "command_execution", "aggregated_output": str(text)}:
            yield _make_turn("result", text, is_error=is_error)
        case {"type": "mcp_tool_call", "result": {"content": content}}:
            yield _make_turn("result", _join_texts(content), is_error=is_error)
        case {"type": "mcp_tool_call" | "file_change"} if is_error:
            yield _make_turn("result", "failed", is_error=True)
        case {"type": "error", "message": str(text)}:
            yield _make_turn("result", text, is_error=True)


_READERS: Mapping[str, Callable[[Iterator[Event], str], Iterator[Turn]]] = {
    "claude": _read_claude,
    "codex": _read_codex,
    "gemini": _read_gemini,
}


def _make_tool_turn(name: str, arguments: _Part, root: str) -> Turn:
    verb, keys = _TOOLS.get(name, ("", ()))
    for key in keys:
        if isinstance(value := arguments.get(key), str):
            return _make_turn("tool", _shorten_paths(value, root), verb)
    texts = [f"{key}: {value}" for key, value in arguments.items() if isinstance(value, str | int | float)]
    return _make_turn("tool", _shorten_paths(", ".join(texts), root), f"uses {_clean(_REPORT_TOOL.sub('', name), 60)}")


def _shorten_paths(text: str, root: str) -> str:
    """Return the text with the paths below the root made relative."""
    if len(root) < 2:
        return text
    if text == root:
        return "."
    prefix = f"{root.rstrip('/')}/"
    parts: list[str] = []
    for part in text.split(prefix):
        is_inside_path = bool(parts and parts[-1]) and (parts[-1][-1].isalnum() or parts[-1][-1] in "_./-")
        parts.append(prefix + part if is_inside_path else part)
    return "".join(parts)


def _unwrap_shell(command: str) -> str:
    """Return the command inside `/bin/sh -lc '…'`."""
    wrapper = _SHELL_CALL.match(command)
    if not wrapper or len(command) > MAX_TEXT_CHARS:
        return command
    try:
        return " ".join(shlex.split(command[wrapper.end() :]))
    except ValueError:
        return command


def _join_texts(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)
    return content if isinstance(content, str) else ""


def _make_turn(kind: Kind, text: str, verb: str = "", *, is_error: bool = False) -> Turn:
    return Turn(kind, _clean(text, MAX_TEXT_CHARS), verb, is_error)


def _clean(text: str, most: int) -> str:
    """Return plain text without secrets; if it is long, its start and its longer end, where failures are."""
    if len(text) <= most + 2 * _MARGIN_CHARS:
        text = redact(clean(text)).strip()
        if len(text) <= most:
            return text
    start, end = most // 4, most - most // 4
    first = redact(clean(text[: start + _MARGIN_CHARS]))[:start]
    last = redact(clean(text[-end - _MARGIN_CHARS :]))[-end:]
    return f"{first.strip()}\n…\n{last.strip()}"
