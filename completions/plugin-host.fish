# Completion of plugin-host for fish: plugins, functions, parameters and their values come from the program.
function __plugin_host_candidates
    set -l words (commandline -opc)
    $words[1] complete -- $words[2..] (commandline -ct) 2>/dev/null
end
complete -c plugin-host -a '(__plugin_host_candidates)'
