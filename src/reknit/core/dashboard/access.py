"""Decides who may do what over the web."""

from collections.abc import Collection
from dataclasses import dataclass

from reknit.core.dashboard.values import Action, Permission

NEEDED: dict[Action, Permission] = {
    "enter": "none", "read": "read", "stop": "write", "resume": "write", "settle": "write",
}  # fmt: skip
"""Action -> the permission that it needs on the repository of the run."""
_ORDER: tuple[Permission, ...] = ("none", "read", "write")


@dataclass(frozen=True, kw_only=True)
class Request:
    """The parts of a request that decide whether it may change something."""

    host: str
    origin: str
    """The header `Origin`; empty if it is missing."""
    fetch_site: str
    """The header `Sec-Fetch-Site`; empty if it is missing."""
    is_logged_in: bool
    has_form_token: bool
    """True if the form carries the token of this session."""
    permission: Permission
    """Permission of the person on the repository of the run."""


def refuse_host(host: str, own_hosts: Collection[str]) -> str:
    """Return the reason to refuse a Host header; empty: it is ours. A foreign name may lead to this address."""
    return "" if host.lower() in own_hosts else "another host name"


def refuse_action(request: Request, action: Action, own_origins: Collection[str], own_hosts: Collection[str]) -> str:
    """Return the reason to refuse a request that changes something; empty: it is allowed. The first reason wins."""
    foreign_page = request.origin not in own_origins if request.origin else request.fetch_site != "same-origin"
    reasons = {
        "another host name": bool(refuse_host(request.host, own_hosts)),
        "sent by another page": foreign_page,
        "not logged in": not request.is_logged_in,
        "without the token of the form": not request.has_form_token,
        "no right to read the repository": request.permission == "none" and action != "enter",
        "no right to write to the repository": not has_permission(request.permission, action),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


def has_permission(permission: Permission, action: Action) -> bool:
    """Return True if the permission suffices for the action."""
    return _ORDER.index(permission) >= _ORDER.index(NEEDED[action])
