//! The messages between processors of the same router, which run in parallel with the others.

use super::PlaceAssignment;
use pavane_model::{Problem, ProcessorId};

impl PlaceAssignment {
    /// The messages within routers, sorted by step: each has a step in which its ends have a free
    /// port, possibly after all others.
    pub fn inside(
        &self,
        problem: &Problem,
        exchange: &Problem,
    ) -> Vec<(u32, ProcessorId, ProcessorId)> {
        let routers = exchange.network().processor_count();
        let sent = self.by_router(routers, |hop| hop.from);
        let received = self.by_router(routers, |hop| hop.to);
        let mut inside = Vec::new();
        let count = self.per_router;
        for router in 0..routers {
            let home = exchange.home(ProcessorId(router as u32));
            let residents = problem.network().residents(home);
            if let Some(within) = self.within.get(router).filter(|within| !within.is_empty()) {
                inside.extend(within.iter().map(|inner| {
                    let [from, to] = [inner.from, inner.to].map(|p| residents[usize::from(p)]);
                    (inner.step, from, to)
                }));
                continue;
            }
            let mut busy = Busy::new((self.repetitions * self.steps) as usize, count);
            for (repetition, step, number, _) in self.all(&sent[router]) {
                busy.take(step, 0, self.of(repetition, number).hop.0);
            }
            for (repetition, step, number, _) in self.all(&received[router]) {
                busy.take(step, 1, self.of(repetition, number).hop.1);
            }
            for apart in 1..count {
                for from in 0..count {
                    let to = (from + apart) % count;
                    let (sender, receiver) = (residents[from], residents[to]);
                    let ports = [problem.send_ports(sender), problem.receive_ports(receiver)];
                    let step = busy.first_free(from, to, ports);
                    busy.take(step, 0, from);
                    busy.take(step, 1, to);
                    inside.push((step, sender, receiver));
                }
            }
        }
        inside.sort_unstable();
        inside
    }
}

/// Used ports of the processors of one router.
struct Busy {
    count: usize,
    /// Per step, direction and place.
    used: Vec<u32>,
}

impl Busy {
    fn new(steps: usize, count: usize) -> Self {
        Self { count, used: vec![0; steps * 2 * count] }
    }

    fn at(&self, step: u32, direction: usize, place: usize) -> usize {
        (2 * step as usize + direction) * self.count + place
    }

    fn take(&mut self, step: u32, direction: usize, place: usize) {
        let at = self.at(step, direction, place);
        if at >= self.used.len() {
            self.used.resize(self.at(step + 1, 0, 0), 0);
        }
        self.used[at] += 1;
    }

    /// The first step in which a place can send and another can receive; a new one if there is
    /// none.
    fn first_free(&self, from: usize, to: usize, [sends, receives]: [u32; 2]) -> u32 {
        let is_free = |at: usize, ports: u32| self.used.get(at).is_none_or(|&used| used < ports);
        (0..)
            .find(|&step| {
                is_free(self.at(step, 0, from), sends) && is_free(self.at(step, 1, to), receives)
            })
            .expect("steps after the last are free")
    }
}
