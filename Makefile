# Two commands: `make run` shows what denym does, `make test` proves that it does it.

# One target directory that survives between checkouts of one machine: dependencies take minutes to build.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/denym/target
# Everything is tested in one profile with all features: one build of the query engine and of what stands above it.
ALL := --workspace --features denym-cli/full
# The Python package is built by `make python` and tested from Python.
TESTED := $(ALL) --exclude denym-python
# A broker of the Kafka protocol, built once per machine in about ten minutes.
TANSU := $(HOME)/.cache/denym/tansu
# Tests are run side by side where cargo-nextest is at hand; it runs no doc tests.
NEXTEST := $(shell command -v cargo-nextest 2>/dev/null)
CARGO_TEST := $(if $(NEXTEST),cargo nextest run --no-fail-fast,cargo test --no-fail-fast)

.PHONY: run serve build full needs kafka test test-kafka test-oracles test-python python lint bench bench-python help

help: ## Lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

build: ## Builds the release binary: everything but the gateway and the brokers
	cargo build --release -p denym-cli

full: ## Builds the release binary with the gateway (`denym gateway`) and the brokers (NATS and Kafka in `denym stream`)
	cargo build --release -p denym-cli --features full

run: build ## Anonymizes the bundled hospital table into out/hospital
	$(CARGO_TARGET_DIR)/release/denym anonymize examples/hospital/policy.toml -o out/hospital --force

serve: build ## Opens the web application on a copy of the bundled hospital in out/projects
	@mkdir -p out/projects && [ -e out/projects/hospital ] || cp -r examples/hospital out/projects/hospital
	$(CARGO_TARGET_DIR)/release/denym serve --dir out/projects

# Servers that tests start by themselves; a test that needs an absent one says that it is skipped.
needs:
	@command -v psql >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq >/dev/null && apt-get install -y -qq postgresql >/dev/null; } || \
		echo "no PostgreSQL here: its tests are skipped"
	@command -v nats-server >/dev/null || [ -x /usr/sbin/nats-server ] || { \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq >/dev/null && apt-get install -y -qq nats-server >/dev/null; } || \
		echo "no nats-server here: its tests are skipped"

kafka:
	@[ -x $(TANSU)/bin/tansu ] || CARGO_TARGET_DIR=$(TANSU)/target CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
		cargo install --quiet --locked tansu --version 0.6.0 --no-default-features --features dynostore --root $(TANSU) || \
		echo "no Kafka broker here: its tests take the cluster that librdkafka brings along for tests, or are skipped"
	@rm -rf $(TANSU)/target

test: needs ## Runs every test, and says at the end what was skipped and why
	@rm -f $(CARGO_TARGET_DIR)/skipped
	$(CARGO_TEST) $(if $(NEXTEST),--cargo-profile,--profile) ci $(TESTED)
	$(if $(NEXTEST),cargo test --doc --profile ci $(TESTED))
	@.ci/skipped $(CARGO_TARGET_DIR)/skipped

test-kafka: needs kafka ## Builds a Kafka broker and runs the tests that speak to it
	cargo test --no-fail-fast --profile ci $(TESTED) --test brokers

test-oracles: ## Compares role activation with a second engine that takes minutes to build
	cargo test --profile ci -p denym-purpose --features cedar --test activation_oracle

# A Python of our own, beside what is built; what it needs is installed by name, from wherever this machine takes packages.
VENV := $(CARGO_TARGET_DIR)/python
PYTHON := $(VENV)/bin/python
$(PYTHON):
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet "maturin>=1.9,<2"

python: $(PYTHON) ## Builds the Python wheel, and says where it is
	$(VENV)/bin/maturin build --quiet --release --manifest-path python/Cargo.toml --out $(CARGO_TARGET_DIR)/wheels
	@ls -t $(CARGO_TARGET_DIR)/wheels/denym-*.whl | head -1

# The longest that the tests may take once everything is built; the command that they compare with is that of `make run`.
PYTHON_TESTS := timeout 1200 env DENYM_COMMAND=$(CARGO_TARGET_DIR)/release/denym DENYM_SKIPPED=$(CARGO_TARGET_DIR)/skipped $(PYTHON) -m pytest -q
TEST_WHEELS := $(CARGO_TARGET_DIR)/test-wheels
test-python: build $(PYTHON) ## Installs the Python package into a Python of its own and runs its tests, beside the command
	$(PYTHON) -m pip install --quiet pytest mypy pandas polars pyarrow duckdb nbclient nbformat ipykernel
	rm -rf $(TEST_WHEELS)
	$(VENV)/bin/maturin build --quiet --profile ci --manifest-path python/Cargo.toml --out $(TEST_WHEELS)
	$(PYTHON) -m pip install --quiet --force-reinstall --no-deps $(TEST_WHEELS)/denym-*.whl
	$(PYTHON_TESTS) python/tests
	$(PYTHON_TESTS) --doctest-modules --pyargs denym

PEERS := $(CARGO_TARGET_DIR)/python-peers
bench-python: python ## The Python package beside pycanon and anjana: equal answers first, then times
	[ -x $(PEERS)/bin/python ] || python3 -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet "anjana==1.2.3" pyarrow
	$(PEERS)/bin/python -m pip install --quiet --force-reinstall --no-deps $$(ls -t $(CARGO_TARGET_DIR)/wheels/denym-*.whl | head -1)
	$(PEERS)/bin/python python/bench/peers.py ../shared/data/adult $(TIMES)

lint: ## Format and lints, warnings are errors
	cargo fmt --all --check
	rustfmt --edition 2024 --check crates/measure/src/promises/*.rs crates/attack/src/attacks/*.rs crates/denym/src/guard/findings/*.rs
	cargo clippy --profile ci --all-targets $(ALL) -- -D warnings

bench: build ## Denym beside its peers, in one run
	cargo build --release -p denym-cli -p denym-bench -p denym-engine --bins --example copy
	$(CARGO_TARGET_DIR)/release/denym-bench $(BENCH)
