"""Maps a git URL to a repository on a forge, and decides whether git may send a credential to it."""

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
"""Forges that accept ssh on the https port under another host name."""

# Narrow on purpose: nothing that two URL parsers could read differently.
_PLAIN = re.compile(r"(?P<scheme>https?)://(?P<host>[\w.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?/[\w./~+-]+", re.ASCII)


def parse_remote(url: str) -> tuple[str, str] | None:
    """(host, `owner/name`) of a remote; the host keeps its port, except an ssh port, and never credentials."""
    for form in _FORMS:
        match = form.fullmatch(url)
        if match:
            host = match["host"].lower()
            return _WEB_HOST_OF_SSH.get(host, host), match["slug"]
    return None


def may_carry_credential(url: str) -> bool:
    """Return True if the URL uses https, or http to this machine only, and contains no secret itself."""
    match = _PLAIN.fullmatch(url)
    return match is not None and (match["scheme"] == "https" or _is_loopback(match["host"].strip("[]")))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name may resolve to anything
