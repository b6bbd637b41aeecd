#!/bin/sh
# Installs the Debian packages that building, the demo and the tests need; on another system, or without the right to, names
# them.
set -eu

# What is needed, as "command or pkg-config module or header":package.
missing=""
need() { # need PACKAGE TEST...
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }

need pkg-config has pkg-config
need libffi-dev pkg-config --exists libffi
need zlib1g-dev pkg-config --exists zlib
need libssl-dev pkg-config --exists libcrypto
need libsqlite3-dev pkg-config --exists sqlite3
need sqlite3 has sqlite3
need gzip has gzip
need gcc has gcc
need g++ has g++
need python3 has python3
need valgrind has valgrind
need tcc has tcc
need clang-format has clang-format
need shellcheck has shellcheck
need man-db has man
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
