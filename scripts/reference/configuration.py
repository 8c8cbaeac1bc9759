"""The page of all settings, from the configuration's schema."""

import json
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from scripts.reference.tables import cell, table

from reknit.app.config import sources
from reknit.app.config.load import Config
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET


@dataclass(frozen=True)
class Setting:
    key: str
    kind: str
    default: str
    description: str
    repository: str


def config_page() -> str:
    rows = table(
        ("setting", "type", "default", "meaning", "a repository may set"),
        ((f"`{s.key}`", s.kind, s.default, s.description, s.repository) for s in settings()),
    )
    return f"""# Configuration

Nothing has to be configured. Where two places set the same thing, the later of these wins:

1. the defaults below
2. your own file: `config.toml` in the `reknit` folder of your configuration folder (`~/.config/reknit/config.toml`), or
   the file that `REKNIT_CONFIG` names
3. the repository's file: `reknit.toml` at its top, or else `[tool.reknit]` in its `pyproject.toml`
4. the environment: `REKNIT_` and the name in capitals, two underscores for each dot (`REKNIT_LOOP__ATTEMPTS=1`)
5. options on the command line

`reknit config show` prints what is in force, `reknit config validate` checks it, `reknit config schema` prints a JSON
schema for editors. A setting that does not exist is an error that names the nearest one that does.

The last column says what a repository's file may set: **any value**, **not above your own** (a limit in your own file
is a ceiling), **only lower** or **only stricter** than the value without that file, or a test command with **its own
programs** or programs on PATH. **nothing** means that only you decide, in your own file, the environment or an option.
Otherwise a repository could leave the box, show itself a host path, or send your key elsewhere
([why](../adr/0007-operator-only-settings.md)). Names are case-sensitive: `Box` is an error.

`NAME` is an agent's name of your choice; `projects[]`, `services[]` and `gate.allow[]` are lists of tables, each
written as `[[projects]]`. Settings that end in `_s` are seconds, those in `_usd` are US dollars. `wall` is the longest
a call may take, `idle` the longest it may be silent.

{rows}
These come from the environment alone:

| variable | meaning |
|---|---|
| `REKNIT_STATE` | the folder for the database, the runs and the log; by default `~/.local/state/reknit` |
| `REKNIT_DATABASE` | the database, e.g. `postgresql+psycopg://user@host/name`; by default a SQLite file there |
| `REKNIT_LEASE_S` | Postgres: seconds until a silent process counts as dead and its runs can be taken; by default 60 |
| `REKNIT_CONFIG` | your own configuration file |
| `REKNIT_PRICES` | your own price rows; by default `prices.toml` beside your configuration file |
| `GH_TOKEN`, `GITHUB_TOKEN` | the token for GitHub; without one, the login of `gh` |
| `GH_ENTERPRISE_TOKEN`, `GITHUB_ENTERPRISE_TOKEN` | the same, for an enterprise's own GitHub |
| `GH_HOST` | the one enterprise host that `GH_TOKEN` is meant for as well |
| `REKNIT_GITHUB_APP_ID` | work as a GitHub App, which needs `pip install 'reknit[app]'`: the App's id |
| `REKNIT_GITHUB_APP_KEY` | its private key: PEM text, or a file that holds it |
| `REKNIT_GITHUB_INSTALLATION` | the installation's id |
| `REKNIT_WEBHOOK_SECRET` | the secret with which `reknit serve` checks the signature of webhooks |
| `REKNIT_SERVE_CLIENT_SECRET` | the secret of the app in `serve.client_id`, with which people log in to the dashboard |
"""


def settings() -> Iterator[Setting]:
    for name, field in sources.list_settings(Config):
        key = ".".join(name)
        default = f"`{json.dumps(field.get_default(call_default_factory=True), default=str)}`"
        repository = REPOSITORY_MAY_SET.get(key, "nothing")
        shown = re.sub(r"\b(projects|services|allow)\.\*", r"\1[]", key).replace(sources.ANY_NAME, "NAME")
        yield Setting(shown, _kind(field), default, cell(field.description or ""), repository)


def _kind(field: FieldInfo) -> str:
    marks = (("ge", "at least {}"), ("gt", "above {}"), ("le", "at most {}"))
    found = ((limit, name, words) for limit in field.metadata for name, words in marks if hasattr(limit, name))
    bounds = (words.format(getattr(limit, name)) for limit, name, words in found)
    return ", ".join((_words(field.annotation), *bounds))


def _words(annotation: Any) -> str:
    plain = {
        bool: "true or false", str: "text", int: "integer", float: "number",
        tuple[str, ...]: "list of text", dict[str, str]: "table of text", date: "date", type(None): "none",
        SecretStr: "text",
    }  # fmt: skip
    if annotation in plain:
        return plain[annotation]
    if typing.get_origin(annotation) is typing.Literal:
        return ", ".join(f"`{json.dumps(word)}`" for word in typing.get_args(annotation))
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return " or ".join(_words(one) for one in typing.get_args(annotation))
    raise TypeError(f"no words for the type {annotation}: add them to scripts/reference/configuration.py")
