//! Which routers belong together so far: disjoint parts that are joined, two at a time.

/// Parts, at first one for every router.
#[derive(Debug)]
pub(crate) struct Parts {
    parent: Vec<u32>,
}

impl Parts {
    /// Every router by itself.
    pub fn new(routers: u32) -> Self {
        Self { parent: (0..routers).collect() }
    }

    /// The router that stands for the part of this one.
    pub fn find(&mut self, mut router: u32) -> u32 {
        while self.parent[router as usize] != router {
            let above = self.parent[self.parent[router as usize] as usize];
            self.parent[router as usize] = above;
            router = above;
        }
        router
    }

    /// Joins the parts of two routers, the first into the second; false if they were one already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a as usize] = b;
        a != b
    }
}
