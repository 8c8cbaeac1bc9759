import json

import pytest

from reknit.core.hook.codex_trust import are_hooks_off, config_in, is_trusted, table, trusted_hash

STOP = {"type": "command", "command": "reknit hook stop --limit 120 --answer json || exit 0", "timeout": 120}
HASH = "sha256:c2d0e35991d3e16bcb0a36ff877013a32540f56462550e23d3f01a469fc49999"
"""As codex 0.163 said it."""
KEY = "/home/ü/.codex/hooks.json:stop:0:0"


def config(**state: object) -> dict[str, object]:
    return {"hooks": {"state": {KEY: state}}}


def test_a_hook_has_the_hash_that_codex_computes() -> None:
    assert trusted_hash("stop", STOP) == HASH
    umlaut = {"type": "command", "command": "'/tmp/ü x/b' stop"}
    assert trusted_hash("stop", umlaut) == "sha256:538e0c1bb4008077e39266ef8f5e0e5dd0aa92384711510b1c1d386527fd1000"
    assert trusted_hash("stop", {"command": "\udcff"}) != trusted_hash("stop", {})


@pytest.mark.parametrize(
    ("given", "trusted"),
    [
        pytest.param(config(trusted_hash=HASH), True, id="trusted"),
        pytest.param(config(trusted_hash=HASH, enabled=True), True, id="switched on"),
        pytest.param(config(trusted_hash=HASH, enabled=False), False, id="switched off"),
        pytest.param(config(trusted_hash="sha256:0"), False, id="changed since"),
        pytest.param(config(), False, id="only listed"),
        pytest.param({}, False, id="new"),
        pytest.param({"hooks": {"state": [KEY]}}, False, id="of another shape"),
    ],
)
def test_only_what_a_person_trusted_as_it_is_runs(given: dict[str, object], trusted: bool) -> None:
    assert is_trusted(given, KEY, "stop", STOP) is trusted


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("[features]\nhooks = false", True),
        ("[features]\ncodex_hooks = false", True),
        ("[features]\ncodex_hooks = false\nhooks = true", False),
        ("[features]\nplugins = false", False),
        ("features = 1", False),
        ("not toml", False),
        ("", False),
    ],
)
def test_hooks_can_be_switched_off(text: str, off: bool) -> None:
    assert are_hooks_off(config_in(text)) is off


def test_what_is_no_table_is_an_empty_one() -> None:
    assert table(json.loads('{"a": {"b": 1}}'), "a") == {"b": 1}
    assert table({"a": {"b": 1}}, "a", "b", "c") == {}
    assert table(None) == {}
