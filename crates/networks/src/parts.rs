//! Union-find over routers.

/// Disjoint sets of routers, at first one per router.
#[derive(Debug)]
pub(crate) struct Parts {
    parent: Vec<u32>,
}

impl Parts {
    /// Puts every router into a set of its own.
    pub fn new(routers: u32) -> Self {
        Self { parent: (0..routers).collect() }
    }

    /// The representative of the set of a router.
    pub fn find(&mut self, mut router: u32) -> u32 {
        while self.parent[router as usize] != router {
            let above = self.parent[self.parent[router as usize] as usize];
            self.parent[router as usize] = above;
            router = above;
        }
        router
    }

    /// Merges the sets of two routers, the first into the second; returns false if they were
    /// already the same set.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a as usize] = b;
        a != b
    }
}
