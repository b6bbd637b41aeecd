#!/usr/bin/env bash
# Installs the built parts under a prefix, or uninstalls them.
#
#     scripts/install.sh install|uninstall [library] [host] [conformance]
#
# library: libpromise.so with its links, libpromise.a, the headers with a module map, promise.cdef, promise.pc. host:
# plugin-host, its man page, its completions for bash, zsh and fish, and the helper libexec/plugin-worker, a link to it.
# conformance: promise-conformance and its man page. Each: the licence and the pages of docs/. Default: all.
#
# PREFIX       the prefix at run time: /usr/local
# DESTDIR      prepended to every path while installing, for packages; empty
# LIBDIR, INCLUDEDIR, BINDIR, LIBEXECDIR, DATADIR   lib, include, bin, libexec and share under PREFIX
# LIBRARY      the built library: .build/release/libpromise.so; libpromise.a beside it is installed if it exists
# PLUGIN_HOST  the built host: .build-host/release/plugin-host
# CONFORMANCE  the built program: .build/conformance/promise-conformance
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

version=1.0.0 # of the library's file; its first number is the soname's
prefix=${PREFIX:-/usr/local}
prefix=${prefix%/}
destdir=${DESTDIR:-}
libdir=${LIBDIR:-$prefix/lib}
includedir=${INCLUDEDIR:-$prefix/include}
bindir=${BINDIR:-$prefix/bin}
libexecdir=${LIBEXECDIR:-$prefix/libexec}
datadir=${DATADIR:-$prefix/share}
library=${LIBRARY:-$root/.build/release/libpromise.so}
archive=${library%.so*}.a
host=${PLUGIN_HOST:-$root/.build-host/release/plugin-host}
conformance=${CONFORMANCE:-$root/.build/conformance/promise-conformance}
documents=$datadir/doc/promise
mapfile -t pages < <(cd "$root/docs" && printf '%s\n' *.md)
cdef=$datadir/promise/promise.cdef
module_map=$includedir/CPromise/module.modulemap
declare -A completions=(
  [plugin-host.bash]=bash-completion/completions/plugin-host
  [_plugin-host]=zsh/site-functions/_plugin-host
  [plugin-host.fish]=fish/vendor_completions.d/plugin-host.fish
)
mapfile -t headers < <(cd "$root/include" && find . -name '*.h' -o -name '*.hpp' | sed 's,^\./,,' | sort)

usage() {
  echo "usage: install.sh install|uninstall [library] [host] [conformance]" >&2
  exit 64
}

die() {
  echo "install.sh: $1" >&2
  exit 2
}

# put MODE SOURCE TARGET [ADVICE]: installs one file, and creates its folder if necessary.
put() {
  [[ -f $2 ]] || die "no such file: $2${4:+ ($4)}"
  install -D -m "$1" "$2" "$destdir$3"
}

# write TARGET COMMAND...: installs the output of the command as one file.
write() {
  local target=$destdir$1
  shift
  install -d "$(dirname "$target")"
  "$@" > "$target"
  chmod 644 "$target"
}

# under_prefix PATH: a folder as a variable of promise.pc, so that it follows a prefix given to pkg-config.
under_prefix() {
  if [[ $1 == "$prefix"/* ]]; then echo "\${prefix}/${1#"$prefix"/}"; else echo "$1"; fi
}

# The licence, and the pages that the headers and manuals refer to.
install_documents() {
  local page
  put 644 "$root/LICENSE" "$documents/LICENSE"
  for page in "${pages[@]}"; do put 644 "$root/docs/$page" "$documents/$page"; done
}

install_library() {
  put 755 "$library" "$libdir/libpromise.so.$version" "build it first: make libpromise"
  ln -sf "libpromise.so.$version" "$destdir$libdir/libpromise.so.${version%%.*}"
  ln -sf "libpromise.so.${version%%.*}" "$destdir$libdir/libpromise.so"
  local header
  for header in "${headers[@]}"; do put 644 "$root/include/$header" "$includedir/$header"; done
  if [[ -f $archive ]]; then put 644 "$archive" "$libdir/libpromise.a"; fi
  # In a folder with the module's name, which compilers search too: the include folder is shared with other libraries.
  write "$module_map" sed 's,header ",&../,' "$root/include/module.modulemap"
  write "$cdef" "$root/scripts/make-cdef.sh"

  local text
  text=$(< "$root/promise.pc.in")
  text=${text//@LIBDIR@/"$(under_prefix "$libdir")"}
  text=${text//@INCLUDEDIR@/"$(under_prefix "$includedir")"}
  text=${text//@DATADIR@/"$(under_prefix "$datadir")"}
  text=${text//@PREFIX@/"$prefix"}
  text=${text//@VERSION@/"$version"}
  write "$libdir/pkgconfig/promise.pc" printf '%s\n' "$text"
  install_documents
}

# install_program NAME FILE TARGET: installs a program with its manual; TARGET is the make target that builds it.
install_program() {
  put 755 "$2" "$bindir/$1" "build it first: make $3"
  put 644 "$root/docs/man/$1.1" "$datadir/man/man1/$1.1"
  install_documents
}

install_host() {
  install_program plugin-host "$host" plugin-host
  install -d "$destdir$libexecdir"
  ln -sf "$(realpath -ms --relative-to="$libexecdir" "$bindir")/plugin-host" "$destdir$libexecdir/plugin-worker"
  local file
  for file in "${!completions[@]}"; do put 644 "$root/completions/$file" "$datadir/${completions[$file]}"; done
}
install_conformance() { install_program promise-conformance "$conformance" conformance; }

uninstall_library() {
  local name
  for name in libpromise.so libpromise.so."${version%%.*}" libpromise.so."$version" libpromise.a \
    pkgconfig/promise.pc; do
    rm -f "$destdir$libdir/$name"
  done
  rm -f "$destdir$module_map" "$destdir$cdef"
  remove_empty "$(dirname "$module_map")"
  remove_empty "$(dirname "$cdef")"
  for name in "${headers[@]}"; do rm -f "$destdir$includedir/$name"; done
  remove_empty "$includedir/promise/cpp"
  remove_empty "$includedir/promise"
}

uninstall_program() { rm -f "$destdir$bindir/$1" "$destdir$datadir/man/man1/$1.1"; }
uninstall_host() {
  uninstall_program plugin-host
  rm -f "$destdir$libexecdir/plugin-worker"
  remove_empty "$libexecdir"
  local file
  for file in "${completions[@]}"; do rm -f "$destdir$datadir/$file"; done
}
uninstall_conformance() { uninstall_program promise-conformance; }

# The documents are removed with the last part that they cover.
uninstall_documents() {
  local page
  if [[ ! -e $destdir$libdir/libpromise.so.$version && ! -e $destdir$bindir/plugin-host &&
    ! -e $destdir$bindir/promise-conformance ]]; then
    rm -f "$destdir$documents/LICENSE"
    for page in "${pages[@]}"; do rm -f "$destdir$documents/$page"; done
    remove_empty "$documents"
  fi
}

remove_empty() {
  if [[ -d $destdir$1 ]]; then rmdir --ignore-fail-on-non-empty "$destdir$1"; fi
}

# The loader finds a library in one of its folders only after ldconfig. A package's own scripts run it.
refresh_loader() {
  local ldconfig
  ldconfig=$(PATH=$PATH:/sbin:/usr/sbin command -v ldconfig) || return 0
  if [[ -z $destdir && -w /etc/ld.so.cache ]] && "$ldconfig" -vNX 2> /dev/null | grep "^$libdir:" > /dev/null; then
    "$ldconfig" || echo "install.sh: ldconfig failed; programs may not find $libdir/libpromise.so.${version%%.*}" >&2
  fi
}

(($# > 0)) || usage
action=$1
shift
case $action in install | uninstall) ;; *) usage ;; esac
if (($# == 0)); then set -- library host conformance; fi
for part in "$@"; do
  case $part in library | host | conformance) ;; *) usage ;; esac
done
for path in "$prefix" "$libdir" "$includedir" "$bindir" "$libexecdir" "$datadir"; do
  [[ $path == /* ]] || die "'$path' is no absolute path"
done

umask 022
for part in "$@"; do "${action}_$part"; done
if [[ $action == uninstall ]]; then uninstall_documents; fi
if [[ " $* " == *" library "* ]]; then refresh_loader; fi
