"""Every setting of the configuration by its name: `loop.attempts`, or `agents.*.model` for a setting of each agent."""

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Path = tuple[str, ...]

ANY_NAME = "*"
"""Placeholder in a setting's name for the user's name of an agent, or for the position in a list of tables."""


@dataclass(frozen=True)
class Setting:
    path: Path
    """Where it was set: `("agents", "claude", "model")`."""
    name: Path
    """What is set: `("agents", "*", "model")`."""
    field: FieldInfo | None
    """None: no setting has exactly that name."""
    value: Any


def settings(model: type[BaseModel], name: Path = ()) -> Iterator[tuple[Path, FieldInfo]]:
    """All settings of the model."""
    for key, field in model.model_fields.items():
        table, is_named = table_of(field.annotation)
        if table is None:
            yield (*name, key), field
        else:
            yield from settings(table, (*name, key, *((ANY_NAME,) if is_named else ())))


def given(table: Mapping[str, Any], model: type[BaseModel]) -> Iterator[Setting]:
    """Each setting in a table. A value where a table belongs is left to validation, which refuses it."""
    return _walk(table.items(), model, Setting((), (), None, None))


def in_force(config: BaseModel) -> Iterator[Setting]:
    """Each setting of a validated configuration with its value."""
    return given(config.model_dump(), type(config))


def _walk(items: Iterable[tuple[str, Any]], model: type[BaseModel], at: Setting) -> Iterator[Setting]:
    for key, value in items:
        field = model.model_fields.get(key)
        here = Setting((*at.path, key), (*at.name, key), field, value)
        table, is_named = table_of(field.annotation) if field else (None, False)
        if table is None:
            yield here
        elif isinstance(value, Mapping) and not is_named:
            yield from _walk(value.items(), table, here)
        elif isinstance(value, Mapping | list | tuple):
            named = value.items() if isinstance(value, Mapping) else enumerate(value)
            for name, inner in named:
                below = replace(here, path=(*here.path, str(name)), name=(*here.name, ANY_NAME))
                if isinstance(inner, Mapping):
                    yield from _walk(inner.items(), table, below)


def table_of(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The model of a table, if the annotation is one; True if there are any number: `[agents.NAME]`, `[[projects]]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    arguments = typing.get_args(annotation)
    many = {dict: arguments[1:], tuple: arguments[:1]}.get(typing.get_origin(annotation), ())
    return next(
        ((model, True) for model in many if isinstance(model, type) and issubclass(model, BaseModel)), (None, False)
    )


def table_at(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel] | None:
    """The model of the table at this path, if there is one."""
    here: type[BaseModel] | None = model
    rest = list(path)
    while rest and here is not None:
        field = here.model_fields.get(rest.pop(0))
        here, is_named = table_of(field.annotation) if field else (None, False)
        del rest[: int(is_named)]
    return here
