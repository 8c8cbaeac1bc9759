"""What the progress file asks to fix: the newest entry of each reviewer, in batches."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.agents.reviewer import Level
from reknit.core.issues.packing import first_fit
from reknit.core.repository.paths import is_config, is_in_test_folder, is_test_file
from reknit.core.review.progress import FindingBatch, HeardReview, ListedWork
from reknit.core.review.progress_file.entries import Entry, ListedFinding, ReviewEntry

BATCH_POINTS, BATCH_FINDINGS = 15, 5
UNESTIMATED = 3


@dataclass(frozen=True)
class KnownFinding:
    """What the ledger knows about a finding, by its id."""

    issue: int
    points: int
    is_open: bool


def listed_work(
    entries: Sequence[Entry], heard: Sequence[HeardReview], known: Mapping[str, KnownFinding], *, strict: bool
) -> ListedWork:
    """A verdict in the file is no evidence: what a reviewer found is work even if someone typed PASSED above it."""
    work: list[tuple[str, ListedFinding]] = []
    not_fixed, by_waiver, taken = 0, [], []
    for answer in heard:
        for finding in _newest(entries, answer, known):
            place = known.get(finding.id)
            if not _is_fixed(answer.level, strict=strict):
                not_fixed += 1
            elif is_config(finding.file) or is_test_file(finding.file) or is_in_test_folder(finding.file):
                by_waiver.append(finding.id)
            elif place and not place.is_open:
                taken.append(finding.id)
            else:
                work.append((answer.reviewer, finding))
    return ListedWork(_batches(work, known), not_fixed, tuple(by_waiver), tuple(taken))


def _newest(entries: Sequence[Entry], answer: HeardReview, known: Collection[str]) -> tuple[ListedFinding, ...]:
    own = [entry for entry in entries if isinstance(entry, ReviewEntry) and entry.reviewer == answer.reviewer]
    if not own or answer.verdict is None:  # the entry is of an earlier review
        return ()
    entry = own[-1]
    if "NEEDS_WORK" in (answer.verdict, entry.verdict):
        return entry.findings
    return tuple(finding for finding in entry.findings if finding.id not in known)


def _is_fixed(level: Level, *, strict: bool) -> bool:
    return strict or level == "blocking"


def _batches(work: Sequence[tuple[str, ListedFinding]], known: Mapping[str, KnownFinding]) -> tuple[FindingBatch, ...]:
    """One reviewer, category and file each; the order of the file is kept."""
    groups: dict[tuple[str, str, str], list[ListedFinding]] = {}
    for reviewer, finding in work:
        groups.setdefault((reviewer, finding.category, finding.file), []).append(finding)
    packed = [
        (reviewer, [findings[place] for place in places])
        for (reviewer, *_), findings in groups.items()
        for places in first_fit([_points(each, known) for each in findings], BATCH_POINTS, BATCH_FINDINGS)
    ]
    return tuple(
        FindingBatch(
            number, reviewer, tuple(findings), tuple(known[each.id].issue for each in findings if each.id in known)
        )
        for number, (reviewer, findings) in enumerate(packed, 1)
    )


def _points(finding: ListedFinding, known: Mapping[str, KnownFinding]) -> int:
    return known[finding.id].points if finding.id in known else UNESTIMATED
