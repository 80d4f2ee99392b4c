//! Missions flit by flit. Lengths and arrival times are rounded up to whole flits and cycles.

use super::fabric::{Fabric, Packet};
use super::{FlitRouting, FlitRules};
use crate::error::TrafficError;
use crate::links::Links;
use crate::mission::Mission;
use crate::policy::Policy;
use crate::switching::{Record, Run};
use crate::ticks;
use pavane_model::Network;

/// Largest number of flits of a mission.
const MOST_FLITS: u64 = 1 << 30;

/// Fails if a mission has too many flits to be simulated one by one.
pub(crate) fn check_flits(mission: &Mission) -> Result<(), TrafficError> {
    let lengths = mission.messages().iter().map(|message| message.length);
    let flits: u64 = lengths.map(|length| length.div_ceil(ticks::UNIT)).sum();
    if flits <= MOST_FLITS {
        return Ok(());
    }
    Err(TrafficError::OutOfRange {
        what: "the sum of the lengths".to_owned(),
        value: format!("{flits} flits"),
        range: format!("at most {MOST_FLITS} if wormhole switching has buffers"),
    })
}

/// Runs a mission. Messages in a deadlock keep `u64::MAX` in `completions`.
#[expect(clippy::too_many_arguments, reason = "called in one place")]
pub(crate) fn run_mission<R: Record>(
    network: &Network,
    links: &Links,
    routing: FlitRouting<'_>,
    rules: FlitRules,
    mission: &Mission,
    policy: Policy,
    completions: &mut Vec<u64>,
    record: &mut R,
) -> Run {
    let mut fabric = Fabric::new(network, links, routing, policy, rules);
    let mut counter = Counter { record, holds: 0 };
    completions.clear();
    completions.resize(mission.len(), u64::MAX);
    let mut arrivals = PendingArrivals::new(mission);
    let mut end = 0;
    let mut now = 0;
    loop {
        for number in arrivals.at(now) {
            let message = mission.messages()[number as usize];
            let flits = message.length.div_ceil(ticks::UNIT) as u32;
            let ends = [message.source, message.destination];
            fabric.add(Packet::new(number, ends, now, flits));
        }
        let is_busy = fabric.cycle(now, &mut counter);
        for delivery in &fabric.delivered {
            let (number, time) = (delivery.packet.number, delivery.time);
            completions[number as usize] = time * ticks::UNIT;
            end = end.max(time * ticks::UNIT);
            arrivals.release(mission, number, time);
        }
        now = if is_busy {
            now + 1
        } else {
            // Nothing changes before the next arrival.
            match arrivals.next() {
                Some(next) => next.max(now + 1),
                None => return Run { end, events: counter.holds },
            }
        };
    }
}

/// Counts holds and passes them on.
struct Counter<'a, R> {
    record: &'a mut R,
    holds: u64,
}

impl<R: Record> Record for Counter<'_, R> {
    fn hold(&mut self, message: u32, channel: u32, start: u64, end: u64) {
        self.holds += 1;
        self.record.hold(message, channel, start, end);
    }
}

/// Messages that have not arrived, the earliest last, and the dependencies between them.
struct PendingArrivals {
    coming: Vec<(u64, u32)>,
    waits: Vec<u32>,
}

/// First cycle that does not begin before a time in ticks.
fn cycle(time: u64) -> u64 {
    time.div_ceil(ticks::UNIT)
}

impl PendingArrivals {
    fn new(mission: &Mission) -> Self {
        let waits = mission.waits_for().to_vec();
        let is_ready = |number: &u32| waits.get(*number as usize).is_none_or(|waits| *waits == 0);
        let mut coming: Vec<(u64, u32)> = (0..mission.len() as u32)
            .filter(is_ready)
            .map(|number| (cycle(mission.messages()[number as usize].arrival), number))
            .collect();
        coming.sort_unstable_by(|one, other| other.cmp(one));
        Self { coming, waits }
    }

    /// Takes the messages that arrive in a cycle or before it, in order.
    fn at(&mut self, now: u64) -> Vec<u32> {
        let mut numbers = Vec::new();
        while let Some((_, number)) = self.coming.pop_if(|(time, _)| *time <= now) {
            numbers.push(number);
        }
        numbers
    }

    /// When the next message arrives.
    fn next(&self) -> Option<u64> {
        self.coming.last().map(|(time, _)| *time)
    }

    /// Lets messages arrive that waited only for this one.
    fn release(&mut self, mission: &Mission, number: u32, now: u64) {
        for &follower in mission.followers(number) {
            let waits = &mut self.waits[follower as usize];
            *waits -= 1;
            if *waits == 0 {
                let time = cycle(mission.messages()[follower as usize].arrival).max(now);
                let place = self.coming.partition_point(|&later| later > (time, follower));
                self.coming.insert(place, (time, follower));
            }
        }
    }
}
