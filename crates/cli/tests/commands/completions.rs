//! Completions: the scripts, and how a word can go on. `tests/shells.py` presses the keys in real shells.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use super::run;
use assert_cmd::Command;

#[test]
fn completions_name_the_commands_and_what_they_take() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}"));
        // The other scripts ask the program at every completion.
        let is_asking = ["bash", "zsh", "fish"].contains(&shell);
        let expected =
            if is_asking { format!("completions {shell} -- ") } else { "networks".into() };
        assert!(script.contains(&expected), "{shell}");
    }
}

/// The candidates for the last of the words after `pavane`; an empty word is `_`.
fn candidates(shell: &str, words: &str) -> Vec<String> {
    let words = words.split(' ').map(|word| if word == "_" { "" } else { word });
    let mut pavane = Command::cargo_bin("pavane").expect("the program is built for its tests");
    let output = pavane.args(["completions", shell, "--"]).args(words).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn completions_are_for_the_position_at_the_cursor() {
    for (words, expected) in [
        ("solve hyperc", "hypercube:"),
        ("solve mesh", "mesh:"),
        ("solve dgx-a", "dgx-a100:"),
        ("solve hypercube:3 all-", "all-gather all-to-all all-reduce"),
        ("solve --time 5s hypercube:3 all-r", "all-reduce"),
        ("solve --time=5s -o x.json hypercube:3 all-r", "all-reduce"),
        ("solve hypercube:3", ""),
        ("solve ring:4 --ro", "--root --routing"),
        ("solve ring:4 --root 1 --ro", "--routing"),
        ("solve --engine hgs", "hgsa"),
        ("solve --engine=hgs", "--engine=hgsa"),
        ("solve ring:4 all-gather --minimize _", "steps time"),
        ("solve --switching s", "store-and-forward"),
        ("solve --engine hgsa --set isl", "islands="),
        ("deadlock --routing dim", "dimension-order"),
        ("traffic run --routing e-", "e-cube"),
        ("traffic run --policy f", "fifo ff"),
        ("traffic run --permutation=t", "--permutation=transpose --permutation=tornado"),
        ("traffic run --permutation rin", "ring:"),
        ("traffic compare ring:4 --policy fifo,l", "fifo,lf fifo,lbf"),
        ("traffic compare ring:4 --policy=fifo,all", "--policy=fifo,all"),
        ("traffic compare --switching cs,v", "cs,vct"),
        ("traffic compare --switching cs,c", ""),
        ("traffic sweep --over r", "rate"),
        ("faults ring:4 --of links,r", "links,routers"),
        ("faults ring:4 all-gather broa", "broadcast"),
        ("compare ring:4 all-gather --with a.json b.json --byt", "--bytes"),
        ("export x.json --to msccl", "msccl mscclpp"),
        ("export x.json --to poseid", "poseidon"),
        ("check-plan --collective allg", "allgather"),
        ("engines ejec", "ejection"),
        ("atlas sea", "search"),
        ("atlas search tor", "torus:"),
        ("networks tor", "torus:"),
        ("draw tor", "torus:"),
        ("reproduce gecco-2 gecco-f", "gecco-figure-7"),
        ("reproduce traffic-figure-9", "traffic-figure-9"),
        ("completions b", "bash"),
        ("so", "solve"),
        ("--qu", "--quiet"),
        ("nothing such", ""),
    ] {
        assert_eq!(candidates("bash", words).join(" "), expected, "{words}");
    }
}

#[test]
fn completions_say_what_a_word_means() {
    let [torus] = &candidates("fish", "solve torus")[..] else { panic!("one network") };
    assert!(torus.starts_with("torus:\t"), "{torus}");
    for shell in ["zsh", "fish"] {
        let all = candidates(shell, "solve --engine _");
        assert!(all.len() > 20 && all.iter().all(|line| line.contains('\t')), "{all:?}");
        assert!(all.iter().all(|line| line.chars().count() < 110), "{all:?}");
    }
    let families = candidates("zsh", "solve _");
    let list = run("networks");
    for line in families {
        let name = line.split([':', '\t']).next().unwrap();
        assert!(list.contains(name), "{name}");
    }
}
