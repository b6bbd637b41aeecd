# shellcheck shell=bash
# The C programs that are linked with the library: those of Tests/ABI, and the checks of promise-conformance, each of
# which is a program too. Sourced, with `root` set.

# abi_programs: their names.
# shellcheck disable=SC2154
abi_programs() {
  printf '%s\n' "$root"/Tests/ABI/*.c "$root"/Sources/promise-conformance/checks/*.c | sed 's|.*/||; s|\.c$||' |
    grep -vxE 'layout|signatures' | sort -u
}

# abi_source PROGRAM: the file of a program.
abi_source() {
  local file=$root/Tests/ABI/$1.c
  if [[ -f $file ]]; then echo "$file"; else echo "$root/Sources/promise-conformance/checks/$1.c"; fi
}
