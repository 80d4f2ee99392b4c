//! Branch and bound over given paths: messages start in order of time, each as early as possible. A
//! start takes one link under store-and-forward, all links under circuit switching, and any number
//! of the next links under cut-through. It never needs to come after the time at which another
//! possible start would already have ended.

use super::OptimumProblem;
use crate::switching::SwitchingMethod;

/// Result of a search.
pub(super) struct Branched {
    /// End of the best known schedule.
    pub(super) makespan: u64,
    /// Whether the whole tree was searched.
    pub(super) is_exhausted: bool,
}

/// Searches for schedules that end before `known`; stops at one that ends at `bound`.
pub(super) fn search(task: &OptimumProblem<'_>, known: u64, bound: u64, nodes: u32) -> Branched {
    let mut tree = Tree {
        task,
        best: known,
        bound,
        nodes,
        ready: task.mission.messages().iter().map(|message| message.arrival).collect(),
        next: vec![0; task.mission.len()],
        free: vec![0; task.links.count()],
    };
    tree.visit(0);
    Branched { makespan: tree.best, is_exhausted: tree.nodes > 0 }
}

struct Tree<'a, 'b> {
    task: &'a OptimumProblem<'b>,
    best: u64,
    bound: u64,
    /// Number of nodes that may still be visited.
    nodes: u32,
    /// For each message, when its current router has it completely (`ready`), and its next hop.
    ready: Vec<u64>,
    next: Vec<usize>,
    /// When each link is free.
    free: Vec<u64>,
}

/// A start: time, message and number of links.
#[derive(Clone, Copy)]
struct Start {
    at: u64,
    message: u32,
    links: usize,
}

impl Tree<'_, '_> {
    fn visit(&mut self, last: u64) {
        if self.nodes == 0 || self.best <= self.bound {
            return;
        }
        self.nodes -= 1;
        if self.least_end() >= self.best {
            return;
        }
        let starts = self.starts(last);
        if starts.is_empty() {
            // Either all messages are done, or the rest belongs to another order of starts.
            let is_done = (0..).zip(&self.next).all(|(m, &n)| n == self.task.routes.path(m).len());
            if is_done {
                self.best = self.best.min(self.ready.iter().copied().max().unwrap_or(0));
            }
            return;
        }
        for start in starts {
            self.take(start);
        }
    }

    /// The starts worth trying, those with the most remaining work first.
    fn starts(&self, last: u64) -> Vec<Start> {
        let mut starts = Vec::new();
        let mut first_end = u64::MAX;
        for (message, &next) in (0..).zip(&self.next) {
            let path = &self.task.routes.path(message)[next..];
            let least = match self.task.switching {
                SwitchingMethod::Circuit => path.len().max(1),
                _ => 1,
            };
            let most = if self.task.switching == SwitchingMethod::StoreAndForward {
                1
            } else {
                path.len()
            };
            let mut at = self.ready[message as usize];
            for (hop, &channel) in path.iter().enumerate().take(most) {
                at = at.max(self.free[self.task.links.of_number(channel) as usize]);
                if hop + 1 >= least {
                    let length = self.task.mission.messages()[message as usize].length;
                    first_end = first_end.min(at + length);
                    starts.push(Start { at, message, links: hop + 1 });
                }
            }
        }
        starts.retain(|start| start.at >= last && start.at < first_end);
        let to_do = |start: &Start| {
            let left =
                self.task.routes.path(start.message).len() - self.next[start.message as usize];
            left as u64 * self.task.mission.messages()[start.message as usize].length
        };
        starts.sort_by_key(|start| (start.at, u64::MAX - to_do(start), usize::MAX - start.links));
        starts
    }

    /// Tries a start, then undoes it.
    fn take(&mut self, start: Start) {
        let number = start.message as usize;
        let (ready, next) = (self.ready[number], self.next[number]);
        let end = start.at + self.task.mission.messages()[number].length;
        let path = &self.task.routes.path(start.message)[next..next + start.links];
        let links: Vec<usize> =
            path.iter().map(|&channel| self.task.links.of_number(channel) as usize).collect();
        let free: Vec<u64> = links.iter().map(|&link| self.free[link]).collect();
        links.iter().for_each(|&link| self.free[link] = end);
        self.ready[number] = end;
        self.next[number] = next + start.links;
        self.visit(start.at);
        self.ready[number] = ready;
        self.next[number] = next;
        links.iter().zip(free).for_each(|(&link, free)| self.free[link] = free);
    }

    /// Lower bound on the end of all schedules from here.
    fn least_end(&self) -> u64 {
        let mut loads = vec![0; self.free.len()];
        let mut firsts = vec![u64::MAX; self.free.len()];
        let mut tails = vec![u64::MAX; self.free.len()];
        let mut end = 0;
        let is_serial = self.task.switching == SwitchingMethod::StoreAndForward;
        for (message, &next) in (0..).zip(&self.next) {
            let length = self.task.mission.messages()[message as usize].length;
            let path = &self.task.routes.path(message)[next..];
            let ready = self.ready[message as usize];
            for (hop, &channel) in path.iter().enumerate() {
                let link = self.task.links.of_number(channel) as usize;
                let (before, after) = if is_serial { (hop, path.len() - 1 - hop) } else { (0, 0) };
                loads[link] += length;
                firsts[link] = firsts[link].min(ready + before as u64 * length);
                tails[link] = tails[link].min(after as u64 * length);
            }
            let ways = if is_serial { path.len() as u64 } else { path.len().min(1) as u64 };
            end = end.max(ready + ways * length);
        }
        for link in 0..loads.len() {
            if loads[link] > 0 {
                end = end.max(firsts[link].max(self.free[link]) + loads[link] + tails[link]);
            }
        }
        end
    }
}
