# fish completion for pavane

function __pavane_find
    set -l before (commandline -opc)
    set -l program $before[1]
    set -e before[1]
    set -l current (commandline -ct)
    test (count $current) -eq 0; and set current ''
    set -g __pavane_found ($program completions fish -- $before $current 2>/dev/null)
    test (count $__pavane_found) -gt 0
end

# Where nothing is found, the shell completes names of files.
complete -c pavane -n __pavane_find -f -a '(string join \n -- $__pavane_found)'
