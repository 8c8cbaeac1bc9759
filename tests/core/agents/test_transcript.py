"""Who wrote a transcript, and which turns a person reads."""

from pathlib import Path

import pytest

from reknit.core.agents.conversation import Turn
from reknit.core.agents.transcript import Transcript, list_read_turns, recognize_agent

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda path: path.stem)
def test_a_cli_is_known_by_its_first_event(sample: Path) -> None:
    content = sample.read_bytes()
    assert recognize_agent(content) == sample.stem.partition("-")[0]
    assert recognize_agent(b"a warning\n" + content) == sample.stem.partition("-")[0]


@pytest.mark.parametrize("content", [b"", b"words", b'{"type": "step_start"}', b'{"type": ["init"]}'])
def test_other_output_is_of_no_cli(content: bytes) -> None:
    assert recognize_agent(content) == ""


@pytest.mark.parametrize(
    ("transcript", "title"),
    [
        pytest.param(Transcript("attempt-2", "claude", ()), "attempt 2 · claude", id="attempt"),
        pytest.param(Transcript("attempt-2", "", (), is_again=True), "attempt 2, asked again", id="again"),
        pytest.param(Transcript("second-security-1", "codex", ()), "second-security 1 · codex", id="name in parts"),
        pytest.param(Transcript("plan", "", ()), "plan", id="no number"),
    ],
)
def test_a_call_has_a_title(transcript: Transcript, title: str) -> None:
    assert transcript.title == title


READ, EDIT, RUN = (Turn("tool", "a.py", verb) for verb in ("reads", "edits", "runs"))
CONTENT, FAILURE = Turn("result", "text"), Turn("result", "no such file", is_error=True)


@pytest.mark.parametrize(
    ("turns", "shown"),
    [
        pytest.param([READ, CONTENT, EDIT, CONTENT], [READ, EDIT], id="the content of files is left out"),
        pytest.param([READ, FAILURE], [READ, FAILURE], id="a failure is shown"),
        pytest.param([READ, CONTENT, RUN, CONTENT], [READ, RUN, CONTENT], id="the output of a command is shown"),
        pytest.param([CONTENT], [CONTENT], id="a result without a tool"),
    ],
)
def test_people_read_what_tells_them_something(turns: list[Turn], shown: list[Turn]) -> None:
    assert list(list_read_turns(turns)) == shown
