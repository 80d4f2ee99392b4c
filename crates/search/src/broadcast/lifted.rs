//! One step of the origin, when all images of the origin under a group send along the images of its
//! paths: shortest paths to one processor of every orbit, such that no two paths or images of paths
//! share a channel.

use crate::budget::Budget;
use crate::rng::Rng;
use crate::symmetry::{ChannelOrder, FreeGroup, Subgroup};
use pavane_model::{ChannelId, Network, RouterId};

/// Cost of a channel that is not in use.
const HOP: f32 = 0.02;

/// Weight that a target gains when it evicts others.
const WEIGHT_STEP: f32 = 0.1;

/// Insertions per orbit before the step is given up.
const INSERTIONS: usize = 24;

/// Path ends tried per orbit, cheapest first.
const ENDS: usize = 4;

const NONE: u32 = u32::MAX;

/// Finds the paths of one step; its memory is reused from step to step.
pub(super) struct LiftedRouter<'a> {
    network: &'a Network,
    home: RouterId,
    distance: Vec<u32>,
    /// Routers by distance from home.
    order: Vec<RouterId>,
    /// By router and by channel: the number of its orbit.
    router_orbit: Vec<u32>,
    channel_orbit: Vec<u32>,
    /// By orbit of channels: the target served over it.
    occupant: Vec<u32>,
    cost: Vec<f32>,
    via: Vec<ChannelId>,
    weight: Vec<f32>,
    paths: Vec<Vec<ChannelId>>,
}

impl<'a> LiftedRouter<'a> {
    pub fn new(network: &'a Network, home: RouterId) -> Self {
        let distance = network.distances_from(home);
        let is_near = |router: &RouterId| distance[router.index()] != u32::MAX;
        let mut order: Vec<RouterId> = network.routers().filter(is_near).collect();
        order.sort_by_key(|router| distance[router.index()]);
        let routers = network.router_count();
        Self {
            network,
            home,
            distance,
            order,
            router_orbit: vec![NONE; routers],
            channel_orbit: vec![NONE; network.channel_count()],
            occupant: Vec::new(),
            cost: vec![0.0; routers],
            via: vec![ChannelId(0); routers],
            weight: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// The paths found last.
    pub fn paths(&self) -> &[Vec<ChannelId>] {
        &self.paths
    }

    /// Finds a path to one router in every orbit of `next` except the origin's.
    pub fn route(
        &mut self,
        group: &FreeGroup,
        channels: &ChannelOrder<'_>,
        subgroup: &Subgroup,
        next: &[RouterId],
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> bool {
        self.number_orbits(group, channels, subgroup);
        let own = self.router_orbit[self.home.index()];
        let mut targets: Vec<Vec<RouterId>> = Vec::new();
        let mut number = vec![NONE; self.network.router_count()];
        for &router in next {
            let orbit = self.router_orbit[router.index()];
            if orbit == own {
                continue;
            }
            if number[orbit as usize] == NONE {
                number[orbit as usize] = targets.len() as u32;
                targets.push(Vec::new());
            }
            targets[number[orbit as usize] as usize].push(router);
        }
        self.paths = vec![Vec::new(); targets.len()];
        self.weight = vec![1.0; targets.len()];
        let mut pool: Vec<u32> = (0..targets.len() as u32).collect();
        for _ in 0..INSERTIONS * targets.len() {
            if pool.is_empty() {
                return true;
            }
            let target = pool.swap_remove(rng.below(pool.len()));
            if !budget.spend(1) || !self.insert(target, &targets[target as usize], &mut pool, rng) {
                return false;
            }
        }
        pool.is_empty()
    }

    fn number_orbits(
        &mut self,
        group: &FreeGroup,
        channels: &ChannelOrder<'_>,
        subgroup: &Subgroup,
    ) {
        self.router_orbit.fill(NONE);
        self.channel_orbit.fill(NONE);
        let mut orbits = 0;
        for router in self.network.routers() {
            if self.router_orbit[router.index()] == NONE {
                for &member in subgroup.members() {
                    self.router_orbit[group.image(member, router).index()] = orbits;
                }
                orbits += 1;
            }
        }
        orbits = 0;
        for channel in (0..self.network.channel_count() as u32).map(ChannelId) {
            if self.channel_orbit[channel.index()] == NONE {
                for &member in subgroup.members() {
                    self.channel_orbit[channels.image(group, member, channel).index()] = orbits;
                }
                orbits += 1;
            }
        }
        self.occupant.clear();
        self.occupant.resize(orbits as usize, NONE);
    }

    /// Serves one orbit and evicts others where necessary. Returns false if no usable path leads to
    /// it.
    fn insert(
        &mut self,
        target: u32,
        ends: &[RouterId],
        pool: &mut Vec<u32>,
        rng: &mut Rng,
    ) -> bool {
        let farthest = ends.iter().map(|end| self.distance[end.index()]).max().unwrap_or(0);
        self.find_costs(farthest, rng);
        let mut ends = ends.to_vec();
        rng.shuffle(&mut ends);
        ends.sort_by(|a, b| self.cost[a.index()].total_cmp(&self.cost[b.index()]));
        let paths = ends.iter().take(ENDS).map(|&end| self.path_to(end));
        let Some(path) = paths.into_iter().find(|path| !self.meets_itself(path)) else {
            return false;
        };
        let mut has_pushed = false;
        for &channel in &path {
            let other = self.occupant[self.channel_orbit[channel.index()] as usize];
            if other != NONE {
                for taken in std::mem::take(&mut self.paths[other as usize]) {
                    self.occupant[self.channel_orbit[taken.index()] as usize] = NONE;
                }
                pool.push(other);
                has_pushed = true;
            }
        }
        if has_pushed {
            self.weight[target as usize] += WEIGHT_STEP;
        }
        for &channel in &path {
            self.occupant[self.channel_orbit[channel.index()] as usize] = target;
        }
        self.paths[target as usize] = path;
        true
    }

    /// Computes the cheapest shortest path from home to every router up to a distance.
    fn find_costs(&mut self, farthest: u32, rng: &mut Rng) {
        let turn = rng.below(1 << 16);
        self.cost[self.home.index()] = 0.0;
        for &router in self.order.iter().skip(1) {
            let distance = self.distance[router.index()];
            if distance > farthest {
                break;
            }
            let entering = self.network.in_channels(router);
            let (late, early) = entering.split_at(turn % entering.len().max(1));
            let mut best = (f32::INFINITY, ChannelId(0));
            for &channel in early.iter().chain(late) {
                let tail = self.network.channel(channel).tail.index();
                if self.distance[tail] == u32::MAX || self.distance[tail] + 1 != distance {
                    continue;
                }
                let occupant = self.occupant[self.channel_orbit[channel.index()] as usize];
                let push = self.weight.get(occupant as usize).copied().unwrap_or(0.0);
                let cost = self.cost[tail] + HOP + push;
                if cost < best.0 {
                    best = (cost, channel);
                }
            }
            (self.cost[router.index()], self.via[router.index()]) = best;
        }
    }

    fn path_to(&self, end: RouterId) -> Vec<ChannelId> {
        let mut path = Vec::with_capacity(self.distance[end.index()] as usize);
        let mut at = end;
        while at != self.home {
            path.push(self.via[at.index()]);
            at = self.network.channel(self.via[at.index()]).tail;
        }
        path.reverse();
        path
    }

    /// Whether some image of the path shares a channel with it.
    fn meets_itself(&self, path: &[ChannelId]) -> bool {
        let orbit = |channel: &ChannelId| self.channel_orbit[channel.index()];
        path.iter().enumerate().any(|(at, c)| path[..at].iter().any(|d| orbit(d) == orbit(c)))
    }
}
