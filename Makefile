# The front door. Each target is a thin name for swift, or for a script that says more.
#
#   make demo      set everything up, run the example pipeline on this project's own sources
#   make test      set everything up, pass every test
#   make install   PREFIX=/usr/local DESTDIR=
#   make bench     the budgets, as ratios

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)

# Where things are built: debug builds for tests in .build; what is installed in two folders of its own, because libpromise is Embedded
# Swift, which has no standard library to link, and plugin-host has one linked in.
LIBPROMISE = .build/release/libpromise.so
HOST_BUILD = .build-host
PLUGIN_HOST = $(HOST_BUILD)/release/plugin-host
EXAMPLES = .build/examples

export PREFIX DESTDIR LIBPROMISE PLUGIN_HOST EXAMPLES

.PHONY: all demo test setup build libpromise plugin-host examples install uninstall \
  test-swift test-threads test-abi test-examples test-package test-counts lint format bench clean

all: build

setup:
	@scripts/setup.sh

build: libpromise plugin-host

libpromise: setup
	swift build -c release -j $(JOBS) --product promise

plugin-host: setup
	swift build -c release -j $(JOBS) --scratch-path $(HOST_BUILD) --static-swift-stdlib --product plugin-host

demo: build
	@examples/demo.sh

install: build
	@scripts/install.sh

uninstall:
	@scripts/uninstall.sh

test: lint test-swift test-threads test-abi test-examples test-package
	@echo "make test: everything passed"

# Every Swift test: the specification's clauses, the plugin runtime, the command line.
test-swift: setup
	@scripts/test-swift.sh

# The concurrent ones again, under ThreadSanitizer.
test-threads: setup
	@scripts/test-threads.sh

# C programs against the installed library, and what the library exports.
test-abi: build
	@scripts/test-abi.sh

# The examples in every language, and the demo's results checked with gzip, sha256sum and sqlite3.
test-examples: build
	@scripts/test-examples.sh

# Another package depends on this one by version.
test-package: setup
	@scripts/test-dependent-package.sh

lint: setup
	@scripts/lint.sh

format: setup
	@scripts/lint.sh --fix

bench: build
	@scripts/bench.sh

clean:
	rm -rf .build $(HOST_BUILD) .build-threads
