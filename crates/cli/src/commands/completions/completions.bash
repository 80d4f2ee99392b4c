# bash completion for pavane

_pavane() {
    local line=${COMP_LINE:0:COMP_POINT} rest i candidate
    local -a words=()
    # The shell splits words at colons and equals signs too; blanks in the line tell where words begin.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        rest=${line#"${line%%[![:space:]]*}"}
        line=${rest#"${COMP_WORDS[i]}"}
        if ((i == COMP_CWORD)); then
            set -- "$rest"
        else
            set -- "${COMP_WORDS[i]}"
        fi
        if ((i > 0)) && [[ -n $before && $rest == "$before" ]]; then
            words[${#words[@]} - 1]+=$1
        else
            words+=("$1")
        fi
        local before=$line
    done
    local current=${words[${#words[@]} - 1]}
    # What readline keeps of the word in front of the cursor.
    local kept=${current%"${current##*[:=]}"}
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("${candidate#"$kept"}")
    done < <("${words[0]/#\~/$HOME}" completions bash -- "${words[@]:1}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then
        compopt -o nospace
    fi
}

complete -F _pavane -o nosort -o bashdefault -o default pavane 2>/dev/null ||
    complete -F _pavane -o bashdefault -o default pavane
