"""Describes the state of a review run, and selects the work that the progress file lists."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reknit.core.agents.call import RateLimited
from reknit.core.agents.reviewer import Level
from reknit.core.checks.status import TestsResult
from reknit.core.issues.packing import pack_first_fit
from reknit.core.repository.paths import is_config, is_in_test_folder, is_test_file
from reknit.core.review.progress_file.entries import Entry, ListedFinding, ReviewEntry, Verdict
from reknit.core.runs.attempt import RunProgress

BATCH_POINTS, BATCH_FINDINGS = 15, 5
NOT_BLOCKING = "its reviewer is not blocking (--strict fixes its findings too)"
NOTHING_TO_TRY = "it is about tests, but the reviewed change adds no code with which new tests could be tried"
ONLY_BY_WAIVER = "it is about configuration, which a fix may not change"
RESOLVED = "an earlier run fixed it, on a branch that is not merged yet"
TESTS_REVIEWER = "tests"
UNAVAILABLE = "another run works on it, or failed to fix it (--again tries it once more)"
UNESTIMATED = 3


@dataclass(frozen=True)
class ReviewerAnswer:
    """The answer of one reviewer; its findings are saved beside the checkpoints."""

    reviewer: str
    level: Level
    verdict: Verdict | None
    """None: it gave no answer."""
    findings: int = 0
    why: str = ""
    """Why it gave no answer."""
    at: float = 0.0
    dropped: int = 0
    """Findings that name no line of the tree."""


@dataclass(frozen=True)
class FindingBatch:
    """Findings that one attempt works on: one, or a few of one reviewer, category and file."""

    number: int
    """Number from 1, in the order of work."""
    reviewer: str
    findings: tuple[ListedFinding, ...]
    issues: tuple[int, ...] = ()
    """Their issues in the ledger; a finding that a person added has none."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(finding.id for finding in self.findings)

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(finding.title or finding.issue for finding in self.findings)

    @property
    def texts(self) -> tuple[str, ...]:
        fields = ((finding.title, finding.issue, finding.suggestion) for finding in self.findings)
        return tuple(text for texts in fields for text in texts)

    @property
    def name(self) -> str:
        return ", ".join(self.ids)

    @property
    def is_about_tests(self) -> bool:
        """Return True if what is wrong is a test, or one that is missing."""
        files = [finding.file for finding in self.findings]
        return self.reviewer == TESTS_REVIEWER or any(is_test_file(file) or is_in_test_folder(file) for file in files)


@dataclass(frozen=True)
class LeftOutFinding:
    """A finding that the progress file lists and that is not fixed."""

    reviewer: str
    id: str
    title: str
    why: str
    attempts: int = 0
    """Attempts that were made before the run ended."""


@dataclass(frozen=True)
class ListedWork:
    """The work that the progress file lists."""

    batches: tuple[FindingBatch, ...] = ()
    not_fixed: int = 0
    """Findings of reviewers whose level is not fixed without --strict."""
    only_by_waiver: tuple[str, ...] = ()
    """Findings about configuration, which no fix may change."""
    unavailable: tuple[str, ...] = ()
    """Findings whose issue is not open: fixed on a branch that is not merged, or worked on by another run."""
    untriable: tuple[str, ...] = ()
    """Findings about tests of a change in which no code could be made wrong."""
    problems: tuple[str, ...] = ()
    """Lines of the file that cannot be read; nothing is fixed until a person has corrected them."""
    left_out: tuple[LeftOutFinding, ...] = ()
    """All that are not in a batch, but for those that an earlier run fixed."""


@dataclass(frozen=True)
class FixAttempt:
    """One attempt on a batch of findings."""

    number: int
    batch: int
    succeeded: bool
    why: str
    """Why it failed, for the next attempt and for people."""
    agent: str = ""
    unseen: str = ""
    """Why the fix could not be checked: the next one could not be either, so the run ends."""


@dataclass(frozen=True)
class Recheck:
    """The answer on a batch that earlier fixes of the run may have settled."""

    batch: int
    is_gone: bool


@dataclass(frozen=True)
class SecondLook:
    """The answer of a reviewer that read the whole change again, with every fix."""

    reviewer: str
    findings: tuple[str, ...] = ()
    """Ids of what it reports beyond the findings that the run could not fix."""
    why: str = ""
    """Why it gave no answer."""
    limited: RateLimited | None = None
    may_retry: bool = False
    seconds: float = 0.0
    spent_usd: float = 0.0
    at: float = 0.0


@dataclass(frozen=True)
class ReviewProgress(RunProgress):
    """The state of a review run."""

    head: str
    """The commit with every fix so far."""
    answers: tuple[ReviewerAnswer, ...] = ()
    work: ListedWork | None = None
    """None: the file has not been read yet."""
    tests: TestsResult | None = None
    """The result before any fix; None: not run yet."""
    attempts: tuple[FixAttempt, ...] = ()
    rechecks: tuple[Recheck, ...] = ()
    second_looks: tuple[SecondLook, ...] = ()

    @property
    def fixed(self) -> frozenset[int]:
        """Return the numbers of the batches that an attempt fixed."""
        return frozenset(attempt.batch for attempt in self.attempts if attempt.succeeded)

    @property
    def settled(self) -> frozenset[int]:
        """Return the numbers of the batches that are fixed, or that were gone with another fix."""
        return self.fixed | {recheck.batch for recheck in self.rechecks if recheck.is_gone}

    @property
    def settled_ids(self) -> tuple[str, ...]:
        batches = self.work.batches if self.work else ()
        return tuple(name for batch in batches if batch.number in self.settled for name in batch.ids)

    def find_attempts(self, batch: int) -> tuple[FixAttempt, ...]:
        return tuple(attempt for attempt in self.attempts if attempt.batch == batch)

    def with_answers(self, answers: Sequence[ReviewerAnswer], seconds: float, spent_usd: float) -> "ReviewProgress":
        return replace(self.add_work(seconds, spent_usd), answers=(*self.answers, *answers))

    def with_recheck(self, recheck: Recheck, seconds: float, spent_usd: float) -> "ReviewProgress":
        return replace(self.add_work(seconds, spent_usd), rechecks=(*self.rechecks, recheck))

    def with_second_looks(self, looks: Sequence[SecondLook], seconds: float) -> "ReviewProgress":
        spent_usd = max(look.spent_usd for look in looks)
        return replace(self.add_work(seconds, spent_usd), second_looks=(*self.second_looks, *looks))

    def with_attempt(self, attempt: FixAttempt, head: str, seconds: float, spent_usd: float) -> "ReviewProgress":
        after = replace(
            self.add_work(seconds, spent_usd), rotation=self.rotation.after_work(), attempts=(*self.attempts, attempt)
        )
        return replace(after, head=head) if attempt.succeeded else after


@dataclass(frozen=True)
class KnownFinding:
    """The ledger's data about a finding, by its id."""

    issue: int
    points: int
    is_open: bool
    is_resolved: bool = False
    """True if an earlier run fixed it, on a branch that is not merged yet."""


def list_work(
    entries: Sequence[Entry], answers: Sequence[ReviewerAnswer], ledger: Mapping[str, KnownFinding], *, strict: bool
) -> ListedWork:
    """Return what is to be fixed.

    A verdict in the file is no evidence: a finding is work even if someone typed PASSED above it.
    """
    work: list[tuple[str, ListedFinding]] = []
    left_out: dict[str, list[LeftOutFinding]] = {NOT_BLOCKING: [], ONLY_BY_WAIVER: [], UNAVAILABLE: [], RESOLVED: []}
    for answer in answers:
        for finding in _find_newest(entries, answer, ledger):
            place = ledger.get(finding.id)
            why = ""
            if not _is_fixed(answer.level, strict=strict):
                why = NOT_BLOCKING
            elif is_config(finding.file):
                why = ONLY_BY_WAIVER
            elif place and not place.is_open:
                why = RESOLVED if place.is_resolved else UNAVAILABLE
            if why:
                title = finding.title or finding.issue
                left_out[why].append(LeftOutFinding(answer.reviewer, finding.id, title, why))
            else:
                work.append((answer.reviewer, finding))
    return ListedWork(
        _pack_batches(work, ledger),
        len(left_out[NOT_BLOCKING]),
        tuple(finding.id for finding in left_out[ONLY_BY_WAIVER]),
        tuple(finding.id for finding in (*left_out[UNAVAILABLE], *left_out[RESOLVED])),
        left_out=tuple(finding for why, findings in left_out.items() if why != RESOLVED for finding in findings),
    )


def _find_newest(
    entries: Sequence[Entry], answer: ReviewerAnswer, ledger: Collection[str]
) -> tuple[ListedFinding, ...]:
    own = [entry for entry in entries if isinstance(entry, ReviewEntry) and entry.reviewer == answer.reviewer]
    own = [entry for entry in own if entry.verdict != "NO_ANSWER"]
    if not own or answer.verdict is None:  # the entry is of an earlier review
        return ()
    entry = own[-1]
    if "NEEDS_WORK" in (answer.verdict, entry.verdict):
        return entry.findings
    return tuple(finding for finding in entry.findings if finding.id not in ledger)


def _is_fixed(level: Level, *, strict: bool) -> bool:
    return strict or level == "blocking"


def _pack_batches(
    work: Sequence[tuple[str, ListedFinding]], ledger: Mapping[str, KnownFinding]
) -> tuple[FindingBatch, ...]:
    """Return batches of one reviewer, category and file each; the order of the file is kept."""
    groups: dict[tuple[str, str, str], list[ListedFinding]] = {}
    for reviewer, finding in work:
        groups.setdefault((reviewer, finding.category, finding.file), []).append(finding)
    packed = [
        (reviewer, [findings[place] for place in places])
        for (reviewer, *_), findings in groups.items()
        for places in pack_first_fit(
            [_estimate_points(finding, ledger) for finding in findings], BATCH_POINTS, BATCH_FINDINGS
        )
    ]
    return tuple(
        FindingBatch(
            number,
            reviewer,
            tuple(findings),
            tuple(ledger[finding.id].issue for finding in findings if finding.id in ledger),
        )
        for number, (reviewer, findings) in enumerate(packed, 1)
    )


def _estimate_points(finding: ListedFinding, ledger: Mapping[str, KnownFinding]) -> int:
    return ledger[finding.id].points if finding.id in ledger else UNESTIMATED
