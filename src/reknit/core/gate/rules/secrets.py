"""Rule against putting a secret into the repository."""

import re
from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.text.redact import Secret, find_secrets

# Keys that vendors print in their documentation, and what stands for a key in anyone's.
_EXAMPLE = re.compile(r"A[KS]IA[0-9A-Z]*EXAMPLE|eyJ[\w-]+\.eyJzdWIiOiIxMjM0NTY3ODkwIi[\w-]*\.[\w-]+")
_OF_A_KEY = re.compile(r"[A-Za-z0-9+/=]{24,}")
_FEW_CHARACTERS = 4
"""A token of fewer different characters than these is a row of `x`."""


def secrets_added(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        found = list(find_secrets(file.text_after))
        old = {secret.value for secret in find_secrets(file.text_before)} if found else set()
        for secret in found:
            if secret.value not in old and not _is_example(secret):
                yield Refusal(
                    "secret-added", file.path, f"line {secret.line} of {file.path} looks like a secret ({secret.kind})"
                )


def _is_example(secret: Secret) -> bool:
    if secret.kind == "private key":
        return not _OF_A_KEY.search(secret.value.replace("PRIVATE KEY", ""))
    body = re.split(r"[_:\s-]", secret.value)[-1]
    return bool(_EXAMPLE.fullmatch(secret.value)) or len(set(body)) < _FEW_CHARACTERS
