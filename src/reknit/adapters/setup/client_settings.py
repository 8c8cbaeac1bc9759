"""What a set-up's box is told: the proxy, and the same registries that the user's own clients use, without logins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reknit.adapters.setup.clients.npm import npm_configuration, yarn_configuration
from reknit.adapters.setup.clients.others import cargo_configuration, go_configuration, pypi_configuration
from reknit.adapters.setup.clients.pip import pip_configuration
from reknit.adapters.setup.clients.user_files import ClientConfiguration, UserFiles
from reknit.core.box import BOX_HOME, GATEWAY, OUTBOX
from reknit.core.setup.clients import Client, clients_of
from reknit.core.setup.registries import Registry

_READERS: Mapping[Client, Callable[[UserFiles], ClientConfiguration]] = {
    "pip": pip_configuration,
    "uv": pypi_configuration,
    "poetry": pypi_configuration,
    "npm": npm_configuration,
    "yarn": yarn_configuration,
    "cargo": cargo_configuration,
    "go": go_configuration,
}

_PROXY = {name: GATEWAY for word in ("http_proxy", "https_proxy") for name in (word, word.upper())}
_QUIET = {
    "CI": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1",
    "POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_NO_INTERACTION": "1", "PIPENV_VENV_IN_PROJECT": "1",
    "PDM_CHECK_UPDATE": "0", "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0", "DO_NOT_TRACK": "1",
}  # fmt: skip
"""Environments are made in the project's folder, and nothing asks a question."""
_CACHES = {"CARGO_HOME": f"{OUTBOX}/.cargo", "CARGO_NET_OFFLINE": "false", "GOMODCACHE": f"{OUTBOX}/go/pkg/mod"}

_AUTHORITY = ".certificates.pem"
_TRUSTED = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "npm_config_cafile", "CURL_CA_BUNDLE",
    "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO", "YARN_HTTPS_CA_FILE_PATH",
)  # fmt: skip


@dataclass(frozen=True)
class BoxSettings:
    registries: tuple[Registry, ...]
    env: Mapping[str, str]
    files: Mapping[str, bytes]
    certificates: tuple[str, ...]


def box_settings(command: str, environment: Mapping[str, str], authority: str) -> BoxSettings:
    """`authority`: the certificate that the proxy's own are signed with."""
    user = UserFiles(environment)
    found = [_READERS[client](user) for client in clients_of(command) if client in _READERS]
    env = {**_PROXY, **_QUIET, **_CACHES, **dict.fromkeys(_TRUSTED, f"{BOX_HOME}/{_AUTHORITY}")}
    for each in found:
        env |= each.env
    return BoxSettings(
        registries=tuple(dict.fromkeys(registry for each in found for registry in each.registries)),
        env=env,
        files={_AUTHORITY: authority.encode()}
        | {path: text.encode() for each in found for path, text in each.files.items()},
        certificates=tuple(dict.fromkeys(path for each in found for path in each.certificates)),
    )
