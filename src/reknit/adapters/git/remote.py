"""Fetches commits from a forge by URL, and pushes one to a branch there only if the branch has not moved.

The credential is passed in the environment and removed from every message.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reknit.adapters.git.local_import import BASES, FETCHED
from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.git.plumbing.history import is_ancestor
from reknit.adapters.git.plumbing.write_commit import lock_folder
from reknit.adapters.process import Completed, ProcessTimeoutError
from reknit.core.errors import InternalError, UsageError
from reknit.core.forge.values import ForgeError, ForgeFailure, PushAnswer, Remote
from reknit.core.repository.remote_url import may_carry_credential
from reknit.core.text.redact import clean, redact

SILENCE_S = 60
"""Seconds without data after which git gives up a transfer."""
LOOK_S = 120.0
"""Timeout in seconds for listing refs."""
_MAX_MESSAGE_CHARS = 500
_SERVER_PREFIX = re.compile(r"^remote:\s*(error:)?")
_REASON = re.compile(r"^!\t[^\t\n]*\t\[remote rejected\] (\(.*\))$", re.MULTILINE)
"""Matches the reason in the output of `push --porcelain`."""
_FROM_THE_USER = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
"""Variables of the user that git needs in networks with a proxy or with their own certificates."""


@dataclass(frozen=True)
class GitOverHttp:
    """git commands that talk to one remote."""

    git: Git
    remote: Remote

    def __post_init__(self) -> None:
        if not may_carry_credential(self.remote.url):
            scheme, _slashes, rest = self.remote.url.partition("//")
            shown_url = f"{scheme}//{rest.rpartition('@')[2]}"
            raise UsageError(
                "unsafe-remote",
                f"{shown_url!r} is not a safe git remote",
                help="only plain https:// addresses are used",
            )
        if not self.remote.header.isprintable():
            raise InternalError("bad-header", "the Authorization header is not one line of text")

    def run(self, *args: str, timeout_s: float = LONG_S) -> Completed:
        """Run git. A timeout is reported as a failed command."""
        settings = (
            "http.followRedirects=false",
            "http.lowSpeedLimit=1",
            f"http.lowSpeedTime={SILENCE_S}",
            "credential.helper=",
        )
        flags = [word for setting in settings for word in ("-c", setting)]
        try:
            return self.git.run(*flags, *args, env=self._make_environment(), timeout_s=timeout_s)
        except ProcessTimeoutError:
            return Completed(1, b"", f"fatal: timed out after {timeout_s:g} s\n".encode())

    def read_tips(self, *refs: str) -> dict[str, str]:
        """Return the commits of these full ref names on the remote; missing ones are left out."""
        if not refs:
            return {}
        for ref in refs:
            if not ref.startswith("refs/") or self.git.run("check-ref-format", ref).exit_code != 0:
                raise InternalError("not-a-ref", f"{ref!r} is not a full ref name")
        listing = self.run("ls-remote", "--quiet", "--refs", self.remote.url, *refs, timeout_s=LOOK_S)
        if listing.exit_code != 0:
            raise ForgeError(self.to_failure(listing))
        lines = (line.split("\t", 1) for line in listing.stdout.decode("utf-8", "replace").split("\n") if line)
        # git also returns longer names that end with a requested one.
        return {ref: sha for sha, ref in lines if ref in refs}

    def to_failure(self, failed: Completed) -> ForgeFailure:
        text = failed.stderr.decode("utf-8", "replace")
        statuses = re.findall(r"returned error: (\d{3})", text)
        status = int(statuses[-1]) if statuses else 0
        detail = self.format_message(failed)
        if re.search(r"Authentication failed|could not read (Username|Password)", text):
            # git's own message is about a prompt, which is disabled.
            return ForgeFailure("login", "it rejects the credential" if self.remote.header else "it needs a credential")
        if status == 401:
            return ForgeFailure("login", detail)
        if status == 403:
            return ForgeFailure("forbidden", detail)
        if status in (404, 410) or re.search(r"^fatal: repository '.*' not found", text, re.MULTILINE):
            return ForgeFailure("missing", detail)
        if 300 <= status < 400:
            return ForgeFailure("missing", f"{detail} (it redirects, and reknit does not follow)")
        return ForgeFailure("limited" if status == 429 else "unreachable", detail)

    def format_message(self, failed: Completed) -> str:
        """Return the server's message, or git's last line, as one line without the credential."""
        reasons = _REASON.findall(failed.stdout.decode("utf-8", "replace"))
        lines = failed.stderr.decode("utf-8", "replace").splitlines()
        messages = [_SERVER_PREFIX.sub("", line) for line in lines if line.startswith("remote:")]
        own = [line.removeprefix("fatal:") for line in lines if line.startswith("fatal:")] or lines
        text = " ".join(" ".join([*messages, *reasons] or own[-1:]).split())
        return redact(clean(text), known_secrets=_list_secrets(self.remote.header))[:_MAX_MESSAGE_CHARS]

    def _make_environment(self) -> dict[str, str]:
        env = {name: os.environ[name] for name in _FROM_THE_USER if name in os.environ}
        env["GIT_ALLOW_PROTOCOL"] = self.remote.url.partition(":")[0]
        if self.remote.header:
            env |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "http.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: {self.remote.header}",
            }
        return env


def _list_secrets(header: str) -> list[str]:
    """Return the header's value and every part of it that is a secret by itself."""
    value = header.partition(" ")[2]
    try:
        plain = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        plain = ""
    return [header, value, plain, plain.partition(":")[2]]


_REJECTED = re.compile(r"^!\t[^\t\n]*\t\[rejected\]", re.MULTILINE)
_BARRED = re.compile(r"^!\t[^\t\n]*\t\[remote rejected\]|GH\d{3}:|protected branch|hook declined", re.MULTILINE)
_PASSING = re.compile(
    r"^[^(\n]*+\(.*(internal server error|failed to update ref|cannot lock ref|unpacker error)",
    re.IGNORECASE | re.MULTILINE,
)
"""Matches rejections that are not by a rule of the repository: a retry may succeed."""


def fetch_from(git: Git, remote: Remote, refs: Sequence[str]) -> dict[str, str]:
    """Fetch the commits of these full ref names; return ref -> commit."""
    connection = GitOverHttp(git, remote)
    tips = connection.read_tips(*refs)
    with lock_folder(Path(git.gitdir)):
        missing = _find_missing(git, tips.values())
        # Fetch by commit, because a branch may move meanwhile.
        specs = [f"{sha}:{FETCHED}{sha}" for sha in missing]
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        fetched = connection.run("fetch", *options, remote.url, *specs) if specs else None
        if fetched and fetched.exit_code != 0 and _find_missing(git, missing):
            raise ForgeError(connection.to_failure(fetched))
    return {ref: git.resolve_id(sha, "commit") for ref, sha in tips.items()}


def push_to(git: Git, remote: Remote, commit: str, branch: str, *, expect: str) -> PushAnswer:
    """Push the commit if the branch is still at `expect`. Idempotent."""
    if not re.fullmatch(r"[0-9a-f]{40}", expect):
        raise InternalError("not-a-commit-id", f"{expect!r} is not a full commit id")
    connection, commit, ref = GitOverHttp(git, remote), git.resolve_id(commit, "commit"), f"refs/heads/{branch}"
    if answer := _check_branch(connection, ref, commit, expect=expect):
        return answer
    if not is_ancestor(git, expect, commit):
        raise InternalError("would-overwrite", f"{commit[:12]} is not based on {expect[:12]}: it is never pushed")
    pushed = connection.run(
        "push", "--porcelain", "--no-verify", "--no-recurse-submodules", "--no-follow-tags", "--no-signed",
        f"--force-with-lease={ref}:{expect}", remote.url, f"{commit}:{ref}",
    )  # fmt: skip
    if pushed.exit_code == 0:
        return PushAnswer("done")
    # The answer may have been lost, or another push may have been faster.
    return _check_branch(connection, ref, commit, expect=expect) or _read_refusal(connection, pushed)


def _check_branch(connection: GitOverHttp, ref: str, commit: str, *, expect: str) -> PushAnswer | None:
    """Return the answer if the branch is not at `expect`; None if it is."""
    try:
        now = connection.read_tips(ref).get(ref, "")
    except ForgeError as error:
        return _answer_failure(error.failure)
    if now == commit:
        return PushAnswer("done")
    return None if now == expect else PushAnswer("moved", f"{ref} is at {now[:12] or 'nothing'}")


def _read_refusal(connection: GitOverHttp, pushed: Completed) -> PushAnswer:
    output = pushed.stdout.decode("utf-8", "replace")
    if _REJECTED.search(output):
        return PushAnswer("moved", "the branch moved and came back during the push")
    text = output + pushed.stderr.decode("utf-8", "replace")
    if _PASSING.search(output):
        return PushAnswer("unreachable", connection.format_message(pushed))
    if _BARRED.search(text):
        return PushAnswer("barred", connection.format_message(pushed))
    return _answer_failure(connection.to_failure(pushed))


def _answer_failure(failure: ForgeFailure) -> PushAnswer:
    return PushAnswer("unreachable" if failure.kind == "limited" else failure.kind, failure.detail)


def _find_missing(git: Git, commits: Iterable[str]) -> list[str]:
    """Return the commits that this gitdir does not have with their full history."""
    return [
        sha
        for sha in sorted(set(commits))
        if not any(git.object_id(prefix + sha, "commit") for prefix in (FETCHED, BASES))
    ]
