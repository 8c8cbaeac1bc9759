"""Builds the commands of Maven and Gradle, with reports and selection."""

import posixpath
from collections.abc import Iterator, Sequence

from reknit.core.testing.command import Files, RunnerCall, TestCommand, split_runner_call


def make_maven_command(call: RunnerCall) -> TestCommand:
    """Return the command of Maven with its Surefire reports."""
    report = "**/target/surefire-reports/*.xml"
    select = ("-Dtest={methods}", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false")
    argv = (*call.start, *call.arguments)
    return TestCommand("maven", argv, "junit", report, select, call.origin, call.env, typed=call.typed)


def make_gradle_command(call: RunnerCall) -> TestCommand:
    """Return the command of Gradle with its JUnit reports."""
    report = "**/build/test-results/**/*.xml"
    argv = (*call.start, *call.arguments)
    return TestCommand("gradle", argv, "junit", report, ("--tests={method}",), call.origin, call.env, typed=call.typed)


def find(files: Files) -> Iterator[TestCommand]:
    """Yield the test commands of a project, that of Maven first."""
    if "pom.xml" in files:
        yield make_maven_command(RunnerCall(("mvn",), ("-o", "-q", "test"), "pom.xml"))
    origin = next((name for name in ("build.gradle", "build.gradle.kts") if name in files), "")
    if origin:
        # Start the wrapper by `sh`, because its executable bit is often lost.
        start = ("sh", "gradlew") if "gradlew" in files else ("gradle",)
        yield make_gradle_command(RunnerCall(start, ("--offline", "--continue", "test"), origin))


def parse_command(words: Sequence[str], origin: str, env: tuple[tuple[str, str], ...]) -> TestCommand | None:
    """Return the command with reports and selection; None if it starts no tests by Maven or Gradle."""
    at = 1 if posixpath.basename(words[0]) in ("sh", "bash") and len(words) > 1 else 0
    runner = _RUNNERS.get(posixpath.basename(words[at]))
    is_test = {"test", "verify", "check", "build", "package", "install"} & set(words[at + 1 :])
    return runner(split_runner_call(words, at + 1, origin, env)) if runner and is_test else None


_RUNNERS = {
    "mvn": make_maven_command,
    "mvnw": make_maven_command,
    "gradle": make_gradle_command,
    "gradlew": make_gradle_command,
}
