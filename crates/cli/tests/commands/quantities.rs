//! Numeric options refuse values that are not finite or are negative.

use super::run;

/// Every option with a non-integer number, with the arguments before it.
const OPTIONS: &[&str] = &[
    "solve ring:4 oab --ts ",
    "solve ring:4 oab --tr ",
    "solve ring:4 oab --t1 ",
    "solve ring:4 oab --size ",
    "solve ring:4 oab --time ",
    "solve ring:4 aas --engine hgsa --set cold=",
    "throughput ring:4 aab --time ",
    "throughput ring:4 aab --bandwidth ",
    "throughput ring:4 aab --latency ",
    "throughput ring:4 aab --bytes ",
    "throughput ring:4 aab --trees ",
    "faults ring:4 oab --time ",
    "repair ring-oab.json --fault 2-3 --keep ",
    "repair ring-oab.json --fault 2-3 --time ",
    "bench octagon --time ",
    "bench survey octagon --time ",
    "reproduce gecco-4 --time ",
    "traffic run hypercube:3 --density ",
    "traffic run hypercube:3 --mean ",
    "traffic run hypercube:3 --sigma ",
    "traffic run hypercube:3 --window ",
    "traffic run hypercube:3 --collective aas --length ",
    "traffic run hypercube:3 --length ",
    "traffic compare hypercube:2 --missions 2 --density ",
    "traffic sweep hypercube:2 --missions 2 --values ",
    "traffic sweep hypercube:2 --missions 2 --over sigma --values ",
    "traffic sweep hypercube:2 --missions 2 --over interval --values ",
    "traffic sweep hypercube:2 --missions 2 --over hot-spots --values ",
    "traffic sweep hypercube:2 --missions 2 --values 0.5 --duration ",
    "traffic sweep hypercube:2 --missions 2 --values 0.5 --warm-up ",
];

#[test]
fn no_option_takes_a_number_that_is_not_finite_or_negative() {
    for option in OPTIONS {
        for value in ["NaN", "inf", "-inf", "-1", "1e999"] {
            let output = run(&format!("{option}{value}"));
            assert!(output.ends_with("[exit 2]\n") && output.contains("error: "), "{output}");
        }
    }
    let output = run("solve ring:4 oab --ts NaN");
    assert!(
        output.contains("'NaN' for '--ts <TIME>': expected a number from 0 to 1e100"),
        "{output}"
    );
}

#[test]
fn a_time_limit_says_what_it_expects() {
    for (value, expected) in [
        ("-5s", "a time is not negative; expected a time such as `60s`"),
        ("99999999999999999999s", "leave the option out for no limit"),
        ("5days", "expected a time such as `60s`"),
    ] {
        let output = run(&format!("solve ring:4 oab --time={value}"));
        assert!(output.ends_with("[exit 2]\n") && output.contains(expected), "{output}");
    }
}

/// Sums and products of the largest allowed numbers are finite.
#[test]
fn the_largest_costs_are_finite() {
    let output = run("solve ring:4 oab --ts 1e100 --tr 1e100 --t1 1e100 --size 1e100 --json");
    let cost = output.lines().find(|line| line.contains("\"cost\""));
    assert!(cost.is_some_and(|cost| cost.contains("e+200")), "{output}");
}
