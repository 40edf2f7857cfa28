# Everything a user or maintainer types. Each target sets up what it needs, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is installed so far: the tool alone, with what development needs, with what the documentation needs.
TOOL := $(VENV)/.installed-tool
INSTALLED := $(VENV)/.installed
INSTALLED_DOCS := $(VENV)/.installed-docs
MINUTES ?= 10
HASHES ?= yes
comma := ,

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz lint format bench calibrate docs reference outputs golden screenshots grammars example hashes clean

help:
	@echo "make demo        install, then audit the bundled example"
	@echo "make test        install, then run all tests"
	@echo "make fuzz        try mutated inputs, and properties with new examples (MINUTES=10)"
	@echo "make lint        ruff and mypy"
	@echo "make bench       speed and memory, as ratios (BENCH=--quick for a look)"
	@echo "make calibrate   false alarms, power and coverage of verdicts, beside the aims"
	@echo "make docs        build the documentation"
	@echo "make reference   regenerate docs/reference/ from the code"
	@echo "make outputs     regenerate the outputs in the pages from the commands"
	@echo "make golden      regenerate the outputs that tests compare (tests/golden/outputs)"
	@echo "make screenshots regenerate the pictures of the documentation"
	@echo "make grammars    compile all taxonomies to grammars/"
	@echo "make example     regenerate the bundled example"
	@echo "make hashes      regenerate hashes/ after a change to constraints.txt"

# Install what some steps need, $(1), and this project, after saying so, $(2). Only files whose SHA-256 is in hashes/
# are installed. HASHES=no takes the same versions from an index that builds its own files; extras are $(3).
# What pip prints is shown where it fails.
PIP = $(BIN)/python -m pip install --disable-pip-version-check
ifeq ($(HASHES),no)
define install
@echo "Installing $(2), about a minute, without comparing hashes ..."
@$(PIP) --constraint constraints.txt --editable '.$(3)' > $(VENV)/install.log 2>&1 || \
	{ cat $(VENV)/install.log; echo "The installation failed: see above."; exit 1; }
@touch $@
endef
else
define install
@echo "Installing $(2), about a minute ..."
@{ $(PIP) --require-hashes $(patsubst %,--requirement hashes/%.txt,$(1)) && \
	$(PIP) --no-deps --no-build-isolation --editable .; } > $(VENV)/install.log 2>&1 || \
	{ cat $(VENV)/install.log; echo "The installation failed: see above. If your package index has other files of these"; \
	echo "versions than hashes/ lists, and you trust it: make HASHES=no $(MAKECMDGOALS)"; exit 1; }
@touch $@
endef
endif

$(TOOL): pyproject.toml constraints.txt hashes/tool.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "assess needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || $(BIN)/python -m ensurepip
	$(call install,tool,assess and the English model into $(VENV))

$(INSTALLED): $(TOOL)
	$(call install,tool dev,what the tests need,[dev$(comma)plots$(comma)tables$(comma)dask])

$(INSTALLED_DOCS): $(INSTALLED)
	$(call install,tool dev docs,what the documentation needs,[docs])

demo: $(TOOL)
	@$(BIN)/assess demo

test: $(INSTALLED)
	@$(BIN)/python -m pytest -n auto --dist worksteal

fuzz: $(INSTALLED)
	@$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(FUZZ)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(INSTALLED)
	@$(BIN)/python benchmarks/run.py $(BENCH)
	@for name in diversity pregen suggest; do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

calibrate: $(INSTALLED)
	@$(BIN)/python benchmarks/calibration.py $(CALIBRATE)

docs: export NO_MKDOCS_2_WARNING = 1
docs: $(INSTALLED_DOCS)
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m docs_tools.hosts site

reference: $(INSTALLED)
	$(BIN)/python -m docs_tools.reference

outputs: $(INSTALLED)
	$(BIN)/python -m docs_tools.outputs

golden: $(INSTALLED)
	$(BIN)/python -m tests.goldens

screenshots: $(INSTALLED)
	$(BIN)/python -m docs_tools.screenshots

grammars: $(INSTALLED)
	@$(BIN)/assess schema > taxonomies/taxonomy.schema.json
	@for file in taxonomies/*.yaml; do \
		name=$$(basename $$file .yaml); \
		$(BIN)/assess domain compile $$file --out grammars/$$name.lark; \
	done

example: $(INSTALLED)
	$(BIN)/python examples/make_example.py

hashes: $(INSTALLED_DOCS)
	$(BIN)/python -m docs_tools.hashes

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis site
