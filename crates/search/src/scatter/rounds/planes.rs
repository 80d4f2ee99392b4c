//! Decomposes a network of switches level by level. Removing the routers of a level splits the rest
//! into planes, and each of those routers has channels up into some of the planes. A message goes
//! up until it reaches a router from which its way down starts.

use super::super::colouring::Colouring;
use pavane_model::{ChannelId, Duplex, Network, Problem, RouterId};

/// Maximum number of levels.
const MOST_LEVELS: usize = 24;

/// The levels of a network.
pub(super) struct Planes {
    levels: Vec<PlaneLevel>,
    /// Per router, its row in its level.
    row: Vec<u32>,
    is_half: bool,
}

/// The lowest routers of a plane.
#[derive(Default)]
struct PlaneLevel {
    /// Per row, the router's exits upwards, one per colour.
    exits: Vec<Vec<Option<Exit>>>,
    /// Per colour, the level that it leads to.
    above: Vec<usize>,
}

/// A channel up from a router, and a channel back down.
#[derive(Clone, Copy)]
struct Exit {
    up: ChannelId,
    down: ChannelId,
    to: RouterId,
}

impl Planes {
    /// Decomposes a network, from the routers with processors upwards; `None` if it has too many
    /// levels, or if no router with processors has an exit upwards.
    pub fn new(problem: &Problem) -> Option<Self> {
        let network = problem.network();
        let has_processor = |router: &RouterId| !network.residents(*router).is_empty();
        let (homes, switches): (Vec<RouterId>, Vec<RouterId>) =
            network.routers().partition(has_processor);
        let mut planes = Self {
            levels: vec![PlaneLevel::default()],
            row: vec![0; network.router_count()],
            is_half: problem.model().duplex == Duplex::Half,
        };
        let mut parts = PlaneParts { part: vec![0; network.router_count()], count: 0 };
        let mut to_do = vec![(0, 1, homes, switches)];
        while let Some((level, height, routers, inside)) = to_do.pop() {
            if height > MOST_LEVELS {
                return None;
            }
            for (row, router) in (0..).zip(&routers) {
                planes.row[router.index()] = row;
            }
            let mut exits = vec![Vec::new(); routers.len()];
            for plane in parts.split(network, &inside) {
                let part = parts.part[plane[0].index()];
                let ways: Vec<Vec<Exit>> = routers
                    .iter()
                    .map(|&router| self::exits(network, router, |r| parts.part[r.index()] == part))
                    .collect();
                let most = ways.iter().map(Vec::len).max().unwrap_or(0);
                if most == 0 {
                    continue;
                }
                let above = planes.levels.len();
                planes.levels.push(PlaneLevel::default());
                planes.levels[level].above.extend(vec![above; most]);
                let mut lowest: Vec<RouterId> = ways.iter().flatten().map(|exit| exit.to).collect();
                lowest.sort_unstable();
                lowest.dedup();
                for (exits, ways) in exits.iter_mut().zip(ways) {
                    let missing = most - ways.len();
                    exits.extend(ways.into_iter().map(Some).chain(vec![None; missing]));
                }
                let higher = plane
                    .into_iter()
                    .filter(|router| lowest.binary_search(router).is_err())
                    .collect();
                to_do.push((above, height + 1, lowest, higher));
            }
            planes.levels[level].exits = exits;
        }
        let lead_up = planes.levels[0].exits.iter().any(|exits| exits.iter().any(Option::is_some));
        lead_up.then_some(planes)
    }

    /// Number of exits upwards from a router with processors.
    pub fn exits(&self, home: RouterId) -> u32 {
        let exits = &self.levels[0].exits[self.row[home.index()] as usize];
        exits.iter().filter(|exit| exit.is_some()).count() as u32
    }

    /// Per router of `homes`, the routers that lead up from it through the first planes, from the top
    /// down to the router itself.
    pub fn above(&self, homes: impl Iterator<Item = RouterId>) -> Vec<Vec<RouterId>> {
        let lines = homes.map(|home| {
            let mut line = vec![home];
            let (mut level, mut router) = (0, home);
            while let Some(exit) = self.levels[level].exits[self.row[router.index()] as usize]
                .first()
                .copied()
                .flatten()
            {
                (level, router) = (self.levels[level].above[0], exit.to);
                line.push(router);
            }
            line.reverse();
            line
        });
        lines.collect()
    }

    /// Routes messages between routers with processors on channel-disjoint paths. Under half duplex,
    /// no link is used twice if all messages of a switch go to or come from the same other switch.
    pub fn route(&self, ends: impl Iterator<Item = [RouterId; 2]>) -> PlaneWays {
        let mut ways = PlaneWays(Vec::new());
        let mut first = Vec::new();
        for (message, [from, to]) in ends.enumerate() {
            ways.0.push(Some(Vec::new()));
            if from != to {
                first.push(PlaneLeg { message, from, to });
            }
        }
        let mut to_do = vec![(0, first)];
        while let Some((level, legs)) = to_do.pop() {
            self.rise(level, &legs, &mut ways, &mut to_do);
        }
        ways
    }

    /// Routes the messages of one level: each gets a colour, which selects a plane and the channels
    /// up into it and down from it.
    fn rise(
        &self,
        level: usize,
        legs: &[PlaneLeg],
        ways: &mut PlaneWays,
        to_do: &mut Vec<(usize, Vec<PlaneLeg>)>,
    ) {
        let PlaneLevel { exits, above } = &self.levels[level];
        let row = |router: RouterId| self.row[router.index()];
        let mut rows: Vec<u32> = legs.iter().flat_map(|leg| [row(leg.from), row(leg.to)]).collect();
        rows.sort_unstable();
        rows.dedup();
        let vertex = |router: RouterId| rows.partition_point(|&other| other < row(router)) as u32;
        let mut colouring = Colouring::new([rows.len() as u32; 2], above.len() as u32);
        for (vertex, &row) in (0..).zip(&rows) {
            for (colour, exit) in (0..).zip(&exits[row as usize]) {
                if exit.is_none() {
                    colouring.close(0, vertex, colour);
                    colouring.close(1, vertex, colour);
                }
            }
        }
        for leg in legs {
            let mut edge = [vertex(leg.from), vertex(leg.to)];
            if self.is_half {
                // The lower one of two switches is on the first side in both directions.
                edge.sort_unstable();
            }
            colouring.add(edge, 0);
        }
        let mut higher: Vec<(usize, Vec<PlaneLeg>)> = Vec::new();
        let mut colour_of: Vec<(u32, usize)> = Vec::new();
        for (edge, leg) in legs.iter().enumerate() {
            match colouring.colour(edge) {
                Some(colour) => colour_of.push((colour, edge)),
                None => ways.0[leg.message] = None,
            }
        }
        colour_of.sort_unstable();
        for (colour, edge) in colour_of {
            let leg = &legs[edge];
            let exit = |router: RouterId| exits[row(router) as usize][colour as usize];
            let (Some(leave), Some(enter)) = (exit(leg.from), exit(leg.to)) else { continue };
            let Some(way) = &mut ways.0[leg.message] else { continue };
            way.push([leave.up, enter.down]);
            if leave.to == enter.to {
                continue;
            }
            let above = above[colour as usize];
            let leg = PlaneLeg { message: leg.message, from: leave.to, to: enter.to };
            match higher.last_mut() {
                Some((last, legs)) if *last == above => legs.push(leg),
                _ => higher.push((above, vec![leg])),
            }
        }
        to_do.extend(higher);
    }
}

/// A message to be routed from one router of a level to another.
struct PlaneLeg {
    message: usize,
    from: RouterId,
    to: RouterId,
}

/// Per message, the channel up and the channel down at every level, from below; `None` if it could
/// not be routed.
pub(super) struct PlaneWays(Vec<Option<Vec<[ChannelId; 2]>>>);

impl PlaneWays {
    /// The channels of a message in path order.
    pub fn path(&self, message: usize) -> Option<Vec<ChannelId>> {
        let way = self.0[message].as_ref()?;
        let up = way.iter().map(|pair| pair[0]);
        Some(up.chain(way.iter().rev().map(|pair| pair[1])).collect())
    }
}

/// The exits of a router into a plane: pairs of a channel up and a channel back down.
fn exits(network: &Network, router: RouterId, is_inside: impl Fn(RouterId) -> bool) -> Vec<Exit> {
    let mut up: Vec<(RouterId, ChannelId)> = network
        .out_channels(router)
        .iter()
        .map(|&channel| (network.channel(channel).head, channel))
        .collect();
    let mut down: Vec<(RouterId, ChannelId)> = network
        .in_channels(router)
        .iter()
        .map(|&channel| (network.channel(channel).tail, channel))
        .collect();
    up.retain(|&(to, _)| is_inside(to));
    down.retain(|&(from, _)| is_inside(from));
    up.sort_unstable();
    down.sort_unstable();
    let mut down = down.into_iter().peekable();
    let mut exits = Vec::new();
    for (to, up) in up {
        while down.next_if(|&(from, _)| from < to).is_some() {}
        if let Some((_, down)) = down.next_if(|&(from, _)| from == to) {
            exits.push(Exit { up, down, to });
        }
    }
    exits
}

/// Which part of a network every router belongs to.
struct PlaneParts {
    part: Vec<u32>,
    count: u32,
}

impl PlaneParts {
    /// The connected components of some routers, with all other routers removed.
    fn split(&mut self, network: &Network, routers: &[RouterId]) -> Vec<Vec<RouterId>> {
        self.count += 1;
        let untouched = self.count;
        routers.iter().for_each(|router| self.part[router.index()] = untouched);
        let mut parts = Vec::new();
        for &router in routers {
            if self.part[router.index()] != untouched {
                continue;
            }
            self.count += 1;
            self.part[router.index()] = self.count;
            let mut found = vec![router];
            let mut at = 0;
            while at < found.len() {
                let leaving =
                    network.out_channels(found[at]).iter().map(|&c| network.channel(c).head);
                let entering =
                    network.in_channels(found[at]).iter().map(|&c| network.channel(c).tail);
                for next in leaving.chain(entering) {
                    if self.part[next.index()] == untouched {
                        self.part[next.index()] = self.count;
                        found.push(next);
                    }
                }
                at += 1;
            }
            parts.push(found);
        }
        parts
    }
}
