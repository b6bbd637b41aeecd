# Completion of plugin-host for bash: plugins, functions, parameters and their values come from the program.
_plugin_host() {
  local line=${COMP_LINE:0:COMP_POINT} words current candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[${#words[@]} - 1]}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    # bash replaces only the text after the last = or : of a word.
    COMPREPLY+=("${candidate#"${current%"${current##*[=:]}"}"}")
  done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2> /dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o default -o bashdefault -F _plugin_host plugin-host
