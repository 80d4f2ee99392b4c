//! Who still waits for a chunk around a router, and how much each router has left to send.
//!
//! The *share* of a router in a chunk that it has is the number of its neighbours that still want the
//! chunk, divided by the number of copies around it. The sum of the shares of a router, its *load*, says
//! how much it has to send: routers with a small load can help others.

use super::Segment;

/// Waiting neighbours and loads.
pub(super) struct Spread {
    /// For every router, the routers with a segment to it.
    sources: Vec<Vec<u32>>,
    /// For every router and chunk, the number of neighbours that still want the chunk.
    waiting: Vec<Vec<u16>>,
    /// The same at the start.
    first: Vec<Vec<u16>>,
    /// The load of every router.
    loads: Vec<f64>,
}

impl Spread {
    /// `wants(router)` are the chunks that a router wants and does not have, as bits.
    pub fn new(
        routers: usize,
        chunks: usize,
        segments: &[Vec<Segment>],
        tail: &dyn Fn(&Segment) -> usize,
        wants: &dyn Fn(usize) -> Vec<u64>,
    ) -> Self {
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); routers];
        for segment in segments.iter().flatten() {
            let from = tail(segment) as u32;
            let sources = &mut sources[segment.to.index()];
            if !sources.contains(&from) {
                sources.push(from);
            }
        }
        let mut waiting = vec![vec![0u16; chunks]; routers];
        for (to, sources) in sources.iter().enumerate() {
            let wants = wants(to);
            for &from in sources {
                for (chunk, count) in waiting[from as usize].iter_mut().enumerate() {
                    *count += (wants[chunk / 64] >> (chunk % 64) & 1) as u16;
                }
            }
        }
        Self { sources, first: waiting.clone(), waiting, loads: vec![0.0; routers] }
    }

    /// The number of neighbours of a router that want a chunk.
    pub fn waiting(&self, router: usize, chunk: usize) -> u16 {
        self.waiting[router][chunk]
    }

    /// The number of copies around a router, its own included.
    pub fn copies(&self, router: usize, chunk: usize) -> u16 {
        self.first[router][chunk] - self.waiting[router][chunk] + 1
    }

    /// What a router has to send.
    pub fn load(&self, router: usize) -> f64 {
        self.loads[router]
    }

    fn share(&self, router: usize, chunk: usize) -> f64 {
        f64::from(self.waiting[router][chunk]) / f64::from(self.copies(router, chunk))
    }

    /// A router has a chunk, or will have it.
    pub fn gains(&mut self, router: usize, chunk: usize) {
        self.loads[router] += self.share(router, chunk);
    }

    /// A chunk is on its way to a router that wanted it. `has` says which routers have the chunk or will
    /// have it.
    pub fn served(&mut self, to: usize, chunk: usize, has: &dyn Fn(usize) -> bool) {
        for at in 0..self.sources[to].len() {
            let from = self.sources[to][at] as usize;
            let before = self.share(from, chunk);
            self.waiting[from][chunk] -= 1;
            if has(from) {
                self.loads[from] += self.share(from, chunk) - before;
            }
        }
        self.gains(to, chunk);
    }
}
