from reknit.core.languages.java import runners
from reknit.core.testing.command import RunnerCall


def test_maven_and_gradle_keep_their_arguments() -> None:
    maven = runners.make_maven_command(RunnerCall(("mvn",), ("-o", "verify")))
    assert (maven.argv, maven.report) == (("mvn", "-o", "verify"), "**/target/surefire-reports/*.xml")
    gradle = runners.make_gradle_command(RunnerCall(("sh", "gradlew"), ("test",)))
    assert (gradle.argv, gradle.select) == (("sh", "gradlew", "test"), ("--tests={method}",))
