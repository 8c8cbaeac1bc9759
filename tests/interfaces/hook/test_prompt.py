"""The hook of a prompt: real processes, with a stand-in for the program that it becomes."""

import json
import subprocess
from pathlib import Path

import pytest

from reknit.interfaces.hook import prompt
from tests.tools.stop_hook import StopHook, allowed, became

FOLDER = Path(prompt.__file__).parents[2]
CODE = f"""
import sys, types
package = types.ModuleType("reknit")
package.__path__ = [{str(FOLDER)!r}]
sys.modules["reknit"] = package
from reknit.interfaces.hook.prompt import main
main()
"""
"""The stand-in's own `reknit` has no hook."""


def submit(hook: StopHook, event: object, cwd: Path | None = None) -> "subprocess.CompletedProcess[bytes]":
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    return hook.start([str(hook.python), "-I", "-S", "-c", CODE], data, cwd=cwd)


def typed(text: object, **more: object) -> dict[str, object]:
    return {"session_id": "w1", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": text, **more}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param("/fix-test BUG-001 tests/test_x.py", "BUG-001 tests/test_x.py", id="the command"),
        pytest.param("/reknit:fix-test BUG-001 a.py", "BUG-001 a.py", id="with the plugin's name"),
        pytest.param("$reknit:fix-test BUG-001 a.py", "BUG-001 a.py", id="as a skill"),
        pytest.param(" /fix-test\tB  'a b.py' \r\nand be quick", "B  'a b.py'", id="with more below it"),
        pytest.param("/fix-test", "", id="alone"),
        pytest.param("/fix-test\n", "", id="alone on its line"),
        pytest.param("/fix-test --session=w2 --folder=/x", "--session=w2 --folder=/x", id="options are only text"),
        pytest.param("/fix-test " + 9999 * "x", prompt.MAX_ARGUMENT_CHARS * "x", id="too long"),
        pytest.param("/fix-pr", "", id="of a pull request"),
        pytest.param("/reknit:fix-pr --max-iterations=3", "--max-iterations=3", id="of a pull request, with a limit"),
    ],
)
def test_the_command_becomes_the_program_that_does_it(hook: StopHook, text: str, rest: str) -> None:
    call = became(submit(hook, typed(text)))
    assert call["argv"] == [
        "hook",
        "prompt",
        "--session=w1",
        "--folder=/",
        "--event=UserPromptSubmit",
        f"--command={'fix-pr' if 'fix-pr' in text else 'fix-test'}",
        f"--typed={rest}",
    ]
    assert call["stdin"] == "/dev/null"


def test_the_project_is_looked_at_after_the_working_folder(hook: StopHook) -> None:
    there = StopHook(hook.folder, hook.python, {"CLAUDE_PROJECT_DIR": "/usr"})
    call = became(submit(there, typed("/fix-test B a.py", session_id="../x", hook_event_name="BeforeAgent")))
    given = ["--session=", "--folder=/", "--folder=/usr", "--event=BeforeAgent", "--command=fix-test", "--typed=B a.py"]
    assert call["argv"] == ["hook", "prompt", *given]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(typed("Please run /fix-test BUG-001 a.py"), id="the command is only mentioned"),
        pytest.param(typed("/fix-tests BUG-001 a.py"), id="another command"),
        pytest.param(typed("/other:fix-test BUG-001 a.py"), id="of another plugin"),
        pytest.param(typed(""), id="an empty prompt"),
        pytest.param(typed(["/fix-test"]), id="no text"),
        pytest.param(typed("/fix-test B a.py", hook_event_name="Stop"), id="another event"),
        pytest.param(typed("/fix-test B a.py", hook_event_name=["BeforeAgent"]), id="an event of the wrong type"),
        pytest.param(typed("/fix-test B \0"), id="what no program can be given"),
        pytest.param(typed("/fix-test B \ud800"), id="half a character"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"/fix-test BUG-001 a.py", id="no JSON"),
    ],
)
def test_everything_else_is_let_through_without_a_word(hook: StopHook, event: object) -> None:
    assert allowed(submit(hook, event))
