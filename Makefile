# The one front door. `make` lists what there is; CONTRIBUTING.md says when to use which.
#
# Variables, each settable on the command line:
#   ARGS           handed on to the program that is started: make run ARGS="--config my.yaml"
#   CONFIGURATION  debug (default: builds in a fraction of the time) or release, for `demo` and `run`
#   ENGINE         docker, podman or buildah, for `image`: the first one found when unset
#   IMAGE          the image's name, for `image`
#   SWIFT          the compiler's front end, when it is not the `swift` on the PATH

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Goals share one build folder, and `check` is cheap things first: never side by side.
.NOTPARALLEL:

ARGS ?=
CONFIGURATION ?= debug
ENGINE ?= $(shell command -v docker || command -v podman || command -v buildah)
IMAGE ?= pushgate
SWIFT ?= swift

# Older compilers cannot read Package.swift (its first line names this version).
SWIFT_NEEDED := 6.2

# What pushgate links with, as Debian names it and as pkg-config does; and what its tests use besides.
DEBIAN_PACKAGES := libcurl4-openssl-dev libnghttp2-dev libssl-dev libsqlite3-dev zlib1g-dev pkg-config
PKG_CONFIG_MODULES := libcurl libnghttp2 libcrypto sqlite3 zlib
TEST_PACKAGES := openssl python3-venv chromium chromium-driver
TEST_COMMANDS := openssl python3 chromium chromedriver
# Clients of FCM in other languages. What cannot be installed is not tested, which is said.
CLIENT_PACKAGES := golang-go golang-google-api-dev iproute2 libgoogle-api-client-java libgoogle-auth-java php-cli \
    php-curl ruby-googleauth $(if $(shell command -v node),,nodejs) $(if $(shell command -v java),,default-jdk-headless)

# Our own Swift, and nobody else's: what is formatted, linted and kept free of warnings.
FOLDERS := $(wildcard Sources store functions Tests Benchmarks)
TSAN_SCRATCH := .build-tsan
TEST_TARGETS := $(patsubst Tests/%,%,$(wildcard Tests/*Tests))
FORMATTED := Package.swift $(FOLDERS)

# What measures the parts of `check` and `verify`, and prints their minutes at the end.
MINUTES := .ci/minutes
# $(call measured,GOALS): makes them as parts of the goal, whose table of minutes follows, whatever becomes of them.
measured = mkdir -p .build && : > .build/minutes && export PUSHGATE_MINUTES=$(CURDIR)/.build/minutes \
    && { trap '$(MINUTES)' EXIT; $(MAKE) --no-print-directory $(1); }
# `check` sends the same for the same commit, and something new for the next one.
FUZZ_SEED = $(shell git rev-list --count HEAD 2>/dev/null || echo 1)

.PHONY: help demo run test fuzz chaos check verify tsan format bench cost clean image release build lint warnings toolchain \
    packages test-packages client-packages check-parts verify-parts

help: ## list the goals (this)
	@printf 'usage: make GOAL\n\n'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: build ## a gateway, a phone and a trigger on this machine, no account anywhere
	@exec .build/$(CONFIGURATION)/pushgate demo $(ARGS)

run: build ## serve, with the data in ./pushgate-data
	@exec .build/$(CONFIGURATION)/pushgate serve $(ARGS)

# A target at a time, and of its tests a few for each processor: a thousand together run into each other's deadlines.
# Of what is large, and of attacks, one: each needs all processors, or measures what is left of them. (The setting is
# Swift 6.3's, older ones pass it over.) All targets are run, and what failed is said once more at the end.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= $(shell echo $$((4 * $$(getconf _NPROCESSORS_ONLN))))
test: toolchain packages test-packages $(if $(ARGS),,client-packages) ## every test
	$(MINUTES) build $(SWIFT) build --build-tests
	@failed=; \
	for target in $(TEST_TARGETS); do \
	    printf '\n%s\n' "$$target"; \
	    case "$$target" in AttackTests | ScaleTests) alone=--no-parallel ;; *) alone= ;; esac; \
	    $(MINUTES) "$$target" $(SWIFT) test --skip-build $$alone --filter "^$$target\." $(ARGS) 2>&1 | tee .build/test.log \
	        || failed+="$$target"$$'\n'"$$(grep -a -A 5 -E '^(✘ Test ".* recorded an issue|error:)' .build/test.log || true)"$$'\n'; \
	done; \
	[ -z "$$failed" ] || { printf '\nThese failed:\n%s' "$$failed" >&2; exit 1; }
	@printf '\nGoogle'"'"'s own clients\n'; $(if $(ARGS),echo 'not run with ARGS',$(MINUTES) 'Google'"'"'s own clients' Tests/FirebaseClients/run --binary .build/debug/pushgate)

fuzz: build ## send a gateway what nobody should, and look for crashes, server errors, hangs, leaks
	$(SWIFT) build --configuration $(CONFIGURATION) --product Fuzz
	@exec .build/$(CONFIGURATION)/Fuzz --gateway .build/$(CONFIGURATION)/pushgate $(ARGS)

chaos: build ## kill a gateway under load and fill its disk, again and again, and count what was lost
	@exec Tests/Chaos/run --binary .build/$(CONFIGURATION)/pushgate $(ARGS)

# What would make it longer moves to `verify`: CONTRIBUTING.md.
check: export PUSHGATE_MINUTES_ALLOWED := 40
check: ## what must pass before a change is merged: format, no warnings, tests, a minute of fuzz, a short chaos, the cost
	@$(call measured,check-parts)

# The tests are built with the flags `warnings` built with, so nothing is compiled twice.
check-parts: export PUSHGATE_WARNINGS := error
check-parts: lint warnings test
	@printf '\nFuzz\n'; $(MINUTES) fuzz .build/debug/Fuzz --seconds 60 --seed $(FUZZ_SEED)
	@printf '\nChaos\n'; $(MINUTES) chaos Tests/Chaos/run --cycles 3 --full-disks 2
	@printf '\nCost\n'; $(MINUTES) cost env -u PUSHGATE_WARNINGS Benchmarks/run --cost
	@$(MINUTES) 'test of cost' env -u PUSHGATE_WARNINGS Benchmarks/run --cost-test

verify: ## what is too long for `check`: a million requests of fuzz, a long chaos, the thread sanitizer; hours
	@$(call measured,verify-parts)

# Each in a make of its own, since `tsan` builds with other settings. Optimized, the requests take minutes.
verify-parts:
	@printf '\nFuzz\n'; $(MINUTES) fuzz $(MAKE) --no-print-directory fuzz CONFIGURATION=release ARGS='--requests 1000000'
	@printf '\nChaos\n'; $(MINUTES) chaos $(MAKE) --no-print-directory chaos ARGS=
	@printf '\nThread sanitizer\n'; $(MINUTES) 'thread sanitizer' $(MAKE) --no-print-directory tsan ARGS=

# Half an hour the first time. Code is a dozen times slower under the sanitizer, so tests run one after the other. Reports
# go to files, since the gateways that tests start in processes of their own make them too.
tsan: export PUSHGATE_SANITIZER := thread
tsan: export TSAN_OPTIONS := log_path=$(CURDIR)/$(TSAN_SCRATCH)/report
tsan: toolchain packages test-packages ## every test under the thread sanitizer
	@rm -f $(TSAN_SCRATCH)/report.*
	$(SWIFT) build --build-tests --sanitize thread --scratch-path $(TSAN_SCRATCH)
	@for target in $(TEST_TARGETS); do \
	    printf '\n%s\n' "$$target"; \
	    $(SWIFT) test --skip-build --no-parallel --sanitize thread --scratch-path $(TSAN_SCRATCH) \
	        --filter "^$$target\." $(ARGS) || failed="$${failed:-} $$target"; \
	done; \
	cat $(TSAN_SCRATCH)/report.* 2>/dev/null && { echo 'make: these races were found.' >&2; exit 1; }; \
	[ -z "$${failed:-}" ] || { echo "make: these failed:$$failed" >&2; exit 1; }

format: toolchain ## rewrite our sources as .swift-format says
	$(SWIFT) format --in-place --recursive --parallel $(FORMATTED)

bench: toolchain packages ## measure; what and how is in Benchmarks/
	Benchmarks/run $(ARGS)

cost: toolchain packages ## count what a request costs: allocations, statements, system calls; ARGS=--accept takes it as right
	Benchmarks/run $(or $(ARGS),--cost)

clean: toolchain ## remove what was built; the dependencies' sources and your data stay
	$(SWIFT) package clean

image: ## the container image, as docker/Dockerfile says
	@[ -n '$(ENGINE)' ] || { echo 'make: no container engine found: install docker, podman or buildah.' >&2; exit 1; }
# Only docker's own image format has room for a HEALTHCHECK; docker itself writes no other.
	$(ENGINE) build $(if $(filter docker,$(notdir $(ENGINE))),,--format docker) \
	    --file docker/Dockerfile --tag $(IMAGE) $(ARGS) .

release: toolchain packages ## the binary to install on a server: needs no Swift there
	$(SWIFT) build --configuration release --product pushgate --static-swift-stdlib
	@echo '.build/release/pushgate is ready; docker/README.md says where to put it.'

# ---- What the goals above are made of ------------------------------------------------------------------------------

build: toolchain packages
	@[ -e .build/$(CONFIGURATION)/pushgate ] \
	    || echo 'Building pushgate and its dependencies. The first time takes minutes, later ones seconds.'
	$(SWIFT) build --configuration $(CONFIGURATION) --product pushgate

lint: toolchain
	$(MINUTES) lint $(SWIFT) format lint --strict --recursive --parallel $(FORMATTED)

# PUSHGATE_WARNINGS=error makes Package.swift ask for warnings as errors in our targets, and in ours alone. The log of
# a build cannot tell: SwiftPM prints a warning when it compiles a file and is silent about it ever after. An error
# is never cached, and changing the flag recompiles our targets, so a warm build is judged like a cold one.
# What SwiftPM itself has to say about the package (a file in no target, say) it repeats every time: read from the log.
warnings: toolchain packages
	@mkdir -p .build
	$(MINUTES) build $(SWIFT) build --build-tests 2>&1 | tee .build/warnings.log
	@if grep -E -i "$(OUR_WARNINGS)" .build/warnings.log; then echo 'make: these warnings are ours.' >&2; exit 1; fi

# "<path in our folders>:<line>:<column>: warning:" from the compiler, "warning: '<package>':" from SwiftPM, which
# calls a package by the name of the folder it is in.
empty :=
space := $(empty) $(empty)
OUR_WARNINGS = ^$(CURDIR)/(Package.swift|$(subst $(space),|,$(FOLDERS)))[/:].* warning: |warning: '$(notdir $(CURDIR))':

toolchain:
	@found=$$($(SWIFT) --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p') || true; \
	if [ "$$(printf '%s\n' '$(SWIFT_NEEDED)' "$$found" | sort -V | head -n 1)" != '$(SWIFT_NEEDED)' ]; then \
	    { \
	        echo "make: pushgate needs Swift $(SWIFT_NEEDED) or later; found: $${found:-none}."; \
	        echo '      Get it from https://www.swift.org/install/ (Debian 12 is among the choices), put it on the PATH and'; \
	        echo '      run this again; or say where it is: make SWIFT=/path/to/swift …'; \
	    } >&2; \
	    exit 1; \
	fi

# Asks dpkg where there is one, since pkg-config cannot tell libcurl's OpenSSL flavour from the others; elsewhere
# (macOS with Homebrew, other distributions) pkg-config's word is taken, and installing is left to you.
# A package list that cannot be refreshed is no reason to stop: the one at hand may do, and if not, install says so.
APT := env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 --quiet

packages:
	@if ! command -v dpkg-query >/dev/null; then \
	    pkg-config --exists $(PKG_CONFIG_MODULES) && exit 0; \
	    echo 'make: pkg-config must find $(PKG_CONFIG_MODULES): install their development packages.' >&2; exit 1; \
	fi; \
	$(call install,$(DEBIAN_PACKAGES),what pushgate links with)

test-packages:
	@if ! command -v dpkg-query >/dev/null; then \
	    for name in $(TEST_COMMANDS); do \
	        command -v $$name >/dev/null || { echo "make: the tests use $$name: install it." >&2; exit 1; }; \
	    done; \
	    exit 0; \
	fi; \
	$(call install,$(TEST_PACKAGES),what the tests use)

client-packages:
	@if command -v dpkg-query >/dev/null; then \
	    ( $(call install,$(CLIENT_PACKAGES),clients of FCM for the tests) ) \
	        || echo 'Some clients of FCM are not there: their tests are skipped.'; \
	fi

# $(call install,PACKAGES,WHAT THEY ARE)
define install
	missing=; \
	for package in $(1); do \
	    status=$$(dpkg-query --show --showformat='$${Status}' "$$package" 2>/dev/null) || true; \
	    [ "$$status" = 'install ok installed' ] || missing+=" $$package"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	by_hand() { \
	    echo "make: $$1 Run this as root, then make again:" >&2; \
	    echo "      apt-get update && apt-get install --yes$$missing" >&2; exit 1; \
	}; \
	as_root=; \
	if [ "$$(id -u)" != 0 ]; then as_root=$$(command -v sudo) || by_hand 'packages are missing, and there is no sudo.'; fi; \
	echo "Installing $(2):$$missing"; \
	$$as_root $(APT) update || echo 'The package lists could not be refreshed; trying with those at hand.'; \
	$$as_root $(APT) install --yes --no-install-recommends $$missing || by_hand 'installing failed.'
endef
