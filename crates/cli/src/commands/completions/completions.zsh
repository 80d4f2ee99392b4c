#compdef pavane

_pavane() {
    local program=${(Q)words[1]} line word
    local -a before open open_texts closed closed_texts
    (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
    for line in "${(@f)$(${~program} completions zsh -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        word=${line%%$'\t'*}
        [[ -z $word ]] && continue
        # A value follows a colon or an equals sign without a blank.
        if [[ $word == *[:=] ]]; then
            open+=("$word")
            open_texts+=("${line/$'\t'/  -- }")
        else
            closed+=("$word")
            closed_texts+=("${line/$'\t'/  -- }")
        fi
    done
    if (( $#open + $#closed == 0 )); then
        _files
        return
    fi
    (( $#open )) && compadd -l -S '' -d open_texts -a open
    (( $#closed )) && compadd -l -d closed_texts -a closed
}

if [[ $funcstack[1] == _pavane ]]; then
    _pavane "$@"
else
    compdef _pavane pavane
fi
