//! Messages that wait for a circuit and circuits that exist, laid out in memory for those who look them up
//! at random.

use super::Case;

/// No message.
pub(super) const NONE: u32 = u32::MAX;

/// All that is needed of a message side by side, because it is looked up at random: its number, the two
/// halves of its length, the place of the next one that waits for the same pair, how many channels its path
/// has, and these. The records are in the order of ranks.
#[derive(Debug, Default)]
pub(super) struct Records(Vec<u32>);

/// Words of a record before its path.
const HEADER: usize = 5;

/// The word of a record that says who follows.
const FOLLOWING: usize = 3;

impl Records {
    pub(super) fn fill<P>(&mut self, case: &Case<'_, P>, by_rank: &[u32], places: &mut Vec<u32>) {
        self.0.clear();
        places.resize(by_rank.len(), 0);
        for &message in by_rank {
            places[message as usize] = self.0.len() as u32;
            let length = case.mission.messages()[message as usize].length;
            let path = case.routes.path(message);
            let [low, high] = [length as u32, (length >> 32) as u32];
            self.0.extend([message, low, high, NONE, path.len() as u32]);
            self.0.extend_from_slice(path);
        }
    }

    /// The place after a record.
    #[inline]
    pub(super) fn after(&self, place: u32) -> u32 {
        place + HEADER as u32 + self.0[place as usize + HEADER - 1]
    }

    #[inline]
    pub(super) fn following(&self, place: u32) -> u32 {
        self.0[place as usize + FOLLOWING]
    }

    #[inline]
    pub(super) fn set_following(&mut self, place: u32, following: u32) {
        self.0[place as usize + FOLLOWING] = following;
    }

    /// Reads something of every candidate's record: memory brings many at once, but one by one if the
    /// next is asked for only when all is known of the one before.
    #[inline]
    pub(super) fn fetch(&self, candidates: &[u64]) {
        let read = |candidate: &u64| {
            let place = (candidate >> 32) as usize;
            self.0[place + HEADER - 1] ^ self.0.get(place + 2 * HEADER).copied().unwrap_or(0)
        };
        std::hint::black_box(candidates.iter().map(read).fold(0, |one, other| one ^ other));
    }

    /// The number, the length and the path of a message.
    #[inline]
    pub(super) fn get(&self, place: u32) -> (u32, u64, &[u32]) {
        let (header, rest) = self.0[place as usize..].split_at(HEADER);
        let length = u64::from(header[2]) << 32 | u64::from(header[1]);
        (header[0], length, &rest[..header[HEADER - 1] as usize])
    }
}

/// The circuits that exist now: few, so that they stay at hand while their records do not.
#[derive(Debug, Default)]
pub(super) struct Circuits {
    /// For every circuit its message, how many channels it has, and these.
    words: Vec<u32>,
    stride: usize,
    unused: Vec<u32>,
}

impl Circuits {
    pub(super) fn prepare(&mut self, longest: usize) {
        self.words.clear();
        self.unused.clear();
        self.stride = longest + 2;
    }

    #[inline]
    pub(super) fn build(&mut self, message: u32, path: &[u32]) -> u32 {
        let circuit = self.unused.pop().unwrap_or_else(|| {
            let count = self.words.len() / self.stride;
            self.words.resize(self.words.len() + self.stride, 0);
            count as u32
        });
        let words = &mut self.words[circuit as usize * self.stride..][..self.stride];
        words[0] = message;
        words[1] = path.len() as u32;
        words[2..][..path.len()].copy_from_slice(path);
        circuit
    }

    /// The message and the channels of a circuit that ends.
    #[inline]
    pub(super) fn end(&mut self, circuit: u32) -> (u32, &[u32]) {
        self.unused.push(circuit);
        let words = &self.words[circuit as usize * self.stride..][..self.stride];
        (words[0], &words[2..][..words[1] as usize])
    }
}
