"""What a test lets happen on GitHub: people push and talk, CI reports, maintainers set rules; and what it looks at."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.tools.github.bare import Bare
from tests.tools.github.checks import report_check, tell_of_check, tell_of_status, tell_of_suite
from tests.tools.github.issues import Issue
from tests.tools.github.merging import merge_pull
from tests.tools.github.people import land_commit, push_as, rewrite_head
from tests.tools.github.pulls import branch_moved, close_pull, open_pull, tell_of_pull
from tests.tools.github.rest_checks import check_object
from tests.tools.github.rest_talk import comment_object
from tests.tools.github.talk import place_of, review, say, start_thread
from tests.tools.github.tokens import Person
from tests.tools.github.world import Alert, Json, Repository, Status, World


class Acts:
    _world: World

    def make_repository(
        self, slug: str, files: Mapping[str, str], *, writers: Sequence[str] = ("dev",), private: bool = False
    ) -> str:
        """With a first commit on main; its owner and the writers may push."""
        bare = Bare(self._world.root / f"{slug}.git")
        bare.make()
        owner = slug.split("/")[0]
        self._world.repositories[slug] = Repository(
            self._world.new_id(), slug, bare, {owner, *writers}, private=private
        )
        return self.commit(slug, "main", dict(files), message="first commit")

    def fork(self, slug: str, owner: str) -> str:
        """Somebody's own copy, where only they may push. Returns its slug."""
        made = f"{owner}/{slug.split('/')[1]}"
        bare = self._world.repository(slug).bare.copy_to(self._world.root / f"{made}.git")
        self._world.repositories[made] = Repository(self._world.new_id(), made, bare, {owner}, parent=slug)
        return made

    def delete_repository(self, slug: str) -> None:
        """Pull requests from it stay, with no head repository."""
        del self._world.repositories[slug]

    def commit(
        self, slug: str, branch: str, files: Mapping[str, str | None], *, message: str = "work", author: str = "dev"
    ) -> str:
        """A person's push; None deletes a file. A branch that is not there begins at main."""
        return push_as(self._world, slug, branch, files, message=message, author=author)

    def land(self, slug: str, branch: str) -> str:
        """A colleague pushes a commit there that touches no file anybody knows."""
        return land_commit(self._world, slug, branch)

    def rewrite(self, slug: str, branch: str) -> str:
        """Somebody force-pushes: the last commit again under another message."""
        return rewrite_head(self._world, slug, branch)

    def delete_branch(self, slug: str, branch: str) -> None:
        with self._world.lock:
            self._world.repository(slug).bare.drop(f"refs/heads/{branch}")
            branch_moved(self._world, slug, branch)

    def open_pull(
        self,
        slug: str,
        *,
        head: str,
        base: str = "main",
        title: str = "A change",
        author: str = "dev",
        association: str = "MEMBER",
        head_slug: str = "",
        draft: bool = False,
        maintainer_can_modify: bool = True,
        body: str = "",
    ) -> int:
        """`head_slug`: the fork that has the branch."""
        repository = self._world.repository(slug)
        with self._world.lock:
            pull = open_pull(self._world, repository, head_slug or slug, head, base, title, person(author), association)
            pull.body, pull.draft, pull.maintainer_can_modify = body, draft, maintainer_can_modify
        return pull.number

    def close_pull(self, slug: str, number: int) -> None:
        repository = self._world.repository(slug)
        with self._world.lock:
            close_pull(self._world, repository, repository.pull(number))

    def merge(self, slug: str, number: int, how: str = "merge") -> str:
        """`how`: merge, squash or rebase. Returns what the base's branch is at then."""
        repository = self._world.repository(slug)
        with self._world.lock:
            return merge_pull(self._world, repository, repository.pull(number), how)

    def label(self, slug: str, number: int, name: str) -> None:
        repository = self._world.repository(slug)
        pull = repository.pull(number)
        pull.labels.append(name)
        tell_of_pull(self._world, repository, pull, "labeled")

    def unlabel(self, slug: str, number: int, name: str) -> None:
        self._world.repository(slug).pull(number).labels.remove(name)

    def open_issue(self, slug: str, title: str, *, labels: Sequence[str] = (), author: str = "dev") -> int:
        repository = self._world.repository(slug)
        with self._world.lock:
            number, made = repository.next_number, self._world.new_id()
            repository.issues[number] = Issue(made, number, title, person(author), self._world.now(), [*labels])
        return number

    def close_issue(self, slug: str, number: int) -> None:
        self._world.repository(slug).issues[number].state = "closed"

    def check(
        self,
        slug: str,
        sha: str,
        name: str,
        conclusion: str | None = None,
        *,
        job: bool = True,
        log: str = "",
        summary: str = "",
        annotations: Sequence[Json] = (),
    ) -> int:
        """CI reports: a new run, or the end of the one of that name that is still going; None: it is going.

        `job`: one of GitHub Actions, with a log; else of some other App.
        """
        repository = self._world.repository(slug)
        with self._world.lock:
            check = report_check(self._world, repository, sha, name, job=job)
            check.log, check.summary, check.annotations = log, summary or None, list(annotations)
            check.title = name if summary else None
            if conclusion:
                check.status, check.conclusion, check.completed_at = "completed", conclusion, self._world.now()
            tell_of_check(self._world, repository, check, "completed" if conclusion else "created")
        return check.id

    def more_jobs(self, slug: str, sha: str, *, coming: bool = True, app: str = "github-actions") -> None:
        """Whether that App will run more on that commit than its check runs show yet; its suite goes on as long."""
        repository = self._world.repository(slug)
        with self._world.lock:
            (repository.more_to_come.add if coming else repository.more_to_come.discard)((app, sha))
            for suite in repository.suites(sha):
                if suite.app == app:
                    tell_of_suite(self._world, repository, suite)

    def status(self, slug: str, sha: str, context: str, state: str, description: str = "") -> None:
        repository = self._world.repository(slug)
        with self._world.lock:
            status = Status(self._world.new_id(), sha, context, state, description, self._world.now())
            repository.statuses.append(status)
            tell_of_status(self._world, repository, status)

    def thread(
        self,
        slug: str,
        number: int,
        *,
        author: str,
        file: str,
        line: int,
        text: str,
        association: str = "MEMBER",
        bot: bool = False,
    ) -> int:
        """Somebody remarks on a line of the head as it is now."""
        repository = self._world.repository(slug)
        with self._world.lock:
            who, pull = person(author, bot=bot), repository.pull(number)
            return start_thread(self._world, repository, pull, who, file, line, text, association).id

    def review(
        self,
        slug: str,
        number: int,
        *,
        author: str,
        state: str = "CHANGES_REQUESTED",
        text: str = "",
        association: str = "MEMBER",
        bot: bool = False,
    ) -> int:
        repository = self._world.repository(slug)
        with self._world.lock:
            who, pull = person(author, bot=bot), repository.pull(number)
            return review(self._world, repository, pull, who, state, text, association).id

    def say(self, slug: str, number: int, *, author: str, text: str, association: str = "", bot: bool = False) -> int:
        """A comment on the pull request."""
        repository = self._world.repository(slug)
        with self._world.lock:
            who, pull = person(author, bot=bot), repository.pull(number)
            return say(self._world, repository, pull, who, text, association).id

    def alert(
        self,
        slug: str,
        *,
        rule: str,
        path: str,
        line: int,
        message: str,
        tool: str = "CodeQL",
        column: int = 1,
        severity: str | None = "error",
        security: str | None = None,
    ) -> int:
        """Code scanning finds something on main as it is now."""
        repository = self._world.repository(slug)
        with self._world.lock:
            number, head = len(repository.alerts) + 1, repository.bare.tip("refs/heads/main")
            place = (path, line, column, message, severity, security, head, self._world.now())
            repository.alerts.append(Alert(number, rule, tool, *place))
            repository.scanning = "on"
        return number

    def close_alert(self, slug: str, number: int, state: str = "fixed") -> None:
        """`state`: fixed, or dismissed by a person."""
        alert = self._world.repository(slug).alerts[number - 1]
        alert.state, alert.closed_at = state, self._world.now()

    def scanning(self, slug: str, state: str) -> None:
        """Of code scanning: on, or one of `rest_alerts.REFUSALS`, as which a repository begins."""
        self._world.repository(slug).scanning = state

    def require(self, slug: str, branch: str, names: Sequence[str], *, ruleset: bool = False) -> None:
        """That branch demands these checks, by branch protection or by a ruleset."""
        repository = self._world.repository(slug)
        (repository.ruled if ruleset else repository.required)[branch] = tuple(names)

    def protect(self, slug: str, branch: str) -> None:
        """Pushes to it are refused with GH006."""
        self._world.repository(slug).protected.add(branch)

    def comments(self, slug: str, number: int) -> list[Json]:
        repository = self._world.repository(slug)
        pull = repository.pull(number)
        return [comment_object(self._world, repository, pull, comment) for comment in pull.comments]

    def threads(self, slug: str, number: int) -> list[dict[str, Any]]:
        """id, resolved, outdated, and (author, text) of all that was said in it."""
        repository = self._world.repository(slug)
        pull = repository.pull(number)
        return [
            {
                "id": thread.id,
                "resolved": thread.resolved_by is not None,
                "outdated": not place_of(repository, pull, thread),
                "said": [(comment.author.rest_login, comment.body) for comment in thread.comments],
            }
            for thread in pull.threads
        ]

    def check_runs(self, slug: str, sha: str) -> list[Json]:
        """All of them, the replaced ones too, oldest first."""
        repository = self._world.repository(slug)
        return [check_object(self._world, repository, check) for check in repository.checks if check.sha == sha]

    def head(self, slug: str, branch: str) -> str:
        return self._world.repository(slug).bare.tip(f"refs/heads/{branch}")

    def log(self, slug: str, branch: str) -> list[tuple[str, str, str]]:
        """(sha, message, author's name), newest first."""
        bare = self._world.repository(slug).bare
        rows = bare.commit_rows(bare.tip(f"refs/heads/{branch}"))
        return [(sha, message, author) for sha, message, author, _ in reversed(rows)]

    def read(self, slug: str, branch: str, path: str) -> str:
        """A file's text on that branch."""
        return self._world.repository(slug).bare.git("show", f"refs/heads/{branch}:{path}")

    def show(self, slug: str, sha: str, path: str) -> str:
        """A file's text in that commit."""
        return self._world.repository(slug).bare.git("show", f"{sha}:{path}")

    def slugs(self) -> list[str]:
        return list(self._world.repositories)

    def give_token(self, login: str) -> str:
        """A user token of somebody else."""
        return self._world.tokens.give(login)


def person(author: str, *, bot: bool = False) -> Person:
    return Person(author.removesuffix("[bot]"), bot or author.endswith("[bot]"))
