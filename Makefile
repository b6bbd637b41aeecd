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
HOST_BUILD = $(CURDIR)/.build-host
LIBRARY = $(CURDIR)/.build/release/libpromise.so
PLUGIN_HOST = $(HOST_BUILD)/release/plugin-host
# Where the tests and the demo install to, so that they meet what users meet.
STAGE = $(CURDIR)/.build/stage
PLUGINS = $(CURDIR)/.build/plugins

export LIBRARY PLUGIN_HOST STAGE

.PHONY: all demo test setup build libpromise plugin-host example-plugins install uninstall stage \
  test-swift test-threads test-abi test-examples test-package test-counts lint format bench clean

all: build

setup:
	@scripts/setup.sh

build: libpromise plugin-host

libpromise: setup
	swift build -c release -j $(JOBS) --product promise

plugin-host: setup
	swift build -c release -j $(JOBS) --scratch-path $(HOST_BUILD) --static-swift-stdlib --product plugin-host

example-plugins: stage
	@PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig $(MAKE) --no-print-directory -C examples/plugins OUT=$(PLUGINS)

# One of the plugins links libpromise.so, which is staged rather than installed.
demo: example-plugins
	@LD_LIBRARY_PATH=$(STAGE)/lib PLUGINS=$(PLUGINS) OUT=$(CURDIR)/out/demo examples/demo.sh

install: build
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install.sh install

uninstall:
	@PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install.sh uninstall

stage: build
	@PREFIX=$(STAGE) DESTDIR= scripts/install.sh install

test: lint test-swift test-threads test-abi test-examples test-package
	@echo "make test: everything passed"

# Every Swift test: the specification's clauses, the plugin runtime, the command line.
test-swift: setup
	@scripts/test-swift.sh

# The concurrent ones again, under ThreadSanitizer.
test-threads: setup
	@scripts/test-threads.sh

# C programs against the installed library, and what the library exports.
test-abi: stage
	@scripts/test-abi.sh

# The examples in every language, and the demo's results checked with gzip, sha256sum and sqlite3.
test-examples: stage
	@scripts/test-examples.sh $(STAGE) .build/examples

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
