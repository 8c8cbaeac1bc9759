"""uv, poetry, cargo and go: their usual registries, unless a variable of the user names others."""

from reknit.adapters.setup.clients.pip import PYPI, index_registries, with_files, without_login
from reknit.adapters.setup.clients.user_files import ClientConfiguration, UserFiles, read_registry

_CRATES = ("https://index.crates.io", "https://static.crates.io")
_GO_PROXY, _GO_SUMS = "https://proxy.golang.org", "https://sum.golang.org"
_GO_SETTINGS = ("GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB")


def pypi_configuration(user: UserFiles) -> ClientConfiguration:
    """Of uv, poetry, pdm and pipenv."""
    index = user.environment.get("UV_DEFAULT_INDEX") or user.environment.get("UV_INDEX_URL") or ""
    env = {"UV_DEFAULT_INDEX": without_login(index)} if index else {}
    return ClientConfiguration(with_files(index_registries(user, index or PYPI)), env)


def cargo_configuration(_user: UserFiles) -> ClientConfiguration:
    return ClientConfiguration(tuple(found for url in _CRATES if (found := read_registry(url))))


def go_configuration(user: UserFiles) -> ClientConfiguration:
    """Without `direct`: a set-up reaches no version control."""
    named = (user.environment.get("GOPROXY") or _GO_PROXY).replace("|", ",").split(",")
    proxies = [url for url in named if "://" in url]
    found = [registry for url in (*proxies, _GO_SUMS) for registry in index_registries(user, url)]
    env = {name: _shown(value) for name in _GO_SETTINGS if (value := user.environment.get(name))}
    env |= {"GOPROXY": ",".join(map(without_login, proxies)) or "off", "GOFLAGS": "-modcacherw"}
    return ClientConfiguration(tuple(found), env)


def _shown(value: str) -> str:
    """`GOSUMDB` may have an address, and that a login."""
    return " ".join(map(without_login, value.split(" ")))
