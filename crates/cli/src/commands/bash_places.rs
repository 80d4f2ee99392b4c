//! Completion of positional arguments in bash. The script of clap offers the words of all positions and all
//! options at once; this part offers those of the position at the cursor.

use clap::{Arg, Command};

/// The script that follows the one of clap.
const SCRIPT: &str = r#"
_pavane_placed() {
    _pavane "$@"
    local cur="$2" path="" place=0 skip=0 i word before="" words=""
    [[ $cur == -* ]] && return 0
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == : || $before == : || $before == "=" ]]; then
            # The shell splits words at colons and equals signs.
            before=$word
            continue
        fi
        before=$word
        if [[ $word == "=" ]]; then
            skip=0
        elif ((skip)); then
            skip=0
        elif [[ $word == -* ]]; then
            case "$path $word" in
VALUED
            esac
        else
            case "$path $word" in
COMMANDS
            *) place=$((place + 1)) ;;
            esac
        fi
    done
    ((skip)) && return 0
    if [[ $cur == : || $before == : ]]; then
        COMPREPLY=()
        return 0
    fi
    case "$path/$place" in
PLACES
    esac
    [[ -z $words ]] && return 0
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then
        compopt -o nospace
    fi
}

complete -F _pavane_placed -o nosort -o bashdefault -o default pavane 2>/dev/null ||
    complete -F _pavane_placed -o bashdefault -o default pavane
"#;

/// The cases of the script.
#[derive(Default)]
struct Cases {
    valued: Vec<String>,
    commands: Vec<String>,
    places: Vec<String>,
}

/// The script for a program whose arguments have suggestions. `with_colon` turns a suggestion into the word
/// to offer.
pub fn script(program: &Command, with_colon: impl Fn(&str) -> String) -> String {
    let mut cases = Cases::default();
    cases.add(program, "", &with_colon);
    SCRIPT
        .replace("VALUED\n", &format!("{}\n", cases.valued.join("\n")))
        .replace("COMMANDS\n", &format!("{}\n", cases.commands.join("\n")))
        .replace("PLACES\n", &format!("{}\n", cases.places.join("\n")))
}

impl Cases {
    fn add(&mut self, command: &Command, path: &str, with_colon: &impl Fn(&str) -> String) {
        let takes_values = |option: &&Arg| option.get_action().takes_values();
        for option in command.get_opts().filter(takes_values) {
            let long = option.get_long().map(|name| format!("\"{path} --{name}\""));
            let short = option.get_short().map(|name| format!("\"{path} -{name}\""));
            let names: Vec<String> = long.into_iter().chain(short).collect();
            self.valued.push(format!("            {}) skip=1 ;;", names.join(" | ")));
        }
        for (place, argument) in command.get_positionals().enumerate() {
            let words = argument.get_possible_values();
            let words: Vec<String> = words.iter().map(|word| with_colon(word.get_name())).collect();
            if words.is_empty() {
                continue;
            }
            let is_last = argument.get_num_args().is_some_and(|count| count.max_values() > 1);
            let place = if is_last { "*".to_owned() } else { place.to_string() };
            self.places.push(format!("    \"{path}\"/{place}) words=\"{}\" ;;", words.join(" ")));
        }
        for part in command.get_subcommands() {
            let own = format!("{path} {}", part.get_name());
            self.commands.push(format!("            \"{own}\") path=\"{own}\" ;;"));
            self.add(part, &own, with_colon);
        }
    }
}
