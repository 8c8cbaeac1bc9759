"""Makes the settings of a set-up's box: the proxy, and the user's registries without logins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reknit.adapters.setup.pip_and_npm import (
    PYPI,
    add_file_host,
    list_index_registries,
    read_npm_configuration,
    read_pip_configuration,
    read_yarn_configuration,
    remove_login,
)
from reknit.adapters.setup.user_files import ClientConfiguration, UserFiles, read_registry
from reknit.core.box import BOX_HOME, GATEWAY, OUTBOX
from reknit.core.setup.inputs import Client, find_clients
from reknit.core.setup.registries import Registry

_CRATES = ("https://index.crates.io", "https://static.crates.io")
_GO_PROXY, _GO_SUMS = "https://proxy.golang.org", "https://sum.golang.org"
_GO_SETTINGS = ("GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB")


def read_pypi_configuration(user: UserFiles) -> ClientConfiguration:
    """Return the registries of uv, poetry, pdm and pipenv."""
    index = user.environment.get("UV_DEFAULT_INDEX") or user.environment.get("UV_INDEX_URL") or ""
    env = {"UV_DEFAULT_INDEX": remove_login(index)} if index else {}
    return ClientConfiguration(add_file_host(list_index_registries(user, index or PYPI)), env)


def read_cargo_configuration(_user: UserFiles) -> ClientConfiguration:
    """Return the registries of cargo."""
    return ClientConfiguration(tuple(registry for url in _CRATES if (registry := read_registry(url))))


def read_go_configuration(user: UserFiles) -> ClientConfiguration:
    """Return the registries of go, without `direct`: a set-up reaches no version control."""
    entries = (user.environment.get("GOPROXY") or _GO_PROXY).replace("|", ",").split(",")
    proxies = [url for url in entries if "://" in url]
    registries = [registry for url in (*proxies, _GO_SUMS) for registry in list_index_registries(user, url)]
    env = {name: _remove_logins(value) for name in _GO_SETTINGS if (value := user.environment.get(name))}
    env |= {"GOPROXY": ",".join(map(remove_login, proxies)) or "off", "GOFLAGS": "-modcacherw"}
    return ClientConfiguration(tuple(registries), env)


def _remove_logins(value: str) -> str:
    """Remove logins from addresses in a setting, such as `GOSUMDB`."""
    return " ".join(map(remove_login, value.split(" ")))


_READERS: Mapping[Client, Callable[[UserFiles], ClientConfiguration]] = {
    "pip": read_pip_configuration,
    "uv": read_pypi_configuration,
    "poetry": read_pypi_configuration,
    "npm": read_npm_configuration,
    "yarn": read_yarn_configuration,
    "cargo": read_cargo_configuration,
    "go": read_go_configuration,
}

_PROXY = {name: GATEWAY for word in ("http_proxy", "https_proxy") for name in (word, word.upper())}
_QUIET = {
    "CI": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1",
    "POETRY_VIRTUALENVS_IN_PROJECT": "true", "POETRY_NO_INTERACTION": "1", "PIPENV_VENV_IN_PROJECT": "1",
    "PDM_CHECK_UPDATE": "0", "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0", "DO_NOT_TRACK": "1",
}  # fmt: skip
"""Settings that create environments in the project's folder and prevent questions."""
_CACHES = {"CARGO_HOME": f"{OUTBOX}/.cargo", "CARGO_NET_OFFLINE": "false", "GOMODCACHE": f"{OUTBOX}/go/pkg/mod"}

_AUTHORITY = ".certificates.pem"
_CERTIFICATE_VARIABLES = (
    "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "npm_config_cafile", "CURL_CA_BUNDLE",
    "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO", "YARN_HTTPS_CA_FILE_PATH",
)  # fmt: skip


@dataclass(frozen=True)
class BoxSettings:
    """Registries, variables and files for the box of one set-up."""

    registries: tuple[Registry, ...]
    env: Mapping[str, str]
    files: Mapping[str, bytes]
    certificates: tuple[str, ...]


def make_box_settings(command: str, environment: Mapping[str, str], authority: str) -> BoxSettings:
    """Return the box's settings. `authority`: the certificate that signs those of the proxy."""
    user = UserFiles(environment)
    configurations = [_READERS[client](user) for client in find_clients(command) if client in _READERS]
    env = {**_PROXY, **_QUIET, **_CACHES, **dict.fromkeys(_CERTIFICATE_VARIABLES, f"{BOX_HOME}/{_AUTHORITY}")}
    for configuration in configurations:
        env |= configuration.env
    return BoxSettings(
        registries=tuple(
            dict.fromkeys(registry for configuration in configurations for registry in configuration.registries)
        ),
        env=env,
        files={_AUTHORITY: authority.encode()}
        | {path: text.encode() for configuration in configurations for path, text in configuration.files.items()},
        certificates=tuple(
            dict.fromkeys(path for configuration in configurations for path in configuration.certificates)
        ),
    )
