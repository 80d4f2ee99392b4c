//! Ports: the words that one processor sends or receives. If words may not wrap, the far ones are
//! counted for every distance, because the last of them still has a long way.

use pavane_model::tdm::{PortDirection, TdmBound, TdmCertificate};
use pavane_model::{ProcessorId, TdmProblem};
use std::collections::BTreeMap;

pub(super) fn bound(problem: &TdmProblem, distances: &[u32]) -> TdmBound {
    let rules = problem.rules();
    // Words by port and distance.
    let mut words: BTreeMap<(u8, ProcessorId), BTreeMap<u32, u64>> = BTreeMap::new();
    for (message, &distance) in problem.messages().iter().zip(distances) {
        let distance = if rules.wraps { 0 } else { distance };
        for port in [(0, message.from), (1, message.to)] {
            let of_port = words.entry(port).or_default();
            *of_port.entry(distance).or_default() += u64::from(message.weight);
        }
    }
    let mut best: Option<(u64, (u8, ProcessorId), u32)> = None;
    for (&port, of_port) in &words {
        let mut far = 0;
        for (&distance, &count) in of_port.iter().rev() {
            far += count;
            let way = u64::from(rules.depth) * (u64::from(distance) + 1);
            let way = if rules.wraps { 0 } else { way };
            let period = far * u64::from(rules.phits) + way;
            if best.is_none_or(|(most, ..)| period > most) {
                best = Some((period, port, distance));
            }
        }
    }
    let (period, (direction, processor), hops) = best.unwrap_or((1, (0, ProcessorId(0)), 0));
    let direction = if direction == 0 { PortDirection::Send } else { PortDirection::Receive };
    let certificate = TdmCertificate::Ports { processor, direction, hops };
    TdmBound { period: u32::try_from(period).unwrap_or(u32::MAX), certificate }
}
