#!/usr/bin/env bash
# Installs the built parts under a prefix, or uninstalls them.
#
#     scripts/install.sh install|uninstall [library] [host] [conformance]
#
# library: libpromise.so with its links, libpromise.a, the headers with a module map, promise.cdef, promise.pc. host:
# plugin-host, its man page, its completions for bash, zsh and fish, and the helper libexec/plugin-worker, a link to it.
# conformance: promise-conformance and its man page. Each: the licence and the pages of docs/ for users. Default: all.
# Builds nothing, so that root can install files that another user has built. Removes libraries and pages of other
# versions.
#
# PREFIX       the prefix at run time: /usr/local
# DESTDIR      prepended to every path while installing, for packages; empty
# LIBDIR, INCLUDEDIR, BINDIR, LIBEXECDIR, DATADIR   lib, include, bin, libexec and share under PREFIX. With another
#              LIBEXECDIR, Swift programs name the helper by its path: WorkerProgram.installed(under:) expects libexec.
# LIBRARY      the built library: .build/release/libpromise.so; libpromise.a beside it is installed if it exists
# PLUGIN_HOST  the built host: .build-host/release/plugin-host
# CONFORMANCE  the built program: .build/conformance/promise-conformance
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

version=1.0.0 # of the library's file
soname=libpromise.so.${version%%.*}
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
# Pages for those who change the sources.
internal='architecture|mutation|releasing|testing'
mapfile -t pages < <(cd "$root/docs" && printf '%s\n' *.md decisions/*.md | grep -vxE "($internal)\.md")
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

# check_built FILE TARGET: TARGET is the make target that builds the file.
check_built() { [[ -f $1 ]] || die "no such file: $1 (build it first: make $2)"; }
check_library() { check_built "$library" libpromise; }
check_host() { check_built "$host" plugin-host; }
check_conformance() { check_built "$conformance" conformance; }

# put MODE SOURCE TARGET: installs one file, and creates its folder if necessary.
put() {
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

# show PAGE: prints a page. A link to a file that is not installed becomes its text.
show() {
  sed -zE "s,\[([^]]*)\]\((\.\./)*((include|Tests|examples|completions)/|[a-z-]+\.txt|($internal)\.md)[^)]*\),\1,g" \
    "$root/docs/$1"
}

# The licence, and the pages that the headers and manuals refer to.
install_documents() {
  local page
  remove_pages
  put 644 "$root/LICENSE" "$documents/LICENSE"
  for page in "${pages[@]}"; do write "$documents/$page" show "$page"; done
}

remove_pages() { rm -f "$destdir$documents"/*.md "$destdir$documents"/decisions/*.md; }

install_library() {
  put 755 "$library" "$libdir/libpromise.so.$version"
  ln -sf "libpromise.so.$version" "$destdir$libdir/$soname"
  ln -sf "$soname" "$destdir$libdir/libpromise.so"
  # ldconfig would link the soname to the newest.
  find "$destdir$libdir" -maxdepth 1 -name "$soname.*" ! -name "libpromise.so.$version" -delete
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

# install_program NAME FILE: installs a program with its manual.
install_program() {
  put 755 "$2" "$bindir/$1"
  put 644 "$root/docs/man/$1.1" "$datadir/man/man1/$1.1"
  install_documents
}

install_host() {
  install_program plugin-host "$host"
  install -d "$destdir$libexecdir"
  ln -sf "$(realpath -ms --relative-to="$libexecdir" "$bindir")/plugin-host" "$destdir$libexecdir/plugin-worker"
  local file
  for file in "${!completions[@]}"; do put 644 "$root/completions/$file" "$datadir/${completions[$file]}"; done
}
install_conformance() { install_program promise-conformance "$conformance"; }

uninstall_library() {
  local name
  rm -f "$destdir$libdir/$soname".*
  for name in libpromise.so "$soname" libpromise.a pkgconfig/promise.pc; do rm -f "$destdir$libdir/$name"; done
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
  if [[ ! -e $destdir$libdir/$soname && ! -e $destdir$bindir/plugin-host &&
    ! -e $destdir$bindir/promise-conformance ]]; then
    rm -f "$destdir$documents/LICENSE"
    remove_pages
    remove_empty "$documents/decisions"
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
    "$ldconfig" || echo "install.sh: ldconfig failed; programs may not find $libdir/$soname" >&2
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
if [[ $action == install ]]; then
  for part in "$@"; do "check_$part"; done
fi
for part in "$@"; do "${action}_$part"; done
if [[ $action == uninstall ]]; then uninstall_documents; fi
if [[ " $* " == *" library "* ]]; then refresh_loader; fi
