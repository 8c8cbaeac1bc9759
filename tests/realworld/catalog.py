"""The real projects."""

from tests.realworld.other_projects import OTHER_PROJECTS
from tests.realworld.python_projects import PYTHON_PROJECTS

PROJECTS = PYTHON_PROJECTS + OTHER_PROJECTS
