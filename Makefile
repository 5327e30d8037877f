# All tasks of development. `make` lists the goals; CONTRIBUTING.md explains them.
#
# Variables, each settable on the command line:
#   ARCHITECTURE   the processor of the package of `deb`, as Debian calls it: this machine's, or make says what is missing
#   ARGS           arguments for the started program: make run ARGS="--config my.yaml"
#   CONFIGURATION  debug or release. The default of `demo` and `run` is debug, which builds faster, that of the tests
#                  release, in which they run several times faster. `quick`, `tsan` and `bench` ignore it
#   ENGINE         docker, podman or buildah, for `image` and `image-check` (default: the first one found)
#   IMAGE          the image's name, for `image` and `image-check`
#   PLATFORM       the processor of the image of `image`, if not this machine's: linux/arm64
#   SWIFT          the Swift command (default: the `swift` on the PATH)
#   TESTS          the test targets of `quick`

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Goals share one build folder, and `check` runs fast parts first, so goals never run in parallel.
.NOTPARALLEL:

ARCHITECTURE ?=
ARGS ?=
CONFIGURATION ?=
ENGINE ?= $(shell command -v docker || command -v podman || command -v buildah)
IMAGE ?= pushgate
PLATFORM ?=
SWIFT ?= swift
TESTS ?=

# Older compilers cannot read Package.swift (its first line names this version).
SWIFT_NEEDED := 6.2

# The libraries that pushgate links with, by Debian's names and by pkg-config's, and the programs that the tests use.
DEBIAN_PACKAGES := libcurl4-openssl-dev libnghttp2-dev libpq-dev libqrencode-dev libssl-dev libsqlite3-dev zlib1g-dev \
    pkg-config
PKG_CONFIG_MODULES := libcurl libnghttp2 libcrypto libpq libqrencode sqlite3 zlib
TEST_PACKAGES := curl openssl python3-venv gcc libc6-dev chromium chromium-driver firefox-esr pebble postgresql prometheus haproxy nginx-light caddy
TEST_COMMANDS := curl openssl python3 cc chromium chromedriver firefox
# Clients of FCM and Firestore in other languages. If one cannot be installed, its tests are skipped with a message.
CLIENT_PACKAGES := golang-go golang-google-api-dev golang-google-cloud-dev iproute2 libgoogle-api-client-java libgoogle-auth-java php-cli \
    php-curl ruby-googleauth $(if $(shell command -v node),,nodejs) $(if $(shell command -v java),,default-jdk-headless)
# The programs that make the Debian package, and those that check it.
DEB_PACKAGES := binutils dpkg-dev
DEB_CHECK_PACKAGES := debootstrap lintian man-db mandoc

# Our own Swift sources, which are formatted, linted and kept free of warnings.
FOLDERS := $(wildcard Sources store functions Tests Benchmarks examples)
TSAN_SCRATCH := .build-tsan
# The program for a server is not the one that tests start: it is apart from .build/release.
STATIC_SCRATCH := .build-static
# The products that other packages use.
LIBRARIES := DocumentStore APNsSimulator PushgateClient WebPushService
TEST_TARGETS := $(patsubst Tests/%,%,$(wildcard Tests/*Tests))
# The targets with whole gateways, in the tests' process and as processes. They are apart from the others, because those
# that run again on PostgreSQL read the store's name from the environment, once for a process.
GATEWAY_TARGETS := BrowserTests EndToEndTests WholeGatewayTests
# The targets that run a second time with whole gateways on PostgreSQL. (The tests of the store itself run on both
# engines at once.)
POSTGRESQL_TARGETS := EndToEndTests WholeGatewayTests
# The targets that measure time and memory under load: one test at a time, in a process of their own, because each needs
# all processors. They also raise the process's limit of open descriptors, which programs of other tests would inherit.
SERIAL_TARGETS := AttackTests ScaleTests
# The targets with many calls of SwiftNIO, whose assertions only a debug build has.
ASSERTED_TARGETS := ConnectProxyTests GRPCTests HTTP2ClientTests ServerTests WebPushServiceTests
# The products that tests start, and do not link or depend on otherwise.
STARTED_BY_WholeGatewayTests := pushgate
STARTED_BY_EndToEndTests := HeldDisk
FORMATTED := Package.swift $(FOLDERS)

# The script that measures the parts of `check` and `verify`, and prints their minutes at the end.
MINUTES := .ci/minutes
# $(call measured,GOALS): makes GOALS as parts of the goal, those after a failed one too, then prints the table of minutes
# with the failed ones.
measured = mkdir -p .build && : > .build/minutes && rm -f .build/minutes.failures && export PUSHGATE_MINUTES=$(CURDIR)/.build/minutes \
    && { trap '$(MINUTES)' EXIT; $(MAKE) --no-print-directory --keep-going $(1); }
# The seed is the number of commits: `check` sends the same requests for the same commit, others for the next commit.
FUZZ_SEED = $(shell git rev-list --count HEAD 2>/dev/null || echo 1)

.PHONY: help demo run test quick clients fuzz chaos soak check verify tsan screenshots format bench cost docs clean image image-check release deb deb-check build build-debug build-release lint \
    comments folders traps synchronization build-tests warnings known-tests released toolchain architecture packages test-packages client-packages deb-packages deb-check-packages \
    check-parts check-fuzz check-chaos check-power-cuts check-cost check-cost-test \
    verify-parts verify-fuzz verify-chaos verify-power-cuts verify-relay verify-cluster verify-patroni verify-clients verify-deb verify-debug verify-tsan

help: ## list the goals
	@printf 'usage: make GOAL\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# The builds of the goals that start the program and of those that test. Both are in .build, and keep each other's
# objects.
STARTED := $(or $(CONFIGURATION),debug)
TESTED := $(or $(CONFIGURATION),release)
TESTING := test build-tests clients fuzz chaos soak screenshots cost check-fuzz check-chaos check-power-cuts check-cost check-cost-test
# In .build, a release build is always the one for tests.
$(TESTING) build-release: export PUSHGATE_TESTABLE := 1

demo: build-$(STARTED) ## demonstrate a gateway, a device and a trigger on this machine, without any account
	@exec .build/$(STARTED)/pushgate demo $(ARGS)

run: build-$(STARTED) ## run the gateway, with its data in ./pushgate-data
	@exec .build/$(STARTED)/pushgate serve $(ARGS)

# Four parallel tests for each processor: a thousand parallel tests would exceed their deadlines. (Only Swift 6.3 and
# later read the setting.)
test quick build-tests: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= $(shell echo $$((4 * $$(getconf _NPROCESSORS_ONLN))))

# As few processes as possible: each takes seconds to start, and SwiftPM plans the build again if the environment
# differs from the last time, so PostgreSQL comes last. All of them and the clients are run, and the failures are listed
# again at the end.
test build-tests: export PUSHGATE_TEST_STORE :=
test: toolchain packages test-packages $(if $(ARGS),,client-packages) build-tests ## run all tests
	@failed=; \
	$(call tests,unit tests,$(filter-out $(GATEWAY_TARGETS) $(SERIAL_TARGETS),$(TEST_TARGETS))); \
	$(call tests,gateway tests,$(GATEWAY_TARGETS)); \
	$(call tests,serial tests,$(SERIAL_TARGETS),--no-parallel); \
	$(call tests,gateway tests on PostgreSQL,$(POSTGRESQL_TARGETS),,postgresql); \
	$(if $(ARGS),printf '\nThe clients of FCM and Firestore and those of Web Push and APNs are not run with ARGS.\n',$(call clients,.build/$(TESTED)/pushgate)); \
	$(failures)

# $(call tests,NAME,TARGETS,OPTIONS,STORE): runs the tests of TARGETS, and adds those that fail to the variable
# `failed`.
define tests
	printf '\n%s: %s\n' '$(1)' '$(2)'; \
	PUSHGATE_TEST_STORE='$(4)' SWIFT='$(SWIFT)' $(MINUTES) '$(1)' \
	    .ci/tests $(2) -- --configuration $(TESTED) $(3) $(ARGS) \
	    || failed+='$(1)'$$'\n'"$$(grep -a -A 5 -E '^(✘ Test ".* recorded an issue|error:)' .build/test.log || true)"$$'\n'
endef

# Package.swift leaves out the test targets that PUSHGATE_TESTS does not name, so the product of the tests consists of
# the named ones and what they need. It is a debug build, with the objects of `demo` and `run`. When the names change,
# only what it lacks is compiled, and the bundle of the tests is linked again.
quick: export PUSHGATE_TESTS = $(TESTS)
quick: known-tests toolchain packages test-packages ## build and run the tests of some targets alone: make quick TESTS="APNsTests JSONTests"
	@for product in $(sort $(foreach name,$(TESTS),$(STARTED_BY_$(name)))) pushgatePackageTests; do \
	    $(SWIFT) build --product "$$product"; \
	done; \
	$(SWIFT) test --skip-build $(if $(filter $(SERIAL_TARGETS),$(TESTS)),--no-parallel) $(ARGS)

clients: build-$(TESTED) test-packages client-packages ## run Google's own clients of FCM and Firestore, and those of Web Push and APNs; ARGS="--store postgresql" for the other store
	@failed=; $(call clients,.build/$(TESTED)/pushgate $(ARGS)); $(failures)

# $(call clients,BINARY ARGUMENTS…): runs all, and adds those that fail to the variable `failed`.
define clients
	for suite in FirebaseClients FirestoreClients WebPushClients APNsClients; do \
	    case "$$suite" in \
	        FirebaseClients) name="Google's own clients" ;; \
	        FirestoreClients) name='Firestore clients' ;; \
	        WebPushClients) name='Web Push clients' ;; \
	        *) name='APNs clients' ;; \
	    esac; \
	    printf '\n%s\n' "$$name"; \
	    $(MINUTES) "$$name" Tests/$$suite/run --binary $(1) 2>&1 | tee .build/test.log \
	        || failed+="$$name"$$'\n'"$$(grep -a -A 1 -E '^(FAIL|ERROR|FAILED|(Firebase|Firestore|Web Push|APNs) clients)\b' .build/test.log || true)"$$'\n'; \
	done
endef
failures = [ -z "$$failed" ] || { printf '\nThese failed:\n%s' "$$failed" >&2; exit 1; }

fuzz: build-$(TESTED) ## send malformed requests to a gateway, and check for crashes, server errors, hangs and leaks
	$(SWIFT) build --configuration $(TESTED) --product Fuzz
	@exec $(FUZZ) $(ARGS)

FUZZ = .build/$(TESTED)/Fuzz --gateway .build/$(TESTED)/pushgate

chaos: build-$(TESTED) ## kill a gateway under load, fill its disk and cut its power, repeatedly, and count losses
	@exec $(CHAOS) $(ARGS)

CHAOS = Tests/Chaos/run --binary .build/$(TESTED)/pushgate

soak: build-$(TESTED) ## load a gateway steadily for minutes or hours, and look for growth; ARGS="--minutes 60" also judges it
	@exec Tests/Soak/run --binary .build/$(TESTED)/pushgate $(ARGS)

# Parts that take too long belong in `verify` (CONTRIBUTING.md).
check: export PUSHGATE_MINUTES_ALLOWED := 40
check: ## run all checks before a merge: format, warnings, tests, a minute of fuzz, a short chaos, the cost
	@$(call measured,check-parts)

# A part that fails keeps the later ones from running only if they need what it builds.
check-parts: export PUSHGATE_WARNINGS := error
check-parts: lint comments folders traps synchronization build-tests warnings test check-fuzz check-chaos check-power-cuts check-cost check-cost-test

check-fuzz: build-tests
	@printf '\nFuzz\n'; $(MINUTES) fuzz $(FUZZ) --seconds 60 --seed $(FUZZ_SEED)

check-chaos: build-tests
	@printf '\nChaos\n'; $(MINUTES) chaos $(CHAOS) --cycles 4 --full-disks 2 --power-cuts 0

check-power-cuts: build-tests
	@printf '\nPower cuts\n'; $(MINUTES) 'power cuts' $(CHAOS) --cycles 0 --full-disks 0 --power-cuts 20

check-cost: released build-tests
	@printf '\nCost\n'; $(MINUTES) cost $(COST) --cost

check-cost-test: released build-tests
	@$(MINUTES) 'test of cost' $(COST) --cost-test

verify: ## run the checks that take hours: a million requests of fuzz, a long chaos, the package, a debug build, the thread sanitizer
	@$(call measured,verify-parts)

# Each part runs a make of its own, because `tsan` builds with other settings. Optimized, the requests take minutes.
verify-parts: verify-fuzz verify-chaos verify-power-cuts verify-relay verify-cluster verify-patroni verify-clients verify-deb verify-debug verify-tsan

verify-fuzz:
	@printf '\nFuzz\n'; $(MINUTES) fuzz $(MAKE) --no-print-directory fuzz ARGS='--requests 1000000'

verify-chaos:
	@printf '\nChaos\n'; $(MINUTES) chaos $(MAKE) --no-print-directory chaos ARGS='--power-cuts 0'

verify-power-cuts:
	@printf '\nPower cuts\n'; $(MINUTES) 'power cuts' $(MAKE) --no-print-directory chaos ARGS='--cycles 0 --full-disks 0 --power-cuts 300'

verify-relay:
	@printf '\nRelay\n'; $(MINUTES) 'relay' $(MAKE) --no-print-directory chaos ARGS='--relay --cycles 100'

verify-cluster:
	@printf '\nSeveral gateways\n'; $(MINUTES) 'several gateways' $(MAKE) --no-print-directory chaos ARGS=--cluster

verify-patroni:
	@printf '\nPatroni\n'; $(MINUTES) patroni $(MAKE) --no-print-directory chaos ARGS='--patroni --cycles 6'

verify-clients:
	@printf '\nClients on PostgreSQL\n'; $(MINUTES) 'clients on PostgreSQL' $(MAKE) --no-print-directory clients ARGS='--store postgresql'

verify-deb:
	@printf '\nDebian package\n'; $(MINUTES) 'debian package' $(MAKE) --no-print-directory deb-check ARGS=

verify-debug:
	@printf '\nTests in a debug build\n'; $(MINUTES) 'debug build' $(MAKE) --no-print-directory quick TESTS='$(ASSERTED_TARGETS)' ARGS=

verify-tsan:
	@printf '\nThread sanitizer\n'; $(MINUTES) 'thread sanitizer' $(MAKE) --no-print-directory tsan ARGS=

# The first run takes half an hour. Code is about 12 times slower under the sanitizer, so tests run one after the other.
# Reports go to files, because gateways in processes of their own write reports too.
tsan: export PUSHGATE_SANITIZER := thread
tsan: export TSAN_OPTIONS := log_path=$(CURDIR)/$(TSAN_SCRATCH)/report suppressions=$(CURDIR)/Tests/sanitizer-suppressions
tsan: toolchain packages test-packages ## run all tests under the thread sanitizer
	@rm -f $(TSAN_SCRATCH)/report.*
	$(SWIFT) build --build-tests --sanitize thread --scratch-path $(TSAN_SCRATCH)
	@for target in $(TEST_TARGETS); do \
	    printf '\n%s\n' "$$target"; \
	    $(SWIFT) test --skip-build --no-parallel --sanitize thread --scratch-path $(TSAN_SCRATCH) \
	        --filter "^$$target\." $(ARGS) || failed="$${failed:-} $$target"; \
	done; \
	[ -z "$${failed:-}" ] || echo "make: these failed:$$failed" >&2; \
	cat $(TSAN_SCRATCH)/report.* 2>/dev/null && { echo 'make: these races were found.' >&2; exit 1; }; \
	[ -z "$${failed:-}" ]

screenshots: test-packages build-tests ## save pictures of every page, small and large, light and dark, in .build/screenshots
	@rm -rf .build/screenshots; mkdir -p .build/screenshots
	SCREENSHOTS=$(CURDIR)/.build/screenshots $(SWIFT) test --skip-build --configuration $(TESTED) --filter '^BrowserTests\.' $(ARGS)
	@echo "$$(ls .build/screenshots | wc -l) pictures are in .build/screenshots."

format: toolchain ## format our sources by .swift-format
	$(SWIFT) format --in-place --recursive --parallel $(FORMATTED)

bench: toolchain packages ## run the benchmarks; see Benchmarks/
	Benchmarks/run $(ARGS)

cost: released build-release ## count allocations, statements and system calls of a request; ARGS=--accept stores the result
	$(COST) $(or $(ARGS),--cost)

COST = Benchmarks/run --built .build/release

# Fails if the tests are to use a debug build.
released:
	@[ '$(TESTED)' = release ] \
	    || { echo 'make: the cost is that of a release build: leave out CONFIGURATION=$(TESTED).' >&2; exit 1; }

docs: toolchain packages ## build the reference of the four libraries, with warnings as errors, in .build-docs
	@mkdir -p .build-docs/reference
	PUSHGATE_DOCS=1 $(SWIFT) package --scratch-path .build-docs --allow-writing-to-directory .build-docs/reference \
	    generate-documentation $(addprefix --target ,$(LIBRARIES)) --warnings-as-errors \
	    --output-path .build-docs/reference

clean: toolchain ## remove build products; the dependencies' sources and your data stay
	$(SWIFT) package clean

image: ## build the container image from docker/Dockerfile
	@[ -n '$(ENGINE)' ] || { echo 'make: no container engine found: install docker, podman or buildah.' >&2; exit 1; }
# Only docker's image format supports HEALTHCHECK; docker itself writes no other format.
	$(ENGINE) build $(if $(filter docker,$(notdir $(ENGINE))),,--format docker) \
	    $(if $(PLATFORM),--platform $(PLATFORM)) --file docker/Dockerfile --tag $(IMAGE) $(ARGS) .

image-check: ## build the image, run it, and send a notification to its inbox; without an engine, say so
	@if [ -z '$(ENGINE)' ]; then \
	    echo 'The image is not checked: there is no container engine (docker, podman or buildah).'; \
	else \
	    $(MAKE) --no-print-directory image && docker/check '$(ENGINE)' '$(IMAGE)'; \
	fi

release: toolchain packages ## build the binary for a server, which needs no Swift there
	.ci/progress $(SWIFT) build --scratch-path $(STATIC_SCRATCH) --configuration release --product pushgate --static-swift-stdlib
	@echo '$(STATIC_SCRATCH)/release/pushgate is ready; docker/README.md explains the installation.'

deb: architecture release deb-packages ## build the Debian package of that binary, in .build
	@rm -f .build/pushgate_*.deb
	@packaging/debian/build $(STATIC_SCRATCH)/release/pushgate

# Only root may make the system in which it is installed.
deb-check: deb deb-check-packages ## install, upgrade, remove and purge the Debian package in a minimal system of its own
	@$$([ "$$(id -u)" = 0 ] || echo sudo) packaging/debian/check .build/pushgate_*.deb

# ---- Parts of the goals above --------------------------------------------------------------------------------------

build: build-$(STARTED)

build-debug build-release: build-%: toolchain packages
	@[ -e .build/$*/pushgate ] \
	    || echo 'Building pushgate and its dependencies. The first time takes minutes, later ones seconds.'
	.ci/progress $(SWIFT) build --configuration $* --product pushgate

# Fails unless TESTS names test targets only.
known-tests:
	@unknown='$(filter-out $(TEST_TARGETS),$(TESTS))'; \
	if [ -n '$(strip $(TESTS))' ] && [ -z "$$unknown" ]; then exit 0; fi; \
	{ \
	    if [ -n "$$unknown" ]; then echo "make: these are no test targets: $$unknown"; \
	    else echo 'make: name the test targets: make quick TESTS="MessagingTests APNsTests"'; fi; \
	    echo 'The test targets are:'; printf '  %s\n' $(TEST_TARGETS); \
	} >&2; \
	exit 1

lint: toolchain
	$(MINUTES) lint $(SWIFT) format lint --strict --recursive --parallel $(FORMATTED)

comments:
	$(MINUTES) comments .ci/comments $(FOLDERS)

folders:
	$(MINUTES) folders .ci/folders Sources store functions

traps:
	$(MINUTES) traps .ci/traps Sources store functions

synchronization:
	$(MINUTES) synchronization .ci/synchronization Tests/InstrumentedSynchronization $(FOLDERS)

# PUSHGATE_WARNINGS=error makes Package.swift treat warnings as errors in our targets only. The log of a build is not
# sufficient: SwiftPM prints a warning only while it compiles the file. Errors are never cached, and changing the flag
# recompiles our targets, so an incremental build finds the same as a full one. SwiftPM's own warnings about the package
# (a file in no target, for example) appear in every log, and are searched there.
build-tests: toolchain packages
	@mkdir -p .build
	$(MINUTES) build $(SWIFT) build --configuration $(TESTED) --build-tests 2>&1 | tee .build/warnings.log

warnings: build-tests
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
	        echo '      run this again; or give its path: make SWIFT=/path/to/swift …'; \
	    } >&2; \
	    exit 1; \
	fi

# Fails if the package is to be for another processor than this machine's.
architecture:
	@own=$$(dpkg --print-architecture 2>/dev/null || uname -m); \
	if [ -n '$(ARCHITECTURE)' ] && [ '$(ARCHITECTURE)' != "$$own" ]; then \
	    { \
	        echo "make: this machine is $$own, and a package for $(ARCHITECTURE) is built on such a machine, or in such a container."; \
	        echo '      To build it here a Swift SDK is missing that has the libraries of Debian 12 for that processor:'; \
	        echo '      $(filter-out pkg-config,$(DEBIAN_PACKAGES)).'; \
	        echo '      Swift.org offers none; its static SDK has another C library, and not all of these. See docker/README.md.'; \
	    } >&2; \
	    exit 1; \
	fi

# Uses dpkg if there is one, because pkg-config cannot identify libcurl's OpenSSL variant. On other systems
# (macOS with Homebrew, other distributions) it uses pkg-config, and installing packages is left to you.
packages:
	@if ! command -v dpkg-query >/dev/null; then \
	    pkg-config --exists $(PKG_CONFIG_MODULES) && exit 0; \
	    echo 'make: pkg-config must find $(PKG_CONFIG_MODULES): install their development packages.' >&2; exit 1; \
	fi; \
	.ci/packages 'the libraries that pushgate links with' $(DEBIAN_PACKAGES)

test-packages:
	@if ! command -v dpkg-query >/dev/null; then \
	    for name in $(TEST_COMMANDS); do \
	        command -v $$name >/dev/null || { echo "make: the tests use $$name: install it." >&2; exit 1; }; \
	    done; \
	    exit 0; \
	fi; \
	.ci/packages 'the programs that the tests use' $(TEST_PACKAGES)

client-packages:
	@if command -v dpkg-query >/dev/null; then \
	    .ci/packages 'clients of FCM and Firestore for the tests' $(CLIENT_PACKAGES) \
	        || echo 'Some clients of FCM or Firestore are missing: their tests are skipped.'; \
	fi

deb-packages deb-check-packages:
	@command -v dpkg-query >/dev/null || { echo 'make: only Debian, or a system like it, has what makes a package.' >&2; exit 1; }; \
	.ci/packages 'the programs for the Debian package' $(if $(filter deb-packages,$@),$(DEB_PACKAGES),$(DEB_CHECK_PACKAGES))
