//! Assigns the messages to phases. Messages with the same offset form a class. A phase takes as many
//! steps as its classes need channels per router in the direction that is used more, so the
//! assignment, by dynamic programming, keeps the differences between the two directions small.

use std::collections::BTreeMap;

/// Messages that take so many channels in the first direction of a phase, then in the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OffsetClass(pub usize, pub usize);

/// Two phases with messages of opposite quadrants, and a third with straight messages only.
#[derive(Debug, Clone, Default)]
pub(super) struct Phases {
    pub quadrants: [Vec<OffsetClass>; 2],
    /// The straight messages along each direction.
    pub straight: [Vec<OffsetClass>; 2],
}

/// By phase, the channels used in the first direction minus those in the second.
type Balance = [i32; 3];

/// The best assignment that leads to a balance.
#[derive(Debug, Clone)]
struct Entry {
    /// Straight messages in the first two phases: they make the formulas larger.
    mixed: u32,
    /// Per offset, its way and its phase.
    chosen: Vec<((i32, i32), usize)>,
}

impl Phases {
    /// Chooses a way and a phase for every offset. `None` if there are no offsets.
    pub fn assign(offsets: &[&[(i32, i32)]]) -> Option<Self> {
        let start = Entry { mixed: 0, chosen: Vec::new() };
        let mut entries: BTreeMap<Balance, Entry> = BTreeMap::from([([0; 3], start)]);
        for ways in offsets {
            let mut after: BTreeMap<Balance, Entry> = BTreeMap::new();
            for (balance, entry) in &entries {
                for &(i, j) in *ways {
                    let is_straight = i == 0 || j == 0;
                    let phases = match (is_straight, (i > 0) == (j > 0)) {
                        (true, _) => 0..3,
                        (false, true) => 0..1,
                        (false, false) => 1..2,
                    };
                    for phase in phases {
                        let mut balance = *balance;
                        balance[phase] += i.abs() - j.abs();
                        let mixed = entry.mixed + u32::from(is_straight && phase < 2);
                        let is_better = after.get(&balance).is_none_or(|it| mixed < it.mixed);
                        if is_better {
                            let mut chosen = entry.chosen.clone();
                            chosen.push(((i, j), phase));
                            after.insert(balance, Entry { mixed, chosen });
                        }
                    }
                }
            }
            entries = after;
        }
        let difference =
            |balance: &Balance| -> u32 { balance.iter().map(|it| it.unsigned_abs()).sum() };
        let best = entries.iter().min_by_key(|(balance, entry)| (difference(balance), entry.mixed));
        best.map(|(_, entry)| Self::from_chosen(&entry.chosen))
    }

    fn from_chosen(chosen: &[((i32, i32), usize)]) -> Self {
        let mut phases = Self::default();
        for &((i, j), phase) in chosen {
            let class = OffsetClass(i.unsigned_abs() as usize, j.unsigned_abs() as usize);
            match phases.quadrants.get_mut(phase) {
                Some(classes) => classes.push(class),
                None if j == 0 => phases.straight[0].push(class),
                None => phases.straight[1].push(OffsetClass(class.1, 0)),
            }
        }
        phases.quadrants.iter_mut().for_each(|classes| classes.sort());
        phases
    }

    /// Steps of all phases.
    pub fn length(&self) -> u32 {
        let [first, second] = self.quadrants.each_ref().map(|classes| length(classes));
        let [x, y] = self.straight.each_ref().map(|classes| length(classes));
        (first + second + x.max(y)) as u32
    }

    /// Whether the second phase is the first one turned by a quarter.
    pub fn are_alike(&self) -> bool {
        let mut turned: Vec<OffsetClass> =
            self.quadrants[0].iter().map(|&OffsetClass(a, b)| OffsetClass(b, a)).collect();
        turned.sort();
        turned == self.quadrants[1]
    }
}

/// Steps that classes need: the channels per router in the direction that is used more.
pub(super) fn length(classes: &[OffsetClass]) -> usize {
    let first: usize = classes.iter().map(|class| class.0).sum();
    first.max(classes.iter().map(|class| class.1).sum())
}
