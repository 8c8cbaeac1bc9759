"""Which hooks codex runs: those that a person has trusted. Their hashes are in its `config.toml`."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from typing import Any

_DEFAULT_TIMEOUT_S = 600


def config_in(text: str) -> dict[str, Any]:
    """Empty if it is not TOML: codex does not start then, and says why."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def table(document: object, *path: str) -> Mapping[str, Any]:
    """Empty if there is none."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def are_hooks_off(config: Mapping[str, Any]) -> bool:
    features = table(config, "features")
    return features.get("hooks", features.get("codex_hooks")) is False  # the second is its former name


def is_trusted(config: Mapping[str, Any], key: str, event: str, hook: Mapping[str, Any]) -> bool:
    """False also if the hook has changed since then, or was switched off."""
    state = table(config, "hooks", "state", key)
    return state.get("trusted_hash") == trusted_hash(event, hook) and state.get("enabled") is not False


def trusted_hash(event: str, hook: Mapping[str, Any]) -> str:
    """As codex 0.163 computes it; `tests/e2e/test_hook_health.py` compares it with what codex says."""
    known = {"type": "command", "async": False, "command": hook.get("command")}
    identity = {"event_name": event, "hooks": [{**known, "timeout": hook.get("timeout", _DEFAULT_TIMEOUT_S)}]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"
