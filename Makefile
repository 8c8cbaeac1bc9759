.PHONY: check format lint types imports test crash e2e bench install

PYTHON ?= python3

install:            ## everything the checks need, into the current environment
	$(PYTHON) -m pip install -q -c constraints.txt -e '.[dev,e2e]'

check: lint types imports test   ## what CI runs before the long suites

format:
	ruff format .
	ruff check --fix .

lint:
	ruff format --check .
	ruff check .

types:
	mypy

imports:
	lint-imports

test:
	rm -f .coverage .coverage.*
	$(PYTHON) -m pytest --cov --cov-report=
	coverage report --include='*/reknit/core/*' --fail-under=100
	coverage report --fail-under=90

crash:              ## kill -9 before and after every step, on SQLite and on Postgres
	$(PYTHON) -m pytest -m crash -s tests/crash

e2e:                ## the real agent binaries against a scripted model server
	$(PYTHON) -m pytest -m e2e tests/e2e
