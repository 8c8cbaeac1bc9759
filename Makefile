.PHONY: agents bench check crash e2e format gauntlet gauntlet-ci gauntlet-tools imports install lint long mutation nightly outcomes pure pythons quick realworld security test tools types upgrade

PYTHON ?= python3
FROM ?= 4182d283
PART ?=
PURE = tests/core tests/workflows/runtime

install:            ## everything the checks need, into the current environment
	$(PYTHON) -m pip install -q -c constraints.txt -e '.[dev,e2e]'

agents:             ## the agents and linters that come by npm; claude and codex come with `install`
	npm install --prefix . --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
	  @google/gemini-cli@0.61.0 opencode-ai@1.18.33 eslint@10.14.0 pyright@1.1.414 @playwright/test@1.65.0 axe-core@4.14.1

tools:              ## semgrep, whose report is read in the tests, in an environment of its own: its pins are not ours
	test -x .tools/bin/python || $(PYTHON) -m venv .tools
	.tools/bin/pip install -q semgrep==1.182.0

quick:              ## while you work: the tests of decisions that take less than a second; no coverage
	$(MAKE) -j3 lint types imports pure

check:              ## all tests that need no agents' programs; CI runs a third of those that play whole runs: PART=--part
	$(MAKE) -j2 lint types imports test

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

pure:
	RANDOM_EXAMPLES=5 $(PYTHON) -m pytest -n auto --dist worksteal -m 'not slow and not long' $(PURE)

test:               ## core with its own tests to the last branch, then everything else
	rm -f .coverage .coverage.*
	$(PYTHON) -m pytest -n auto --dist worksteal --cov=reknit.core --cov-report= $(PURE)
	coverage report --fail-under=100
	$(PYTHON) -m pytest -n 4 --dist worksteal $(PART) $(addprefix --ignore=,$(PURE))  # they wait as much as they work, so more than CI has cores

long:               ## tests that `check` has at a smaller size, and more random examples; not in CI
	RANDOM_EXAMPLES=100 $(PYTHON) -m pytest -n auto --dist worksteal -m '(long or hypothesis) and not e2e' tests

crash:              ## kill -9 before and after every step, on SQLite and on Postgres
	$(PYTHON) -m pytest -m crash -n 2 -rP tests/crash  # REKNIT_EVERY_NTH=50: every 50th scene only, as CI does

nightly:            ## every suite in full: what CI runs a part of, and what it does not run; hours
	$(MAKE) check
	$(MAKE) long
	$(MAKE) security
	$(MAKE) gauntlet-ci
	$(MAKE) pythons
	$(MAKE) crash
	$(MAKE) upgrade
	$(MAKE) e2e
	$(MAKE) realworld
	$(MAKE) mutation

upgrade:            ## finishes runs that a wheel of the commit FROM began, on SQLite and on Postgres
	PYTHON=$(PYTHON) scripts/check_upgrade.sh $(FROM)

e2e:                ## the real agent binaries against a scripted model server; CI runs a third: PART=--part
	rm -rf .outcomes
	REKNIT_OUTCOMES=.outcomes $(PYTHON) -m pytest -m e2e -n 3 --dist loadfile --no-loadscope-reorder $(PART) tests/e2e tests/environment
	$(PYTHON) scripts/outcome_table.py .outcomes $(or $(PART),--check)

security:           ## attacks on the product, as the user who calls this and, called by root, as one without rights too
	$(PYTHON) -m pytest -m security -n 3 tests/security
	test "$$(id -u)" != 0 || \
	  scripts/as_ordinary_user $(PYTHON) -m pytest -m security -n 3 -p no:cacheprovider -k 'not spelling and not webhook and not gateway' tests/security

pythons:            ## the demo and the quick tests on every supported Python, with SQLite 3.40 and a current one
	scripts/check_pythons.sh

outcomes:           ## the docs' outcome table, from what the last `make e2e` saw
	$(PYTHON) scripts/outcome_table.py .outcomes

realworld:          ## real projects from the package registries: the same results as outside the box, and the right fix ends FIXED
	$(PYTHON) -m pytest -m realworld -n 2 tests/realworld  # REKNIT_DOWNLOADS: where the archives are kept; REKNIT_REALWORLD=ci: only the quick ones

gauntlet-tools:     ## pytest and vitest for the projects of the gauntlet, in a folder of their own
	test -x .gauntlet-tools/python/bin/pytest || \
	  { $(PYTHON) -m venv .gauntlet-tools/python && \
	    .gauntlet-tools/python/bin/pip install -q 'pytest>=9,<10' pytest-asyncio pytest-xdist pyhamcrest assertpy; }
	test -d .gauntlet-tools/node/node_modules/vitest || \
	  npm install --prefix .gauntlet-tools/node --no-save --no-package-lock --no-audit --no-fund --loglevel=error vitest@2

gauntlet:           ## cheats that must not land, honest edits that must: the rules alone, then every case for real (hours)
	-$(PYTHON) -m gauntlet --rules
	$(PYTHON) -m gauntlet --jobs 2 --out .gauntlet.jsonl --continue

gauntlet-ci:        ## a selection of the gauntlet; fails if a case ends worse than gauntlet/expected.toml says
	$(PYTHON) -m gauntlet --expect gauntlet/expected.toml --jobs 2

mutation:           ## small changes to the gate and the checks' verdicts: at least 90 % must make a test fail
	$(PYTHON) -m scripts.mutation

bench:              ## every goal of speed and size, a line each; fails when one is missed
	$(PYTHON) -m bench
