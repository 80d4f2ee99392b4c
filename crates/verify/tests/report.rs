//! How violations are reported.

use pavane_model::{
    Collective, Kind, MessageId, Model, NetworkBuilder, Problem, ProcessorId, Schedule, Transfer,
};
use pavane_verify::{Rule, Violation, verify};

#[test]
fn garbage_is_counted_where_it_is_too_much_to_list() {
    let mut builder = NetworkBuilder::new("path:2", 2);
    builder.link(0, 1).processor_on_each_router();
    let network = builder.build().unwrap();
    let (sender, receiver) = (ProcessorId(0), ProcessorId(1));
    let collective = Collective::between(Kind::Broadcast, "oab", vec![sender], vec![receiver]);
    let problem = Problem::new(network, collective, Model::default()).unwrap();
    let mut schedule = Schedule::new();
    for _ in 0..1_500 {
        schedule.start_step();
        let message = MessageId(7);
        schedule.push(Transfer { message, from: sender, to: receiver, path: &[] });
    }
    let violations = verify(problem, schedule).unwrap_err();
    // No message 7 in 1,500 transfers that all lack a path, and message 0 is never delivered.
    let count = |rule| violations.iter().filter(|v| v.rule() == rule).map(Violation::count).sum();
    let counts: [u64; 2] = [Rule::Path, Rule::V6].map(count);
    assert_eq!(counts, [1_500, 1]);
    assert_eq!(violations.len(), 202);
    assert_eq!(violations.last(), Some(&Violation::More { rule: Rule::Path, count: 1_300 }));
}
