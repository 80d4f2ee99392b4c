//! How violations are reported.

use pavane_model::{
    ChannelId, Collective, Kind, MessageId, Model, NetworkBuilder, Problem, ProcessorId, Schedule,
    Transfer,
};
use pavane_verify::{Rule, Violation, verify, verify_unless};
use std::cell::Cell;

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
    // There is no message 7 in 1,500 transfers, all without a path, and message 0 is never
    // delivered.
    let count = |rule| violations.iter().filter(|v| v.rule() == rule).map(Violation::count).sum();
    let counts: [u64; 2] = [Rule::Path, Rule::V6].map(count);
    assert_eq!(counts, [1_500, 1]);
    assert_eq!(violations.len(), 202);
    assert_eq!(violations.last(), Some(&Violation::More { rule: Rule::Path, count: 1_300 }));
}

#[test]
fn an_interrupted_verdict_claims_nothing() {
    let mut builder = NetworkBuilder::new("path:2", 2);
    builder.link(0, 1).processor_on_each_router();
    let network = builder.build().unwrap();
    let (sender, receiver) = (ProcessorId(0), ProcessorId(1));
    let collective = Collective::between(Kind::Broadcast, "oab", vec![sender], vec![receiver]);
    let problem = Problem::new(network, collective, Model::default()).unwrap();
    let mut valid = Schedule::new();
    valid.start_step();
    let (message, path) = (MessageId(0), [ChannelId(0)]);
    valid.push(Transfer { message, from: sender, to: receiver, path: &path });
    for (schedule, is_valid) in [(valid, true), (Schedule::new(), false)] {
        let polls = Cell::new(0i32);
        let never = || {
            polls.set(polls.get() + 1);
            false
        };
        let verdict = verify_unless(problem.clone(), schedule.clone(), &never).unwrap();
        assert_eq!(verdict.is_ok(), is_valid);
        assert!(polls.get() >= 5, "one poll before each rule that takes long");
        for quiet in 0..polls.get() {
            let left = Cell::new(quiet);
            let stop = || left.replace(left.get() - 1) == 0;
            assert!(verify_unless(problem.clone(), schedule.clone(), &stop).is_none());
        }
    }
}
