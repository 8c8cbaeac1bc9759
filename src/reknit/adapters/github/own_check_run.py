"""reknit's own check run on a commit: one per key, updated in place, with its annotations sent once."""

from collections.abc import Sequence
from urllib.parse import quote

from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.api.rest_models import CheckRun, CheckRuns
from reknit.adapters.github.checks import OWN
from reknit.core.forge.values import Annotation, CheckReport

_A_REQUEST = 50
"""Annotations that GitHub accepts per request."""
_LONGEST_TITLE = 255
_LONGEST_TEXT = 60_000


def put_check(api: GitHubApi, slug: str, sha: str, report: CheckReport) -> None:
    with api.writing():
        run = _own_run(api, slug, sha, report)
        batches = _batches(run, report)
        if run is None:
            asked = {"name": report.name, "head_sha": sha, "external_id": OWN + report.key}
            first = {**asked, **_state(report), "output": _output(report, batches.pop(0) if batches else ())}
            run = api.write(CheckRun, "POST", f"/repos/{slug}/check-runs", first)
        elif not _says(run, report):
            _change(api, slug, run, report, batches.pop(0) if batches else ())
        for batch in batches:
            _change(api, slug, run, report, batch)


def _batches(run: CheckRun | None, report: CheckReport) -> list[Sequence[Annotation]]:
    """The annotations still to be sent. GitHub never removes one, so only the first report that has any sends them; if
    it was interrupted, which leaves only full batches behind, it sends the rest."""
    sent = run.output.annotations_count if run else 0
    if sent and (sent % _A_REQUEST or run is None or not _says(run, report)):
        return []
    return [
        report.annotations[start : start + _A_REQUEST] for start in range(sent, len(report.annotations), _A_REQUEST)
    ]


def _own_run(api: GitHubApi, slug: str, sha: str, report: CheckReport) -> CheckRun | None:
    path = f"/repos/{slug}/commits/{sha}/check-runs?check_name={quote(report.name, safe='')}&filter=all"
    for _address, runs in api.items(CheckRuns, path, lambda read: read.check_runs):
        for run in runs:
            if run.external_id == OWN + report.key:
                return run
    return None


def _says(run: CheckRun, report: CheckReport) -> bool:
    is_same_state = (run.conclusion or "") == report.conclusion and (run.status == "completed") == bool(
        report.conclusion
    )
    output = _output(report, ())
    return is_same_state and (run.output.title, run.output.summary) == (output["title"], output["summary"])


def _change(api: GitHubApi, slug: str, run: CheckRun, report: CheckReport, annotations: Sequence[Annotation]) -> None:
    """GitHub appends the annotations to the existing ones."""
    body = {**_state(report), "output": _output(report, annotations)}
    api.write(CheckRun, "PATCH", f"/repos/{slug}/check-runs/{run.id}", body)


def _state(report: CheckReport) -> dict[str, object]:
    if not report.conclusion:
        return {"status": "in_progress"}
    return {"status": "completed", "conclusion": report.conclusion}


def _output(report: CheckReport, annotations: Sequence[Annotation]) -> dict[str, object]:
    said: dict[str, object] = {"title": report.title[:_LONGEST_TITLE], "summary": report.summary[:_LONGEST_TEXT]}
    return {**said, "annotations": [_annotation(each) for each in annotations]} if annotations else said


def _annotation(annotation: Annotation) -> dict[str, object]:
    line = max(1, annotation.line)
    return {
        "path": annotation.file,
        "start_line": line,
        "end_line": line,
        "annotation_level": "failure",
        "title": annotation.title[:_LONGEST_TITLE],
        "message": annotation.text[:_LONGEST_TEXT],
    }
