//! Counts the messages that must leave and enter a set of routers that changes by one router at a
//! time.

use pavane_model::{Kind, Problem};

/// Largest number of deliveries that are kept in a table.
const MOST_PAIRS: usize = 16_000_000;

/// Messages that a problem requires between routers.
pub enum CutDemand {
    /// Every sender has a message for every receiver, so counting both is enough.
    Groups {
        /// Whether one message is for all receivers.
        is_broadcast: bool,
        /// Senders by home.
        senders: Vec<u64>,
        /// Receivers by home.
        receivers: Vec<u64>,
    },
    /// Arbitrary messages, tabulated.
    Listed(Listed),
}

/// Counts of messages with one destination router, by origin and destination router, and a list of
/// the messages with several destination routers.
pub struct Listed {
    to: Table<(u32, u64)>,
    from: Table<(u32, u64)>,
    shared_origins: Vec<u32>,
    shared_homes: Vec<u32>,
    starting_at: Table<u32>,
    wanted_at: Table<u32>,
}

/// Rows of different lengths.
struct Table<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy> Table<T> {
    fn new(rows: usize, mut entries: Vec<(u32, T)>) -> Self {
        entries.sort_by_key(|&(row, _)| row);
        let mut ends = vec![0; rows + 1];
        for &(row, _) in &entries {
            ends[row as usize + 1] += 1;
        }
        for row in 0..rows {
            ends[row + 1] += ends[row];
        }
        Self { ends, items: entries.into_iter().map(|(_, item)| item).collect() }
    }

    fn row(&self, row: usize) -> &[T] {
        &self.items[self.ends[row]..self.ends[row + 1]]
    }
}

impl Table<(u32, u64)> {
    /// A row as a dense vector with an entry for every column.
    fn scatter_row(&self, row: usize) -> Vec<u64> {
        let mut entries = vec![0; self.ends.len() - 1];
        for &(column, entry) in self.row(row) {
            entries[column as usize] = entry;
        }
        entries
    }
}

impl CutDemand {
    /// Builds the demand of a problem; `Err` says why it is too large for a table.
    pub fn new(problem: &Problem) -> Result<Self, String> {
        let collective = problem.collective();
        if collective.kind == Kind::Messages {
            return Listed::new(problem).map(Self::Listed);
        }
        let count = |group: &[pavane_model::ProcessorId]| {
            let mut at_home = vec![0; problem.network().router_count()];
            for &processor in group {
                at_home[problem.home(processor).index()] += 1;
            }
            at_home
        };
        Ok(Self::Groups {
            is_broadcast: collective.kind == Kind::Broadcast,
            senders: count(&collective.senders),
            receivers: count(&collective.receivers),
        })
    }

    /// Work to add all routers to a set one by one.
    pub fn size(&self) -> usize {
        match self {
            Self::Groups { senders, .. } => senders.len(),
            Self::Listed(listed) => 2 * (listed.to.items.len() + listed.wanted_at.items.len()),
        }
    }

    /// Whether every sender has one message for all receivers.
    pub fn is_broadcast(&self) -> bool {
        matches!(self, Self::Groups { is_broadcast: true, .. })
    }

    /// Whether some messages have destinations on several routers.
    pub fn has_shared(&self) -> bool {
        match self {
            Self::Groups { is_broadcast, .. } => *is_broadcast,
            Self::Listed(listed) => !listed.shared_origins.is_empty(),
        }
    }

    /// Whether messages start at a router.
    pub fn has_origin_at(&self, router: usize) -> bool {
        match self {
            Self::Groups { senders, .. } => senders[router] > 0,
            Self::Listed(listed) => {
                !listed.to.row(router).is_empty() || !listed.starting_at.row(router).is_empty()
            }
        }
    }

    /// Whether a router has destinations of messages.
    pub fn has_destination_at(&self, router: usize) -> bool {
        match self {
            Self::Groups { receivers, .. } => receivers[router] > 0,
            Self::Listed(listed) => {
                !listed.from.row(router).is_empty() || !listed.wanted_at.row(router).is_empty()
            }
        }
    }

    /// For each other router, the number of messages from `router` with destinations on that router
    /// only; `None` if there are none.
    pub fn given_by(&self, router: usize) -> Option<Vec<u64>> {
        let mut given = match self {
            Self::Groups { is_broadcast: true, .. } => return None,
            Self::Groups { senders, receivers, .. } => {
                receivers.iter().map(|receivers| senders[router] * receivers).collect()
            }
            Self::Listed(listed) => listed.to.scatter_row(router),
        };
        given[router] = 0;
        given.iter().any(|&messages| messages > 0).then_some(given)
    }

    /// For each other router, the number of its messages that `router` wants; `None` if there are
    /// none.
    pub fn wanted_at(&self, router: usize) -> Option<Vec<u64>> {
        let mut wanted = match self {
            Self::Groups { is_broadcast, senders, receivers } => {
                let most = if *is_broadcast { 1 } else { u64::MAX };
                senders.iter().map(|senders| senders * receivers[router].min(most)).collect()
            }
            Self::Listed(listed) => {
                let mut wanted = listed.from.scatter_row(router);
                for &message in listed.wanted_at.row(router) {
                    wanted[listed.shared_origins[message as usize] as usize] += 1;
                }
                wanted
            }
        };
        wanted[router] = 0;
        wanted.iter().any(|&messages| messages > 0).then_some(wanted)
    }

    /// Crossing counts of the empty set.
    pub fn start(&self) -> Crossing {
        let shared = match self {
            Self::Groups { .. } => 0,
            Self::Listed(listed) => listed.shared_origins.len(),
        };
        let mut crossing = Crossing { homes_inside: vec![0; shared], ..Crossing::default() };
        if let Self::Groups { senders, receivers, .. } = self {
            crossing.senders_outside = senders.iter().sum();
            crossing.receivers_outside = receivers.iter().sum();
        }
        crossing
    }
}

impl Listed {
    fn new(problem: &Problem) -> Result<Self, String> {
        let messages = problem.messages();
        if messages.delivery_count() > MOST_PAIRS {
            let count = messages.delivery_count();
            return Err(format!("a table of {count} deliveries would be too large"));
        }
        let (mut pairs, mut starting, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        let (mut shared_origins, mut shared_homes) = (Vec::new(), Vec::new());
        for message in messages.ids() {
            let origin = problem.home(messages.origin(message)).0;
            let to = messages.destinations(message).iter();
            let mut homes: Vec<u32> = to.map(|&to| problem.home(to).0).collect();
            homes.sort_unstable();
            homes.dedup();
            homes.retain(|&home| home != origin);
            match homes[..] {
                [] => {}
                [home] => pairs.push((origin, home)),
                _ => {
                    let number = shared_origins.len() as u32;
                    starting.push((origin, number));
                    wanted.extend(homes.iter().map(|&home| (home, number)));
                    shared_origins.push(origin);
                    shared_homes.push(homes.len() as u32);
                }
            }
        }
        pairs.sort_unstable();
        let counted = pairs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64));
        let routers = problem.network().router_count();
        Ok(Self {
            to: Table::new(routers, counted.clone().map(|((o, d), n)| (o, (d, n))).collect()),
            from: Table::new(routers, counted.map(|((o, d), n)| (d, (o, n))).collect()),
            shared_origins,
            shared_homes,
            starting_at: Table::new(routers, starting),
            wanted_at: Table::new(routers, wanted),
        })
    }
}

/// Messages that must cross the border of a set of routers.
#[derive(Default, Clone)]
pub struct Crossing {
    /// Messages that must leave the set.
    pub leaving: u64,
    /// Messages that must enter it.
    pub entering: u64,
    senders_inside: u64,
    senders_outside: u64,
    receivers_inside: u64,
    receivers_outside: u64,
    homes_inside: Vec<u32>,
}

impl Crossing {
    /// Updates the counts for `router` changing sides; `is_inside` still holds the side that it
    /// leaves.
    pub fn toggle(&mut self, demand: &CutDemand, is_inside: &[bool], router: usize) {
        match demand {
            CutDemand::Groups { is_broadcast, senders, receivers } => {
                self.move_groups(senders[router], receivers[router], is_inside[router]);
                self.count_groups(*is_broadcast);
            }
            CutDemand::Listed(listed) => {
                self.toggle_personalised(listed, is_inside, router);
                self.toggle_shared(listed, is_inside, router);
            }
        }
    }

    fn move_groups(&mut self, senders: u64, receivers: u64, is_going: bool) {
        if is_going {
            self.senders_inside -= senders;
            self.senders_outside += senders;
            self.receivers_inside -= receivers;
            self.receivers_outside += receivers;
        } else {
            self.senders_inside += senders;
            self.senders_outside -= senders;
            self.receivers_inside += receivers;
            self.receivers_outside -= receivers;
        }
    }

    /// A sender has a message for a receiver on the other side: in a scatter one for each receiver,
    /// in a broadcast one for all.
    fn count_groups(&mut self, is_broadcast: bool) {
        let most = if is_broadcast { 1 } else { u64::MAX };
        self.leaving = self.senders_inside * self.receivers_outside.min(most);
        self.entering = self.senders_outside * self.receivers_inside.min(most);
    }

    fn toggle_personalised(&mut self, listed: &Listed, is_inside: &[bool], router: usize) {
        // Removing a router from the set adds it to the complement, where leaving and entering are
        // swapped.
        let is_going = is_inside[router];
        if is_going {
            std::mem::swap(&mut self.leaving, &mut self.entering);
        }
        for &(other, count) in listed.to.row(router) {
            if is_inside[other as usize] != is_going {
                self.entering -= count
            } else {
                self.leaving += count
            }
        }
        for &(other, count) in listed.from.row(router) {
            if is_inside[other as usize] != is_going {
                self.leaving -= count
            } else {
                self.entering += count
            }
        }
        if is_going {
            std::mem::swap(&mut self.leaving, &mut self.entering);
        }
    }

    fn toggle_shared(&mut self, listed: &Listed, is_inside: &[bool], router: usize) {
        let is_going = is_inside[router];
        for &message in listed.starting_at.row(router) {
            let inside = self.homes_inside[message as usize];
            let leaves = u64::from(inside < listed.shared_homes[message as usize]);
            let enters = u64::from(inside > 0);
            if is_going {
                self.leaving -= leaves;
                self.entering += enters;
            } else {
                self.leaving += leaves;
                self.entering -= enters;
            }
        }
        for &message in listed.wanted_at.row(router) {
            let homes = listed.shared_homes[message as usize];
            let inside = &mut self.homes_inside[message as usize];
            let before = *inside;
            *inside = if is_going { before - 1 } else { before + 1 };
            if is_inside[listed.shared_origins[message as usize] as usize] {
                self.leaving -= u64::from(before < homes);
                self.leaving += u64::from(*inside < homes);
            } else {
                self.entering -= u64::from(before > 0);
                self.entering += u64::from(*inside > 0);
            }
        }
    }
}
