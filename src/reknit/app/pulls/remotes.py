"""Maps the remotes of a clone to repositories on a forge, and explains why a forge did not answer."""

import re

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.github.api.credentials import parse_host
from reknit.app.config.load import Config
from reknit.core.errors import LoginNeededError, ReknitError, UsageError
from reknit.core.forge.values import ForgeFailure, ForgePlace
from reknit.core.repository.remote_url import parse_remote

_OTHERS = re.compile(r"(?:[\w-]+\.)?(?:gitlab|bitbucket)\.", re.IGNORECASE)
"""Known hosts of other forges. Any other host may be GitHub Enterprise."""
_OTHER_HOST = re.compile(rf"(?:^|[@/])({_OTHERS.pattern}[\w.-]+)", re.IGNORECASE)
_LOOPBACK = ("127.0.0.1", "::1", "localhost", "github.localhost")


def list_forge_places(repository: UserRepository, config: Config) -> list[ForgePlace]:
    """List the repositories that the remotes point to, the likeliest first. Raise `UsageError` if there is none."""
    remotes = dict(repository.remotes())
    likely = ["upstream", repository.upstream()[0], "origin", *remotes]
    names = [config.forge.remote] if config.forge.remote else likely
    urls = [remotes.get(name, name) for name in dict.fromkeys(names) if name in remotes or "/" in name]
    hosts_and_slugs = [host_and_slug for host_and_slug in dict.fromkeys(map(parse_remote, urls)) if host_and_slug]
    places = [
        make_forge_place(config, *host_and_slug)
        for host_and_slug in hosts_and_slugs
        if config.forge.api or not _OTHERS.match(host_and_slug[0])
    ]
    other = next((match for match in map(_OTHER_HOST.search, urls) if match), None)
    if not places and other:
        message = f"the remotes of this repository are on {other[1].lower()}, and only GitHub is supported"
        raise UsageError("no-forge", message, help="`reknit fix tests` works without a forge")
    if not places:
        message = "no remote of this repository is on a forge"
        raise UsageError("no-forge", message, help="`git remote -v` lists them; `forge.remote` names the right one")
    return places


def make_forge_place(config: Config, host: str, slug: str) -> ForgePlace:
    """Return a repository on a forge, with the variable of its token.

    A token configured for one forge is not sent to any other host that a clone's remotes name.
    """
    is_token_host = bool(config.forge.api) or host == "github.com"
    token_env = config.forge.token_env if is_token_host else ""
    return ForgePlace(config.forge.kind, config.forge.api or _api_address(host), slug, token_env)


def _api_address(host: str) -> str:
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"


def forge_problem(failure: ForgeFailure, forge_place: ForgePlace) -> ReknitError:
    """Return an error that says why the forge did not answer, and which step helps."""
    if failure.kind == "login":
        message = f"{forge_place.api} rejected the login: {failure.detail}"
        return LoginNeededError("login", message, help=_login_help(forge_place))
    if failure.kind in ("missing", "forbidden"):
        message = f"{forge_place.slug} is not accessible at {forge_place.api}: {failure.detail}"
        return UsageError("no-repository", message, help="check the remote and the permissions of the token")
    message = f"{forge_place.api} did not answer ({failure.kind}): {failure.detail}"
    return UsageError("forge", message, help="try again later; nothing was started")


def name_token_variable(problem: LoginNeededError, forge_place: ForgePlace) -> LoginNeededError:
    """Name the variable of the token in the help, if no login was found at all."""
    if problem.name != "forge-login" or forge_place.token_env:
        return problem
    return LoginNeededError(problem.name, problem.message, help=_login_help(forge_place))


def _login_help(forge_place: ForgePlace) -> str:
    host = parse_host(forge_place.api)
    is_github = host == "github.com" or host.endswith(".ghe.com") or host in _LOOPBACK
    variable = forge_place.token_env or ("GH_TOKEN" if is_github else "GH_ENTERPRISE_TOKEN")
    return f"`gh auth login --hostname {host}`, or set {variable}"


def repository_key(repository: UserRepository) -> str:
    """Return `host/owner/name`, so that clones share their issues; for a repository on no forge, its path."""
    remotes = dict(repository.remotes())
    likely = [remotes[name] for name in ("origin", "upstream", *remotes) if name in remotes]
    home = next((host_and_slug for host_and_slug in map(parse_remote, likely) if host_and_slug), None)
    return "/".join(home).lower() if home else repository.root
