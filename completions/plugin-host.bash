# Completion of plugin-host for bash: plugins, functions, parameters and their values come from the program.

# Splits a line into `words` as bash does, without expansions. If a quote is not closed, `quote` is that quote, and
# `open` the length of the last word before it; otherwise they are empty.
_plugin_host_split() {
  local line=$1 word='' begun='' i character
  words=() open='' quote=''
  for ((i = 0; i < ${#line}; i++)); do
    character=${line:i:1}
    if [[ $character == "\\" && $quote != "'" ]]; then
      [[ $quote == '"' && ${line:i+1:1} != [\"\\\$\`] ]] && word+=$character
      ((i++))
      word+=${line:i:1} begun=1
    elif [[ -n $quote ]]; then
      if [[ $character == "$quote" ]]; then quote='' open=''; else word+=$character; fi
    elif [[ $character == [\'\"] ]]; then
      quote=$character open=${#word} begun=1
    elif [[ $character == [[:space:]] ]]; then
      [[ -n $begun ]] && words+=("$word")
      word='' begun=''
    else
      word+=$character begun=1
    fi
  done
  words+=("$word")
}

# Sets `quoted` to a text as it has to be written after `quote`, so that bash expands no part of it.
_plugin_host_quote() {
  case $quote in
    "'") quoted=${1//"'"/"'\\''"} ;;
    '"')
      quoted=${1//\\/\\\\} quoted=${quoted//\"/\\\"}
      quoted=${quoted//\$/\\\$} quoted=${quoted//\`/\\\`}
      ;;
    *)
      quoted=''
      [[ -n $1 ]] && printf -v quoted %q "$1"
      ;;
  esac
}

_plugin_host() {
  local words open quote quoted current start candidate
  _plugin_host_split "${COMP_LINE:0:COMP_POINT}"
  current=${words[${#words[@]} - 1]}
  # bash replaces only the text after an open quote, or after the last = or : of a word.
  if [[ -n $open ]]; then start=${current:0:open}; else start=${current%"${current##*[=:]}"}; fi
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    _plugin_host_quote "${candidate#"$start"}"
    COMPREPLY+=("$quoted")
  done < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2> /dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2> /dev/null; fi
}
complete -o default -o bashdefault -F _plugin_host plugin-host
