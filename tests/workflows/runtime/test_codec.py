"""Checkpoints: what is written is read back, in this version and in the next, and nothing untagged gets in."""

import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.agents.call import AgentOrder
from reknit.core.capabilities import CAPABILITIES
from reknit.core.errors import ToolMissingError
from reknit.core.finding import Finding
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import Task
from reknit.workflows.fix_tests import steps, workflow
from reknit.workflows.runtime.codec import CODEC, TAGS, TaggedJson

TAGS_FOR_EVER = {
    "agent_call", "agent_settings", "baseline", "broke", "done", "ending", "finding", "gate_verdict", "limited",
    "limits", "made", "proof", "refusal", "refused", "run_spec", "test_command", "usage", "workspace_settings",
}  # fmt: skip


TASKS = tuple(kind for kind in map(CODEC.find_class, TAGS) if issubclass(kind, Task))
st.register_type_strategy(Task, st.one_of(*map(st.from_type, TASKS)))


@pytest.mark.parametrize("tag", sorted(TAGS))
@given(data=st.data())
def test_every_tag_is_read_back_as_it_was_written(tag: str, data: st.DataObject) -> None:
    value = data.draw(st.from_type(CODEC.find_class(tag)))
    assert repr(CODEC.deserialize(CODEC.serialize(value))) == repr(value)  # repr: not-a-number is not equal to itself


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(JSON_VALUES)
def test_plain_values_keep_their_types(value: object) -> None:
    again = CODEC.deserialize(CODEC.serialize(value))
    assert again == value
    assert type(again) is type(value)


def test_a_tag_is_for_ever() -> None:
    assert set(TAGS) >= TAGS_FOR_EVER
    assert CODEC.name() == "reknit_tagged_json_1"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(AgentOrder("r", 1, "local", "p", 1, 1, 1, 1, "f"), id="a dataclass without a tag"),
        pytest.param({1, 2}, id="a set"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param([Limits(), object()], id="something untagged inside a list"),
    ],
)
def test_a_type_without_a_tag_is_refused_when_it_is_written(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be stored in a checkpoint: give it a tag"):
        CODEC.serialize(value)


def test_a_subclass_does_not_pass_for_its_parent() -> None:
    class Special(Ending):
        pass

    with pytest.raises(TypeError, match="Special cannot be stored"):
        CODEC.serialize(Special("FIXED", "all"))


def test_a_field_that_this_version_does_not_know_is_dropped() -> None:
    raw = json.loads(CODEC.serialize(Ending("FIXED", "all")))
    raw["v"]["of_a_later_version"] = {"!": "dict", "v": []}
    assert CODEC.deserialize(json.dumps(raw)) == Ending("FIXED", "all")


def test_a_field_that_an_older_version_did_not_write_has_its_default() -> None:
    raw = json.loads(CODEC.serialize(Ending("FIXED", "all", cause="x")))
    del raw["v"]["cause"]
    assert CODEC.deserialize(json.dumps(raw)) == Ending("FIXED", "all")


@dataclasses.dataclass(frozen=True)
class Renamed:
    word: str
    reason: str


def test_a_class_may_be_renamed_while_its_tag_stays() -> None:
    later = TaggedJson({"ending": f"{__name__}:Renamed"}, package="")
    assert later.deserialize(CODEC.serialize(Ending("FIXED", "all"))) == Renamed("FIXED", "all")


def test_a_problem_that_we_name_keeps_its_kind_and_its_help() -> None:
    again = CODEC.deserialize(CODEC.serialize(ToolMissingError("tool-missing", "no git", help="install it")))
    assert isinstance(again, ToolMissingError)
    assert (again.name, again.message, again.help) == ("tool-missing", "no git", "install it")


def test_an_error_can_always_be_written_and_says_what_it_was() -> None:
    again = CODEC.deserialize(CODEC.serialize(ValueError("no such thing")))
    assert isinstance(again, RuntimeError)
    assert str(again) == "ValueError: no such thing"


def _dataclasses_in(annotation: Any) -> Iterator[type]:
    """Every dataclass that a value of this type may hold."""
    for part in typing.get_args(annotation):
        yield from _dataclasses_in(part)
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        yield annotation
        for hint in typing.get_type_hints(annotation).values():
            yield from _dataclasses_in(hint)


def _checkpointed() -> Iterator[type]:
    """What steps answer, and what the workflow is given and answers. Arguments of steps are not kept."""
    functions = [step for _, step in inspect.getmembers(steps, inspect.iscoroutinefunction)]
    own = [step for step in functions if hasattr(step, "dbos_function_name")]
    assert len(own) >= 8
    for function in own:
        yield from _dataclasses_in(typing.get_type_hints(inspect.unwrap(function))["return"])
    flow = typing.get_type_hints(inspect.unwrap(workflow.repair))
    yield from _dataclasses_in(flow["spec"])
    yield from _dataclasses_in(flow["return"])


def test_every_dataclass_that_a_checkpoint_can_hold_has_a_tag() -> None:
    found = set(_checkpointed())
    assert {Ending, Finding, Limits} <= found
    assert found - {Task} <= set(map(CODEC.find_class, TAGS))
    assert {task.kind for task in TASKS} == CAPABILITIES.keys()


def test_the_union_types_are_looked_into() -> None:
    assert set(_dataclasses_in(Ending | None)) == {Ending}
    assert isinstance(Ending | None, types.UnionType)
