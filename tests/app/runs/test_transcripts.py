"""Transcripts in the folder of a run."""

import json
import os
from pathlib import Path

from reknit.app.installation import Installation
from reknit.app.runs.transcripts import read_transcripts
from reknit.store.runs.reader import RunReader
from tests.tools.recorded_runs import make_place, open_ledger, spec


def record(installation: Installation) -> RunReader:
    ledger = open_ledger(installation)
    ledger.create(spec())
    return RunReader(ledger.engine)


def put(installation: Installation, name: str, content: bytes, at: int) -> None:
    path = installation.runs / "r-1" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (at, at))


def say(text: str) -> bytes:
    event = {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}
    return json.dumps(event).encode() + b"\n"


def test_calls_come_in_their_order_with_their_agents(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    run = record(installation).run("r-1")
    assert read_transcripts(installation, run) == []
    put(installation, "review-1.log/transcript.txt", b"fine\n", 3)
    put(installation, "attempt-1.log/transcript.jsonl", say("first"), 1)
    put(installation, "attempt-1.log/transcript.again.jsonl", say("second"), 2)
    put(installation, "attempt-2.log/other.jsonl", say("no transcript"), 2)
    calls = [
        (each.call, each.agent_kind, each.is_again, [turn.text for turn in each.turns])
        for each in read_transcripts(installation, run)
    ]
    assert calls == [
        ("attempt-1", "claude", False, ["first"]),
        ("attempt-1", "claude", True, ["second"]),
        ("review-1", "", False, ["fine"]),
    ]
    assert [each.call for each in read_transcripts(installation, run, 1)] == ["attempt-1", "attempt-1"]


def test_of_a_large_transcript_both_ends_are_read(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    run = record(installation).run("r-1")
    lines = b"".join(b"line %d\n" % number for number in range(10_000))
    put(installation, "attempt-1.log/transcript.txt", lines, 1)
    (whole,) = read_transcripts(installation, run)
    assert len(whole.turns) == 2_001
    (ends,) = read_transcripts(installation, run, most_bytes=1_000)
    texts = [turn.text for turn in ends.turns]
    assert (texts[0], texts[-1]) == ("line 0", "line 9999")
    assert len(texts) < 150
    assert all(text.startswith("line ") for text in texts)


def test_what_is_no_file_is_empty(tmp_path: Path) -> None:
    installation = make_place(tmp_path)
    run = record(installation).run("r-1")
    folder = installation.runs / "r-1" / "attempt-1.log"
    (folder / "transcript.txt").mkdir(parents=True)
    (folder / "transcript.jsonl").symlink_to("nowhere")
    assert [each.turns for each in read_transcripts(installation, run)] == [(), ()]
