//! Small networks for tests.

use crate::network::{Network, NetworkBuilder};

/// A ring with one processor on every router: channel `2r` leads from router `r` to the next one.
pub fn ring(routers: u32) -> Network {
    let links = (0..routers).map(|router| (router, (router + 1) % routers));
    linked(&format!("ring:{routers}"), routers, links)
}

/// A path with one processor on every router.
pub fn path(routers: u32) -> Network {
    linked(&format!("path:{routers}"), routers, (1..routers).map(|router| (router - 1, router)))
}

fn linked(name: &str, routers: u32, links: impl Iterator<Item = (u32, u32)>) -> Network {
    let mut builder = NetworkBuilder::new(name, routers);
    for (a, b) in links {
        builder.link(a, b);
    }
    builder.processor_on_each_router();
    builder.build().unwrap()
}
