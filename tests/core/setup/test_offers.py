"""What a repository's files suggest."""

import tomllib

import pytest

from reknit.core.setup.layers import Setup
from reknit.core.setup.offers import (
    COPILOT,
    Offer,
    find_nearest,
    is_description,
    offer_by_descriptions,
    offer_by_lockfiles,
    settings_path,
    to_setting,
)


@pytest.mark.parametrize(
    ("paths", "command"),
    [
        ("package.json package-lock.json", "npm ci"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
        ("yarn.lock", "yarn install --frozen-lockfile"),
        ("yarn.lock .yarnrc.yml", "yarn install --immutable"),
        ("uv.lock requirements.txt", "uv sync --frozen"),
        ("poetry.lock", "poetry install"),
        ("requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt pytest"),
        ("requirements-dev.txt requirements.txt",
         "python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt pytest"),
        ("Cargo.lock", "cargo fetch --locked"),
        ("go.mod go.sum", "go mod download"),
        ("package-lock.json npm-shrinkwrap.json uv.lock", "npm ci && uv sync --frozen"),
    ],
)  # fmt: skip
def test_commands_of_lockfiles(paths: str, command: str) -> None:
    (offer,) = offer_by_lockfiles(paths.split())
    assert offer.setup == Setup("", command)
    assert tomllib.loads(to_setting(offer)) == {"setup": command}


def test_folders() -> None:
    paths = ["web/app/package-lock.json", "go.sum", "web/src/a.ts", "api/uv.lock"]
    assert [(offer.setup.folder, offer.origin, settings_path(offer)) for offer in offer_by_lockfiles(paths)] == [
        ("", "go.sum", "reknit.toml"),
        ("api", "api/uv.lock", "api/reknit.toml"),
        ("web/app", "web/app/package-lock.json", "web/app/reknit.toml"),
    ]
    assert find_nearest("web/app/deep", paths) == Offer("web/app/package-lock.json", Setup("web/app", "npm ci"))
    assert find_nearest("web", paths) == Offer("go.sum", Setup("", "go mod download"))
    assert find_nearest("web", paths[:1]) is None


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"postCreateCommand": "npm ci && npm run build"}', "npm ci && npm run build"),
        ('// ours\n{"image": "a//b", /* then * */ "postCreateCommand": ["npm", "ci"],}', "npm ci"),
        ('{"postCreateCommand": {"a": "npm ci", "b": ["uv", "sync"], "c": 3}}', "npm ci && uv sync"),
        ('{"postCreateCommand": "a\\nb = 1"}', "a b = 1"),
        ("{}", ""),
        ("[]", ""),
        ('{"postCreateCommand": ', ""),
        ("[" * 100_000, ""),
    ],
)
def test_a_devcontainer(text: str, command: str) -> None:
    assert [offer.setup.command for offer in offer_by_descriptions({".devcontainer/devcontainer.json": text})] == (
        [command] if command else []
    )


STEPS = """\
jobs:
  copilot-setup-steps:
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - name: more
        run: |
          uv sync

          make build
      - run: 'go mod download'
      - run: >
          echo last"""


def test_steps_of_copilot() -> None:
    (offer,) = offer_by_descriptions({COPILOT: STEPS})
    assert offer.setup.command == "npm ci && uv sync && make build && go mod download && echo last"
    assert offer_by_descriptions({COPILOT: ""}) == ()


def test_which_files_describe_a_machine() -> None:
    named = (".devcontainer/devcontainer.json", ".devcontainer.json", ".devcontainer/api/devcontainer.json", COPILOT)
    assert all(map(is_description, named))
    assert not any(map(is_description, ("package.json", ".github/workflows/ci.yml", "x/copilot-setup-steps.yml")))
