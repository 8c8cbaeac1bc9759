"""Maps the remotes of a clone to repositories on a forge, and explains why a forge did not answer."""

import re

from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.github.api.credentials import host_of
from reknit.app.config.load import Config
from reknit.core.errors import LoginNeeded, ReknitError, UsageProblem
from reknit.core.forge.values import ForgeFailure, ForgePlace
from reknit.core.repository.remote_url import place_of

_OTHERS = re.compile(r"(?:[\w-]+\.)?(?:gitlab|bitbucket)\.", re.IGNORECASE)
"""Any other host may be GitHub Enterprise."""
_OTHER_HOST = re.compile(rf"(?:^|[@/])({_OTHERS.pattern}[\w.-]+)", re.IGNORECASE)
_LOOPBACK = ("127.0.0.1", "::1", "localhost", "github.localhost")


def forge_places(repository: UserRepository, config: Config) -> list[ForgePlace]:
    """The likeliest first. Raises `UsageProblem` if there is none."""
    remotes = dict(repository.remotes())
    likely = ["upstream", repository.upstream()[0], "origin", *remotes]
    wanted = [config.forge.remote] if config.forge.remote else likely
    urls = [remotes.get(name, name) for name in dict.fromkeys(wanted) if name in remotes or "/" in name]
    known = [found for found in dict.fromkeys(map(place_of, urls)) if found]
    places = [place_on(config, *found) for found in known if config.forge.api or not _OTHERS.match(found[0])]
    other = next((found for found in map(_OTHER_HOST.search, urls) if found), None)
    if not places and other:
        what = f"the remotes of this repository are on {other[1].lower()}, and only GitHub is supported"
        raise UsageProblem("no-forge", what, help="`reknit fix tests` works without a forge")
    if not places:
        what = "no remote of this repository is on a forge"
        raise UsageProblem("no-forge", what, help="`git remote -v` lists them; `forge.remote` names the right one")
    return places


def place_on(config: Config, host: str, slug: str) -> ForgePlace:
    """A token configured for one forge is not sent to any other host that a clone's remotes name."""
    is_meant = bool(config.forge.api) or host == "github.com"
    token_env = config.forge.token_env if is_meant else ""
    return ForgePlace(config.forge.kind, config.forge.api or _api(host), slug, token_env)


def _api(host: str) -> str:
    return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"


def forge_problem(failure: ForgeFailure, where: ForgePlace) -> ReknitError:
    if failure.kind == "login":
        what = f"{where.api} rejected the login: {failure.detail}"
        return LoginNeeded("login", what, help=_login(where))
    if failure.kind in ("missing", "forbidden"):
        what = f"{where.slug} is not accessible at {where.api}: {failure.detail}"
        return UsageProblem("no-repository", what, help="check the remote and the permissions of the token")
    what = f"{where.api} did not answer ({failure.kind}): {failure.detail}"
    return UsageProblem("forge", what, help="try again later; nothing was started")


def with_variable(problem: LoginNeeded, where: ForgePlace) -> LoginNeeded:
    """If no login was found at all, name the variable that would be used."""
    if problem.name != "forge-login" or where.token_env:
        return problem
    return LoginNeeded(problem.name, problem.what, help=_login(where))


def _login(where: ForgePlace) -> str:
    host = host_of(where.api)
    is_github = host == "github.com" or host.endswith(".ghe.com") or host in _LOOPBACK
    variable = where.token_env or ("GH_TOKEN" if is_github else "GH_ENTERPRISE_TOKEN")
    return f"`gh auth login --hostname {host}`, or set {variable}"
