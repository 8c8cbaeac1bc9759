"""Projects in other languages or of several, and the bugs that each was given."""

from tests.realworld.real_project import RealProject

OTHER_PROJECTS: tuple[RealProject, ...] = ()
