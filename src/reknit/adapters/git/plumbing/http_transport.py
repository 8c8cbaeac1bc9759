"""git to a forge by URL only: the credential is passed in the environment and removed from every message."""

import base64
import binascii
import os
import re
from dataclasses import dataclass

from reknit.adapters.git.plumbing.command import LONG_S, Git
from reknit.adapters.process import Completed, ProcessTimeout
from reknit.core.errors import InternalError, UsageProblem
from reknit.core.forge.values import ForgeError, ForgeFailure, Remote
from reknit.core.repository.remote_url import may_carry_credential
from reknit.core.text.redact import clean, redact

SILENCE_S = 60
"""A connection that is silent for this long is dropped."""
LOOK_S = 120.0
_MOST_CHARS = 500
_SAID = re.compile(r"^remote:\s*(error:)?")
_REASON = re.compile(r"^!\t[^\t\n]*\t\[remote rejected\] (\(.*\))$", re.MULTILINE)
"""In the output of `push --porcelain`."""
_FROM_THE_USER = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
"""Some company networks cannot be left without these."""


@dataclass(frozen=True)
class GitOverHttp:
    git: Git
    remote: Remote

    def __post_init__(self) -> None:
        if not may_carry_credential(self.remote.url):
            scheme, _slashes, rest = self.remote.url.partition("//")
            shown = f"{scheme}//{rest.rpartition('@')[2]}"
            raise UsageProblem(
                "unsafe-remote", f"{shown!r} is not a safe git remote", help="only plain https:// addresses are used"
            )
        if not self.remote.header.isprintable():
            raise InternalError("bad-header", "the Authorization header is not one line of text")

    def run(self, *args: str, timeout_s: float = LONG_S) -> Completed:
        """A timeout is reported as a failed command."""
        settings = (
            "http.followRedirects=false",
            "http.lowSpeedLimit=1",
            f"http.lowSpeedTime={SILENCE_S}",
            "credential.helper=",
        )
        flags = [word for setting in settings for word in ("-c", setting)]
        try:
            return self.git.run(*flags, *args, env=self._environment(), timeout_s=timeout_s)
        except ProcessTimeout:
            return Completed(1, b"", f"fatal: timed out after {timeout_s:g} s\n".encode())

    def tips(self, *refs: str) -> dict[str, str]:
        """What these full ref names point at on the remote; missing ones are left out."""
        if not refs:
            return {}
        for ref in refs:
            if not ref.startswith("refs/") or self.git.run("check-ref-format", ref).exit_code != 0:
                raise InternalError("not-a-ref", f"{ref!r} is not a full ref name")
        listing = self.run("ls-remote", "--quiet", "--refs", self.remote.url, *refs, timeout_s=LOOK_S)
        if listing.exit_code != 0:
            raise ForgeError(self.failure(listing))
        lines = (line.split("\t", 1) for line in listing.stdout.decode("utf-8", "replace").split("\n") if line)
        # git also matches a name against the end of a longer one.
        return {ref: sha for sha, ref in lines if ref in refs}

    def failure(self, failed: Completed) -> ForgeFailure:
        text = failed.stderr.decode("utf-8", "replace")
        statuses = re.findall(r"returned error: (\d{3})", text)
        status = int(statuses[-1]) if statuses else 0
        detail = self.sentence(failed)
        if re.search(r"Authentication failed|could not read (Username|Password)", text):
            # git's own message is about the prompt that it was not allowed to show.
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

    def sentence(self, failed: Completed) -> str:
        """The server's message, or else git's last line: one line without the credential."""
        reasons = _REASON.findall(failed.stdout.decode("utf-8", "replace"))
        lines = failed.stderr.decode("utf-8", "replace").splitlines()
        said = [_SAID.sub("", line) for line in lines if line.startswith("remote:")]
        own = [line.removeprefix("fatal:") for line in lines if line.startswith("fatal:")] or lines
        text = " ".join(" ".join([*said, *reasons] or own[-1:]).split())
        return redact(clean(text), known=_secrets(self.remote.header))[:_MOST_CHARS]

    def _environment(self) -> dict[str, str]:
        env = {name: os.environ[name] for name in _FROM_THE_USER if name in os.environ}
        env["GIT_ALLOW_PROTOCOL"] = self.remote.url.partition(":")[0]
        if self.remote.header:
            env |= {
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "http.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: {self.remote.header}",
            }
        return env


def _secrets(header: str) -> list[str]:
    """The header's value and every part of it that is a secret by itself."""
    value = header.partition(" ")[2]
    try:
        plain = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        plain = ""
    return [header, value, plain, plain.partition(":")[2]]
