//! A slow checker of plans that shares nothing with the code that makes them.

use std::collections::BTreeMap;

use pavane_throughput::Ratio;
use pavane_throughput::trees::{Broadcasts, TreePlan};

/// Panics if the plan is not valid or does not take the time it states.
pub fn check(broadcasts: &Broadcasts, plan: &TreePlan) {
    let links = &broadcasts.graph.links;
    let mut weights = vec![0; broadcasts.senders.len()];
    let mut loads = vec![0u128; links.len()];
    for tree in &plan.trees {
        assert!(tree.weight > 0);
        weights[tree.sender as usize] += tree.weight;
        let root = broadcasts.senders[tree.sender as usize];
        let mut entered: BTreeMap<u32, u32> = BTreeMap::new();
        let mut left = entered.clone();
        // Channels from the root outwards: the tail holds a copy. A router that duplicates keeps
        // its copy, another one gives it away.
        let mut copies: BTreeMap<u32, u32> = BTreeMap::from([(root, 1)]);
        for &channel in &tree.channels {
            let link = links[channel as usize];
            loads[channel as usize] += tree.weight;
            *left.entry(link.tail).or_default() += 1;
            *entered.entry(link.head).or_default() += 1;
            let held = copies.entry(link.tail).or_default();
            assert!(*held > 0, "router {} sends before it receives", link.tail);
            if !broadcasts.copying[link.tail as usize] {
                *held -= 1;
            }
            *copies.entry(link.head).or_default() += 1;
        }
        assert!(!entered.contains_key(&root), "the root is entered");
        for (&router, &count) in &entered {
            if broadcasts.copying[router as usize] {
                assert_eq!(count, 1, "router {router} is entered more than once");
            } else {
                assert_eq!(left.get(&router), Some(&count), "switch {router} is out of balance");
            }
        }
        for &receiver in broadcasts.receivers {
            assert!(receiver == root || entered.contains_key(&receiver), "{receiver} gets nothing");
        }
    }
    assert!(weights.iter().all(|&weight| weight == plan.scale), "weights differ from the scale");
    let times = links.iter().zip(loads).map(|(link, load)| {
        if load == 0 {
            return Ratio::new(0, 1);
        }
        Ratio::new(load, plan.scale * u128::from(link.bandwidth))
    });
    assert_eq!(times.max().unwrap_or(Ratio::new(0, 1)), plan.time);
    assert!(plan.time >= plan.limit.time);
}
