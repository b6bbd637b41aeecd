#!/bin/sh
# Installs the missing Debian packages; on another system, or without root, prints their names.
#
#   scripts/setup.sh build|demo|test     each includes the one before
#   scripts/setup.sh bench               build, and the peers that calls are compared with
#   scripts/setup.sh arm64               the linker and the emulator for libpromise on arm64
#   scripts/setup.sh musl                the linker for libpromise with musl
set -eu
case ${1-} in
  build | demo | test | bench | arm64 | musl) purpose=$1 ;;
  *) echo "usage: setup.sh build|demo|test|bench|arm64|musl" >&2; exit 64 ;;
esac

missing=""
need() { # need PACKAGE TEST...
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }
library() { ldconfig -p | grep -q "$1"; }

need pkg-config has pkg-config
need libffi-dev pkg-config --exists libffi
need libyaml-dev sh -c 'ls /usr/include/yaml.h'
need g++ sh -c 'ls /usr/include/c++/*/cxxabi.h'
need libsqlite3-dev pkg-config --exists sqlite3
need libssl-dev pkg-config --exists libcrypto
need libsodium-dev pkg-config --exists libsodium
if [ "$purpose" = arm64 ]; then
  need gcc-aarch64-linux-gnu has aarch64-linux-gnu-gcc
  need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
  need qemu-user has qemu-aarch64
  need abigail-tools has abidiff
fi
if [ "$purpose" = musl ]; then
  need musl-tools has musl-gcc
fi
if [ "$purpose" = bench ]; then
  need luajit has luajit
  need php-cli has php
  need python3-cffi /usr/bin/python3 -c 'import cffi'
fi
if [ "$purpose" = demo ] || [ "$purpose" = test ]; then
  need zlib1g-dev pkg-config --exists zlib
  need sqlite3 has sqlite3
  need gzip has gzip
fi
if [ "$purpose" = test ]; then
  need gcc has gcc
  need g++ has g++
  # Third-party libraries with callback functions, called by their signatures.
  need libglib2.0-0 library libglib-2.0.so.0
  need libevent-2.1-7 library libevent-2.1.so.7
  need libsystemd0 library libsystemd.so.0
  need python3 has python3
  need luajit has luajit
  need php-cli has php
  need golang-go has go
  need python3-cffi /usr/bin/python3 -c 'import cffi'
  need python3-jsonschema /usr/bin/python3 -c 'import jsonschema'
  need valgrind has valgrind
  need abigail-tools has abidiff
  need tcc has tcc
  need libcurl4-openssl-dev pkg-config --exists libcurl
  need libuv1-dev pkg-config --exists libuv
  need libglib2.0-dev pkg-config --exists glib-2.0
  need clang-format has clang-format
  need shellcheck has shellcheck
  need man-db has man
fi
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "setup: install these (Debian's names) and run make again:$missing" >&2
  exit 1
fi
root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: as root, run: apt-get install$missing" >&2
    exit 1
  fi
  root=sudo
fi
echo "setup: installing$missing"
# shellcheck disable=SC2086 # words on purpose
$root apt-get update -qq && $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
