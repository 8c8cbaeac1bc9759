"""Names that outlive a release, because runs in flight, other programs or people's scripts rely on them.

They are compared with tests/golden/stable_names.json. Adding a name is free. Before one is removed or renamed, old
runs, programs and scripts need an answer. `python -m tests.test_stable_names` writes the file.
"""

import ast
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from reknit.core.gate.judge import RULES
from reknit.core.issues.lifecycle import TRANSITIONS
from reknit.core.runs.ending import EXIT_CODES
from reknit.workflows.runtime.codec import CODEC, TAGS

SOURCE = Path(__file__).parent.parent / "src" / "reknit"
GOLDEN = Path(__file__).parent / "golden" / "stable_names.json"


def trees() -> Iterator[list[ast.AST]]:
    """The nodes of each file, walked once: there are a million."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "demo_repository" not in path.parts:
            yield list(ast.walk(ast.parse(path.read_text())))


def calls(tree: list[ast.AST], *names: str) -> Iterator[ast.Call]:
    for node in tree:
        if isinstance(node, ast.Call) and _name(node.func) in names:
            yield node


def _name(function: ast.expr) -> str:
    """`step` or `DBOS.workflow`; of anything longer only the end."""
    if isinstance(function, ast.Name):
        return function.id
    if not isinstance(function, ast.Attribute):
        return ""
    return f"{function.value.id}.{function.attr}" if isinstance(function.value, ast.Name) else f".{function.attr}"


def words(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def keys(node: ast.AST) -> set[str]:
    found = (key for each in ast.walk(node) if isinstance(each, ast.Dict) for key in each.keys if key is not None)
    return set(words(list(found)))


def stable_names() -> dict[str, object]:
    steps, workflows, events, documents = set[str](), set[str](), dict[str, set[str]](), dict[str, set[str]]()
    for tree in trees():
        steps.update(word for call in calls(tree, "step") for word in words(call.args[:1]))
        for call in calls(tree, "DBOS.workflow"):
            workflows.update(words([keyword.value for keyword in call.keywords if keyword.arg == "name"]))
        for call in calls(tree, "Event"):
            for kind in words(call.args[:1]):
                events.setdefault(kind, set()).update(*(keys(value) for value in call.args[4:]))
        for node in tree:
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_document"):
                documents.setdefault(node.name, set()).update(keys(node))
    return {
        "checkpoints": {tag: sorted(field.name for field in dataclasses.fields(CODEC.find_class(tag))) for tag in TAGS},
        "documents": {name: sorted(found) for name, found in sorted(documents.items())},
        "endings": EXIT_CODES,
        "events": {kind: sorted(found) for kind, found in sorted(events.items())},
        "gate_rules": sorted(rule.id for rule in RULES),
        "statuses": sorted({status for pair in TRANSITIONS for status in pair}),
        "steps": sorted(steps),
        "workflows": sorted(workflows),
    }


def missing(old: object, new: object, at: str = "") -> Iterator[str]:
    """What `old` has and `new` has not."""
    if isinstance(old, dict):
        for key, value in old.items():
            if not isinstance(new, dict) or key not in new:
                yield f"{at}/{key}"
            else:
                yield from missing(value, new[key], f"{at}/{key}")
    elif isinstance(old, list):
        yield from (f"{at}/{value}" for value in old if not isinstance(new, list) or value not in new)
    elif old != new:
        yield f"{at}={old}"


def test_no_name_that_others_rely_on_is_gone_and_the_file_has_every_name() -> None:
    """It has every name, so that the next change cannot remove one that was never written down."""
    golden, names = json.loads(GOLDEN.read_text()), stable_names()
    assert list(missing(golden, names)) == []
    assert list(missing(names, golden)) == [], "run python -m tests.test_stable_names"


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(stable_names(), indent=1, sort_keys=True) + "\n")
