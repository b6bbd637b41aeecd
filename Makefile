# The front door. Each target is a thin name for swift, or for a script that says more.
#
#   make demo      set everything up, run the example pipeline on this project's own sources
#   make test      set everything up, pass every test
#   make install   PREFIX=/usr/local DESTDIR=: installs what `make` has built
#   make bench     the budgets, as ratios
#   make repeat    TIMES=100 TESTS=: looks for tests that fail by chance
#   make mutate    SINCE=<commit> | SAMPLE=1000 SEED=1 | FOLDER=<folder>: mutation testing (docs/mutation.md)
#   make fuzz      FUZZ_TIME=60: libFuzzer on signatures, arguments, JSON and libraries, seconds for each
#   make libpromise ARCH=aarch64     cross-builds it into .build-aarch64; LIBC=musl: into .build-musl

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
FUZZ_TIME ?= 60
TIMES ?= 100
KILLED_CALLS ?= 10000
SOAK_CALLS ?= 1000000
LOOP_SECONDS ?= 60
MONKEY_SECONDS ?= 60

# The tests load plugins from this folder and from the one for temporary files, which may belong to another user.
export PROMISE_ACCEPT_UNSAFE_FILES = 1

# What is installed. They are built apart: libpromise is Embedded Swift, which has no standard library to link, and
# plugin-host has one linked in, so that it needs no Swift either.
MACHINE := $(shell uname -m)
ARCH ?= $(MACHINE)
LIBC ?= glibc
ifeq ($(ARCH) $(LIBC),$(MACHINE) glibc)
LIBPROMISE = $(CURDIR)/.build/release/libpromise.so
else
LIBPROMISE = $(CURDIR)/.build-$(if $(filter musl,$(LIBC)),musl,$(ARCH))/libpromise.so
endif
LIBRARY = $(LIBPROMISE)
HOST_BUILD = $(CURDIR)/.build-host
PLUGIN_HOST = $(HOST_BUILD)/release/plugin-host
CONFORMANCE = $(CURDIR)/.build/conformance/promise-conformance

export MUTANTS SEED SECONDS_OF_ATTACK
export LIBPROMISE LIBRARY PLUGIN_HOST CONFORMANCE

# Swift builds in one folder; two at a time would wait for each other.
.NOTPARALLEL:
.PHONY: all demo test setup-build setup-demo setup-test setup-bench setup-arm64 setup-musl build libpromise plugin-host \
  conformance install uninstall \
  test-swift test-docs test-isolation test-threads test-abi test-examples test-drafts test-draft-calls test-package test-adapters test-counts test-faults test-sanitizers \
  test-mutants test-exchange test-kills soak soak-abi \
  test-round-trips test-interleavings test-orderings coverage \
  test-features test-compilers test-arm64 test-musl test-mutate docs lint format bench mutate repeat census fuzz clean

all: build

# The Debian packages that are missing, for what was asked.
setup-build setup-demo setup-test setup-bench setup-arm64 setup-musl:
	@scripts/setup.sh $(@:setup-%=%)

build: libpromise plugin-host conformance

# libpromise.so, and libpromise.a beside it.
ifeq ($(ARCH) $(LIBC),$(MACHINE) glibc)
libpromise: setup-build
	$(TIMED) swift build -c release -j $(JOBS) --product promise
	@scripts/build-archive.sh "$(LIBPROMISE:.so=.a)" "$(dir $(LIBPROMISE))promise.product/Objects.LinkFileList"
else
libpromise: $(if $(filter musl,$(LIBC)),setup-musl,setup-arm64)
	@scripts/build-libpromise.sh "$(ARCH)" "$(LIBC)" "$(dir $(LIBPROMISE))"
endif

# Archives where the linker would prefer shared libraries, which cost each start.
HOST_ARCHIVES = $(HOST_BUILD)/archives
plugin-host: setup-build
	@mkdir -p "$(HOST_ARCHIVES)"
	@for name in libstdc++.a libffi.a; do ln -sf "$$($(CC) -print-file-name=$$name)" "$(HOST_ARCHIVES)/"; done
	$(TIMED) swift build -c release -j $(JOBS) --scratch-path "$(HOST_BUILD)" --static-swift-stdlib -Xlinker -s \
	  --disable-local-rpath -Xswiftc "-L$(HOST_ARCHIVES)" --product plugin-host

# C alone.
conformance:
	$(TIMED) scripts/build-conformance.sh "$(dir $(CONFORMANCE))"

demo: setup-demo build
	@OUT="$(CURDIR)/out/demo" examples/demo.sh

# Builds nothing: root may install files that another user has built.
install:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh install

uninstall:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh uninstall

# Each part notes its seconds in the file TIMES, which the last lines of the run show.
TIMED = @scripts/timed.sh $@
# Two rows of parts, each in turn, one row beside the other. Only one of them builds in .build.
BESIDE = lint plugin-host test-drafts test-package test-adapters test-threads
IN_TURN = test-features test-swift test-docs test-isolation test-abi test-counts test-examples
test: export TIMES = $(CURDIR)/.build/times
test: setup-test
	@mkdir -p "$(dir $(TIMES))"
	@date +%s >"$(TIMES)"
	@scripts/beside.sh '$(MAKE) --no-print-directory $(BESIDE)' '$(MAKE) --no-print-directory $(IN_TURN)'
	@scripts/timed.sh --show
	@echo "make test: everything passed"

# Every Swift test: the specification's clauses, the plugin runtime, the command line.
test-swift: setup-test
	$(TIMED) scripts/test-swift.sh

# 2,000 random functions, compiled four ways: host and C agree on every bit. Longer; not part of `make test`.
test-round-trips: setup-test
	@scripts/test-round-trips.sh

# Broken and hostile plugins; the verifier against the system's libraries and damaged files. Not part of `make test`.
test-faults: setup-test plugin-host
	@scripts/test-faults.sh

# MUTANTS=5000 SEED=: damaged plugins in worker processes; the host never dies, and never hangs.
test-mutants: setup-test plugin-host
	@scripts/test-faults.sh --mutants

# SECONDS_OF_ATTACK=60: the files of a plugin are exchanged or overwritten, each way for that time; no byte of others runs.
test-exchange: setup-test plugin-host
	@scripts/test-faults.sh --exchange

# KILLED_CALLS=10000: no promise is lost while workers are killed at random. A tenth of it is part of `make test`.
test-kills: setup-test
	KILLED_CALLS="$(KILLED_CALLS)" swift test --filter WorkerDeaths

# SOAK_CALLS=1000000 into worker processes, with kills, cancellations and reloads: memory and descriptors stay flat.
soak: setup-test
	SOAK_CALLS="$(SOAK_CALLS)" swift test --filter Soak

# Random calls on everything from four threads, with and without memory, under ThreadSanitizer: MONKEY_SECONDS=60 for each
# of 16 tests, MONKEY_SEED=1; and calls on loops that others release: LOOP_SECONDS=60.
soak-abi: setup-test libpromise
	LOOP_SECONDS="$(LOOP_SECONDS)" MONKEY_SECONDS="$(MONKEY_SECONDS)" scripts/sanitize-abi.sh thread \
	  loop_threads monkeys monkeys_scarce

# Every order of the engine's atomic operations, the cases that take minutes included. Longer; not part of `make test`.
test-interleavings: setup-test
	INTERLEAVINGS=all swift test --filter EngineInterleavings

# The documentation has no link to nothing, and its snippets compile.
test-docs: setup-test docs
	$(TIMED) scripts/check-snippets.sh

# Programs that must compile, and programs that race and must not; the type checker's work for chains is linear.
test-isolation: setup-test
	$(TIMED) scripts/check-isolation.sh

# Each row of docs/features.txt has a test.
test-features:
	$(TIMED) scripts/check-features.sh

# The concurrent ones again, under ThreadSanitizer.
test-threads: setup-test
	$(TIMED) scripts/test-threads.sh

# The same with a race detector that follows the memory orderings. Longer; not part of `make test`.
test-orderings: setup-test
	@scripts/test-orderings.sh

# Coverage of Swift and C together, by folder. Longer; not part of `make test`.
coverage: setup-test libpromise
	@scripts/coverage.sh

# The C programs with a sanitizer in both halves. Longer; not part of `make test`.
test-sanitizers: setup-test libpromise
	@scripts/test-threads.sh all
	@scripts/sanitize-abi.sh thread
	@scripts/sanitize-abi.sh address

# C programs against the installed library, and what the library exports. Each program with one compiler, each C++
# program with one compiler and standard.
test-abi: setup-test libpromise
	$(TIMED) env SPREAD=1 scripts/test-abi.sh

# The same with every compiler and every standard. Longer; not part of `make test`.
test-compilers: setup-test libpromise
	@scripts/test-abi.sh

# The conformance program and the C programs for arm64, under qemu. Not part of `make test`.
test-arm64: setup-arm64
	@$(MAKE) --no-print-directory libpromise ARCH=aarch64 LIBC=glibc
	@LIBRARY="$(CURDIR)/.build-aarch64/libpromise.so" scripts/test-arm64.sh

# The same with musl: loaded, and linked statically. Not part of `make test`.
test-musl: setup-musl
	@$(MAKE) --no-print-directory libpromise ARCH=$(MACHINE) LIBC=musl
	@scripts/test-musl.sh

# What can be counted rather than timed: allocations, instructions, bytes.
test-counts: setup-test libpromise plugin-host
	$(TIMED) scripts/check-counts.sh

# The examples in every language, and the demo's results checked with gzip, sha256sum and sqlite3.
test-examples: setup-test build
	$(TIMED) scripts/test-examples.sh

# No draft of plugin-host adopt is unsafe, over the headers of the libraries that are installed.
test-drafts: setup-test plugin-host
	$(TIMED) scripts/check-drafts.py "$(PLUGIN_HOST)"

# The drafts, called with random arguments: none writes elsewhere. Longer; not part of `make test`.
test-draft-calls: setup-test plugin-host
	@scripts/check-drafts.py "$(PLUGIN_HOST)" --table --check
	@scripts/check-drafts.py "$(PLUGIN_HOST)" --table --check --caller-memory

# Another package depends on this one by version.
test-package: setup-test
	$(TIMED) scripts/test-dependent-package.sh

# The adapters to swift-log, swift-metrics, swift-distributed-tracing and OpenCombine.
test-adapters: setup-test
	$(TIMED) scripts/test-adapters.sh

# The documentation of the Swift API, in out/docs.
docs: setup-test
	$(TIMED) scripts/docs.sh

lint: setup-test
	$(TIMED) scripts/lint.sh

format: setup-test
	@scripts/lint.sh --fix

bench: setup-bench build
	@scripts/bench.sh

# TIMES=100 TESTS=: runs the tests again and again while every processor is busy. Longer; not part of `make test`.
repeat: setup-test libpromise
	@TIMES="$(TIMES)" scripts/repeat.sh $(TESTS)

# SUITES=: the objects, threads and descriptors that each Swift suite leaves at its end. Not part of `make test`.
census: setup-test
	@scripts/census.sh $(SUITES)

# The tests of the mutation tool, which parses Swift: they build swift-syntax. Not part of `make test`.
test-mutate: setup-test
	swift test --package-path Tests/Mutations

# Which small faults in the code no test notices. Longer; not part of `make test`.
mutate: setup-test
	@JOBS="$(JOBS)" SINCE="$(SINCE)" SAMPLE="$(SAMPLE)" SEED="$(SEED)" FOLDER="$(FOLDER)" EXCEPT="$(EXCEPT)" \
	  KIND="$(KIND)" ONLY="$(ONLY)" TABLE="$(TABLE)" TESTS="$(TESTS)" OPTIONS="$(OPTIONS)" scripts/mutate.sh

# Not part of `make test`, which replays the corpus that this keeps.
fuzz: setup-test
	@FUZZ_TIME="$(FUZZ_TIME)" scripts/fuzz.sh
	@FUZZ_TIME="$(FUZZ_TIME)" scripts/fuzz-json.sh

clean:
	rm -rf .build .build-mutate Tests/Fuzz/.build Tests/Mutations/.build Tests/Adapters/.build "$(HOST_BUILD)" .build-threads .build-addresses \
	  .build-fuzz .build-aarch64 .build-musl out
