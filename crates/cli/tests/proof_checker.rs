//! Proofs of the exact engine pass `rate`, a checker of DRAT proofs by another author. It must be
//! installed, so the test is ignored by default. `./test proofs` installs it and runs the test.
//!
//! A DRAT proof is an LRAT proof without clause numbers and hints: `rate` finds the unit
//! propagations itself.

use crate::common::run_in;
use pavane_model::format::{Stored, open_beside, read_stored_file};
use pavane_model::problem::DELIVERIES;
use pavane_model::{Bound, Certificate, Problem};
use pavane_verify::exact::{MOST_LITERALS, encode};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// Problems and numbers of steps that are too few. Together they have every switching, routing,
/// duplex and port limit, broadcasts and personalised messages, and a fault.
const REFUTED: &[(&str, u32)] = &[
    ("octagon:8 aas", 3),
    ("mesh:3x3 mnb --senders 0-2 --ports 1 --switching sf", 4),
    ("complete:4 aas --ports 1 --switching sf --duplex half", 3),
    ("kautz:3,2 aas --fault 10-02", 8),
    ("path:6 aab --duplex half", 6),
    ("path:5 aab --ports 1 --switching sf", 6),
    ("tree:2,3 reduce --routing any", 2),
    ("tree:2,3 oab", 2),
];

/// Whether `rate` accepts a proof for the formula of a problem and a number of steps.
fn is_accepted(folder: &Path, problem: &Problem, steps: u32, proof: &str) -> bool {
    let cnf = encode(&problem.forward(), steps, MOST_LITERALS).expect("it is affordable").cnf;
    let mut formula = format!("p cnf {} {}\n", cnf.variable_count(), cnf.clause_count());
    for clause in cnf.clauses() {
        clause.iter().for_each(|literal| write!(formula, "{literal} ").expect("memory takes it"));
        formula.push_str("0\n");
    }
    let (formula_file, proof_file) = (folder.join("formula.cnf"), folder.join("proof.drat"));
    std::fs::write(&formula_file, formula).expect("the folder can be written");
    std::fs::write(&proof_file, proof).expect("the folder can be written");
    let mut rate = Command::new("rate");
    let output = rate.arg(formula_file).arg(proof_file).output().expect("rate is installed");
    let text = String::from_utf8_lossy(&output.stdout);
    let is_accepted = text.lines().any(|line| line == "s VERIFIED");
    let is_refused = text.lines().any(|line| line == "s NOT VERIFIED");
    assert!(is_accepted != is_refused, "rate says {output:?}");
    is_accepted
}

/// The clauses of an LRAT proof, without their numbers, hints and deletions.
fn to_drat(lrat: &str) -> String {
    let mut drat = String::new();
    for line in lrat.lines() {
        let mut words = line.split(' ').skip(1).peekable();
        if words.peek() == Some(&"d") {
            continue;
        }
        for literal in words.take_while(|&word| word != "0") {
            drat.push_str(literal);
            drat.push(' ');
        }
        drat.push_str("0\n");
    }
    drat
}

#[test]
#[ignore = "needs rate"]
fn proofs_pass_an_independent_checker() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    for &(problem, steps) in REFUTED {
        let line = format!("solve {problem} --steps {steps} --prove --quiet -o refuted.json");
        let (code, text) = run_in(folder.path(), &line, "");
        assert_eq!(code, 1, "{line}: {text}");
        let path = folder.path().join("refuted.json");
        let stored = read_stored_file(&path, DELIVERIES).expect("the program wrote it");
        let Stored::Refutation(refutation) = stored else { panic!("{line} wrote a schedule") };
        let Bound { certificate: Some(Certificate::Exact { steps: refuted, proof, .. }), .. } =
            &refutation.bound
        else {
            panic!("{line} wrote {:?}", refutation.bound)
        };
        assert_eq!(*refuted, steps, "{line}");
        let mut lrat = String::new();
        let mut file = open_beside(&path, proof).expect("the program wrote it");
        file.read_to_string(&mut lrat).expect("a proof is text");
        let drat = to_drat(&lrat);
        let is_accepted =
            |steps, proof: &str| is_accepted(folder.path(), &refutation.problem, steps, proof);
        assert!(is_accepted(steps, &drat), "{line}");
        // One step more is enough, so no proof of the opposite may pass.
        assert!(!is_accepted(steps + 1, &drat), "{line}");
    }
}
