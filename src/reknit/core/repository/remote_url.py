"""Which repository on which forge an address of git means, and whether git may be sent there with a credential."""

import ipaddress
import re

_SLUG = r"(?P<slug>[\w-][\w.-]*/(?!\.+(?:git)?/?\Z)[\w.-]+?)(?:\.git)?/?"
_FORMS = tuple(
    re.compile(form + _SLUG, re.ASCII)
    for form in (
        r"https?://(?:[^/]*@)?(?P<host>[^/@]+)/",
        r"ssh://(?:[^/]*@)?(?P<host>[^/@:]+)(?::\d+)?/",
        r"(?:[^/@:]+@)?(?P<host>[^/@:]+):/?",
    )
)
_WEB_HOST_OF_SSH = {"ssh.github.com": "github.com"}
"""Forges that take ssh on the port of https under another name."""

# Narrow on purpose: nothing that two readers of addresses could understand differently.
_PLAIN = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?/[\w./~+-]+", re.ASCII)


def place_of(url: str) -> tuple[str, str] | None:
    """(host, `owner/name`) of a remote; a port that is not ssh's stays with the host, credentials do not."""
    for form in _FORMS:
        found = form.fullmatch(url)
        if found:
            host = found["host"].lower()
            return _WEB_HOST_OF_SSH.get(host, host), found["slug"]
    return None


def may_carry_credential(url: str) -> bool:
    """Over https, or over http on this machine alone; with nothing secret in the address itself."""
    found = _PLAIN.fullmatch(url)
    return found is not None and (found["scheme"] == "https" or _is_loopback(found["host"].strip("[]")))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name may be resolved to anything
