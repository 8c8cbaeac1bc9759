"""GitHub's own OpenAPI description, cut to what is served here: examples to build objects on, schemas to check them."""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

CUT = Path(__file__).with_name("api.github.com.cut.json")
_checked: set[tuple[str, str, int, bytes]] = set()
"""Answers that were right once: a poll brings the same one again and again."""


@functools.cache
def _description() -> dict[str, Any]:
    cut: dict[str, Any] = json.loads(CUT.read_text())
    return cut


@functools.cache
def _registry() -> Registry[Any]:
    empty: Registry[Any] = Registry()
    filled: Registry[Any] = empty.with_resource("urn:github", DRAFT4.create_resource(_description()))
    return filled


@functools.cache
def _example_text(operation: str) -> str:
    return json.dumps(_description()["paths"][_template(operation)][_method(operation)]["example"])


def example(operation: str, slug: str = "octocat/Hello-World", url: str = "https://api.github.com") -> Any:
    """A fresh copy of GitHub's own example of that operation's answer, told of this repository and hub."""
    text = _example_text(operation)
    for theirs in ("octocat/Hello-World", "github/hello-world", "octo-org/octo-repo"):
        text = text.replace(theirs, slug)
    return json.loads(text.replace("https://api.github.com", url).replace("https://github.com", url))


def answer_problems(operation: str, status: int, body: Any, raw: bytes) -> list[str]:
    """How that answer differs from GitHub's description of it."""
    method, template = _method(operation), _template(operation)
    known = (method, template, status, hashlib.sha256(raw).digest())
    if known in _checked:
        return []
    responses = _description()["paths"].get(template, {}).get(method, {}).get("responses", {})
    if str(status) not in responses:
        return [] if status >= 400 else [f"{operation} {status}: not described"]
    if responses[str(status)] is None:
        return []
    place = f"{_pointer(template)}/{method}/responses/{status}"
    problems = [f"{operation} {status}: {problem}" for problem in _problems(place, body)]
    if not problems:
        _checked.add(known)
    return problems


def request_problems(operation: str, body: Any) -> list[str]:
    """How that request differs from what GitHub takes."""
    method, template = _method(operation), _template(operation)
    if "request" not in _description()["paths"].get(template, {}).get(method, {}):
        return []
    return _problems(f"{_pointer(template)}/{method}/request", body)


def _problems(place: str, body: Any) -> list[str]:
    found = _validator(place).iter_errors(body)
    return ["/".join(str(part) for part in error.path) + ": " + error.message[-200:] for error in found]


@functools.cache
def _validator(place: str) -> Any:
    return OAS30Validator({"$ref": f"urn:github#/paths/{place}"}, registry=_registry())


def _pointer(template: str) -> str:
    return template.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")


def _method(operation: str) -> str:
    return operation.split(" ")[0].lower()


def _template(operation: str) -> str:
    return operation.split(" ")[1]
