"""Settings files of agents as people have them: what is in them, and how they are laid out."""

import json
from collections.abc import Iterator
from typing import Any

LINT = {"type": "command", "command": "npm run lint -- --fix", "timeout": 30}
SAY = {"type": "command", "command": "notify-send 'fertig – schön' \"$CLAUDE_PROJECT_DIR\""}
CONTENTS: dict[str, Any] = {
    "empty object": {},
    "permissions": {"permissions": {"allow": ["Bash(git diff:*)", "Read(~/.zshrc)"], "deny": [], "ask": []}},
    "model and env": {"$schema": "https://json.schemastore.org/x.json", "model": "opus", "env": {"FOO": "ü", "N": "1"}},
    "servers": {"mcpServers": {"db": {"command": "npx", "args": ["-y", "@x/db"], "env": {}}}, "theme": "GitHub"},
    "empty hooks": {"permissions": {"allow": []}, "hooks": {}},
    "only empty hooks": {"hooks": {}},
    "empty lists": {"hooks": {"Stop": [], "AfterAgent": []}, "model": "sonnet"},
    "hooks of another event": {"hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [LINT]}]}, "x": None},
    "a stop hook": {"hooks": {"Stop": [{"hooks": [SAY]}], "AfterAgent": [{"hooks": [SAY]}]}},
    "stop hooks with matchers": {
        "model": "opus",
        "hooks": {
            "Stop": [{"matcher": "", "hooks": [SAY, LINT]}, {"matcher": "*", "hooks": []}],
            "AfterAgent": [{"matcher": "*", "sequential": True, "hooks": [LINT, SAY]}],
            "SubagentStop": [{"hooks": [SAY]}],
        },
        "statusLine": {"type": "command", "command": "~/.claude/line.sh"},
    },
    "all of it": {
        "env": {"A": "b"}, "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [LINT]}], "Notification": []},
        "security": {"auth": {"selectedType": "oauth-personal"}}, "numbers": [1, 2.5, -3e7, 12345678901234567890],
        "emoji": "🎉", "nested": [[], [[]], [{}], {"": ""}],
    },
}  # fmt: skip
BY_HAND = {
    "nothing": "",
    "a newline": "\n",
    "blank lines": " \r\n\t\n",
    "an object on two lines": "{\n}\n",
    "an object with a space": "{ }",
    "hooks with a space": '{\n  "hooks": { }\n}\n',
    "hooks with a line": '{\n    "hooks": {\n    },\n    "a": 1\n}\n',
    "a list with lines": '{"hooks": {"Stop": [\n\n], "AfterAgent": [\n]}}',
    "indented by one": '{\n "a": 1,\n "b": [\n  2\n ]\n}\n',
    "no indentation": '{\n"a": 1,\n"b": 2\n}\n',
    "closing brackets together": '{ "a": {\n    "b": 1 }}\n',
    "commas first": '{ "a": 1\n, "b": 2\n, "hooks": { "PreToolUse": []\n  }\n}\n',
    "two on a line": '{\n  "a": 1, "b": 2,\n\n\n  "c": 3, "d": 4\n}',
    "groups in one line": '{\n\t"hooks": {\n\t\t"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]\n\t}\n}\n',
    "escapes": '{"ho\\u006fks": {"\\u0053top": []}, "a\\"b\\\\": "\\ud83c \\/ // no comment /* */"}\n',
    "the same key twice": '{"hooks": 1, "a": 1, "hooks": {"Stop": [1], "Stop": [{"hooks": 5}, 7, {}]}, "a": 2}\n',
    "many blank lines": '\n\n{\n\n  "a": 1\n\n}\n\n\n',
    "a large number": '{"a": ' + "9" * 5000 + "}",
    "a mark and nothing": "\ufeff",
    "a mark": '\ufeff{\r\n  "a": 1\r\n}\r\n',
}


def settings_files() -> Iterator[tuple[str, str]]:
    """Name and text; more than 50."""
    for name, content in CONTENTS.items():
        for style, text in _layouts(content):
            yield f"{name}, {style}", text
    yield from BY_HAND.items()


def _layouts(content: Any) -> Iterator[tuple[str, str]]:
    two = json.dumps(content, indent=2, ensure_ascii=False)
    yield "two spaces", two + "\n"
    yield "four spaces, no newline at the end", json.dumps(content, indent=4, ensure_ascii=False)
    yield "tabs, escaped", json.dumps(content, indent="\t") + "\n"
    yield "Windows lines", two.replace("\n", "\r\n") + "\r\n"
    yield "one line", json.dumps(content)
    yield "compact", json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n"
