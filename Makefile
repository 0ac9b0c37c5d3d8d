# Two commands: `make run` shows what denym does, `make test` proves that it does it.

# One target directory that survives between checkouts of one machine: the query engine takes minutes to build.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/denym/target
# Crates without the query engine are tested with debug assertions; the others in the profile the binary is built in.
LIGHT := data measure tabular microdata paths stream attack purpose report testkit
LIGHT_PACKAGES := $(foreach crate,$(LIGHT),-p denym-$(crate))
# A broker of the Kafka protocol, built once per machine in about four minutes.
TANSU := $(HOME)/.cache/denym/tansu
HEAVY_PACKAGES := -p denym-engine -p denym-gateway -p denym -p denym-cli

.PHONY: run build needs test lint bench help

help: ## Lists the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

build: ## Builds the release binary
	cargo build --release -p denym-cli

run: build ## Anonymizes the bundled hospital table into out/hospital
	$(CARGO_TARGET_DIR)/release/denym anonymize examples/hospital/policy.toml -o out/hospital --force

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

	@[ -x $(TANSU)/bin/tansu ] || CARGO_TARGET_DIR=$(TANSU)/target CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
		cargo install --quiet --locked tansu --version 0.6.0 --no-default-features --features dynostore --root $(TANSU) || \
		echo "no Kafka broker here: its tests take the cluster that librdkafka brings along for tests, or are skipped"
	@rm -rf $(TANSU)/target

test: needs ## Runs every test
	cargo test --no-fail-fast $(LIGHT_PACKAGES)
	cargo test --no-fail-fast --release $(HEAVY_PACKAGES)

lint: ## Format and lints, warnings are errors
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets -- -D warnings

bench: build ## Denym beside its peers, in one run
	cargo build --release -p denym-cli -p denym-bench -p denym-engine --bins --example copy
	$(CARGO_TARGET_DIR)/release/denym-bench $(BENCH)
