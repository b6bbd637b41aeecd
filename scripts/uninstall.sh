#!/bin/sh
# Takes away what scripts/install.sh put in place; the same variables and arguments.
exec "$(dirname "$0")/install.sh" --uninstall "$@"
