"""Where the results of a SARIF run are: URIs resolved against their bases and the run's list of files."""

from urllib.parse import unquote

from reknit.core.issues.formats.bounds import PATH_CHARS
from reknit.core.issues.formats.paths import SEAM
from reknit.core.issues.formats.sarif.model import Artifact, Run, at

_ROOTS = frozenset({"SRCROOT", "SOURCEROOT", "PROJECTROOT", "REPOROOT", "REPOSITORYROOT", "ROOTPATH"})
_DEEPEST_BASE = 20


class Places:
    def __init__(self, run: Run) -> None:
        self.bases = run.original_uri_base_ids or {}
        self._listed = run.artifacts or ()
        self._known: dict[str, str | None] = {}

    def path(self, artifact: Artifact) -> str:
        """A path or a `file:` URL; empty: no file is named."""
        if not artifact.uri:
            listed = at(self._listed, artifact.index)
            return self.path(listed.location) if listed and listed.location and listed.location.uri else ""
        uri, name = artifact.uri, artifact.uri_base_id or ""
        if _is_absolute(uri):
            return unquote(uri) if uri.startswith("/") else uri
        if name not in self._known:
            self._known[name] = self._base(name)
        base = self._known[name]
        if base is None:
            return ""
        if not _is_absolute(base):
            return unquote(base + uri)
        # The report may come from another checkout: then what matters is where its root ends.
        return f"{base.rstrip('/')}{SEAM}{uri}" if _names_root(name) else base + uri

    def _base(self, name: str) -> str | None:
        """Joined from the outermost base inwards; None if that gives no path."""
        whole = ""
        for _ in range(_DEEPEST_BASE):
            base = self.bases.get(name)
            if base is None:
                return whole
            uri = base.uri or ""
            whole = (uri if not uri or uri.endswith("/") else f"{uri}/") + whole
            if len(whole) > PATH_CHARS:
                return None
            if _is_absolute(uri):
                return whole
            name = base.uri_base_id or ""
        return None


def _is_absolute(uri: str) -> bool:
    return uri.startswith("/") or uri[:5].lower() == "file:" or "://" in uri or uri[1:2] == ":"


def _names_root(name: str) -> bool:
    return name.strip("%").upper().replace("_", "") in _ROOTS
