# shellcheck shell=bash
# Probes the compilers that are installed for their features. Sourced.

# supports CODE COMMAND...: whether the compiler, with these options, compiles the code, and links it unless -c is among
# them.
supports() {
  local scratch status=0
  scratch=$(mktemp -d)
  printf '%b' "$1" > "$scratch/probe.${PROBE:-c}"
  shift
  "$@" "$scratch/probe.${PROBE:-c}" -o "$scratch/probe" > /dev/null 2>&1 || status=1
  rm -rf "$scratch"
  return $status
}

# standard_option COMPILER STANDARD: prints the option for the standard (c++2b for c++23 in older compilers). Prints
# nothing and fails if the compiler does not support it.
standard_option() {
  local name probe=c
  if [[ $2 == c++* ]]; then probe=cpp; fi
  for name in "$2" "${2/#c++23/c++2b}" "${2/#c++20/c++2a}"; do
    if PROBE=$probe supports 'int anchor;\n' "$1" "-std=$name" -c; then
      echo "-std=$name"
      return 0
    fi
  done
  return 1
}

# skip CHECK REASON: reports a skipped check.
skip() { echo "skipped: $1: $2"; }
