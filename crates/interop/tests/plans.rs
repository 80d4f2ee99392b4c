//! Plans in the style of other tools (`corpus/plans`): correct ones have no fault, and in faulty
//! ones the judge finds the fault that their name begins with.

use pavane_interop::plan::{self, PlanFault};
use std::path::Path;

/// The name and the faults of every file in a folder.
fn plans(folder: &str) -> Vec<(String, Vec<PlanFault>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plans").join(folder);
    let mut plans = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let plan = plan::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(plan.definition.is_some(), "{}", path.display());
        let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
        plans.push((name, plan.faults()));
    }
    plans
}

#[test]
fn right_plans_have_no_fault() {
    let plans = plans("right");
    assert!(plans.len() >= 6, "only {} plans", plans.len());
    for (name, faults) in plans {
        assert_eq!(faults, [], "{name}");
    }
}

#[test]
fn wrong_plans_have_the_fault_that_they_are_named_after() {
    let plans = plans("wrong");
    for kind in ["deadlock", "missing data", "data race", "wrong data", "misfit", "not received"] {
        let prefix = kind.replace(' ', "-");
        let mut count = 0;
        for (name, faults) in plans.iter().filter(|(name, _)| name.starts_with(&prefix)) {
            assert!(faults.iter().any(|fault| fault.kind() == kind), "{name}: {faults:?}");
            count += 1;
        }
        assert!(count > 0, "no plan has the fault {kind:?}");
    }
}

/// Both ranks send four chunks before they receive: two slots fill up, four are enough.
#[test]
fn slots_decide_whether_a_burst_ends() {
    let text = include_str!("../../../corpus/plans/wrong/deadlock-slots-are-full.xml");
    let mut plan = plan::read(text).expect("it is a plan");
    for (slots, is_right) in [(Some(1), false), (Some(3), false), (Some(4), true), (None, true)] {
        plan.slots = slots;
        assert_eq!(plan.faults().is_empty(), is_right, "{slots:?}");
    }
    plan.slots = Some(2);
    let text = plan.faults()[0].to_string();
    let reason =
        "rank 0, thread block 0, step 2 (s) waits for a free slot for data from rank 0 to rank 1";
    assert!(text.contains(reason), "{text}");
}
