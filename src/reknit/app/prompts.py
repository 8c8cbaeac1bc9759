"""Fills the prompt files. A name that a prompt uses and nobody gave is an error, not an empty place."""

from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined

_environment = Environment(
    loader=PackageLoader("reknit", "prompts"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,  # noqa: S701 - the reader is a model, not a browser
)


def render(name: str, facts: Mapping[str, object]) -> str:
    return _environment.get_template(f"{name}.md").render(facts)
