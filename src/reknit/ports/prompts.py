"""How prompts are rendered."""

from collections.abc import Callable, Mapping

PromptMaker = Callable[[str, Mapping[str, object]], str]
"""Takes the name of a prompt and the facts to fill it with."""
