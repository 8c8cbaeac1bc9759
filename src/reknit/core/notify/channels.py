"""The channels on which a person is told about an ended run."""

from dataclasses import dataclass
from urllib.parse import urlsplit

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Channels:
    """The channels in use. An address may contain a secret, so it appears in no output."""

    bell: bool = False
    desktop: bool = False
    webhook: str = ""
    slack: str = ""


def find_address_problem(address: str) -> str:
    """Return why nothing may be sent to this address; empty: it is fine. The answer does not contain the address."""
    try:
        parts = urlsplit(address)
        host, is_encrypted = parts.hostname or "", parts.scheme == "https"
        _ = parts.port  # raises if it is no number
    except ValueError:
        return "it is not a valid address"
    if not host or not address.isascii() or any(char.isspace() for char in address) or "@" in parts.netloc:
        return "it is not a valid address"
    return "" if is_encrypted or (parts.scheme == "http" and host in _LOOPBACK) else "it must begin with https://"
