"""Programs that a project's files ask for."""

import pytest

from reknit.core.repository.toolchains import programs_for


@pytest.mark.parametrize(
    ("names", "programs"),
    [
        pytest.param((), (), id="none"),
        pytest.param(("README.md", "Makefile"), (), id="nothing-that-says-so"),
        pytest.param(("Makefile", "go.mod"), ("go",), id="a-makefile-for-go"),
        pytest.param(("pom.xml", "build.gradle", "go.mod"), ("gradle", "java", "go", "mvn"), id="each-once"),
    ],
)  # fmt: skip
def test_what_a_project_needs(names: tuple[str, ...], programs: tuple[str, ...]) -> None:
    assert programs_for(names) == programs
