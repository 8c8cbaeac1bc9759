"""Our hook in an agent's settings file: it comes and goes, and nothing else changes."""

import itertools
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.errors import UsageError
from reknit.core.hook.command import to_hook_command
from reknit.core.hook.settings_file import SettingsEdit, SettingsFile, has_value, install, uninstall
from tests.tools.settings_files import CONTENTS, settings_files

COMMAND = to_hook_command("/opt/mein Gerät/bin/python", "/opt/mein Gerät/lib/reknit/interfaces/hook/entry.py")
OLDER = to_hook_command("/usr/bin/python3.11", "/usr/lib/python3/reknit/interfaces/hook/entry.py")
FILES = [pytest.param(text, id=name) for name, text in settings_files()]


def put(text: str | None, command: str = COMMAND, *, event: str = "Stop", comments: bool = False) -> SettingsEdit:
    return install(SettingsFile("s.json", text, event, comments), command, 120)


def taken(text: str | None, *, event: str = "Stop", comments: bool = False) -> SettingsEdit:
    return uninstall(SettingsFile("s.json", text, event, comments))


def read(text: str | None) -> Any:
    return json.loads((text or "").removeprefix("\ufeff"), parse_int=float)


def ours(document: Any, event: str = "Stop") -> list[Any]:
    groups = document["hooks"][event]
    return [hook for group in groups if isinstance(group, dict) for hook in _hooks(group) if "entry.py" in str(hook)]


def _hooks(group: dict[str, Any]) -> list[Any]:
    found = group.get("hooks")
    return found if isinstance(found, list) else []


def is_insertion(old: str, new: str) -> bool:
    """One piece more, and all that was there."""
    same = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))))
    return new.endswith(old[same:])


def check(text: str, event: str = "Stop", *, comments: bool = False) -> str:
    """What holds for every file; returns it with the hook."""
    once = put(text, event=event, comments=comments)
    assert once.result == "installed"
    assert once.text is not None
    again = put(once.text, event=event, comments=comments)
    assert again == SettingsEdit("already installed", once.text)
    older = put(text, OLDER, event=event, comments=comments).text
    assert put(older, event=event, comments=comments) == SettingsEdit("updated", once.text)
    assert taken(older, event=event, comments=comments) == SettingsEdit("removed", text)
    assert taken(once.text, event=event, comments=comments) == SettingsEdit("removed", text)
    assert taken(text, event=event, comments=comments) == SettingsEdit("not installed", text)
    return once.text


def test_there_are_enough_files() -> None:
    assert len(FILES) >= 50


@pytest.mark.parametrize("event", ["Stop", "AfterAgent"])
@pytest.mark.parametrize("text", FILES)
def test_everything_else_stays(text: str, event: str) -> None:
    new = check(text, event)
    assert is_insertion(text, new)
    [hook] = ours(read(new), event)
    assert hook == {"type": "command", "command": COMMAND, "timeout": 120}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_program_that_writes_the_file_anew_changes_nothing_for_us(name: str) -> None:
    """Claude Code does when a permission is granted."""
    new = put(json.dumps(CONTENTS[name])).text
    rewritten = json.dumps(json.loads(new or ""), indent=2)
    assert json.loads(taken(rewritten).text or "") == CONTENTS[name]


def test_no_file_becomes_a_file_and_none_again() -> None:
    new = put(None)
    assert new.text is not None
    assert new.text.startswith('{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          {\n')
    assert new.text.endswith("}\n")
    assert taken(new.text) == SettingsEdit("removed", None)
    assert taken(None) == SettingsEdit("not installed", None)


def test_what_was_added_since_stays() -> None:
    document = read(put(None).text)
    document["model"] = "opus"
    document["hooks"]["Stop"].append({"hooks": []})
    left = taken(json.dumps(document)).text
    assert json.loads(left or "") == {"hooks": {"Stop": [{"hooks": []}]}, "model": "opus"}


def test_the_layout_of_the_file_is_used() -> None:
    new = put('{\r\n\t"model": "opus"\r\n}').text
    assert new is not None
    assert new.startswith(
        '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n'
    )
    assert new.endswith("\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}")
    assert (put('{"a":1}').text or "").startswith('{"a":1,"hooks":{"Stop":[{"hooks":[{"')
    assert (put('{"a": 1}').text or "").startswith('{"a": 1, "hooks": {"Stop": [{"hooks": [{"')


def group(*hooks: object, **more: object) -> dict[str, object]:
    return {**more, "hooks": list(hooks)}


def hook(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([group(hook(OLDER), hook("x"))], [group(hook("x"))], id="in a group with another hook, first"),
        pytest.param([group(hook("x"), hook(OLDER))], [group(hook("x"))], id="in a group with another hook, last"),
        pytest.param([group(hook(OLDER), matcher="*")], [group(matcher="*")], id="in a group with a matcher"),
        pytest.param([group(hook(OLDER)), group(hook("x"))], [group(hook("x"))], id="before another group"),
        pytest.param([group(hook(OLDER)), group(hook(OLDER))], [], id="twice"),
        pytest.param([group(hook(OLDER))], [], id="alone, and moved there by hand"),
    ],
)
def test_only_our_hook_is_removed(before: list[object], after: list[object]) -> None:
    for indent in (None, 2):
        left = taken(json.dumps({"hooks": {"Stop": before}, "a": 1}, indent=indent))
        assert (left.result, json.loads(left.text or "")) == ("removed", {"hooks": {"Stop": after}, "a": 1})


def test_two_older_hooks_become_one_with_all_its_values() -> None:
    older = [group(hook("x"), hook(OLDER, note="kept")), group(hook(OLDER, timeout=5))]
    new = put(json.dumps({"hooks": {"Stop": older}}))
    assert new.result == "updated"
    assert json.loads(new.text or "") == {
        "hooks": {"Stop": [group(hook("x"), hook(COMMAND, note="kept", timeout=120))]}
    }


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        pytest.param('{\n  "a": 1,}', "s.json:2", "not JSON: ", id="a comma too many"),
        pytest.param('{"a": 1}\n}', "s.json:2", "more text after the end", id="a bracket too many"),
        pytest.param('{"a": 1 // why\n}', "s.json:1", "not JSON: ", id="a comment, for an agent that allows none"),
        pytest.param('{"a": NaN}', "s.json", "NaN is not a value of JSON", id="not a number"),
        pytest.param("[" * 100_000, "s.json", "nested too deeply", id="too deep"),
        pytest.param("[]", "s.json:1", "an object should start here", id="a list"),
        pytest.param('{\n"hooks": null}', "s.json:2", "an object should start here", id="hooks that are none"),
        pytest.param('{"hooks": {\n"Stop": {}}}', "s.json:2", "a list should start here", id="an event without a list"),
    ],
)
def test_a_file_that_no_agent_could_read_is_refused(text: str, where: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as refused:
        put(text)
    assert (refused.value.where, refused.value.exit_code) == (where, 2)
    assert refused.value.help == "repair it, or name the other agents with --agent; no file was changed"


COMMENTED = (
    '{\n  "a": 1 // one\n}\n',
    '{\r\n  "a": 1 // one\r\n}\r\n',
    '{\n  "a": 1, /* no: "hooks" */ "b": 2 /* two */ // and so\n  // the end\n}\n// bye',
    '// top "quoted\n{ // nothing\n}\n',
    '{ /* nothing */ }',
    '{"a": 1 // one\n}',
    '{\n  "hooks": {\n    // soon\n    "AfterAgent": [\n      {"hooks": []} // theirs\n      /* last */\n  ]}\n}\n',
    '{\n  "hooks": {"AfterAgent": [ // none\n  ]},\n  "u": "https://x/*" // "\n}\n',
)  # fmt: skip


@pytest.mark.parametrize("text", COMMENTED)
def test_comments_stay_where_they_are(text: str) -> None:
    new = check(text, "AfterAgent", comments=True)
    assert all(comment in new for comment in ("// one", "/* two */ // and so", "// soon") if comment in text)


def test_a_comment_at_the_end_of_a_line_stays_with_its_line() -> None:
    new = put('{\n  "a": 1 // one\n}\n', event="AfterAgent", comments=True).text
    assert (new or "").startswith('{\n  "a": 1, // one\n  "hooks": {\n')


def test_a_comment_beside_our_hook_keeps_what_it_is_in() -> None:
    new = (put(None, comments=True).text or "").replace('"Stop": [', '"Stop": [ // mine')
    left = taken(new, comments=True).text
    assert left == '{\n  "hooks": {\n    "Stop": [ // mine\n      \n    ]\n  }\n}\n'
    new = "// mine\n" + (put(None, comments=True).text or "")
    assert taken(new, comments=True).text == "// mine\n{}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": {"b": false}}', True),
        ('\ufeff{"a": {"b": true}, "a": {"b": false}}', True),
        ('{"a": {"b": 0}}', False),
        ('{"a": {}}', False),
        ('{"a": false}', False),
        ("[]", False),
        (" ", False),
        (None, False),
    ],
)
def test_a_setting_is_found_by_its_path(text: str | None, expected: bool) -> None:
    assert has_value(SettingsFile("s.json", text, "Stop"), ("a", "b"), value=False) is expected
    assert not has_value(SettingsFile("s.json", text, "Stop"), (), value=False)


SPACES = st.sampled_from(["", "", " ", "  ", "\n", "\n  ", "\r\n\t", "\n\n    "])
COMMENTS = st.sampled_from(["// one\n", "/* two */", ' // "three\r\n', "/* {\n */ // ]\n  ", "\n// four\n"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
HOOKS = st.fixed_dictionaries({"type": st.just("command"), "command": st.text()}, optional={"timeout": st.integers()})
GROUPS = st.fixed_dictionaries({}, optional={"hooks": st.lists(HOOKS | VALUES, max_size=2), "matcher": st.text()})
EVENTS = st.dictionaries(st.sampled_from(["Stop", "AfterAgent", "PreToolUse"]), st.lists(GROUPS | VALUES, max_size=2))
DOCUMENTS = st.builds(
    lambda before, hooks, after: {**before, **({} if hooks is None else {"hooks": hooks}), **after},
    st.dictionaries(st.text().filter("hooks".__ne__), VALUES, max_size=3),
    st.none() | EVENTS,
    st.dictionaries(st.text().filter("hooks".__ne__), VALUES, max_size=2),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A random document with random space between all tokens, or in one of the usual layouts."""
    document = draw(DOCUMENTS)
    if draw(st.booleans()):
        return draw(SPACES) + _spaced(document, draw, SPACES) + draw(SPACES)
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    return json.dumps(document, indent=indent, ensure_ascii=draw(st.booleans())).replace("\n", draw(NEWLINES))


NEWLINES = st.sampled_from(["\n", "\r\n"])


def _spaced(value: Any, draw: st.DrawFn, space: st.SearchStrategy[str]) -> str:
    if not isinstance(value, dict | list):
        return json.dumps(value)
    named = [(f"{json.dumps(key)}{draw(space)}:{draw(space)}", each) for key, each in _parts(value)]
    is_object = isinstance(value, dict)
    parts = [draw(space) + (name if is_object else "") + _spaced(each, draw, space) for name, each in named]
    inner = ",".join(part + draw(space) for part in parts) if parts else draw(space)
    return f"{{{inner}}}" if is_object else f"[{inner}]"


def _parts(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else [("", each) for each in value]


@given(text=texts(), mark=st.sampled_from(["", "\ufeff"]), comments=st.booleans())
def test_any_document_in_any_layout_is_restored(text: str, mark: str, comments: bool) -> None:
    new = check(mark + text, comments=comments)
    assert is_insertion(mark + text, new)
    before, after = read(text), read(new)
    [added] = ours(after)
    assert added == {"type": "command", "command": COMMAND, "timeout": 120}
    groups = before.setdefault("hooks", {}).setdefault("Stop", [])
    groups.append({"hooks": [added]})
    assert (after, list(after)) == (before, list(before))


@st.composite
def commented(draw: st.DrawFn) -> str:
    space = SPACES | COMMENTS
    return draw(space) + _spaced(draw(DOCUMENTS), draw, space) + draw(space)


@given(text=commented())
def test_any_document_with_comments_anywhere_is_restored(text: str) -> None:
    new = check(text, comments=True)
    assert Counter(text) <= Counter(new)
