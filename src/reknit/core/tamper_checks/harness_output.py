"""Reads what the second harness printed: one line per test, each behind the nonce."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True)
class HarnessResult:
    is_green: bool
    kind: str = ""
    """The type of what it raised: `AssertionError`."""
    message: str = ""


class _Line(msgspec.Struct):
    test: str = ""
    ok: bool = False
    kind: str = ""
    message: str = ""
    end: int = -1


def read_harness_output(output: bytes, nonce: str) -> dict[str, HarnessResult]:
    """By test; empty if the harness did not come to its end, or named a test twice: then nothing it said counts."""
    results: dict[str, HarnessResult] = {}
    for part in output.split(nonce.encode())[1:]:
        try:
            line = msgspec.json.decode(part.partition(b"\n")[0], type=_Line)
        except msgspec.MsgspecError:
            return {}
        if line.end >= 0:
            return results if line.end == len(results) else {}
        if line.test in results:
            return {}
        results[line.test] = HarnessResult(line.ok, line.kind, line.message)
    return {}
