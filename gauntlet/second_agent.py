"""The agent of another vendor, scripted: further cases of the behaviour that a failing test is about.

It sees no change: its answer follows from the language and the failing test that its prompt names.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from string import Template
from typing import Any

from gauntlet.corpus import HERE

NAME = "second"


def story(language: str) -> list[dict[str, Any]]:
    """A move per failing test that it has cases for; asked about any other, it has none."""
    answers = [answer for answer in _written()["answer"] if answer["language"] == language]
    moves = [
        {"when": f"The failing test: {failing}\n", "report": {"cases": _cases(answer)}}
        for answer in answers
        for failing in answer["failing"]
    ]
    return [*moves, {"report": {"cases": []}}]


@cache
def _written() -> Mapping[str, Any]:
    return tomllib.loads((HERE / "second_agent.toml").read_text())


def _cases(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each with its id, its file and what it is about."""
    return [
        {**{part: _filled_in(answer[part], name, words) for part in ("test", "path", "text")}, "about": words["about"]}
        for name, words in _written()["cases"][answer["cases"]].items()
    ]


def _filled_in(text: str, name: str, words: Mapping[str, object]) -> str:
    return Template(text).substitute(words, name=name, Name=name.title())
