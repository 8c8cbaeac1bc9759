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
# Names that no one can own (RFC 2606), and this machine.
_EXAMPLE_HOST = re.compile(
    r"(?:(?:[\w-]{1,63}\.){0,8}(?:example(?:\.(?:com|org|net))?|localhost|invalid|test)|127\.0\.0\.1|\[::1\])(?![\w-]|\.\w)",
    re.IGNORECASE,
)
_FEW_CHARACTERS = 4
"""A token of fewer different characters than these is a row of `x`."""


def secrets_added(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        found = list(find_secrets(file.text_after))
        old = {secret.value for secret in find_secrets(file.text_before)} if found else set()
        for secret in found:
            if secret.value not in old and not _is_example(secret) and not _is_for_an_example(secret, file.text_after):
                yield Refusal(
                    "secret-added", file.path, f"line {secret.line} of {file.path} looks like a secret ({secret.kind})"
                )


def _is_example(secret: Secret) -> bool:
    if secret.kind == "private key":
        return not _OF_A_KEY.search(secret.value.replace("PRIVATE KEY", ""))
    body = re.split(r"[_:\s-]", secret.value)[-1]
    return bool(_EXAMPLE.fullmatch(secret.value)) or len(set(body)) < _FEW_CHARACTERS


def _is_for_an_example(secret: Secret, text: str) -> bool:
    """Whether the address in which it stands is no real one, wherever it stands in the text."""
    hosts = text.split(secret.value)[1:] if secret.kind == "password in an address" else [""]
    return all(map(_EXAMPLE_HOST.match, hosts))
