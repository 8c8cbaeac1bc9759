"""Rule against putting a secret into the repository."""

from collections.abc import Iterator

from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import Refusal
from reknit.core.repository.change import Change
from reknit.core.text.redact import find_secrets


def secrets_added(change: Change, _scope: Scope) -> Iterator[Refusal]:
    for file in change.files:
        if file.after is None:
            continue
        found = list(find_secrets(file.text_after))
        old = {secret.value for secret in find_secrets(file.text_before)} if found else set()
        for secret in found:
            if secret.value not in old:
                yield Refusal(
                    "secret-added", file.path, f"line {secret.line} of {file.path} looks like a secret ({secret.kind})"
                )
