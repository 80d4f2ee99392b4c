//! Unidirectional tori: one chain over all words with hops in both directions. The words along one axis
//! fill the rest of their direction in random order, until no port is used twice.

use super::circuit;
use super::torus::{Leg, SquareTorus, Start};
use pavane_search::{Interrupt, Rng};

/// Circuits of one attempt, and orders of the other words for each of them.
const CIRCUITS: usize = 50;
const ORDERS: usize = 200;

/// One attempt at a schedule with the period of the chain, in at most `limit` trials. Returns the number
/// of trials, too.
pub(crate) fn search(
    torus: SquareTorus,
    limit: u64,
    rng: &mut Rng,
    interrupt: &Interrupt,
) -> (u64, Option<Vec<Start>>) {
    let side = torus.side;
    let period = torus.chain_period();
    let edges: Vec<(usize, usize)> =
        (1..side).flat_map(|a| (1..side).map(move |b| (a, b))).collect();
    let mut trials = 0;
    for _ in 0..CIRCUITS {
        if interrupt.is_raised() || trials >= limit {
            break;
        }
        let circuit = circuit::random(&edges, rng);
        let length: usize = circuit[1..].iter().sum();
        let mut chain = Vec::new();
        let mut slot = 0;
        for pair in circuit.windows(2) {
            let legs = [Leg { direction: 0, hops: pair[0] }, Leg { direction: 1, hops: pair[1] }];
            chain.push(Start { legs, slot });
            slot += pair[0];
        }
        for _ in 0..ORDERS {
            trials += 1;
            let mut starts = chain.clone();
            // The second direction is used `circuit[0]` slots later than the first one.
            for (direction, first) in [(0, length), (1, length + circuit[0])] {
                let mut order: Vec<usize> = (1..side).collect();
                rng.shuffle(&mut order);
                let mut slot = first;
                for hops in order {
                    let legs = [Leg { direction, hops }, Leg { direction, hops: 0 }];
                    starts.push(Start { legs, slot: slot % period });
                    slot += hops;
                }
            }
            if is_free(&starts, period) {
                return (trials, Some(starts));
            }
        }
    }
    (trials, None)
}

/// Whether no two starts use a port in the same slot.
fn is_free(starts: &[Start], period: usize) -> bool {
    let mut is_used = [vec![false; period], vec![false; period]];
    starts.iter().all(|start| {
        let hops = start.legs[0].hops + start.legs[1].hops;
        let slots = [start.slot, (start.slot + hops + 1) % period];
        let mut both = is_used.iter_mut().zip(slots);
        both.all(|(is_used, slot)| !std::mem::replace(&mut is_used[slot], true))
    })
}
