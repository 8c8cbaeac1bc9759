"""Issues keep their identity with a real checker and a real formatter: code is moved, added and formatted, by ruff."""

import ast
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.adapters import process
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result
from reknit.core.issues.model import ReportResult
from tests.tools import lint_tools
from tests.tools.issue_keeper import Keeper

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.py.txt"))
ROUNDS = 10
CHECKED = "F,B,S,ARG,ANN,PLR,BLE,FBT,TRY,EM,SIM,N,ERA,D1,E711,E722"
"""Rules whose results do not depend on how the code is formatted."""
SHAPES = ((100, "double", 4), (60, "single", 4), (79, "double", 2), (120, "single", 8))
ADDED = "\n\ndef {0}(left, right):\n    try:\n        return {0}_now(left)\n    except:\n        return 4711\n"
Key = tuple[str, int, int]
"""Rule, statement of the module, and which one of that rule in it."""


def ruff(text: str, *words: str) -> str:
    done = process.run([lint_tools.ruff(), *words, "-"], env={}, cwd="/", stdin=text.encode(), timeout_s=60.0)
    assert done.exit_code in (0, 1), done.stderr
    return done.stdout.decode()


def formatted(text: str, rng: random.Random) -> str:
    width, quotes, indent = rng.choice(SHAPES)
    settings = (f"line-length={width}", f"indent-width={indent}", f"format.quote-style='{quotes}'")
    return ruff(text, "format", "--isolated", "--no-cache", *(word for one in settings for word in ("--config", one)))


def checked(text: str) -> list[ReportResult]:
    words = ("check", "--isolated", "--no-cache", "--preview", "--output-format=json", f"--select={CHECKED}")
    results = json.loads(ruff(text, *words))
    places = [(one["location"]["row"], one["location"]["column"], one["code"], one["message"]) for one in results]
    return [ReportResult("ruff", code, "-", line, column, said) for line, column, code, said in sorted(places)]


class Module:
    """The statements of a module with numbers that they keep."""

    def __init__(self, text: str) -> None:
        self.numbers = list(range(len(ast.parse(text).body)))
        self.text = text
        self._next = len(self.numbers)

    def parts(self) -> list[str]:
        """Each statement, with what stands above it."""
        lines, ends = self.text.splitlines(keepends=True), [one.end_lineno or 0 for one in ast.parse(self.text).body]
        return ["".join(lines[start:end]) for start, end in zip([0, *ends], ends, strict=False)]

    def move(self, rng: random.Random) -> None:
        parts = list(zip(self.numbers, self.parts(), strict=True))
        first = next(at for at, part in enumerate(parts) if "def " in part[1])
        chosen = parts.pop(rng.randrange(first, len(parts)))
        parts.insert(rng.randint(first, len(parts)), chosen)
        self._put(parts)

    def add(self, rng: random.Random) -> None:
        parts = list(zip(self.numbers, self.parts(), strict=True))
        name = f"added_{rng.randrange(10**6)}"
        parts.insert(rng.randint(1, len(parts)), (self._next, ADDED.format(name)))
        self._next += 1
        self._put(parts)

    def _put(self, parts: list[tuple[int, str]]) -> None:
        self.numbers = [number for number, _ in parts]
        self.text = "".join(part if part.endswith("\n") else part + "\n" for _, part in parts)

    def keys(self, found: list[ReportResult]) -> list[Key]:
        ends = [one.end_lineno or 0 for one in ast.parse(self.text).body]
        counts: Counter[tuple[str, int]] = Counter()
        keys = []
        for one in found:
            statement = self.numbers[next((at for at, end in enumerate(ends) if one.line <= end), len(ends) - 1)]
            keys.append((one.rule, statement, counts[one.rule, statement]))
            counts[one.rule, statement] += 1
        return keys


def outcome(sample: Path, rng: random.Random) -> tuple[int, list[str]]:
    """How many findings were there before and after an edit, and those that are another issue than they were."""
    module, keeper, before = Module(sample.read_text()), Keeper(), dict[Key, int]()
    compared, misses = 0, list[str]()
    for number in range(ROUNDS + 1):
        if number:
            rng.choice((module.move, module.add))(rng)
            module.text = formatted(module.text, rng)
        squeezed, found = NormalizedFile(module.text.encode()), checked(module.text)
        placed = [locate_result(one, sample.stem, squeezed) for one in found]
        ids = keeper.ids(keeper.take(placed))
        now = {key: ids[id(one)] for key, one in zip(module.keys(found), placed, strict=True)}
        assert len(set(now.values())) == len(placed), "each result is one issue"
        old = set(before.values())
        compared += len(now.keys() & before.keys())
        wrong = [key for key in now if (now[key] != before[key] if key in before else now[key] in old)]
        misses += [f"{sample.stem}, round {number}: {key}" for key in wrong]
        before = now
    return compared, misses


@pytest.mark.slow
def test_real_findings_outlive_real_formatting_and_moves(record_property: Callable[[str, object], None]) -> None:
    rng = random.Random(5001)
    outcomes = [outcome(sample, rng) for sample in SAMPLES]
    compared = sum(count for count, _ in outcomes)
    record_property("findings compared", compared)
    assert compared > 500
    assert [miss for _, misses in outcomes for miss in misses] == []
