"""The settings of `review`."""

from pydantic import Field, field_validator

from reknit.app.config.section import Section
from reknit.core.review.progress_file.place import choose_path


class ReviewSection(Section):
    agent: str = Field(
        default="",
        description="review: the agent of reviewers that name none; empty: another vendor than the fixer, if signed in",
    )
    progress: str = Field(
        default="",
        description="review: the file that lists findings and fixes; empty: PROGRESS.txt or plans/PROGRESS.txt",
    )
    second_look: str = Field(
        default="", description="review: an agent of another vendor, asked whether each blocking finding is real"
    )

    @field_validator("progress")
    @classmethod
    def _is_inside(cls, path: str) -> str:
        choose_path((), path)
        return path
