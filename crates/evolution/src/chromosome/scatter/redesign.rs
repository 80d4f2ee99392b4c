//! Redistribution of port use before evaluation, after Jaroš, fault-tolerant collectives: of the
//! messages that leave a processor on the same channel in the same step only one stays. The others
//! move to free first channels and steps, as far as there are any.

use super::doors::{Doors, Sender, Way};
use super::{Gene, Scatter};
use pavane_search::Rng;

/// The channels and ports of a sender in use, by step.
struct Taken {
    width: usize,
    ports: u32,
    doors: Vec<bool>,
    sends: Vec<u32>,
}

impl Taken {
    fn is_free(&self, door: Option<u32>, step: u32) -> bool {
        let is_open = |door: u32| !self.doors[step as usize * self.width + door as usize];
        self.sends[step as usize] < self.ports && door.is_none_or(is_open)
    }

    fn take(&mut self, door: Option<u32>, step: u32) {
        self.sends[step as usize] += 1;
        if let Some(door) = door {
            self.doors[step as usize * self.width + door as usize] = true;
        }
    }
}

impl Scatter<'_> {
    /// Gives every sender's messages different first channels and steps, as far as possible.
    pub(super) fn spread_over_ports(&mut self, rng: &mut Rng) {
        let genome = self.genome;
        let doors = genome.doors.get_or_init(|| Doors::new(genome.problem, genome.paths));
        for sender in &doors.senders {
            self.spread_one(doors, sender, rng);
        }
    }

    fn spread_one(&mut self, doors: &Doors, sender: &Sender, rng: &mut Rng) {
        let steps = self.genome.steps;
        let mut taken = Taken {
            width: sender.width,
            ports: sender.ports,
            doors: vec![false; sender.width * steps as usize],
            sends: vec![0; steps as usize],
        };
        // Messages with the fewest choices first, in random order among equals.
        let mut order = sender.messages.clone();
        rng.shuffle(&mut order);
        order.sort_by_key(|&message| doors.ways(message).len());
        order.retain(|&message| {
            let Gene { path, step } = self.genes[message.index()];
            let way = doors.ways(message).iter().find(|way| way.paths.contains(&path));
            let door = way.and_then(|way| way.door);
            let stays = taken.is_free(door, step);
            if stays {
                taken.take(door, step);
            }
            !stays
        });
        for message in order {
            let Some((way, step)) = free_place(doors.ways(message), &taken, steps, rng) else {
                continue;
            };
            taken.take(way.door, step);
            let path = way.paths.start + rng.below(way.paths.len()) as u32;
            self.replace(message.index(), Gene { path, step });
        }
    }
}

/// A random free combination of first channel and step.
fn free_place<'w>(
    ways: &'w [Way],
    taken: &Taken,
    steps: u32,
    rng: &mut Rng,
) -> Option<(&'w Way, u32)> {
    let places = || ways.iter().flat_map(|way| (0..steps).map(move |step| (way, step)));
    let free = || places().filter(|(way, step)| taken.is_free(way.door, *step));
    let count = free().count();
    if count == 0 {
        return None;
    }
    free().nth(rng.below(count))
}
